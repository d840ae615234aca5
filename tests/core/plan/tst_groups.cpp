// SPDX-License-Identifier: Apache-2.0
// Groups of ranks against an enumeration of all coordinates in Megatron-LM's documented order, and against groups that
// it publishes.
#include <QTest>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "core/base/random.hpp"
#include "core/plan/groups.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_groups {

using plan::GroupFamily;
using plan::RankGroup;
using plan::StageGroups;

std::vector<DeviceId> devices_from(int first, int count) {
  std::vector<DeviceId> devices;
  for (int i = 0; i < count; ++i) devices.push_back(DeviceId(std::int32_t{first + i}));
  return devices;
}

std::vector<std::vector<int>> numbers(const std::vector<RankGroup>& groups) {
  std::vector<std::vector<int>> all;
  for (const RankGroup& group : groups) {
    all.emplace_back();
    for (const DeviceId device : group) all.back().push_back(device.value);
  }
  return all;
}

/// A mesh of named axes, the quickest first.
using Axes = std::vector<std::pair<char, int>>;

/// Enumerates all coordinates, the first axis quickest, and collects the ranks that differ only along `along`.
std::vector<std::vector<int>> enumerated(const Axes& axes, const std::string& along) {
  int count = 1;
  for (const auto& [name, size] : axes) count *= size;
  std::map<std::vector<int>, std::vector<int>> groups;  // by the coordinates of the other axes
  std::vector<int> at(axes.size(), 0);
  for (int rank = 0; rank < count; ++rank) {
    std::vector<int> others;
    for (std::size_t i = axes.size(); i-- > 0;)
      if (along.find(axes[i].first) == std::string::npos) others.push_back(at[i]);
    groups[others].push_back(rank);
    for (std::size_t i = 0; i < axes.size() && ++at[i] == axes[i].second; ++i) at[i] = 0;
  }
  std::vector<std::vector<int>> all;
  for (auto& [others, ranks] : groups) all.push_back(ranks);
  std::ranges::sort(all);
  return all;
}

struct RandomMesh {
  Shard shard;
  Sharding sharding;
  int data = 1, copies = 1, expert_data = 1;
  int devices() const { return shard.tensor * shard.context * data; }
};

int divisor(Random& random, int number) {
  std::vector<int> all;
  for (int d = 1; d <= number; ++d)
    if (number % d == 0) all.push_back(d);
  return random.any_of(all);
}

RandomMesh random_mesh(Random& random) {
  RandomMesh mesh;
  const auto up_to = [&](int most) {
    return 1 + static_cast<int>(random.uniform_int(static_cast<std::uint64_t>(most)));
  };
  mesh.shard.tensor = up_to(6), mesh.shard.context = up_to(6), mesh.data = up_to(8);
  mesh.shard.context_kind =
      random.any_of(std::vector{ContextKind::ring, ContextKind::gather, ContextKind::heads, ContextKind::heads_ring});
  mesh.shard.context_heads = divisor(random, mesh.shard.context);
  mesh.shard.expert = divisor(random, mesh.devices());
  mesh.shard.expert_tensor = divisor(random, mesh.devices() / mesh.shard.expert);
  mesh.expert_data = mesh.devices() / (mesh.shard.expert * mesh.shard.expert_tensor);
  int common = mesh.shard.context * mesh.data, other = mesh.expert_data;
  while (other > 0) std::swap(common %= other, other);
  mesh.sharding.level = static_cast<int>(random.uniform_int(4));
  mesh.copies = mesh.sharding.level == 0 ? 1 : divisor(random, common);
  mesh.sharding.group = mesh.shard.context * mesh.data / mesh.copies;
  return mesh;
}

class TestGroups : public QObject {
  Q_OBJECT

 private slots:
  /// Every family of 500 random meshes is the one that the enumeration of coordinates finds.
  void families_are_those_of_the_enumeration() {
    Random random(7);
    int folded = 0, copied = 0;
    for (int trial = 0; trial < 500; ++trial) {
      const RandomMesh mesh = random_mesh(random);
      const auto groups = StageGroups::of(devices_from(0, mesh.devices()), mesh.shard, mesh.sharding);
      QVERIFY2(groups.has_value(), groups ? "" : groups.error().message.c_str());
      const int heads = mesh.shard.heads_ranks();
      const Axes dense{{'t', mesh.shard.tensor}, {'h', heads}, {'s', mesh.shard.context / heads}, {'d', mesh.data}};
      const Axes sharded{{'t', mesh.shard.tensor}, {'g', mesh.sharding.group}, {'r', mesh.copies}};
      const Axes experts{{'x', mesh.shard.expert_tensor},
                         {'e', mesh.shard.expert},
                         {'g', mesh.expert_data / mesh.copies},
                         {'r', mesh.copies}};
      const auto is = [&](GroupFamily family, const Axes& axes, const char* along) {
        auto found = numbers(groups->groups(family));
        std::ranges::sort(found);
        return found == enumerated(axes, along);
      };
      QVERIFY(is(GroupFamily::tensor, dense, "t"));
      QVERIFY(is(GroupFamily::context, dense, "hs"));
      QVERIFY(is(GroupFamily::context_heads, dense, "h"));
      QVERIFY(is(GroupFamily::context_sequence, dense, "s"));
      QVERIFY(is(GroupFamily::data, dense, "d"));
      QVERIFY(is(GroupFamily::data_context, dense, "hsd"));
      QVERIFY(is(GroupFamily::sharding, sharded, "g"));
      QVERIFY(is(GroupFamily::sharding_copies, sharded, "r"));
      QVERIFY(is(GroupFamily::expert_tensor, experts, "x"));
      QVERIFY(is(GroupFamily::expert, experts, "e"));
      QVERIFY(is(GroupFamily::expert_all, experts, "xe"));
      QVERIFY(is(GroupFamily::expert_data, experts, "gr"));
      QVERIFY(is(GroupFamily::expert_sharding, experts, "g"));
      QVERIFY(is(GroupFamily::expert_sharding_copies, experts, "r"));
      folded += mesh.shard.expert > mesh.data && mesh.shard.tensor > 1;
      copied += mesh.copies > 1;
    }
    QVERIFY(folded > 50 && copied > 50);
  }

  /// Each family divides the stage's devices, whatever their numbers: each is in exactly one group, the one that
  /// group_of() returns, and all groups are of one size.
  void each_family_divides_the_devices() {
    Random random(8);
    for (int trial = 0; trial < 200; ++trial) {
      const RandomMesh mesh = random_mesh(random);
      std::vector<DeviceId> devices = devices_from(100, mesh.devices());
      for (std::size_t i = devices.size(); i > 1; --i) std::swap(devices[i - 1], devices[random.uniform_int(i)]);
      const auto groups = StageGroups::of(devices, mesh.shard, mesh.sharding);
      QVERIFY(groups.has_value());
      for (int f = 0; f < plan::group_family_count; ++f) {
        const auto family = static_cast<GroupFamily>(f);
        std::set<DeviceId> seen;
        for (const RankGroup& group : groups->groups(family)) {
          QCOMPARE(static_cast<int>(group.size()), groups->size(family));
          seen.insert(group.begin(), group.end());
          for (const DeviceId device : group) {
            const auto rank = std::ranges::find(devices, device) - devices.begin();
            QCOMPARE(groups->group_of(family, static_cast<int>(rank)), group);
          }
        }
        QCOMPARE(seen.size(), devices.size());
        QCOMPARE(groups->groups(family).size() * static_cast<std::size_t>(groups->size(family)), devices.size());
      }
    }
  }

  /// Two families that divide ranks along all axes between them: each group of one has one rank in common with each of
  /// the other.
  void complementary_groups_meet_in_one_rank() {
    Random random(9);
    for (int trial = 0; trial < 100; ++trial) {
      const RandomMesh mesh = random_mesh(random);
      const auto groups = StageGroups::of(devices_from(0, mesh.devices()), mesh.shard, mesh.sharding);
      QVERIFY(groups.has_value());
      for (const auto& [a, b] : {std::pair{GroupFamily::tensor, GroupFamily::data_context},
                                 {GroupFamily::expert_all, GroupFamily::expert_data}})
        for (const RankGroup& one : groups->groups(a))
          for (const RankGroup& other : groups->groups(b))
            QCOMPARE(std::ranges::count_if(one, [&](DeviceId d) { return std::ranges::count(other, d) > 0; }), 1);
      // Other pairs of dense families have no more than the rank itself in common.
      for (const auto& [a, b] : {std::pair{GroupFamily::tensor, GroupFamily::context},
                                 {GroupFamily::tensor, GroupFamily::data},
                                 {GroupFamily::context, GroupFamily::data},
                                 {GroupFamily::context_heads, GroupFamily::context_sequence},
                                 {GroupFamily::sharding, GroupFamily::sharding_copies},
                                 {GroupFamily::expert, GroupFamily::expert_tensor}})
        for (int rank = 0; rank < mesh.devices(); ++rank) {
          const RankGroup one = groups->group_of(a, rank), other = groups->group_of(b, rank);
          QCOMPARE(std::ranges::count_if(one, [&](DeviceId d) { return std::ranges::count(other, d) > 0; }), 1);
        }
    }
  }

  /// The 16 GPUs of Megatron-LM's documentation (parallel_state.py, initialize_model_parallel): T 2, P 4.
  void megatrons_documented_groups() {
    std::vector<StageGroups> stages;
    std::vector<RankGroup> tensor, data;
    for (int stage = 0; stage < 4; ++stage) {
      stages.push_back(StageGroups::of(devices_from(4 * stage, 4), {.tensor = 2}).value());
      std::ranges::copy(stages.back().groups(GroupFamily::tensor), std::back_inserter(tensor));
      std::ranges::copy(stages.back().groups(GroupFamily::data), std::back_inserter(data));
    }
    using Numbers = std::vector<std::vector<int>>;
    QCOMPARE(numbers(data), (Numbers{{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}}));
    QCOMPARE(numbers(tensor), (Numbers{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}, {12, 13}, {14, 15}}));
    QCOMPARE(numbers(plan::pipeline_groups(stages).value()),
             (Numbers{{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}}));
  }

  /// Published settings, all ranks of all stages by the order tp-cp-ep-dp-pp: Llama 3.1 405B (T 8, C 2, P 8, D 8),
  /// DeepSeek-V3 (T 1, e 64, P 4, D 64), Qwen3 235B (T 2, e 32, P 8, D 16), Mixtral 8x22B folded (T 2, e 8, x 1, D 8).
  void megatrons_order_of_published_settings_data() {
    QTest::addColumn<int>("tensor");
    QTest::addColumn<int>("context");
    QTest::addColumn<int>("data");
    QTest::addColumn<int>("pipeline");
    QTest::addColumn<int>("expert");
    QTest::addColumn<int>("expert_tensor");
    QTest::newRow("Llama 3.1 405B") << 8 << 2 << 8 << 8 << 1 << 1;
    QTest::newRow("DeepSeek-V3") << 1 << 1 << 64 << 4 << 64 << 1;
    QTest::newRow("Qwen3 235B") << 2 << 1 << 16 << 8 << 32 << 1;
    QTest::newRow("Mixtral 8x22B") << 2 << 1 << 8 << 8 << 8 << 1;
    QTest::newRow("experts cut as well") << 4 << 2 << 4 << 2 << 4 << 2;
  }
  void megatrons_order_of_published_settings() {
    QFETCH(int, tensor);
    QFETCH(int, context);
    QFETCH(int, data);
    QFETCH(int, pipeline);
    QFETCH(int, expert);
    QFETCH(int, expert_tensor);
    const int stage_devices = tensor * context * data, copies = stage_devices / (expert * expert_tensor);
    const Axes dense{{'t', tensor}, {'c', context}, {'d', data}, {'p', pipeline}};
    const Axes experts{{'x', expert_tensor}, {'e', expert}, {'d', copies}, {'p', pipeline}};
    Shard shard;
    shard.tensor = tensor, shard.context = context, shard.expert = expert, shard.expert_tensor = expert_tensor;
    std::vector<StageGroups> stages;
    for (int p = 0; p < pipeline; ++p)
      stages.push_back(StageGroups::of(devices_from(p * stage_devices, stage_devices), shard).value());
    const auto all = [&](GroupFamily family) {
      std::vector<RankGroup> groups;
      for (const StageGroups& stage : stages) std::ranges::copy(stage.groups(family), std::back_inserter(groups));
      auto sorted = numbers(groups);
      std::ranges::sort(sorted);
      return sorted;
    };
    QCOMPARE(all(GroupFamily::tensor), enumerated(dense, "t"));
    QCOMPARE(all(GroupFamily::context), enumerated(dense, "c"));
    QCOMPARE(all(GroupFamily::data_context), enumerated(dense, "cd"));
    QCOMPARE(all(GroupFamily::expert), enumerated(experts, "e"));
    QCOMPARE(all(GroupFamily::expert_data), enumerated(experts, "d"));
    auto through = numbers(plan::pipeline_groups(stages).value());
    std::ranges::sort(through);
    QCOMPARE(through, enumerated(dense, "p"));
    QCOMPARE(through, enumerated(experts, "p"));  // both meshes have the same pipelines
  }

  void neighbours_have_equal_ranks() {
    const StageGroups from = StageGroups::of(devices_from(0, 8), {.tensor = 2}).value();
    const auto pairs = plan::pipeline_neighbours(from, StageGroups::of(devices_from(8, 8), {.tensor = 2}).value());
    QVERIFY(pairs.has_value());
    for (int rank = 0; rank < 8; ++rank)
      QCOMPARE(pairs->at(static_cast<std::size_t>(rank)),
               std::pair(DeviceId(std::int32_t{rank}), DeviceId(std::int32_t{8 + rank})));
    QVERIFY(!plan::pipeline_neighbours(from, StageGroups::of(devices_from(8, 8), {.tensor = 4}).value()));
    QVERIFY(!plan::pipeline_neighbours(from, StageGroups::of(devices_from(8, 4), {.tensor = 2}).value()));
    // Virtual stages: two stages on the same devices are one rank of the pipeline.
    const std::vector<StageGroups> chunks{from, StageGroups::of(devices_from(8, 8), {.tensor = 2}).value(), from};
    QCOMPARE(numbers(plan::pipeline_groups(chunks).value()).front(), (std::vector{0, 8}));
  }

  void degrees_that_do_not_divide_are_refused_data() {
    QTest::addColumn<int>("devices");
    QTest::addColumn<Shard>("shard");
    QTest::addColumn<Sharding>("sharding");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, int devices, const Shard& shard, const Sharding& sharding, const char* text) {
      QTest::newRow(name) << devices << shard << sharding << text;
    };
    row("tensor", 6, {.tensor = 4}, {},
        "found a stage of 6 devices, expected a multiple of 4 tensor x 1 context ranks");
    row("context", 8, {.tensor = 2, .context = 3}, {}, "expected a multiple of 2 tensor x 3 context ranks");
    row("expert", 8, {.expert = 3}, {}, "expected a multiple of 3 expert x 1 expert-tensor ranks");
    row("expert tensor", 8, {.expert = 4, .expert_tensor = 4}, {}, "of 4 expert x 4 expert-tensor ranks");
    row("no degree", 8, {.tensor = 0}, {}, "found a degree of tensor parallelism of 0, expected 1 or more");
    row("no devices", 0, {}, {}, "found a stage of 0 devices");
    row("heads", 8, {.context = 8, .context_kind = ContextKind::heads_ring, .context_heads = 3}, {},
        "found 3 context ranks that exchange heads, expected a divisor of all 8");
    row("level", 8, {}, {.level = 4}, "found sharding level 4, expected 0 to 3");
    row("group", 8, {}, {.level = 1, .group = 3}, "found a sharding group of 3 ranks, expected a divisor of 8 data");
    row("group without level", 8, {}, {.group = 4}, "expected none at level 0");
    row("copies of experts", 8, {.expert = 8}, {.level = 3, .group = 4}, "divisor of the 1 copies of each expert");
  }
  void degrees_that_do_not_divide_are_refused() {
    QFETCH(int, devices);
    QFETCH(Shard, shard);
    QFETCH(Sharding, sharding);
    QFETCH(QString, message);
    const auto refused = StageGroups::of(devices_from(0, devices), shard, sharding);
    QVERIFY(!refused.has_value());
    QCOMPARE(refused.error().code, ErrorCode::bad_input);
    QVERIFY2(refused.error().message.find(message.toStdString()) != std::string::npos, refused.error().message.c_str());
  }

  /// A stage of the defaults: one replica for each device, as plans had before.
  void defaults_are_data_parallelism() {
    const StageGroups groups = StageGroups::of(devices_from(0, 4), {}).value();
    QCOMPARE(numbers(groups.groups(GroupFamily::data_context)), (std::vector<std::vector<int>>{{0, 1, 2, 3}}));
    for (const GroupFamily family : {GroupFamily::tensor, GroupFamily::context, GroupFamily::expert})
      QCOMPARE(groups.size(family), 1);
  }
};

PIPEDECK_TEST(TestGroups)

}  // namespace pipedeck::tst_groups

#include "tst_groups.moc"
