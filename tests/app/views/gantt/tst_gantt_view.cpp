// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QPaintEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QTest>
#include <QWheelEvent>

#include "app/views/gantt/ruler_view.hpp"
#include "app/views/gantt/view.hpp"
#include "app/views/memory/view.hpp"
#include "app/views/widgets/hover_card.hpp"
#include "tests/app/models/synthetic_simulation.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_gantt_view {

void send_wheel(QWidget& widget, const QPointF& at, int notches, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
  QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton, modifiers, Qt::NoScrollPhase,
                    false);
  QApplication::sendEvent(&widget, &event);
}

bool near(const QColor& a, const QColor& b) {
  return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue()) < 12;
}

/// A record of the repainted region.
class PaintedRegion : public QObject {
 public:
  QRegion region;

 protected:
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::Paint) region += static_cast<QPaintEvent*>(event)->region();
    return false;
  }
};

class TestGanttView : public QObject {
  Q_OBJECT

 private:
  std::shared_ptr<const Simulation> simulation_ = app::synthetic_simulation({.stages = 2, .replicas = 8});

  void show(views::gantt::View& view, views::gantt::TimeAxisController& link) const {
    view.setPalette(views::widgets::Theme::light().palette());
    view.set_simulation(simulation_);
    view.resize(1000, view.sizeHint().height());
    link.set_full(static_cast<double>(view.content()->end));
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
  }

  QPointF middle_of(const views::gantt::View& view, const models::gantt::Hit& hit) const {
    const TimelineRow row = view.content()->timeline->row(hit.operation);
    const double time = static_cast<double>(row.start.count) + static_cast<double>(row.duration.count) / 2;
    return {view.x_of(time), view.geometry_of_lanes().rows[hit.row].top + 4.0};
  }

 private slots:
  /// A lane scrolled half out of sight draws nothing of its hidden part: the previous chart would shine through idle
  /// time.
  void a_lane_half_in_sight_shows_nothing_of_the_chart_before() {
    const auto busy = app::synthetic_simulation({.stages = 2, .replicas = 1, .micro_batches = 3000, .transfer_ms = 1});
    const auto idle = app::synthetic_simulation(
        {.stages = 2, .replicas = 1, .micro_batches = 3000, .forward_ms = 1, .backward_ms = 1, .transfer_ms = 500});
    views::gantt::TimeAxisController link;
    QScrollArea area;
    area.setFrameShape(QFrame::NoFrame);
    auto* view = new views::gantt::View(&link);
    view->setPalette(views::widgets::Theme::light().palette());
    view->set_simulation(busy);
    view->resize(1000, view->sizeHint().height());
    area.setWidget(view);
    area.resize(1020, view->height() / 2);
    link.set_full(static_cast<double>(view->content()->end));
    area.show();
    QVERIFY(QTest::qWaitForWindowExposed(&area));
    (void)area.grab();
    view->set_simulation(idle);
    link.set_full(static_cast<double>(view->content()->end));
    const models::gantt::Row& lane = view->geometry_of_lanes().rows.front();
    const int hidden = lane.top + lane.height / 2;
    area.verticalScrollBar()->setValue(hidden);
    QCOMPARE(area.verticalScrollBar()->value(), hidden);
    const QImage part = area.viewport()->grab().toImage();

    views::gantt::TimeAxisController other;
    views::gantt::View whole(&other);
    whole.setPalette(views::widgets::Theme::light().palette());
    whole.set_simulation(idle);
    whole.resize(view->size());
    other.set_full(link.axis().full);
    const QImage expected = whole.grab().toImage();
    for (int y = 0; y < lane.bottom() - hidden; ++y)
      for (int x = view->plot().left(); x < view->plot().right(); ++x)
        QCOMPARE(QColor(part.pixel(x, y)).name(), QColor(expected.pixel(x, y + hidden)).name());
  }

  void boxes_have_their_kinds_colour() {
    views::gantt::TimeAxisController link;
    views::gantt::View view(&link);
    show(view, link);
    const QImage picture = view.grab().toImage();
    const auto& content = *view.content();
    for (std::size_t row = 0; row < 2; ++row) {
      const TimelineLane& lane = content.timeline->lanes[*content.groups[row].compute];
      for (std::size_t i = lane.begin; i < lane.end; ++i) {
        const QPointF at = middle_of(view, {row, i});
        QVERIFY(near(picture.pixelColor(at.toPoint()), views::widgets::Theme::light().of(content.timeline->kind[i])));
      }
    }
    // Stage 1 is idle at first: the track is there, empty.
    const QPoint idle(static_cast<int>(view.x_of(1e6)), view.geometry_of_lanes().rows[1].top + 4);
    QVERIFY(near(picture.pixelColor(idle), views::widgets::Theme::light().panel));
  }

  void every_zoom_draws_something() {
    views::gantt::TimeAxisController link;
    views::gantt::View view(&link);
    view.set_timeline(app::random_timeline(200'000, 4, 2));
    view.resize(800, view.sizeHint().height());
    link.set_full(static_cast<double>(view.content()->end));
    view.show();
    for (int i = 0; i < 18; ++i) {
      const QImage picture = view.grab().toImage();
      int drawn = 0;
      for (const models::gantt::Row& row : view.geometry_of_lanes().rows)
        for (int x = view.plot().left(); x < view.plot().right(); ++x) {
          const QColor color = picture.pixelColor(x, row.top + row.height / 2);
          drawn += color != views::widgets::Theme::of(view.palette()).panel;
        }
      QVERIFY2(drawn > 4 * view.plot().width() / 2, qPrintable(QString::number(i)));
      link.zoom(2, link.axis().full / 2);
    }
  }

  /// Compared with the chart without marks: a column of a lane is unchanged, or blended with half the empty lane's
  /// colour.
  void marks_dim_whole_columns_data() {
    QTest::addColumn<double>("zoom");
    for (const double zoom : {1.0, 3.0, 6.0, 12.0, 150.0, 2000.0}) QTest::addRow("zoom %.0f", zoom) << zoom;
  }
  void marks_dim_whole_columns() {
    QFETCH(double, zoom);
    views::gantt::TimeAxisController link;
    views::gantt::View view(&link);
    view.setPalette(views::widgets::Theme::light().palette());
    view.set_content(models::gantt::make_gantt_content(app::random_timeline(200'000, 16, 5, false)));
    view.resize(1000, view.sizeHint().height());
    link.set_full(static_cast<double>(view.content()->end));
    link.zoom(zoom, link.axis().full / 3);
    const QImage plain = view.grab().toImage();
    view.set_matches(models::gantt::find_matches(view.content(), models::gantt::parse_gantt_query("B").query));
    const QImage marked = view.grab().toImage();
    constexpr int underline = 2;
    const QRgb empty = views::widgets::Theme::light().panel.rgb();
    int bright = 0, dimmed = 0;
    for (const models::gantt::Row& row : view.geometry_of_lanes().rows)
      for (int x = view.plot().left(); x <= view.plot().right(); ++x) {
        bool as_it_was = true, half = true;
        for (int y = row.top; y < row.bottom() - underline; ++y) {
          const QRgb under = plain.pixel(x, y) | 0xff000000u, here = marked.pixel(x, y) | 0xff000000u;
          as_it_was = as_it_was && here == under;
          half = half && here == (under & empty) + (((under ^ empty) & 0xfefefefeu) >> 1);
        }
        QVERIFY2(as_it_was || half, qPrintable(QString("row at %1, column %2").arg(row.top).arg(x)));
        bright += !half;
        dimmed += !as_it_was;
      }
    // Far out every pixel has a match.
    QVERIFY2(bright > 100 && (dimmed > 100 || zoom < 6), qPrintable(QString("%1 and %2").arg(bright).arg(dimmed)));
  }

  void wheel_with_control_zooms_at_the_mouse() {
    views::gantt::TimeAxisController link;
    views::gantt::View view(&link);
    show(view, link);
    const QPointF at(400, 20);
    const double before = view.time_at(at.x());
    send_wheel(view, at, 3, Qt::ControlModifier);
    QVERIFY(link.axis().span() < link.axis().full * 0.7);
    QVERIFY(std::abs(view.time_at(at.x()) - before) < 1);
    send_wheel(view, at, 2, Qt::ShiftModifier);
    QVERIFY(view.time_at(at.x()) < before);  // panned to the left
    send_wheel(view, at, -30, Qt::ControlModifier);
    QCOMPARE(link.axis(), link.axis().fitted());
  }

  void wheel_is_left_to_the_scroll_area() {
    views::gantt::TimeAxisController link;
    views::gantt::View view(&link);
    show(view, link);
    send_wheel(view, {10, 20}, 3);
    send_wheel(view, {400, 20}, 3);
    QCOMPARE(link.axis(), link.axis().fitted());
  }

  void keys_zoom_pan_and_fit() {
    views::gantt::TimeAxisController link;
    views::gantt::View view(&link);
    show(view, link);
    QTest::keyClick(&view, Qt::Key_W);
    const models::gantt::TimeAxis closer = link.axis();
    QVERIFY(closer.span() < closer.full);
    QTest::keyClick(&view, Qt::Key_D);
    QVERIFY(link.axis().begin > closer.begin);
    QTest::keyClick(&view, Qt::Key_A);
    QVERIFY(std::abs(link.axis().begin - closer.begin) < 1);
    QTest::keyClick(&view, Qt::Key_S);
    QTest::keyClick(&view, Qt::Key_W);
    QTest::keyClick(&view, Qt::Key_F);
    QCOMPARE(link.axis(), link.axis().fitted());
  }

  void arrows_step_from_operation_to_operation() {
    views::gantt::TimeAxisController link;
    views::gantt::View view(&link);
    view.set_chart_id(7);
    show(view, link);
    QTest::keyClick(&view, Qt::Key_Right);
    QVERIFY(link.selection());
    QCOMPARE(link.selection()->chart, 7);
    QCOMPARE(link.selection()->operation, (Operation{OpKind::forward, StageId(0), 0}));
    QTest::keyClick(&view, Qt::Key_Right);
    QCOMPARE(link.selection()->operation, (Operation{OpKind::forward, StageId(0), 1}));
    QTest::keyClick(&view, Qt::Key_Down);
    QCOMPARE(link.selection()->operation.stage, StageId(1));
    QVERIFY(view.accessibleDescription().contains("stage 1"));
    QTest::keyClick(&view, Qt::Key_Escape);
    QVERIFY(!link.selection());
  }

  void a_step_out_of_view_pans_there() {
    views::gantt::TimeAxisController link;
    views::gantt::View view(&link);
    show(view, link);
    link.zoom(20, 0);
    for (int i = 0; i < 5; ++i) QTest::keyClick(&view, Qt::Key_Right);
    const TimelineRow row = view.content()->timeline->row(link.selection()->position);
    QVERIFY(link.axis().begin <= static_cast<double>(row.start.count) + 1);
    QVERIFY(link.axis().end > static_cast<double>(row.start.count));
  }

  void drag_pans_and_click_selects() {
    views::gantt::TimeAxisController link;
    views::gantt::View view(&link);
    show(view, link);
    const QPointF at = middle_of(view, {0, 1});
    QTest::mouseClick(&view, Qt::LeftButton, {}, at.toPoint());
    QCOMPARE(link.selection()->position, std::size_t{1});
    link.zoom(4, link.axis().full / 2);
    const double grabbed = view.time_at(500);
    QTest::mousePress(&view, Qt::LeftButton, {}, {500, 10});
    for (int x = 500; x >= 300; x -= 20) QTest::mouseMove(&view, {x, 10});
    QTest::mouseRelease(&view, Qt::LeftButton, {}, {300, 10});
    QVERIFY(std::abs(view.time_at(300) - grabbed) < link.axis().span() / 500);
    QCOMPARE(link.selection()->position, std::size_t{1});  // a drag selects nothing
  }

  void two_views_zoom_together_and_show_one_operation() {
    views::gantt::TimeAxisController link;
    views::gantt::View view(&link), other(&link);
    other.set_chart_id(2);
    show(view, link);
    show(other, link);
    views::memory::View memory(&link);
    memory.resize(1000, 68);
    const int drawn = other.content_draws();
    send_wheel(view, {500, 20}, 2, Qt::ControlModifier);
    QTRY_VERIFY(other.content_draws() > drawn);
    QCOMPARE(other.time_at(300), view.time_at(300));
    QCOMPARE(memory.time_at(300), view.time_at(300));
    link.fit();
    const QPointF at = middle_of(view, {0, 2});
    QTest::mouseClick(&view, Qt::LeftButton, {}, at.toPoint());
    const QImage picture = other.grab().toImage();
    const TimelineRow row = other.content()->timeline->row(2);
    const int x = static_cast<int>(other.x_of(static_cast<double>(row.start.count) + 5e6));
    QVERIFY(near(picture.pixelColor(x, other.geometry_of_lanes().rows[0].top),
                 views::widgets::Theme::light().text));  // its outline
  }

  void a_moving_cursor_draws_no_content() {
    views::gantt::TimeAxisController link;
    views::gantt::View view(&link);
    show(view, link);
    view.grab();
    const int drawn = view.content_draws();
    for (int x = 200; x < 400; x += 10) {
      QTest::mouseMove(&view, {x, 10});
      QCoreApplication::processEvents();
    }
    QVERIFY(link.cursor());
    view.grab();
    QCOMPARE(view.content_draws(), drawn);
    const int x = static_cast<int>(view.x_of(*link.cursor()));
    QVERIFY(near(view.grab().toImage().pixelColor(x, 1), views::widgets::Theme::light().cursor));
  }

  void a_cursor_that_moves_after_a_zoom_leaves_no_line_behind() {
    views::gantt::TimeAxisController link;
    views::gantt::View view(&link);
    show(view, link);
    QTest::mouseMove(&view, {500, 10});
    QVERIFY(link.cursor());
    link.zoom(2, link.axis().begin);
    QTest::qWait(20);
    const int drawn_at = static_cast<int>(view.x_of(*link.cursor()));
    QVERIFY(drawn_at > 520);
    PaintedRegion painted;
    view.installEventFilter(&painted);
    link.set_cursor(std::nullopt);
    QTRY_VERIFY(painted.region.contains(QPoint(drawn_at, 1)));
  }

  void the_card_tells_operation_times_and_wait() {
    views::gantt::TimeAxisController link;
    views::gantt::View view(&link);
    show(view, link);
    const auto& content = *view.content();
    const std::size_t first = content.timeline->lanes[*content.groups[1].compute].begin;
    QTest::mouseMove(&view, middle_of(view, {1, first}).toPoint());
    auto* card = view.window()->findChild<views::widgets::HoverCard*>();
    QVERIFY(card && card->isVisible());
    const QString text = card->lines().join('\n').replace(QChar(0xa0), ' ');
    QCOMPARE(card->lines().size(), 3);
    QVERIFY2(text.contains("forward · micro-batch 0 · stage 1 · G8–G15"), qPrintable(text));
    QVERIFY2(text.contains("62.0 – 112.4 ms  (50.4 ms)"), qPrintable(text));
    QVERIFY2(text.contains("waited 62.0 ms for the activation from G0–G7"), qPrintable(text));
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(&view, &leave);
    QVERIFY(!card->isVisible());
    QVERIFY(!link.cursor());
  }

  void the_card_goes_with_its_view() {
    views::gantt::TimeAxisController link;
    QWidget window;
    window.setPalette(views::widgets::Theme::light().palette());
    window.resize(1000, 120);
    auto* view = new views::gantt::View(&link, &window);
    view->set_simulation(simulation_);
    view->resize(1000, view->sizeHint().height());
    link.set_full(static_cast<double>(view->content()->end));
    window.show();
    QTest::mouseMove(view, middle_of(*view, {0, 0}).toPoint());
    auto* card = window.findChild<views::widgets::HoverCard*>();
    QVERIFY(card && card->isVisible());
    delete view;
    QVERIFY(!card->isVisible());
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QVERIFY(!window.findChild<views::widgets::HoverCard*>());
  }

  void a_click_on_a_name_opens_and_closes_the_group() {
    views::gantt::TimeAxisController link;
    views::gantt::View view(&link);
    show(view, link);
    const int before = view.sizeHint().height();
    const QPoint name(30, view.geometry_of_lanes().rows[0].top + 6);
    QTest::mouseClick(&view, Qt::LeftButton, {}, name);
    QCOMPARE(view.geometry_of_lanes().rows.size(), std::size_t{9});
    QVERIFY(view.sizeHint().height() > before);
    QTest::mouseClick(&view, Qt::LeftButton, {}, name);
    QCOMPARE(view.geometry_of_lanes().rows.size(), std::size_t{2});
    QTest::keyClick(&view, Qt::Key_L);
    QCOMPARE(view.geometry_of_lanes().rows.size(), std::size_t{4});
  }

  void measured_over_predicted_and_a_ghost() {
    views::gantt::TimeAxisController link;
    views::gantt::View view(&link);
    show(view, link);
    const auto slower = models::gantt::make_gantt_content(app::synthetic_simulation({.forward_ms = 60}));
    const QImage plain = view.grab().toImage();
    view.set_ghost(slower);
    QVERIFY(view.grab().toImage() != plain);
    view.set_ghost(nullptr);
    QCOMPARE(view.grab().toImage(), plain);
    view.set_pale(slower);
    view.resize(1000, view.sizeHint().height());
    const models::gantt::Row& row = view.geometry_of_lanes().rows[0];
    QVERIFY(row.pale_height > 0);
    const QImage both = view.grab().toImage();
    const QColor pale = both.pixelColor(static_cast<int>(view.x_of(20e6)), row.pale_top + row.pale_height / 2);
    QVERIFY(pale.lightness() > views::widgets::Theme::light().of(OpKind::forward).lightness() + 20);
    QVERIFY(pale != views::widgets::Theme::light().panel);
  }

  void nothing_to_show_says_so() {
    views::gantt::TimeAxisController link;
    views::gantt::View view(&link);
    view.set_empty_text("Simulating…");
    view.resize(600, 64);
    const QImage picture = view.grab().toImage();
    bool text = false;
    for (int x = view.plot().left(); x < 300; ++x)
      for (int y = 0; y < 64; ++y) text |= picture.pixelColor(x, y) != views::widgets::Theme::of(view.palette()).window;
    QVERIFY(text);
    QTest::keyClick(&view, Qt::Key_Right);
    QVERIFY(!link.selection());
  }

  void memory_over_capacity_is_red() {
    views::gantt::TimeAxisController link;
    views::memory::View view(&link);
    view.setPalette(views::widgets::Theme::light().palette());
    const auto simulation =
        app::synthetic_simulation({.stages = 4, .replicas = 1, .static_gib = 10, .activation_gib = 3});
    QVERIFY(!simulation->fits);
    view.set_simulation(simulation);
    view.resize(900, 68);
    link.set_full(static_cast<double>(simulation->iteration.count));
    const SimulatedDevice& worst = simulation->devices.front();
    const double x = view.x_of(static_cast<double>(worst.peak_time.count)) + 20;
    const QColor line = view.grab().toImage().pixelColor(static_cast<int>(x), static_cast<int>(view.y_of(worst.peak)));
    QVERIFY2(line.red() > line.blue() + 60, qPrintable(line.name()));
    const auto curve = view.curve_at({x, view.y_of(worst.peak)});
    QVERIFY(curve);
    const QString text = view.describe(*curve, view.time_at(x)).join('\n').replace(QChar(0xa0), ' ');
    QVERIFY2(text.contains("peak 22 GiB of 16 GiB") && text.contains("6 GiB above its memory"), qPrintable(text));
    QVERIFY(text.contains("12 GiB  activations"));
  }
};

PIPEDECK_WINDOW_TEST(TestGanttView)

}  // namespace pipedeck::tst_gantt_view

#include "tst_gantt_view.moc"
