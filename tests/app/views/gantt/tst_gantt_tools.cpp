// SPDX-License-Identifier: GPL-3.0-or-later
// A reader's actions on a chart besides zoom and pan: search, measure, follow the critical path, listen.
#include <QAccessible>
#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <QVBoxLayout>

#include "app/models/gantt/preview.hpp"
#include "app/views/gantt/chart_search.hpp"
#include "app/views/gantt/minimap_view.hpp"
#include "app/views/gantt/span_panel.hpp"
#include "app/views/gantt/view.hpp"
#include "app/views/memory/view.hpp"
#include "app/views/widgets/hover_card.hpp"
#include "tests/app/models/synthetic_simulation.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_gantt_tools {

/// A chart with a search field, an overview and what is measured.
struct Desk {
  explicit Desk(const std::shared_ptr<const Simulation>& simulation, int charts = 1)
      : search(
            &link,
            [this] {
              std::vector<views::gantt::View*> all;
              for (const auto& view : views) all.push_back(view.get());
              return all;
            },
            &window),
        bar(&link, &window),
        minimap(&link, &window) {
    auto* layout = new QVBoxLayout(&window);
    layout->addWidget(&search);
    for (int i = 0; i < charts; ++i) {
      views.push_back(std::make_unique<views::gantt::View>(&link, &window));
      views.back()->set_chart_id(i + 1);
      views.back()->set_simulation(simulation);
      layout->addWidget(views.back().get());
    }
    layout->addWidget(&bar);
    layout->addWidget(&minimap);
    link.set_full(static_cast<double>(views[0]->content()->end));
    bar.set_chart(views[0].get(), "DAPPLE");
    minimap.set_contents({views[0]->content()});
    window.setPalette(views::widgets::Theme::light().palette());
    window.resize(1000, 400);
    window.show();
    window.activateWindow();
    (void)QTest::qWaitForWindowActive(&window);
  }
  views::gantt::View& view() { return *views[0]; }
  QString told() { return search.findChild<QLabel*>("chart_search_count")->text(); }
  QLineEdit* field() { return search.findChild<QLineEdit*>("chart_search_field"); }

  QWidget window;
  views::gantt::TimeAxisController link;
  std::vector<std::unique_ptr<views::gantt::View>> views;
  views::gantt::ChartSearch search;
  views::gantt::SpanPanel bar;
  views::gantt::MinimapView minimap;
};

QPointF middle_of(const views::gantt::View& view, const models::gantt::Hit& hit) { return view.box_of(hit).center(); }

/// From stage 0's first forward to stage 1's first, and then along stage 1.
std::shared_ptr<const CriticalPath> path_through(const models::gantt::Content& content) {
  auto path = std::make_shared<CriticalPath>();
  const Timeline& timeline = *content.timeline;
  const auto add = [&](std::size_t group, std::size_t at, WaitCause cause) {
    const std::size_t lane = *content.groups[group].compute, row = timeline.lanes[lane].begin + at;
    path->links.push_back({lane,
                           row,
                           LaneRole::compute,
                           content.groups[group].devices.front(),
                           {},
                           timeline.row(row).operation,
                           Nanoseconds(timeline.start[row]),
                           Nanoseconds(timeline.start[row] + timeline.duration[row]),
                           {},
                           cause});
  };
  add(0, 0, WaitCause::start);
  add(1, 0, WaitCause::activation);
  add(1, 1, WaitCause::device);
  add(0, 2, WaitCause::gradient);
  return path;
}

class TestGanttTools : public QObject {
  Q_OBJECT

 private:
  std::shared_ptr<const Simulation> simulation_ = app::synthetic_simulation({.stages = 2, .replicas = 8});

 private slots:
  void slash_opens_the_search_and_enter_goes_on() {
    Desk desk(simulation_);
    connect(&desk.view(), &views::gantt::View::search_requested, &desk.search, [&desk] { desk.search.open(); });
    desk.view().setFocus();
    QTest::keyClick(&desk.view(), Qt::Key_Slash);
    QVERIFY(desk.search.isVisible());
    QTest::keyClicks(desk.field(), "B 2");
    QTRY_COMPARE(desk.told(), "2 found");
    QTest::keyClick(desk.field(), Qt::Key_Return);
    QCOMPARE(desk.told(), "1 of 2");
    QCOMPARE(desk.link.selection()->operation.micro_batch, 2);
    QCOMPARE(desk.link.selection()->operation.kind, OpKind::backward);
    const auto first = desk.link.selection()->position;
    QTest::keyClick(desk.field(), Qt::Key_Return);
    QCOMPARE(desk.told(), "2 of 2");
    QTest::keyClick(desk.field(), Qt::Key_Return);  // round
    QCOMPARE(desk.link.selection()->position, first);
    QTest::keyClick(desk.field(), Qt::Key_Return, Qt::ShiftModifier);
    QCOMPARE(desk.told(), "2 of 2");
    QTest::keyClick(desk.field(), Qt::Key_Escape);
    QVERIFY(!desk.search.isVisible() && !desk.view().matches());
  }

  void matches_are_marked_in_lanes() {
    Desk desk(simulation_);
    const QImage plain = desk.view().grab().toImage();
    desk.search.open("F 1 s0");
    QTRY_VERIFY(desk.view().matches() && desk.view().matches()->count() == 1);
    const QImage marked = desk.view().grab().toImage();
    const models::gantt::Hit match{0, *desk.view().matches()->next(std::nullopt)};
    const QPoint at = middle_of(desk.view(), match).toPoint();
    QCOMPARE(marked.pixelColor(at.x() + 14, at.y() - 8), plain.pixelColor(at.x() + 14, at.y() - 8));
    const QPoint under(at.x(), static_cast<int>(desk.view().box_of(match).bottom()) - 1);
    QCOMPARE(marked.pixelColor(under), views::widgets::Theme::light().text);
    const QPoint beside = middle_of(desk.view(), {0, match.operation - 1}).toPoint();
    const QColor dimmed = marked.pixelColor(beside.x() + 14, beside.y() - 8),
                 before = plain.pixelColor(beside.x() + 14, beside.y() - 8),
                 lane = views::widgets::Theme::light().panel;
    QVERIFY(dimmed.lightness() > before.lightness() + 20);
    const auto mean = [](int a, int b) { return (a + b) / 2; };
    QCOMPARE(dimmed, QColor(mean(before.red(), lane.red()), mean(before.green(), lane.green()),
                            mean(before.blue(), lane.blue())));
  }

  void matches_are_marked_in_bins() {
    auto simulation = std::make_shared<Simulation>();
    simulation->timeline = *app::random_timeline(200'000, 4, 2);
    Desk desk(simulation);
    desk.search.open("B 777");
    QTRY_COMPARE(desk.search.count(), std::size_t{4});
    const QImage marked = desk.view().grab().toImage();
    int dark = 0;
    const models::gantt::Row& row = desk.view().geometry_of_lanes().rows[0];
    for (int x = desk.view().plot().left(); x < desk.view().plot().right(); ++x)
      dark += marked.pixelColor(x, row.bottom() - 1) == views::widgets::Theme::light().text;
    QVERIFY2(dark >= 1 && dark <= 4, qPrintable(QString::number(dark)));
    desk.search.next();
    const TimelineRow told = desk.view().content()->timeline->row(desk.link.selection()->position);
    QVERIFY(desk.view().x_of(static_cast<double>(told.end().count)) -
                desk.view().x_of(static_cast<double>(told.start.count)) >
            2);  // zoomed until it can be seen
    QVERIFY(desk.link.axis().begin < static_cast<double>(told.start.count) &&
            desk.link.axis().end > static_cast<double>(told.end().count));
  }

  void a_search_goes_from_chart_to_chart_and_tells_what_it_does_not_understand() {
    Desk desk(simulation_, 2);
    desk.search.open("all-reduce");
    QTRY_VERIFY(desk.told().endsWith("found"));
    const std::size_t all = desk.search.count();
    QVERIFY(all >= 4);
    QSet<int> charts;
    for (std::size_t i = 0; i < all; ++i) {
      desk.search.next();
      QCOMPARE(desk.told(), QString("%1 of %2").arg(i + 1).arg(all));
      charts.insert(desk.link.selection()->chart);
    }
    QCOMPARE(charts.size(), 2);
    desk.field()->setText("forwerd");
    QVERIFY2(desk.told().contains("forwerd"), qPrintable(desk.told()));
    desk.field()->setText("mb 99");
    QTRY_COMPARE(desk.told(), "nothing found");
    desk.search.next();  // goes nowhere
  }

  void a_found_link_and_a_folded_replica_are_uncovered() {
    Desk desk(simulation_);
    QVERIFY(!desk.view().links_visible());
    desk.search.open("transfer 1");
    QTRY_VERIFY(desk.search.count() > 0);
    desk.search.next();
    QVERIFY(desk.view().links_visible());
    QVERIFY(desk.view().selected());
  }

  void two_cursors_measure_what_lies_between() {
    Desk desk(simulation_);
    views::gantt::View& view = desk.view();
    const QRectF first = view.box_of({0, 0});
    const auto& timeline = *view.content()->timeline;
    QTest::mouseClick(&view, Qt::LeftButton, Qt::ShiftModifier, QPoint(static_cast<int>(first.left()) + 3, 8));
    QVERIFY(desk.link.measure() && !desk.link.measure()->to);
    QVERIFY(desk.bar.isVisible());
    QCOMPARE(desk.link.measure()->from, static_cast<double>(timeline.start[0]));  // snapped
    QTest::mouseMove(&view, QPoint(static_cast<int>(first.right()) - 2, 8));
    QTest::mouseClick(&view, Qt::LeftButton, Qt::ShiftModifier, QPoint(static_cast<int>(first.right()) - 2, 8));
    QCOMPARE(*desk.link.measure()->to, static_cast<double>(timeline.start[0] + timeline.duration[0]));
    QVERIFY2(desk.bar.lines()[0].contains("48.0"), qPrintable(desk.bar.lines()[0]));
    QVERIFY2(desk.bar.lines()[1].contains("DAPPLE") && desk.bar.lines()[1].contains("idle 50"),
             qPrintable(desk.bar.lines()[1]));  // stage 1 waits
    QVERIFY2(desk.bar.lines().value(2).contains("forward 100"), qPrintable(desk.bar.lines().join('\n')));
    QTest::mouseClick(&view, Qt::LeftButton, {}, first.center().toPoint());
    // Dragged by its second cursor to the end of the next operation.
    QTRY_VERIFY(desk.bar.height() >= desk.bar.sizeHint().height());  // the charts moved up
    const QRectF next = view.box_of({0, 1});
    QTest::mousePress(&view, Qt::LeftButton, {}, QPoint(qRound(view.x_of(*desk.link.measure()->to)), 8));
    QTest::mouseMove(&view, QPoint(static_cast<int>(next.right()) - 20, 8));
    QTest::mouseMove(&view, QPoint(static_cast<int>(next.right()) - 3, 8));
    QTest::mouseRelease(&view, Qt::LeftButton, {}, QPoint(static_cast<int>(next.right()) - 3, 8));
    QCOMPARE(*desk.link.measure()->to, static_cast<double>(timeline.start[1] + timeline.duration[1]));
    QCOMPARE(desk.link.axis(), desk.link.axis().fitted());  // nothing was panned
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_Escape);
    QVERIFY(!desk.link.measure() && !desk.bar.isVisible());
    QVERIFY(desk.link.selection());  // goes with the next Esc
    QTest::keyClick(&view, Qt::Key_M);
    QTest::keyClick(&view, Qt::Key_M);
    QVERIFY(desk.link.measure());
  }

  void arrows_follow_the_critical_path() {
    Desk desk(simulation_);
    views::gantt::View& view = desk.view();
    const auto path = path_through(*view.content());
    view.set_critical(path);
    view.setFocus();
    for (const CriticalSegment& link : path->links) {
      QTest::keyClick(&view, Qt::Key_Right);
      QCOMPARE(desk.link.selection()->position, link.row);
    }
    QTest::keyClick(&view, Qt::Key_Right);  // the end
    QCOMPARE(desk.link.selection()->position, path->links.back().row);
    auto* card = desk.window.findChild<views::widgets::HoverCard*>();
    QVERIFY(card && card->isVisible());
    const QString text = card->lines().join('\n');
    QVERIFY2(text.contains("critical path, 4 of 4") && text.contains("gradient"), qPrintable(text));
    QTest::keyClick(&view, Qt::Key_Left);
    QTest::keyClick(&view, Qt::Key_Left);
    QCOMPARE(desk.link.selection()->position, path->links[1].row);
    QTest::keyClick(&view, Qt::Key_Up);  // off the path, to the lane above
    QCOMPARE(desk.link.selection()->operation.stage, StageId(0));
    view.set_critical(nullptr);
    QTest::keyClick(&view, Qt::Key_Right);
    QCOMPARE(desk.link.selection()->operation.stage, StageId(0));
  }

  void arrows_go_over_all_lanes() {
    Desk desk(simulation_);
    views::gantt::View& view = desk.view();
    view.set_opened(DeviceId(0), true);
    view.set_links_visible(true);
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_Right);
    for (std::size_t row = 1; row < view.geometry_of_lanes().rows.size(); ++row) {
      QTest::keyClick(&view, Qt::Key_Down);
      QVERIFY(view.selected());
      QCOMPARE(view.selected()->row, row);
    }
  }

  void keys_are_taken_by_their_place() {
    Desk desk(simulation_);
    const auto press = [&](int key, quint32 scan) {
      QKeyEvent event(QEvent::KeyPress, key, Qt::NoModifier, scan, 0, 0);
      QApplication::sendEvent(&desk.view(), &event);
      return event.isAccepted();
    };
#ifdef Q_OS_LINUX
    QVERIFY(press(Qt::Key_Z, 25));  // AZERTY: W's place
    const models::gantt::TimeAxis closer = desk.link.axis();
    QVERIFY(closer.span() < closer.full);
    QVERIFY(press(Qt::Key_E, 40));  // Dvorak: D's place
    QVERIFY(desk.link.axis().begin > closer.begin);
    QVERIFY(press(Qt::Key_Q, 38));  // AZERTY: A's place
    QVERIFY(std::abs(desk.link.axis().begin - closer.begin) < 1);
    QVERIFY(press(Qt::Key_O, 39));  // Dvorak: S's place
    QVERIFY(desk.link.axis().span() > closer.span());
#endif
  }

  void the_overview_s_frame_is_dragged_and_resized() {
    Desk desk(simulation_);
    desk.link.zoom(4, desk.link.axis().full / 2);
    const models::gantt::TimeAxis before = desk.link.axis();
    const auto at = [&](double x) { return QPoint(qRound(x), 20); };
    models::gantt::MinimapFrame frame = desk.minimap.frame();
    const double middle = (frame.left + frame.right) / 2;
    QTest::mousePress(&desk.minimap, Qt::LeftButton, {}, at(middle));
    QTest::mouseMove(&desk.minimap, at(middle + 60));
    QTest::mouseRelease(&desk.minimap, Qt::LeftButton, {}, at(middle + 60));
    QVERIFY(desk.link.axis().begin > before.begin && std::abs(desk.link.axis().span() - before.span()) < 1);
    frame = desk.minimap.frame();
    QTest::mousePress(&desk.minimap, Qt::LeftButton, {}, at(frame.left));
    QTest::mouseMove(&desk.minimap, at(frame.left - 50));
    QTest::mouseRelease(&desk.minimap, Qt::LeftButton, {}, at(frame.left - 50));
    QVERIFY(desk.link.axis().span() > before.span());
    QTest::mouseClick(&desk.minimap, Qt::LeftButton, {}, at(100));
    QVERIFY(desk.link.axis().begin < before.begin);
    desk.minimap.setFocus();
    const double begin = desk.link.axis().begin;
    QTest::keyClick(&desk.minimap, Qt::Key_Right);
    QVERIFY(desk.link.axis().begin > begin);
    QTest::mouseDClick(&desk.minimap, Qt::LeftButton, {}, at(300));
    QCOMPARE(desk.link.axis(), desk.link.axis().fitted());
  }

  void a_huge_timeline_is_shown_at_once_and_made_ready_aside() {
    const auto timeline = app::random_timeline(models::gantt::max_made_at_once + 64, 8, 3);
    views::gantt::TimeAxisController link;
    views::gantt::View view(&link);
    view.resize(900, 300);
    view.set_timeline(timeline);
    QVERIFY(view.content() && view.content()->preview);
    QVERIFY(!view.hit({400, 10}));
    link.set_full(static_cast<double>(view.content()->end));
    view.grab();
    QTRY_VERIFY(!view.content()->preview);
    QCOMPARE(view.content()->timeline, timeline);
  }

  void the_chart_can_be_heard() {
    Desk desk(simulation_);
    views::gantt::View& view = desk.view();
    QAccessibleInterface* chart = QAccessible::queryAccessibleInterface(&view);
    QVERIFY(chart && chart->role() == QAccessible::Chart);
    QCOMPARE(chart->childCount(), 2);
    QAccessibleInterface* lane = chart->child(1);
    QCOMPARE(lane->text(QAccessible::Name), "G8–G15");
    QCOMPARE(lane->parent(), chart);
    QCOMPARE(chart->indexOfChild(lane), 1);
    const auto& group = view.content()->groups[1];
    QCOMPARE(static_cast<std::size_t>(lane->childCount()),
             view.content()->timeline->lanes[*group.compute].size() +
                 view.content()->timeline->lanes[*group.collective].size());
    QAccessibleInterface* operation = lane->child(1);
    const QString name = operation->text(QAccessible::Name).replace(QChar(0xa0), ' ');
    QVERIFY2(name.startsWith("Backward 0, stage 1 on G8–G15, "), qPrintable(name));
    QVERIFY2(lane->child(0)->text(QAccessible::Name).contains("waited"), qPrintable(name));
    QCOMPARE(lane->indexOfChild(operation), 1);
    QCOMPARE(operation->parent(), lane);
    QVERIFY(operation->rect().intersects(chart->rect()));
    QVERIFY(!operation->state().selected);
    auto* action = operation->actionInterface();
    QVERIFY(action);
    action->doAction(QAccessibleActionInterface::pressAction());
    QVERIFY(operation->state().selected);
    QCOMPARE(chart->focusChild(), operation);
    const QPoint at = operation->rect().center();
    QCOMPARE(chart->childAt(at.x(), at.y()), operation);
    QVERIFY(!chart->child(7) && !lane->child(-1));
    // Many are asked for, few are kept; another content makes all of them void.
    for (int i = 0; i < lane->childCount(); ++i) QVERIFY(lane->child(i)->isValid());
    view.set_simulation(app::synthetic_simulation({.stages = 4, .replicas = 1}));
    QVERIFY(!operation->isValid());
    QCOMPARE(chart->childCount(), 4);
  }

  void huge_lanes_are_heard_too() {
    auto simulation = std::make_shared<Simulation>();
    simulation->timeline = *app::random_timeline(300'000, 4, 2);
    Desk desk(simulation);
    QAccessibleInterface* lane = QAccessible::queryAccessibleInterface(&desk.view())->child(3);
    QCOMPARE(lane->childCount(), 75'000);
    for (int i = 0; i < 6000; ++i) QVERIFY(lane->child(i * 12)->text(QAccessible::Name).contains("stage 3"));
  }

  void memory_can_be_heard() {
    views::gantt::TimeAxisController link;
    views::memory::View view(&link);
    view.set_simulation(simulation_);
    view.resize(900, 68);
    view.show();
    QAccessibleInterface* chart = QAccessible::queryAccessibleInterface(&view);
    QCOMPARE(chart->childCount(), 2);
    const QString name = chart->child(0)->text(QAccessible::Name).replace(QChar(0xa0), ' ');
    QVERIFY2(name.contains("G0–G7: peak") && name.contains("16 GiB"), qPrintable(name));
    QVERIFY(chart->child(0)->text(QAccessible::Description).contains("activations"));
    QVERIFY(chart->rect().contains(chart->child(1)->rect()));
    QCOMPARE(chart->indexOfChild(chart->child(1)), 1);
  }
};

PIPEDECK_WINDOW_TEST(TestGanttTools)

}  // namespace pipedeck::tst_gantt_tools

#include "tst_gantt_tools.moc"
