// SPDX-License-Identifier: Apache-2.0
// Groups on a cluster against coordinates computed here, and the bytes on its links against sums over rings, exchanges
// and sends by hand.
#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/analytic/analytic_profile.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/mesh/plan_question.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/presets.hpp"
#include "core/sim/costs/plan_costs.hpp"
#include "core/study/mesh_editing/rows.hpp"
#include "core/study/placement/contiguous.hpp"
#include "core/study/placement/placed_groups.hpp"
#include "tests/core/analytic/transformer/shards/shard_shapes.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_placed_groups {

using namespace study::placement;
using study::mesh_editing::Dimension;

struct Placed {
  Plan plan;
  std::shared_ptr<const sim::Simulator> simulator;
  std::vector<PlacedGroups> all;
  const PlacedGroups& operator[](Grouping grouping) const { return all[static_cast<std::size_t>(grouping)]; }
};

TransformerConfig dense() { return test::llama(2048, 32, 32, 32, 8192, 32000); }

TransformerConfig with_experts() {
  TransformerConfig config = dense();
  config.experts.emplace();
  config.experts->count = 16, config.experts->per_token = 2, config.experts->feed_forward = 4096;
  return config;
}

Placed placed(const Plan& plan, std::shared_ptr<const sim::Simulator> simulator) {
  Placed made{plan, std::move(simulator), {}};
  auto groups = placed_groups(*made.simulator, made.plan);
  if (!groups) qFatal("%s", groups.error().text().c_str());
  made.all = *std::move(groups);
  return made;
}

/// A plan on 8 nodes of 8 H100.
Placed placed(const Shard& shard, int pipeline, const Sharding& sharding = {.level = 1},
              const TransformerConfig& config = with_experts()) {
  const AnalyticOptions options{.sequence = 2048};
  const DeviceModel device = *presets::catalogue_device("H100-SXM");
  auto computed = analytic::analytic_profile({config, {}}, device, options);
  if (!computed) qFatal("%s", computed.error().text().c_str());
  const auto profile = std::make_shared<const Profile>(
      io::documents::with_origin(std::move(computed->profile), {config, device.type.name, options}));
  const auto cluster = std::make_shared<const Cluster>(presets::open_cluster("preset:8x8-h100-sxm").value());
  mesh::Question question;
  question.config = config, question.cluster = cluster;
  question.layer.shard = shard;
  question.layer.count.sequence = 2048;
  question.layer.vocabulary_multiple = 128;
  question.pipeline = pipeline, question.data = 64 / pipeline / shard.replica_devices();
  question.micro_batches = 16, question.sharding = sharding;
  Plan plan = mesh::plan_of(question, *profile);
  plan.name = "placed";
  return placed(plan, std::make_shared<const sim::Simulator>(*sim::Simulator::of(profile, cluster, {})));
}

double total(const PlacedGroups& groups) {
  double sum = 0;
  for (const LinkLoad& load : groups.loads) sum += load.bytes;
  return sum;
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

class TestPlacedGroups : public QObject {
  Q_OBJECT

 private slots:
  /// Two devices are in one group of a dimension if they differ in its coordinate alone.
  void groups_are_those_of_equal_other_coordinates() {
    const Placed found = placed({.tensor = 4, .sequence = true, .context = 2, .expert = 8}, 2, {.level = 1});
    const auto coordinate = [](Grouping grouping, int device) {
      const int rank = device % 32;
      switch (grouping) {
        case Grouping::tensor:
          return rank % 4;
        case Grouping::context:
          return rank / 4 % 2;
        case Grouping::data:
          return rank / 8;
        case Grouping::pipeline:
          return device / 32;
        default:
          return rank;
      }
    };
    const std::array dimensions{Grouping::tensor, Grouping::context, Grouping::data, Grouping::pipeline};
    for (const Grouping grouping : dimensions) {
      const PlacedGroups& groups = found[grouping];
      for (int a = 0; a < 64; ++a)
        for (int b = 0; b < 64; ++b) {
          const bool together = std::ranges::all_of(dimensions, [&](Grouping other) {
            return other == grouping || coordinate(other, a) == coordinate(other, b);
          });
          QCOMPARE(groups.group_of[std::size_t(a)] == groups.group_of[std::size_t(b)], together);
        }
      QCOMPARE(groups.count * groups.size, 64);
    }
    QCOMPARE(found[Grouping::expert].size, 8);
    QCOMPARE(found[Grouping::expert].leaving, 0);
    QCOMPARE(found[Grouping::sharding].size, 8);  // D C
    QCOMPARE(found[Grouping::sharding].leaving, 8);
    QCOMPARE(found[Grouping::tensor].leaving, 0);
    QCOMPARE(found[Grouping::pipeline].leaving, 32);
  }

  void bytes_are_those_of_the_mesh_editor() {
    const Placed found = placed({.tensor = 2, .sequence = true, .context = 2, .expert = 8, .expert_tensor = 2}, 2);
    const auto mesh = study::mesh_editing::mesh_of(*found.simulator, found.plan);
    const auto sheet = study::mesh_editing::sheet_of(*mesh);
    const auto bytes = [&](Dimension dimension) { return sheet->row(dimension)->bytes; };
    QVERIFY(near(*found[Grouping::tensor].bytes, bytes(Dimension::tensor)));
    QVERIFY(near(*found[Grouping::context].bytes, bytes(Dimension::context)));
    QVERIFY(near(*found[Grouping::expert].bytes, bytes(Dimension::expert) + bytes(Dimension::expert_tensor)));
    QVERIFY(near(*found[Grouping::data].bytes, bytes(Dimension::data)));
    QVERIFY(near(*found[Grouping::pipeline].bytes, bytes(Dimension::pipeline)));
    QVERIFY(*found[Grouping::sharding].bytes > 0 &&
            *found[Grouping::sharding].bytes <= *found[Grouping::data].bytes * (1 + 1e-9));
  }

  /// A ring by domains has one hop to the other node and one back.
  void rings_cross_an_edge_once() {
    const Placed wide = placed({.tensor = 16, .sequence = true}, 2);
    QCOMPARE(wide[Grouping::tensor].leaving, 4);
    QCOMPARE(wide[Grouping::tensor].loads.size(), std::size_t{8});
    // Two nodes of each of two groups on each of two ranks, each with the bytes of one device.
    QVERIFY(near(total(wide[Grouping::tensor]), 2 * 2 * 2 * *wide[Grouping::tensor].bytes));

    const Placed narrow = placed({.tensor = 4, .sequence = true}, 4, {.level = 1}, dense());
    QVERIFY(narrow[Grouping::tensor].loads.empty());
    // Two nodes a stage, and on each the 4 rings of its tensor ranks.
    QVERIFY(near(total(narrow[Grouping::data]), 4 * 2 * 4 * *narrow[Grouping::data].bytes));
    QCOMPARE(narrow[Grouping::data].leaving, 16);
  }

  /// A rank sends 8 of 15 equal parts to the other node.
  void exchanges_cross_by_ranks() {
    const Placed found = placed({.expert = 16}, 4);
    const PlacedGroups& experts = found[Grouping::expert];
    QCOMPARE(experts.size, 16);
    QCOMPARE(experts.leaving, 4);
    QVERIFY(near(total(experts), 4 * 2 * 8 * 8.0 / 15 * *experts.bytes));
  }

  /// A node sends activations on and gradients back: both leave it, but for the ends.
  void sends_cross_between_stages() {
    const Placed found = placed({.tensor = 8, .sequence = true}, 4);
    const PlacedGroups& pipeline = found[Grouping::pipeline];
    const double boundary = *pipeline.bytes * 4 / 3 / 2;  // of a device, each way: three boundaries of four ranks
    for (const LinkLoad& load : pipeline.loads) {
      const std::string& node = found.simulator->inputs().cluster->links[std::size_t(load.link)].from;
      const bool end = node == "n0" || node == "n1" || node == "n6" || node == "n7";
      QVERIFY2(near(load.bytes, (end ? 1 : 2) * 8 * boundary), node.c_str());
    }
    QCOMPARE(pipeline.loads.size(), std::size_t{8});
  }

  /// Two exchanged devices take their groups over the edge, and bytes of a device stay.
  void devices_may_lie_anywhere() {
    const Placed before = placed({.tensor = 4, .sequence = true}, 4);
    Plan plan = before.plan;
    for (Stage& stage : plan.stages)
      for (DeviceId& device : stage.devices)
        if (device == DeviceId(3))
          device = DeviceId(8);
        else if (device == DeviceId(8))
          device = DeviceId(3);
    const Placed after = placed(plan, before.simulator);
    const PlacedGroups& tensor = after[Grouping::tensor];
    QCOMPARE(*tensor.bytes, *before[Grouping::tensor].bytes);
    QCOMPARE(tensor.leaving, 2);
    QCOMPARE(tensor.group_of[8], tensor.group_of[0]);
    QVERIFY(tensor.leaves[std::size_t(tensor.group_of[3])] && !tensor.leaves[std::size_t(tensor.group_of[4])]);
    QCOMPARE(tensor.loads.size(), std::size_t{2});
    QVERIFY(near(tensor.loads[0].bytes, tensor.loads[1].bytes));
    QVERIFY(tensor.loads[0].bytes > *tensor.bytes);
  }

  void plans_without_a_question_have_groups_alone() {
    const Placed known = placed({.tensor = 4, .sequence = true}, 4);
    Plan plan = known.plan;
    plan.schedule = ScheduleKind::gpipe;
    const Placed found = placed(plan, known.simulator);
    QCOMPARE(found[Grouping::data].group_of, known[Grouping::data].group_of);
    QVERIFY(!found[Grouping::data].bytes && found[Grouping::data].loads.empty());
    plan.stages.front().devices.pop_back();
    QVERIFY(!placed_groups(*known.simulator, plan));
  }

  /// Ranks on shuffled devices go back to the order of the cluster, whatever the shuffle: groups are then where they
  /// were, and the plan is simulated again.
  void shuffled_ranks_are_placed_contiguously() {
    test::Random random(11);
    const Placed found = placed({.tensor = 4, .sequence = true}, 4);
    const Cluster cluster = presets::open_cluster("preset:8x8-h100-sxm").value();
    QVERIFY(!placed_contiguously(found.plan, cluster));
    for (int round = 0; round < 20; ++round) {
      std::vector<DeviceId> order;
      for (int d = 0; d < 64; ++d) order.emplace_back(d);
      for (int d = 63; d > 0; --d)
        std::swap(order[std::size_t(d)], order[static_cast<std::size_t>(random.integer(0, d))]);
      Plan shuffled = found.plan;
      for (Stage& stage : shuffled.stages)
        for (DeviceId& device : stage.devices) device = order[device.index()];
      QVERIFY(placed(shuffled, found.simulator)[Grouping::tensor].leaving > 0);
      QVERIFY(!found.simulator->iteration_time(shuffled));
      const auto again = placed_contiguously(shuffled, cluster);
      QVERIFY(again && again->stages == found.plan.stages);
      QCOMPARE(found.simulator->iteration_time(*again).value(), found.simulator->iteration_time(found.plan).value());
    }
    Plan outside = found.plan;
    outside.stages.back().devices.back() = DeviceId(64);
    QVERIFY(!placed_contiguously(outside, cluster));
  }

  /// A rank stays on its kind of devices, and stages of one rank on the same ones.
  void kinds_and_stages_of_a_rank_stay() {
    Cluster cluster = presets::open_cluster("preset:2x8-h100-sxm").value();
    cluster.device_types.push_back(presets::catalogue_device("A100-80GB")->type);
    cluster.nodes.back().devices.front().type = "A100-80GB";
    Plan plan;
    for (const std::vector<int>& devices :
         {std::vector{12, 9}, std::vector{7, 3}, std::vector{12, 9}, std::vector{7, 3}})
      for (Stage& stage = plan.stages.emplace_back(); const int device : devices) stage.devices.emplace_back(device);
    const auto placed = placed_contiguously(plan, cluster);
    QVERIFY(placed);
    const std::vector<DeviceId> slow{DeviceId(8), DeviceId(9)}, fast{DeviceId(0), DeviceId(1)};
    for (std::size_t s = 0; s < 4; ++s) QVERIFY(placed->stages[s].devices == (s % 2 == 0 ? slow : fast));
  }
};

PIPEDECK_TEST(TestPlacedGroups)

}  // namespace pipedeck::tst_placed_groups

#include "tst_placed_groups.moc"
