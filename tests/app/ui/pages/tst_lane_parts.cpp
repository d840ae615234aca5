// SPDX-License-Identifier: GPL-3.0-or-later
// Lanes of a chart divided by dimension of parallelism: their sums are the figures of the tables, and mouse and keys
// show and hide them.
#include <QMouseEvent>

#include <algorithm>
#include <map>

#include "app/models/gantt/part_lanes.hpp"
#include "app/session/project/content.hpp"
#include "app/ui/layout/picture.hpp"
#include "app/ui/layout/zoom.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/views/compare/comparison_pane.hpp"
#include "app/views/compare/plan_panel.hpp"
#include "app/views/gantt/view.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/files.hpp"
#include "core/presets/presets.hpp"
#include "core/sim/simulate.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_lane_parts {

using namespace pipedeck::test;
using models::gantt::LanePart;
using models::gantt::Row;

struct Mesh {
  const char* model;
  Shard shard;
  Sharding sharding;
  int pipeline = 4, virtual_stages = 1;
  int offloaded = 0;
};

/// A plan of that mesh for 64 devices and two samples on each data rank, whose blocks are one layer each or two.
Plan plan_of(const Mesh& mesh, const Profile& profile, const std::string& cluster) {
  const int stages = mesh.pipeline * mesh.virtual_stages, of_rank = 64 / mesh.pipeline;
  Plan plan;
  plan.name = "mesh", plan.planner = "hand", plan.profile = profile.name, plan.cluster = cluster;
  plan.micro_batch = of_rank / mesh.shard.replica_devices();
  plan.micro_batches = 8, plan.global_batch = plan.micro_batch * plan.micro_batches;
  plan.schedule = mesh.virtual_stages > 1 ? ScheduleKind::interleaved : ScheduleKind::one_f_one_b;
  plan.precision = Precision::mixed_18;
  plan.sharding = mesh.sharding;
  plan.choices.emplace().training.products.clear();
  plan.choices->training.offloaded_blocks = mesh.offloaded;
  const int layers = static_cast<int>(profile.layers.size()), between = layers - 4;  // embedding; norm, head, loss
  for (int s = 0; s < stages; ++s) {
    Stage& stage = plan.stages.emplace_back();
    const auto cut = [&](int at) { return 1 + between * at / stages / 2 * 2; };
    stage.first = s == 0 ? 0 : cut(s);
    stage.last = s + 1 == stages ? layers : cut(s + 1);
    stage.tensor_parallel = mesh.shard.tensor;
    stage.degrees = mesh.shard, stage.degrees.tensor = 1;
    for (int d = 0; d < of_rank; ++d) stage.devices.emplace_back(s % mesh.pipeline * of_rank + d);
  }
  return plan;
}

class TestLaneParts : public QObject {
  Q_OBJECT

 private slots:
  void sums_are_the_figures_of_tables_data();
  void sums_are_the_figures_of_tables();
  void plans_of_version_1_have_sends_and_reductions();
  void mouse_and_keys_show_the_parts();
};

void TestLaneParts::sums_are_the_figures_of_tables_data() {
  QTest::addColumn<Mesh>("mesh");
  QTest::newRow("tensor") << Mesh{"llama-3-70b", {.tensor = 4, .sequence = true}, {.level = 1}, 4, 5};
  QTest::newRow("context") << Mesh{"llama-3-70b", {.tensor = 2, .sequence = true, .context = 4}, {.level = 1}};
  QTest::newRow("sharded") << Mesh{"llama-3-70b", {}, {.level = 3}, 1};
  QTest::newRow("experts") << Mesh{"mixtral-8x7b", {.expert = 8}, {.level = 1}, 2};
  QTest::newRow("offload") << Mesh{"llama-3-70b", {.tensor = 8, .sequence = true}, {.level = 1}, 4, 1, 10};
}

void TestLaneParts::sums_are_the_figures_of_tables() {
  QFETCH(Mesh, mesh);
  Problem problem;
  problem.profile = std::make_shared<Profile>(*presets::profile_preset(mesh.model));
  problem.cluster = std::make_shared<Cluster>(*presets::open_cluster("preset:8x8-h100-sxm"));
  const Plan plan = plan_of(mesh, *problem.profile, problem.cluster->name);
  auto simulated = sim::simulate(problem, plan);
  QVERIFY2(simulated, simulated ? "" : simulated.error().message.c_str());
  const auto simulation = std::make_shared<const Simulation>(*std::move(simulated));
  const auto content = models::gantt::make_gantt_content(simulation);
  int communicating = 0;
  for (std::size_t g = 0; g < content->groups.size(); ++g) {
    const auto parts = models::gantt::make_part_lanes(*content, g);
    const auto device =
        std::ranges::find(simulation->devices, content->groups[g].devices.front(), &SimulatedDevice::device);
    QVERIFY(device != simulation->devices.end());
    std::map<LanePart, std::int64_t> sums;
    for (std::size_t i = 0; i < parts->lanes.size(); ++i) {
      const TimelineLane& lane = parts->content->timeline->lanes[i];
      std::int64_t sum = 0, end = 0;
      for (std::size_t op = lane.begin; op < lane.end; ++op) {
        const TimelineRow row = parts->content->timeline->row(op);
        QVERIFY(row.start.count >= end);  // a lane's operations do not overlap
        end = row.end().count;
        sum += row.duration.count;
      }
      QCOMPARE(parts->lanes[i].time, sum);
      sums[parts->lanes[i].part] += sum;
    }
    const auto near = [&](std::int64_t sum, Nanoseconds figure) {
      const auto operations = static_cast<std::int64_t>(simulation->timeline.size());
      return std::abs(sum - figure.count) <= operations;  // a nanosecond of each operation
    };
    QVERIFY(near(sums[LanePart::tensor], device->parts[TimePart::tensor_parallel]));
    QVERIFY(near(sums[LanePart::context], device->parts[TimePart::context_parallel]));
    QVERIFY(near(sums[LanePart::expert], device->parts[TimePart::expert_parallel]));
    // Sharded weights are also waited for before the first pass.
    const std::int64_t waited = device->parts[TimePart::gather].count - sums[LanePart::states];
    const std::int64_t first = content->timeline->start[content->timeline->lanes[*content->groups[g].compute].begin];
    QVERIFY(near(std::clamp<std::int64_t>(waited, 0, first), Nanoseconds(waited)));
    std::int64_t busy = sums[LanePart::compute];
    for (const LanePart part : {LanePart::tensor, LanePart::context, LanePart::expert, LanePart::states}) {
      busy += sums[part];
      communicating += sums[part] > 0;
    }
    QCOMPARE(busy, device->busy.count);
  }
  QVERIFY(communicating > 0);
}

void TestLaneParts::plans_of_version_1_have_sends_and_reductions() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  std::map<LanePart, int> seen;
  for (const views::compare::PlanPanel* panel : fixture.window->compare_page().charts().panels()) {
    const auto& content = panel->gantt().content();
    QVERIFY(content);
    for (std::size_t g = 0; g < content->groups.size(); ++g) {
      const auto parts = models::gantt::make_part_lanes(*content, g);
      QCOMPARE(parts->lanes.front().part, LanePart::compute);
      for (const models::gantt::PartLane& lane : parts->lanes) {
        ++seen[lane.part];
        const auto of = lane.part == LanePart::data      ? content->groups[g].collective
                        : lane.part == LanePart::compute ? content->groups[g].compute
                                                         : std::optional(content->links[lane.link.value_or(0)].lane);
        const TimelineLane& source = content->timeline->lanes[*of];
        std::int64_t sum = 0;
        for (std::size_t i = source.begin; i < source.end; ++i) sum += content->timeline->duration[i];
        QCOMPARE(lane.time, sum);
      }
    }
  }
  QVERIFY(seen[LanePart::data] > 0 && seen[LanePart::pipeline] > 0);
  QCOMPARE(seen[LanePart::context] + seen[LanePart::expert] + seen[LanePart::states], 0);
}

void TestLaneParts::mouse_and_keys_show_the_parts() {
  WindowFixture fixture;
  const auto profile = presets::profile_preset("llama-3-70b");
  const auto cluster = presets::open_cluster("preset:8x8-h100-sxm");
  const auto file = [&](const char* name) { return fixture.path(name).toStdString(); };
  const Mesh mesh{"", {.tensor = 2, .sequence = true, .context = 4}, {.level = 1}};
  QVERIFY(io::write_file(file("p.profile.json"), io::documents::profile_to_json(*profile)));
  QVERIFY(io::write_file(file("c.cluster.json"), io::documents::cluster_to_json(*cluster)));
  QVERIFY(io::write_file(file("m.plan.json"), io::documents::plan_to_json(plan_of(mesh, *profile, cluster->name))));
  fixture.window->open_files({fixture.path("p.profile.json"), fixture.path("c.cluster.json")});
  QVERIFY(fixture.settle());
  fixture.window->open_files({fixture.path("m.plan.json")});
  QVERIFY(fixture.settle());
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
  views::compare::Pane& charts = fixture.window->compare_page().charts();
  const auto panel = [&] { return charts.panel(fixture.state().selected_plan); };
  QVERIFY(QTest::qWaitFor([&] { return panel() && panel()->gantt().content(); }, 30000));
  views::gantt::View& chart = panel()->gantt();
  const auto rows = [&]() -> const std::vector<Row>& { return chart.geometry_of_lanes().rows; };
  const auto parts = [&] { return std::ranges::count(rows(), Row::Kind::part, &Row::kind); };
  const std::size_t before = rows().size();
  QCOMPARE(before, std::size_t{4});
  const auto arrow = [&](std::size_t row) {
    return QPoint(chart.link().label_width() - 10, rows()[row].top + rows()[row].height / 2);
  };

  QTest::mouseClick(&chart, Qt::LeftButton, {}, arrow(1));
  QStringList names;
  for (std::size_t row = 2; row < 2 + static_cast<std::size_t>(parts()); ++row) names << chart.row_text(row);
  QVERIFY2(names.startsWith("compute") && names.contains("TP") && names.contains("CP") &&
               names.contains("DP, gradients") && names.filter("PP → ").size() == 2,
           qPrintable(names.join(", ")));
  const QRect plot = chart.plot();
  const QStringList sum = chart.describe_part(rows()[3], QPointF(20, rows()[3].top + 2));
  QVERIFY2(sum.size() == 3 && sum.front().startsWith("TP · G16"), qPrintable(sum.join('\n')));
  QVERIFY(chart.describe_part(rows()[1], QPointF(plot.left() + 50, rows()[1].top + 2)).isEmpty());

  const auto point = [&](const QPoint& at) {
    QMouseEvent move(QEvent::MouseMove, at, chart.mapToGlobal(at), Qt::NoButton, Qt::NoButton, {});
    QCoreApplication::sendEvent(&chart, &move);
  };
  // Over the name, Left hides the parts and Right shows them; elsewhere the keys step between operations.
  chart.setFocus();
  point(QPoint(20, rows()[3].top + 4));
  QTest::keyClick(&chart, Qt::Key_Left);
  QCOMPARE(parts(), 0);
  point(QPoint(20, rows()[2].top + 4));
  QTest::keyClick(&chart, Qt::Key_Right);
  QVERIFY(parts() > 0);
  QTest::keyClick(&chart, Qt::Key_Left);
  point(plot.center());
  QTest::keyClick(&chart, Qt::Key_Right);
  QCOMPARE(parts(), 0);
  QVERIFY(chart.selected());

  // Another plan of the same devices keeps the choice.
  chart.set_divided(DeviceId(16), true);
  const auto shown = parts();
  const auto content = chart.content();
  chart.set_content(nullptr);
  QCOMPARE(parts(), 0);
  chart.set_content(content);
  QCOMPARE(parts(), shown);
  chart.set_divided(DeviceId(0), true);
  fixture.window->compare_page().set_split_folded(true);
  const auto picture = [&](const QString& name, const QSize& size) {
    fixture.window->resize(size);
    QTest::qWait(100);
    QCOMPARE(ui::layout::write_picture(*fixture.window, pictures_folder() + name + ".png"), QString());
  };
  for (const char* appearance : {"light", "dark"}) {
    fixture.trigger((QByteArray("action_appearance_") + appearance).constData());
    picture(QStringLiteral("lane-parts-") + appearance, {1680, 1050});
  }
  fixture.trigger("action_appearance_light");
  picture("lane-parts-small", {1280, 720});
  for (int i = 0; i < 3; ++i) fixture.trigger("action_interface_larger");
  QCOMPARE(ui::layout::zoom(), 150);
  picture("lane-parts-150", {1680, 1050});
  fixture.trigger("action_interface_normal");
}

PIPEDECK_WINDOW_TEST(TestLaneParts)

}  // namespace pipedeck::tst_lane_parts

#include "tst_lane_parts.moc"
