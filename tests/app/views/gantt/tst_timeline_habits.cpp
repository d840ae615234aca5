// SPDX-License-Identifier: GPL-3.0-or-later
// The habits of a timeline: wheel, drags, span, lanes, flags, crowded pixels.
#include <QApplication>
#include <QClipboard>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTest>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWheelEvent>

#include "app/views/gantt/pointer_keys.hpp"
#include "app/views/gantt/ruler_view.hpp"
#include "app/views/gantt/span_panel.hpp"
#include "app/views/gantt/view.hpp"
#include "app/views/widgets/pixel_canvas.hpp"
#include "tests/app/models/synthetic_simulation.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_timeline_habits {

void turn_wheel(QWidget& widget, const QPointF& at, const QPoint& notches, Qt::KeyboardModifiers modifiers = {}) {
  QWheelEvent event(at, widget.mapToGlobal(at), {}, 120 * notches, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
  QSpontaneKeyEvent::setSpontaneous(&event);  // other events do not reach the scroll area
  qApp->notify(&widget, &event);
}

void drag(QWidget& widget, const QPoint& from, const QPoint& to, Qt::KeyboardModifiers modifiers = {}) {
  QTest::mousePress(&widget, Qt::LeftButton, modifiers, from);
  for (int step = 1; step <= 4; ++step) QTest::mouseMove(&widget, from + (to - from) * step / 4);
  QTest::mouseRelease(&widget, Qt::LeftButton, modifiers, to);
}

/// A scale, 32 lanes in a scroll area and the sums of a span. Flags are kept as a project does.
struct Timelines {
  Timelines() {
    auto* layout = new QVBoxLayout(&window);
    ruler = new views::gantt::RulerView(&link);
    layout->addWidget(ruler);
    area = new QScrollArea;
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view = new views::gantt::View(&link);
    view->set_chart_id(1);
    view->set_simulation(app::synthetic_simulation({.stages = 32, .replicas = 1, .micro_batches = 4}));
    area->setWidget(view);
    layout->addWidget(area, 1);
    panel = new views::gantt::SpanPanel(&link);
    panel->set_chart(view, "DAPPLE");
    layout->addWidget(panel);
    QObject::connect(&link, &views::gantt::TimeAxisController::flags_edited, &window,
                     [this](const std::vector<models::gantt::Flag>& flags, const QString& name) {
                       steps << name;
                       link.set_flags(flags);
                     });
    link.set_full(static_cast<double>(view->content()->end));
    window.setPalette(views::widgets::Theme::light().palette());
    window.resize(1000, 420);
    window.show();
    window.activateWindow();
    (void)QTest::qWaitForWindowActive(&window);
  }
  QScrollBar& bar() const { return *area->verticalScrollBar(); }

  QWidget window;
  views::gantt::TimeAxisController link;
  views::gantt::RulerView* ruler;
  QScrollArea* area;
  views::gantt::View* view;
  views::gantt::SpanPanel* panel;
  QStringList steps;
};

int x_at(const views::gantt::TimeView& view, double time) { return qRound(view.x_of(time)); }

class TestTimelineHabits : public QObject {
  Q_OBJECT

 private slots:
  void the_wheel_scrolls_lanes_and_time_and_zooms() {
    Timelines desk;
    QVERIFY(desk.bar().maximum() > 0);
    const QPointF at(500, 40);
    turn_wheel(*desk.view, at, {0, -2});
    QVERIFY(desk.bar().value() > 0);
    QCOMPARE(desk.link.axis(), desk.link.axis().fitted());
    turn_wheel(*desk.view, at, {0, 4}, Qt::ControlModifier);
    QVERIFY(desk.link.axis().span() < desk.link.axis().full / 2);
    const double begin = desk.link.axis().begin;
    turn_wheel(*desk.view, at, {0, -1}, Qt::ShiftModifier);
    QVERIFY(desk.link.axis().begin > begin);  // later
    turn_wheel(*desk.view, at, {1, 0});       // a wheel that tilts, two fingers
    QVERIFY(std::abs(desk.link.axis().begin - begin) < 1);
    const double span = desk.link.axis().span();
    turn_wheel(*desk.ruler, at, {0, 1});
    QVERIFY(desk.link.axis().span() < span);
  }

  void a_drag_in_the_plot_pans_both_ways() {
    Timelines desk;
    desk.link.zoom(4, desk.link.axis().full / 2);
    desk.bar().setValue(60);
    const double begin = desk.link.axis().begin;
    drag(*desk.view, {600, 150}, {500, 120});
    QVERIFY(desk.link.axis().begin > begin);
    QVERIFY2(desk.bar().value() > 70, qPrintable(QString::number(desk.bar().value())));
    QVERIFY(!desk.link.measure() && !desk.link.selection());
  }

  void a_drag_on_the_scale_selects_a_span() {
    Timelines desk;
    drag(*desk.ruler, {300, 10}, {640, 10});
    QVERIFY(desk.link.span());
    QVERIFY(std::abs(desk.link.span()->first - desk.ruler->time_at(300)) < 1);
    QVERIFY(std::abs(desk.link.span()->second - desk.ruler->time_at(640)) < 1);
    QVERIFY(desk.panel->isVisible() && desk.panel->sums());
    QCOMPARE(desk.link.axis(), desk.link.axis().fitted());
    QTest::keyClick(desk.view, Qt::Key_Escape);
    QVERIFY(!desk.link.measure() && !desk.panel->isVisible());
    drag(*desk.ruler, {640, 10}, {300, 10});  // backwards
    QVERIFY(desk.link.span() && desk.link.span()->first < desk.link.span()->second);
    QTest::mouseClick(desk.ruler, Qt::LeftButton, {}, {500, 10});
    QVERIFY(desk.link.span());  // a click selects nothing else
  }

  void a_drag_with_shift_selects_and_snaps() {
    Timelines desk;
    desk.link.zoom(8, 0);
    const QRectF box = desk.view->box_of({0, 0});
    QVERIFY(box.width() > 20);
    const auto& timeline = *desk.view->content()->timeline;
    drag(*desk.view, {qRound(box.left()) + 3, 10}, {qRound(box.right()) - 3, 10}, Qt::ShiftModifier);
    QVERIFY(desk.link.span());
    QCOMPARE(desk.link.span()->first, static_cast<double>(timeline.start[0]));
    QCOMPARE(desk.link.span()->second, static_cast<double>(timeline.start[0] + timeline.duration[0]));
  }

  void a_drag_with_control_zooms() {
    Timelines desk;
    const double from = desk.view->time_at(300), to = desk.view->time_at(500);
    QTest::mousePress(desk.view, Qt::LeftButton, Qt::ControlModifier, {300, 10});
    QTest::mouseMove(desk.view, {400, 10});
    QTest::mouseMove(desk.view, {500, 10});
    QVERIFY(desk.link.zoom_span());
    QCOMPARE(desk.link.axis(), desk.link.axis().fitted());  // until the button is released
    QTest::mouseRelease(desk.view, Qt::LeftButton, Qt::ControlModifier, {500, 10});
    QVERIFY(std::abs(desk.link.axis().begin - from) < 1 && std::abs(desk.link.axis().end - to) < 1);
    QVERIFY(!desk.link.zoom_span() && !desk.link.measure());
  }

  void escape_takes_a_drag_back() {
    Timelines desk;
    QTest::mousePress(desk.view, Qt::LeftButton, Qt::ControlModifier, {300, 10});
    QTest::mouseMove(desk.view, {500, 10});
    QTest::keyClick(desk.view, Qt::Key_Escape);
    QVERIFY(!desk.link.zoom_span());
    QTest::mouseRelease(desk.view, Qt::LeftButton, Qt::ControlModifier, {500, 10});
    QCOMPARE(desk.link.axis(), desk.link.axis().fitted());
  }

  void the_panel_sums_by_kind_and_stage() {
    Timelines desk;
    drag(*desk.ruler, {desk.ruler->plot().left() + 1, 10}, {desk.ruler->plot().right() - 1, 10});
    const models::gantt::SpanSums& sums = *desk.panel->sums();
    QCOMPARE(desk.panel->places().rowCount(), 32);
    QCOMPARE(desk.panel->kinds().item(0, 0)->text(), "forward");
    QCOMPARE(desk.panel->kinds().item(0, 1)->text(), "128");  // 32 stages, 4 micro-batches
    QVERIFY(desk.panel->places().item(3, 0)->text().startsWith("S3"));
    // A stage of its own, and all again.
    desk.panel->places().selectRow(3);
    QCOMPARE(desk.panel->kinds().item(0, 1)->text(), "4");
    desk.panel->places().clearSelection();
    QCOMPARE(desk.panel->kinds().item(0, 1)->text(), "128");
    desk.panel->findChild<QToolButton*>("span_copy")->click();
    const QStringList lines = QApplication::clipboard()->text().split('\n', Qt::SkipEmptyParts);
    QCOMPARE(lines[0], "place,stages,devices,kind,operations,time_s,share");
    double seconds = 0;
    for (const QString& line : lines)
      if (line.startsWith("all,")) seconds += line.section(',', 5, 5).toDouble();
    const double expected = static_cast<double>(sums.all.total() + sums.all.overlapped) / 1e9;
    QVERIFY(std::abs(seconds - expected) < 1e-6);
    QVERIFY(lines.size() > 32);
    desk.panel->findChild<QToolButton*>("span_zoom")->click();
    QVERIFY(desk.link.axis().span() < desk.link.axis().full);
    desk.panel->findChild<QToolButton*>("span_flag")->click();
    QCOMPARE(desk.link.flags().size(), std::size_t{1});
    QVERIFY(desk.link.flags()[0].is_span());
    desk.panel->findChild<QToolButton*>("span_close")->click();
    QVERIFY(!desk.link.measure());
  }

  void flags_are_set_named_and_removed() {
    Timelines desk;
    const int before = desk.ruler->sizeHint().height();
    QTest::mouseDClick(desk.ruler, Qt::LeftButton, {}, {400, 10});
    QCOMPARE(desk.link.flags().size(), std::size_t{1});
    QVERIFY(desk.ruler->sizeHint().height() > before);
    auto* note = desk.ruler->findChild<QLineEdit*>("flag_note");
    QVERIFY(note);
    QTest::keyClicks(note, "stage 3 waits");
    QTest::keyClick(note, Qt::Key_Return);
    QCOMPARE(desk.link.flags()[0].note, "stage 3 waits");
    QCOMPARE(desk.steps, (QStringList{"Add flag", "Note on a flag"}));
    QVERIFY(desk.ruler->accessibleDescription().contains("stage 3 waits"));
    // At the mouse, by a key.
    QTest::mouseMove(desk.view, {700, 20});
    QTest::keyClick(desk.view, Qt::Key_N);
    QCOMPARE(desk.link.flags().size(), std::size_t{2});
    QVERIFY(std::abs(desk.link.flags()[1].begin - desk.view->time_at(700)) < desk.link.axis().span() / 500);
    QTRY_VERIFY(desk.ruler->height() >= desk.ruler->sizeHint().height());
    const QPoint on_flag(x_at(*desk.ruler, desk.link.flags()[0].begin) + 4, 6);
    QCOMPARE(desk.ruler->flag_at(on_flag), std::optional<std::size_t>(0));
    QTest::mouseClick(desk.ruler, Qt::LeftButton, {}, on_flag);
    QToolButton* remove = nullptr;
    for (auto* button : desk.ruler->findChildren<QToolButton*>("flag_remove"))
      if (button->isVisible()) remove = button;
    QVERIFY(remove);
    remove->click();
    QCOMPARE(desk.link.flags().size(), std::size_t{1});
    QCOMPARE(desk.steps.back(), "Remove flag");
  }

  void lanes_move_by_a_drag_of_their_names() {
    Timelines desk;
    const auto names = [&] {
      QStringList all;
      for (std::size_t row = 0; row < 4; ++row) all << desk.view->row_text(row);
      return all;
    };
    QCOMPARE(names(), (QStringList{"G0", "G1", "G2", "G3"}));
    const auto middle = [&](std::size_t row) {
      const models::gantt::Row& lane = desk.view->geometry_of_lanes().rows[row];
      return QPoint(30, lane.top + lane.height / 2);
    };
    drag(*desk.view, middle(0), middle(2) + QPoint(0, 3));
    QCOMPARE(names(), (QStringList{"G1", "G2", "G0", "G3"}));
    QVERIFY(desk.view->reordered());
    desk.view->move_lane(DeviceId(0), -1);
    QCOMPARE(names(), (QStringList{"G1", "G0", "G2", "G3"}));
    desk.view->move_lane(DeviceId(0), 1);
    QCOMPARE(names(), (QStringList{"G1", "G2", "G0", "G3"}));
    // Hits and steps go by what is seen.
    const QRectF box = desk.view->box_of({2, desk.view->content()->timeline->lanes[0].begin});
    QTest::mouseClick(desk.view, Qt::LeftButton, {}, box.center().toPoint());
    QCOMPARE(desk.link.selection()->operation.stage, StageId(0));
    QCOMPARE(desk.view->selected()->row, std::size_t{2});
    desk.view->reset_order();
    QCOMPARE(names(), (QStringList{"G0", "G1", "G2", "G3"}));
  }

  void pinned_lanes_are_shown_again() {
    Timelines desk;
    QSignalSpy pins(desk.view, &views::gantt::View::pins_changed);
    desk.view->set_pinned(DeviceId(5), true);
    desk.view->set_pinned(DeviceId(2), true);
    QCOMPARE(pins.count(), 2);
    views::gantt::View pinned(&desk.link);
    pinned.show_pinned_of(*desk.view);
    QCOMPARE(pinned.geometry_of_lanes().rows.size(), std::size_t{2});
    QCOMPARE(pinned.row_text(0), "G2");
    QCOMPARE(pinned.row_text(1), "G5");
    // A click there selects in the chart, too.
    pinned.resize(1000, pinned.sizeHint().height());
    const std::size_t first = desk.view->content()->timeline->lanes[*desk.view->content()->groups[5].compute].begin;
    QTest::mouseClick(&pinned, Qt::LeftButton, {}, pinned.box_of({1, first}).center().toPoint());
    QVERIFY(desk.view->selected());
    QCOMPARE(desk.view->selected()->operation, first);
  }

  void keys_work_where_the_mouse_is() {
    Timelines desk;
    views::gantt::PointerKeys keys(&desk.window);
    auto* elsewhere = new QToolButton(&desk.window);
    auto* text = new QLineEdit(&desk.window);
    elsewhere->show();
    text->show();
    elsewhere->setFocus(Qt::OtherFocusReason);
    QTest::mouseMove(desk.view, {500, 20});
    QCOMPARE(views::gantt::view_at_pointer(desk.window), desk.view);
    QTest::keyClick(elsewhere, Qt::Key_W);
    QVERIFY(desk.link.axis().span() < desk.link.axis().full);
    QTest::keyClick(elsewhere, Qt::Key_F);
    QCOMPARE(desk.link.axis(), desk.link.axis().fitted());
    QTest::keyClick(elsewhere, Qt::Key_M);
    QVERIFY(desk.link.measure());
    QTest::keyClick(elsewhere, Qt::Key_Escape);
    QVERIFY(!desk.link.measure());
    text->setFocus(Qt::OtherFocusReason);
    QTest::keyClicks(text, "wasd");
    QCOMPARE(text->text(), "wasd");  // text stays text
    QCOMPARE(desk.link.axis(), desk.link.axis().fitted());
    elsewhere->setFocus(Qt::OtherFocusReason);
    QTest::mouseMove(desk.panel->isVisible() ? static_cast<QWidget*>(desk.panel) : elsewhere, {3, 3});
    QTest::keyClick(elsewhere, Qt::Key_W);
    QCOMPARE(desk.link.axis(), desk.link.axis().fitted());  // the mouse is elsewhere
  }

  /// A crowded lane shows every kind with its part of the height.
  void crowded_pixels_show_the_shares_of_all_kinds() {
    auto timeline = std::make_shared<Timeline>();
    std::vector<TimelineRow> rows;
    std::int64_t time = 0;
    for (int i = 0; i < 20'000; ++i)  // a third forward, half backward, a sixth idle
      for (const auto& [kind, duration] : {std::pair(OpKind::forward, 20), std::pair(OpKind::backward, 30)}) {
        rows.push_back({Nanoseconds(time), Nanoseconds(duration), {kind, StageId(0), i}});
        time += duration + (kind == OpKind::backward ? 10 : 0);
      }
    timeline->append_lane({LaneRole::compute, DeviceId(0), DeviceId(0)}, rows);
    views::gantt::TimeAxisController link;
    views::gantt::View view(&link);
    view.setPalette(views::widgets::Theme::light().palette());
    view.set_timeline(timeline);
    view.resize(800, view.sizeHint().height());
    link.set_full(static_cast<double>(time));
    for (const double zoom : {1.0, 8.0, 22.0}) {  // from bins, and from narrow operations
      link.fit();
      link.zoom(zoom, 0);
      const QImage picture = view.grab().toImage();
      const models::gantt::Row& lane = view.geometry_of_lanes().rows[0];
      const views::widgets::Theme& theme = views::widgets::Theme::light();
      std::map<QRgb, int> pixels;
      for (int x = view.plot().left() + 10; x < view.plot().right() - 10; ++x)
        for (int y = lane.top; y < lane.bottom(); ++y) ++pixels[picture.pixel(x, y) | 0xff000000u];
      const auto share = [&](const QColor& color) {
        return static_cast<double>(pixels[color.rgb()]) / ((view.plot().width() - 21.0) * lane.height);
      };
      const QString seen = QString("zoom %1: forward %2, backward %3, idle %4")
                               .arg(zoom)
                               .arg(share(theme.of(OpKind::forward)))
                               .arg(share(theme.of(OpKind::backward)))
                               .arg(share(theme.panel));
      QVERIFY2(std::abs(share(theme.of(OpKind::forward)) - 1 / 3.0) < 0.03, qPrintable(seen));
      QVERIFY2(std::abs(share(theme.of(OpKind::backward)) - 0.5) < 0.03, qPrintable(seen));
      QVERIFY2(std::abs(share(theme.panel) - 1 / 6.0) < 0.03, qPrintable(seen));
    }
  }

  /// Low bands, as in the overview, keep the proportions over several columns.
  void low_stacks_are_dithered() {
    QImage picture(400, 3, QImage::Format_RGB32);
    picture.fill(Qt::white);
    views::widgets::PixelCanvas canvas(picture, picture.rect());
    const QRgb colors[] = {qRgb(0, 0, 255), qRgb(255, 128, 0)};
    std::vector<std::uint8_t> parts;
    for (int x = 0; x < 400; ++x) parts.insert(parts.end(), {64, 127});  // a quarter, a half
    canvas.stacked_columns(0, 0, 3, colors, parts);
    int first = 0, second = 0;
    for (int x = 0; x < 400; ++x)
      for (int y = 0; y < 3; ++y) {
        first += picture.pixel(x, y) == colors[0];
        second += picture.pixel(x, y) == colors[1];
      }
    QVERIFY2(std::abs(first / 1200.0 - 0.25) < 0.05 && std::abs(second / 1200.0 - 0.5) < 0.05,
             qPrintable(QString("%1 and %2").arg(first).arg(second)));
  }

  void a_trace_of_an_instant_stays_visible() {
    QImage picture(4, 20, QImage::Format_RGB32);
    picture.fill(Qt::white);
    views::widgets::PixelCanvas canvas(picture, picture.rect());
    const QRgb colors[] = {qRgb(0, 0, 255), qRgb(255, 128, 0)};
    canvas.stacked_columns(0, 0, 20, colors, std::vector<std::uint8_t>{0, 0, 1, 0, 0, 1, 255, 0});
    QCOMPARE(picture.pixel(0, 19), qRgb(255, 255, 255));
    QCOMPARE(picture.pixel(1, 19), colors[0]);
    QCOMPARE(picture.pixel(2, 19), colors[1]);
    QCOMPARE(picture.pixel(3, 0), colors[0]);
    QCOMPARE(picture.pixel(1, 18), qRgb(255, 255, 255));
  }
};

PIPEDECK_WINDOW_TEST(TestTimelineHabits)

}  // namespace pipedeck::tst_timeline_habits

#include "tst_timeline_habits.moc"
