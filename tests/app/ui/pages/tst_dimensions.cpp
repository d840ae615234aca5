// SPDX-License-Identifier: GPL-3.0-or-later
// A plan in several dimensions in the real window: opened from its file, drawn by pipeline rank, explained.
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QRegularExpression>
#include <QSet>

#include <algorithm>
#include <map>

#include "app/models/compare/inspector_content.hpp"
#include "app/ui/layout/picture.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/ui/pages/explain_page.hpp"
#include "app/ui/pages/plan_rows.hpp"
#include "app/views/compare/comparison_pane.hpp"
#include "app/views/compare/plan_panel.hpp"
#include "app/views/whatif/explain_view.hpp"
#include "app/views/widgets/bar_table.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/files.hpp"
#include "core/presets/presets.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_dimensions {

using namespace pipedeck::test;

constexpr int blocks = 80, ranks = 4, of_rank = 16;

/// Llama 3 70B on 64 devices with T 4, D 4, P 4, v 5, sharded optimizer states and choices of engine and run.
Plan plan_70b(const std::string& profile, const std::string& cluster) {
  Plan plan;
  plan.profile = profile, plan.cluster = cluster;
  plan.name = "70B, five dimensions", plan.planner = "hand";
  plan.global_batch = 128, plan.micro_batch = 4, plan.micro_batches = 32;
  plan.schedule = ScheduleKind::interleaved;
  plan.precision = Precision::mixed_18;
  plan.sharding.level = 1;
  plan.choices.emplace().training.products.clear();
  constexpr int stages = 20, of_stage = blocks / stages;
  for (int s = 0; s < stages; ++s) {
    Stage& stage = plan.stages.emplace_back();
    stage.first = s == 0 ? 0 : 1 + s * of_stage;
    stage.last = 1 + (s + 1) * of_stage + (s + 1 == stages ? 3 : 0);
    stage.tensor_parallel = 4, stage.degrees.sequence = true;
    for (int d = 0; d < of_rank; ++d) stage.devices.emplace_back(s % ranks * of_rank + d);
  }
  return plan;
}

class TestDimensions : public QObject {
  Q_OBJECT

 private:
  static void open(const WindowFixture& fixture) {
    const auto profile = presets::profile_preset("llama-3-70b");
    const auto cluster = presets::open_cluster("preset:8x8-h100-sxm");
    QVERIFY(profile && cluster);
    const auto file = [&](const char* name) { return fixture.path(name).toStdString(); };
    QVERIFY(io::write_file(file("p.profile.json"), io::documents::profile_to_json(*profile)));
    QVERIFY(io::write_file(file("c.cluster.json"), io::documents::cluster_to_json(*cluster)));
    QVERIFY(io::write_file(file("70b.plan.json"), io::documents::plan_to_json(plan_70b(profile->name, cluster->name))));
    fixture.window->open_files({fixture.path("p.profile.json"), fixture.path("c.cluster.json")});
    QVERIFY(fixture.settle());
    fixture.window->open_files({fixture.path("70b.plan.json")});
    QVERIFY(fixture.settle());
  }

 private slots:
  void ranks_are_drawn_with_their_devices() {
    WindowFixture fixture;
    open(fixture);
    QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
    QCOMPARE(fixture.state().plans.size(), std::size_t{1});
    const auto panels = fixture.window->compare_page().charts().panels();
    QCOMPARE(panels.size(), std::size_t{1});
    const auto curves = panels.front()->memory().curves();
    QVERIFY(curves);
    std::size_t devices = 0;
    for (const models::memory::Curve& curve : curves->curves) devices += curve.devices.size();
    QCOMPARE(devices, std::size_t{ranks * of_rank});
    QTest::qWait(100);
    QCOMPARE(ui::layout::write_picture(*fixture.window, pictures_folder() + "dimensions.png"), QString());
    fixture.window->show_page(ui::window::Page::explain);
    QVERIFY(fixture.settle());
    QTest::qWait(100);
    QCOMPARE(ui::layout::write_picture(*fixture.window, pictures_folder() + "dimensions-explain.png"), QString());
    fixture.window->show_page(ui::window::Page::topology);
    QTest::qWait(100);
    QCOMPARE(ui::layout::write_picture(*fixture.window, pictures_folder() + "dimensions-topology.png"), QString());
  }

  /// The nearest published runs are starts of the waterfall, which leads from their measurement to the prediction.
  void published_runs_are_next_to_a_plan() {
    WindowFixture fixture;
    open(fixture);
    fixture.window->show_page(ui::window::Page::explain);
    QVERIFY(fixture.settle());
    auto* from = fixture.child<QComboBox>("waterfall_from");
    QTRY_COMPARE(from->count(), 1 + 1 + 5);  // the plan, a line, and the runs
    const auto* band = fixture.child<QLabel>("published_band");
    QVERIFY(band->isVisible());
    const QRegularExpression ratios(
        "measured ([0-9.]+) to ([0-9.]+) of the predicted tokens/s; median ([0-9]+[.][0-9]+)");
    const QRegularExpressionMatch found = ratios.match(band->text());
    QVERIFY2(found.hasMatch(), qPrintable(band->text()));
    QVERIFY(found.captured(1).toDouble() <= found.captured(3).toDouble());
    QVERIFY(found.captured(3).toDouble() <= found.captured(2).toDouble());
    QSet<QString> starts;
    for (int i = 2; i < from->count(); ++i) {
      from->setCurrentIndex(i);
      emit from->activated(i);
      const auto& rows = fixture.window->explain_page().view().waterfall().rows();
      QVERIFY(rows.size() > 2);
      QVERIFY2(rows.front().tool_tip.contains(from->itemText(i)), qPrintable(rows.front().tool_tip));
      starts.insert(rows.front().tool_tip);
      for (std::size_t at = 1; at + 1 < rows.size(); ++at)
        QVERIFY(qAbs(rows[at].from - rows[at - 1].to) < 0.5e-9 * mesh::step_part_count);
      // A device's seconds for each of the step's 128 samples of 4,096 tokens on 64 devices.
      const auto* row = fixture.window->compare_page().row(fixture.state().selected_plan);
      const double predicted = to_seconds(row->simulation->iteration).count * 64 / (128.0 * 4096);
      QVERIFY(qAbs(rows.back().to / predicted - 1) < 1e-6);
      QCOMPARE(fixture.window->explain_page().from_plan(), 1 - i);
    }
    QCOMPARE(starts.size(), 5);
    QTest::qWait(100);
    QCOMPARE(ui::layout::write_picture(*fixture.window, pictures_folder() + "dimensions-published.png"), QString());
  }

  /// Mesh is asked for a computed model; its plan has its bound in the table, and is the same after saving and opening.
  void mesh_is_compared_by_default() {
    WindowFixture fixture;
    session::Session& session = fixture.session();
    session.choose_profile_preset("Llama 3 8B");
    session.choose_cluster_preset("8 \u00d7 H100-SXM");
    session.set_global_batch(32);
    QVERIFY(session.problem());
    const Profile& profile = *session.problem()->profile;
    const auto asks_mesh = [](const std::vector<study::PlannerRequest>& asked) {
      return std::ranges::any_of(asked, [](const auto& request) { return request.planner->name == "mesh"; });
    };
    QVERIFY(asks_mesh(session::project::chosen_planners({}, &profile)) &&
            !asks_mesh(session::project::chosen_planners({})));
    QVERIFY(asks_mesh(session::project::studied_planners({}, &profile)));
    session::project::Planning planning;
    for (const planner::PlannerInfo& planner : planner::planners())
      if (planner.name != "mesh") planning.planners[planner.name].compared = planner.name == "megatron";
    session.set_planning(planning);
    session.compare();
    QVERIFY(fixture.settle());
    QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
    std::shared_ptr<const Plan> mesh;
    for (const models::compare::PlanRow& row : ui::pages::plan_rows(session)) {
      if (row.plan.planner != "mesh") continue;
      mesh = std::make_shared<const Plan>(row.plan);
      QVERIFY(row.simulation && row.lower_bound.count > 0);
      QCOMPARE(row.lower_bound, row.plan.certificate->lower_bound);
      QVERIFY(row.lower_bound <= to_seconds(row.simulation->iteration));
    }
    QVERIFY(mesh && has_mesh(*mesh));
    QCOMPARE(session::project::find_plan(session.state(), session.state().selected_plan)->plan->planner,
             std::string("mesh"));
    QTest::qWait(100);
    QCOMPARE(ui::layout::write_picture(*fixture.window, pictures_folder() + "dimensions-compare.png"), QString());

    fixture.answers.file_to_save = fixture.path("mesh.pipedeck");
    fixture.trigger("action_save_as");
    QVERIFY(session.finish_saving());
    WindowFixture second;
    QVERIFY(second.session().open(fixture.path("mesh.pipedeck")));
    bool same = false;
    for (const session::project::PlanEntry& entry : second.state().plans) same = same || *entry.plan == *mesh;
    QVERIFY(same);
  }

  /// The plans of mesh's short list are rows as any other: selected, explained, drawn, pinned and exported. A further
  /// comparison puts each in its place.
  void alternatives_of_mesh_are_rows() {
    WindowFixture fixture;
    session::Session& session = fixture.session();
    session.choose_profile_preset("Llama 3 8B");
    session.choose_cluster_preset("2 \u00d7 8 H100-SXM");
    session.set_global_batch(16);
    QVERIFY(session.problem());
    session::project::Planning planning;
    for (const planner::PlannerInfo& planner : planner::planners())
      planning.planners[planner.name].compared = planner.name == "mesh" || planner.plain_choice;
    session.set_planning(planning);
    session.compare();
    QVERIFY(fixture.settle());
    QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));

    const ui::pages::ComparePage& page = fixture.window->compare_page();
    std::map<QString, int> shown;  // titles and ids
    int without = 0;
    for (const models::compare::PlanRow& row : page.rows()) {
      without += !row.has_plan();
      if (row.has_plan()) shown[row.planner] = row.id;
      if (row.plan.planner == "ddp") QVERIFY2(row.note.contains("needs at least"), qPrintable(row.note));
    }
    QCOMPARE(without, 1);  // ddp
    const auto cheapest = std::ranges::find_if(shown, [](const auto& one) { return one.first == "Mesh: cheapest"; });
    QVERIFY2(cheapest != shown.end(), qPrintable(shown.begin()->first));
    QCOMPARE(std::ranges::count_if(shown, [](const auto& one) { return one.first.startsWith("Mesh: fastest"); }), 1);
    const auto best = session::project::find_plan(fixture.state(), fixture.state().selected_plan);
    QVERIFY(std::ranges::find(best->plan->merits, Merit::fastest) != best->plan->merits.end());

    // The user selects the cheapest: its figures and reason are in the inspector, its chart below the table.
    session.select_plan(cheapest->second);
    QCOMPARE(fixture.state().selected_plan, cheapest->second);
    QVERIFY(fixture.settle());
    const models::compare::PlanRow* row = page.row(cheapest->second);
    QVERIFY(row && row->simulation);
    const auto content = models::compare::inspector_content(*row);
    QVERIFY2(content.title.contains("Mesh: cheapest"), qPrintable(content.title));
    QVERIFY(std::ranges::any_of(
        content.why, [](const QString& sentence) { return sentence.contains("Cheapest: 8 of 16 devices"); }));
    session.set_ticked(cheapest->second, true);
    QVERIFY(fixture.settle());
    const views::compare::PlanPanel* panel = nullptr;
    for (const views::compare::PlanPanel* one : page.charts().panels())
      if (one->plan_id() == cheapest->second) panel = one;
    QVERIFY(panel);
    QCOMPARE(devices_used(panel->row().plan).size(), std::size_t{8});
    QTest::qWait(100);
    QCOMPARE(ui::layout::write_picture(*fixture.window, pictures_folder() + "alternatives.png"), QString());

    fixture.answers.file_to_save = fixture.path("cheapest.plan.json");
    fixture.trigger("action_export_plan");
    const auto exported = io::documents::plan_from_json(*io::read_file(fixture.answers.file_to_save.toStdString()));
    QVERIFY2(exported && exported->merits.front() == Merit::cheapest, exported ? "" : exported.error().text().c_str());

    session.set_baseline(cheapest->second);
    const std::size_t plans = fixture.state().plans.size();
    session.compare();
    QVERIFY(fixture.settle());
    QCOMPARE(fixture.state().plans.size(), plans);
    for (const auto& [title, id] : shown) {
      const models::compare::PlanRow* again = page.row(id);
      QVERIFY2(again && again->planner == title, qPrintable(title));
    }
    QVERIFY(page.row(cheapest->second)->baseline);
  }
};

PIPEDECK_WINDOW_TEST(TestDimensions)

}  // namespace pipedeck::tst_dimensions

#include "tst_dimensions.moc"
