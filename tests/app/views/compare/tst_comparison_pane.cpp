// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison of plans, and pictures of the time-based views, written to the build folder for people to look at.
#include <QDir>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QVBoxLayout>

#include "app/views/compare/comparison_pane.hpp"
#include "app/views/compare/plan_panel.hpp"
#include "app/views/gantt/legend_view.hpp"
#include "app/views/gantt/ruler_view.hpp"
#include "tests/app/models/synthetic_simulation.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_comparison_pane {

models::compare::PlanRow plan_row(int id, const char* name, const std::vector<int>& devices,
                                  const std::vector<int>& layers, std::shared_ptr<const Simulation> simulation) {
  models::compare::PlanRow row;
  row.id = id;
  row.plan.name = name;
  int first = 0, device = 0;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    Stage stage;
    stage.first = first;
    stage.last = first += layers[i];
    for (int d = 0; d < devices[i]; ++d) stage.devices.emplace_back(device++);
    row.plan.stages.push_back(stage);
  }
  row.simulation = std::move(simulation);
  return row;
}

std::vector<models::compare::PlanRow> three_plans() {
  return {plan_row(1, "DAPPLE", {8, 8}, {24, 26}, app::synthetic_simulation({})),
          plan_row(2, "GPipe, recompute", {4, 4, 4, 4}, {12, 12, 13, 13},
                   app::synthetic_simulation({.stages = 4,
                                              .replicas = 4,
                                              .micro_batches = 8,
                                              .forward_ms = 14,
                                              .backward_ms = 26,
                                              .skew = 0.03,
                                              .transfer_ms = 5,
                                              .overlap = true,
                                              .recompute = true,
                                              .static_gib = 4,
                                              .activation_gib = 1.4})),
          plan_row(3, "Memory-balanced", {8, 8}, {22, 28},
                   app::synthetic_simulation({.micro_batches = 6,
                                              .forward_ms = 33,
                                              .backward_ms = 56,
                                              .skew = 0.3,
                                              .transfer_ms = 9,
                                              .split_backward = true,
                                              .static_gib = 9,
                                              .activation_gib = 4}))};
}

void save(QWidget& widget, const QString& name) {
  const QDir folder(QCoreApplication::applicationDirPath() + "/pictures");
  QVERIFY(folder.mkpath("."));
  QVERIFY(widget.grab().save(folder.filePath(name + ".png")));
}

class TestComparisonPane : public QObject {
  Q_OBJECT

 private slots:
  void init() { QApplication::setPalette(views::widgets::Theme::light().palette()); }

  void nothing_ticked_says_what_to_do() {
    views::compare::Pane pane;
    pane.resize(800, 400);
    pane.show();
    auto* empty = pane.findChild<QLabel*>("comparison_empty");
    QVERIFY(empty->isVisible());
    QVERIFY(!pane.findChild<views::gantt::RulerView*>()->isVisible());
    auto rows = three_plans();
    for (models::compare::PlanRow& row : rows) row.ticked = false;
    pane.set_rows(rows);
    QVERIFY(empty->isVisible());
    rows[1].ticked = true;
    pane.set_rows(rows);
    QVERIFY(!empty->isVisible());
    QCOMPARE(pane.panels().size(), std::size_t{1});
    QCOMPARE(pane.panels()[0]->plan_id(), 2);
  }

  void all_plans_share_one_scale_and_line_up() {
    views::compare::Pane pane;
    pane.resize(1100, 700);
    const auto rows = three_plans();
    pane.set_rows(rows);
    pane.show();
    std::int64_t longest = 0;
    for (const models::compare::PlanRow& row : rows)
      longest = std::max(longest, row.simulation->timeline.makespan().count);
    QVERIFY(pane.link().axis().full >= static_cast<double>(longest));
    QVERIFY(pane.link().axis().full <= 1.05 * static_cast<double>(longest));
    QCOMPARE(pane.link().axis(), pane.link().axis().fitted());
    QCoreApplication::processEvents();
    auto* ruler = pane.findChild<views::gantt::RulerView*>();
    const double x = ruler->mapTo(&pane, QPoint(0, 0)).x() + ruler->x_of(1e8);
    for (const views::compare::PlanPanel* panel : pane.panels()) {
      const views::gantt::View& gantt = panel->gantt();
      const views::memory::View& memory = panel->memory();
      QVERIFY(std::abs(gantt.mapTo(&pane, QPoint(0, 0)).x() + gantt.x_of(1e8) - x) < 0.01);
      QVERIFY(std::abs(memory.mapTo(&pane, QPoint(0, 0)).x() + memory.x_of(1e8) - x) < 0.01);
      QVERIFY(gantt.wanted_label_width() <= pane.link().label_width());
    }
  }

  /// The title of the selected plan is the first line, also where the chart does not fit.
  void the_selected_plan_s_title_is_in_sight() {
    for (const int height : {700, 320, 200}) {
      views::compare::Pane pane;
      pane.resize(1100, height);
      pane.set_rows(three_plans());
      pane.show();
      QVERIFY(QTest::qWaitForWindowExposed(&pane));
      for (const int id : {1, 3, 2, 1}) {
        pane.set_selected_plan(id);
        QCoreApplication::processEvents();
        const auto* area = pane.findChild<QScrollArea*>("comparison_scroll");
        const int top = pane.panel(id)->title().mapTo(area->viewport(), QPoint(0, 0)).y();
        QVERIFY2(top >= 0 && top < area->viewport()->height(),
                 qPrintable(QString("%1 of %2 at %3").arg(id).arg(height).arg(top)));
      }
    }
  }

  /// A plan that an edit made stands where the plan stood that was edited, though a chart was added before it.
  void an_edited_plan_takes_the_place_of_its_parent() {
    views::compare::Pane pane;
    pane.resize(1100, 320);
    auto rows = three_plans();
    pane.set_rows(rows);
    pane.show();
    QVERIFY(QTest::qWaitForWindowExposed(&pane));
    pane.set_selected_plan(2);
    QCoreApplication::processEvents();
    const auto* area = pane.findChild<QScrollArea*>("comparison_scroll");
    area->verticalScrollBar()->setValue(area->verticalScrollBar()->value() + 7);
    const auto place = [&](int id) { return pane.panel(id)->mapTo(area->viewport(), QPoint(0, 0)).y(); };
    const int before = place(2);
    auto edited = rows[1];
    edited.id = 9;
    rows.insert(rows.begin() + 2, edited);
    pane.set_rows(rows);
    pane.set_selected_plan(9);
    QTRY_COMPARE(place(9), before);
    // A chart above that goes away moves nothing, either.
    rows.erase(rows.begin());
    pane.set_rows(rows);
    QTRY_COMPARE(place(9), before);
  }

  void a_long_asynchronous_run_does_not_squeeze_the_others() {
    auto rows = three_plans();
    auto run = std::make_shared<Simulation>(*app::synthetic_simulation({.micro_batches = 64}));
    run->iteration = Nanoseconds(run->timeline.makespan().count / 16);
    rows[2].simulation = run;
    rows[2].plan.schedule = ScheduleKind::pipedream;
    views::compare::Pane pane;
    pane.set_rows(rows);
    const models::gantt::TimeAxis& axis = pane.link().axis();
    QCOMPARE(axis, axis.fitted());
    QVERIFY(axis.span() < 2e9);
    QVERIFY(axis.full >= static_cast<double>(run->timeline.makespan().count));
    for (int i = 0; i < 40; ++i) QTest::keyClick(&pane.panel(1)->gantt(), Qt::Key_S);
    QVERIFY(axis.end >= static_cast<double>(run->timeline.makespan().count));  // all of it can be seen
    QTest::keyClick(&pane.panel(1)->gantt(), Qt::Key_F);
    QCOMPARE(axis, axis.fitted());
    QVERIFY(views::compare::plan_figures(rows[2]).contains("asynchronous"));
  }

  void titles_say_shape_and_figures() {
    auto rows = three_plans();
    rows[0].plan.name = "mine";
    QCOMPARE(models::compare::plan_title(rows[0]), "mine 8:8 · 24:26");
    auto many = rows[0];
    many.plan.stages.resize(9, many.plan.stages.front());
    QCOMPARE(models::compare::plan_title(many), "mine, 9 stages");
    rows[0].plan.name = "DAPPLE 8:8 · 24:26";
    QCOMPARE(models::compare::plan_title(rows[0]), "DAPPLE 8:8 · 24:26");
    rows[0].planner = "DAPPLE";  // named by the planner, so by its degrees
    QCOMPARE(models::compare::plan_title(rows[0]), "DAPPLE PP 2 · DP 8");
    QVERIFY2(views::compare::plan_figures(rows[0]).contains("bubble"),
             qPrintable(views::compare::plan_figures(rows[0])));
    QVERIFY(views::compare::plan_figures(rows[2]).contains("does not fit"));
    rows[0].simulation = nullptr;
    QCOMPARE(views::compare::plan_figures(rows[0]), "Simulating…");
    rows[0].note = "no plan fits in 16 GiB";
    QCOMPARE(views::compare::plan_figures(rows[0]), "no plan fits in 16 GiB");
  }

  void an_update_keeps_what_did_not_change() {
    views::compare::Pane pane;
    pane.resize(1000, 700);
    auto rows = three_plans();
    pane.set_rows(rows);
    views::compare::PlanPanel* first = pane.panel(1);
    const auto content = first->gantt().content();
    const auto other = pane.panel(2)->gantt().content();
    rows[1].simulation = app::synthetic_simulation({.stages = 4, .replicas = 4});
    std::swap(rows[0], rows[2]);
    pane.set_rows(rows);
    QCOMPARE(pane.panel(1), first);
    QCOMPARE(first->gantt().content(), content);
    QVERIFY(pane.panel(2)->gantt().content() != other);
    QCOMPARE(pane.panels()[2], first);
    rows.pop_back();
    pane.set_rows(rows);
    QVERIFY(!pane.panel(1));
  }

  void a_click_on_a_title_names_the_plan() {
    views::compare::Pane pane;
    pane.resize(1000, 700);
    pane.set_rows(three_plans());
    pane.show();
    QSignalSpy clicked(&pane, &views::compare::Pane::plan_clicked);
    QTest::mouseClick(&pane.panel(2)->title(), Qt::LeftButton, {}, {40, 15});
    QCOMPARE(clicked.size(), 1);
    QCOMPARE(clicked[0][0].toInt(), 2);
    pane.set_selected_plan(2);
    QTest::keyClick(&pane.panel(2)->gantt(), Qt::Key_Right);
    QCOMPARE(clicked.size(), 1);  // already chosen
    QTest::keyClick(&pane.panel(3)->gantt(), Qt::Key_Right);
    pane.link().set_selection(std::nullopt);
    QTest::keyClick(&pane.panel(3)->gantt(), Qt::Key_Right);
    QCOMPARE(clicked.last()[0].toInt(), 3);
  }

  void a_plan_without_simulation_is_being_computed() {
    views::compare::Pane pane;
    auto rows = three_plans();
    rows[0].simulation = nullptr;
    pane.set_rows(rows);
    QVERIFY(!pane.panel(1)->gantt().content());
    QVERIFY(pane.panel(1)->memory().isHidden());
    rows[0].simulation = app::synthetic_simulation({});
    pane.set_rows(rows);
    QVERIFY(pane.panel(1)->gantt().content());
    QVERIFY(!pane.panel(1)->memory().isHidden());
  }

  void an_opened_group_gets_the_room_it_needs() {
    views::compare::Pane pane;
    pane.resize(1000, 500);
    pane.set_rows(three_plans());
    pane.show();
    QVERIFY(QTest::qWaitForWindowExposed(&pane));
    views::gantt::View& gantt = pane.panel(1)->gantt();
    gantt.set_opened(DeviceId(0), true);
    QTRY_COMPARE(gantt.height(), gantt.sizeHint().height());
  }

  void pictures_data() {
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
  }

  void pictures() {
    QFETCH(bool, dark);
    const QString suffix = dark ? "-dark" : "";
    QApplication::setPalette((dark ? views::widgets::Theme::night() : views::widgets::Theme::light()).palette());
    QFont font("Inter");
    font.setPixelSize(13);
    QApplication::setFont(font);
    views::compare::Pane pane;
    pane.resize(1160, 660);
    pane.set_rows(three_plans());
    pane.set_selected_plan(1);
    pane.show();
    QVERIFY(QTest::qWaitForWindowExposed(&pane));
    views::gantt::View& gantt = pane.panel(1)->gantt();
    const TimelineLane& lane = gantt.content()->timeline->lanes[*gantt.content()->groups[0].compute];
    const TimelineRow row = gantt.content()->timeline->row(lane.begin + 4);
    const double time = static_cast<double>(row.start.count + row.duration.count / 3);
    QTest::mouseMove(&gantt, QPoint(static_cast<int>(gantt.x_of(time)), 12));
    save(pane, "comparison" + suffix);
    gantt.set_opened(DeviceId(0), true);
    pane.panel(3)->gantt().set_links_visible(true);
    pane.set_ghost(
        2,
        app::synthetic_simulation(
            {.stages = 4, .replicas = 4, .micro_batches = 8, .forward_ms = 16, .backward_ms = 24, .recompute = true}));
    pane.link().zoom(1.7, 2e8);
    QTRY_COMPARE(gantt.height(), gantt.sizeHint().height());
    save(pane, "comparison-opened" + suffix);
  }

  void picture_of_measured_over_predicted() {
    QWidget window;
    views::gantt::TimeAxisController link;
    auto* layout = new QVBoxLayout(&window);
    layout->setContentsMargins(0, 8, 0, 8);
    layout->setSpacing(0);
    auto* gantt = new views::gantt::View(&link, &window);
    auto* ruler = new views::gantt::RulerView(&link, &window);
    const app::SyntheticPipeline predicted{.stages = 2,
                                           .replicas = 1,
                                           .micro_batches = 6,
                                           .forward_ms = 5,
                                           .backward_ms = 9,
                                           .transfer_ms = 0.4,
                                           .all_reduce_ms = 0,
                                           .optimizer_ms = 2};
    app::SyntheticPipeline measured = predicted;
    measured.forward_ms = 5.2;
    measured.backward_ms = 9.3;
    gantt->set_simulation(app::synthetic_simulation(measured));
    gantt->set_pale(models::gantt::make_gantt_content(app::synthetic_simulation(predicted)));
    gantt->set_device_names({"cpu:0", "cpu:1"});
    link.set_full(static_cast<double>(gantt->content()->end) * 1.02);
    layout->addWidget(gantt);
    layout->addWidget(ruler);
    window.resize(1100, 140);
    window.show();
    save(window, "measured-over-predicted");
  }

  void picture_of_many_lanes() {
    views::gantt::TimeAxisController link;
    views::gantt::View view(&link);
    view.set_simulation(app::synthetic_simulation({.stages = 64,
                                                   .replicas = 1,
                                                   .micro_batches = 256,
                                                   .forward_ms = 4,
                                                   .backward_ms = 8,
                                                   .skew = 0,
                                                   .transfer_ms = 0.5,
                                                   .all_reduce_ms = 0}));
    view.resize(1600, view.sizeHint().height());
    link.set_full(static_cast<double>(view.content()->end) * 1.02);
    save(view, "many-lanes");
    link.zoom(12, link.axis().full / 8);
    save(view, "many-lanes-closer");
    link.zoom(6, link.axis().begin + link.axis().span() / 2);
    save(view, "many-lanes-close");
  }
};

PIPEDECK_WINDOW_TEST(TestComparisonPane)

}  // namespace pipedeck::tst_comparison_pane

#include "tst_comparison_pane.moc"
