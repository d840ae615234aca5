// SPDX-License-Identifier: Apache-2.0
// Bytes of gradients and weights by sharding level, and bytes of states, against published figures and closed forms.
#include <QTest>

#include <cmath>
#include <set>

#include "core/cost/data_traffic.hpp"
#include "core/cost/state_bytes.hpp"
#include "core/plan/groups.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_data_traffic {

using cost::DataCollective;
using cost::DataMoment;

constexpr double gib = 1 << 30;

double total(const StateBytes& bytes) { return bytes.weights + bytes.gradients + bytes.optimizer; }

/// D C = G R ranks, and no experts.
plan::StageDegrees ranks(int group, int copies = 1) {
  return plan::degrees_of(group * copies, {}, {.level = copies > 1 ? 1 : 0, .group = group}).value();
}

using Found = std::vector<std::tuple<CollectiveKind, DataMoment, bool, double>>;  // of copies or not
Found found(const Sharding& sharding, int group, int copies, double parameters, const WireBytes& wire = {}) {
  Found all;
  for (const DataCollective& one : cost::data_traffic(sharding, ranks(group, copies), {parameters, 0}, wire))
    all.emplace_back(one.kind, one.moment, one.group == plan::GroupFamily::sharding_copies, one.bytes);
  return all;
}

constexpr auto AG = CollectiveKind::all_gather, RS = CollectiveKind::reduce_scatter, AR = CollectiveKind::all_reduce;

class TestDataTraffic : public QObject {
  Q_OBJECT

 private slots:
  /// Llama 3 70B, FSDP over 64: a block of 855,654,400 weights.
  void llama_70b_block() {
    const double block = 855'654'400;
    const double gathered = 1'684'569'600, scattered = 3'369'139'200;  // in 16 bits and in fp32
    QCOMPARE(found({.level = 3}, 64, 1, block), (Found{{AG, DataMoment::every_forward, false, gathered},
                                                       {AG, DataMoment::every_backward, false, gathered},
                                                       {RS, DataMoment::every_backward, false, scattered}}));
    QCOMPARE(std::get<3>(found({.level = 3}, 64, 1, block, {2, 2}).back()), gathered);
  }

  /// Every level of the table, with 1,000 weights on 4 ranks.
  void levels() {
    const double w = 3.0 / 4 * 2000, g = 3.0 / 4 * 4000;
    QCOMPARE(found({}, 4, 1, 1000), (Found{{AR, DataMoment::last_backward, false, 2 * g}}));
    QCOMPARE(found({.level = 1}, 4, 1, 1000),
             (Found{{RS, DataMoment::last_backward, false, g}, {AG, DataMoment::next_forward, false, w}}));
    QCOMPARE(found({.level = 2}, 4, 1, 1000),
             (Found{{AG, DataMoment::first_forward, false, w}, {RS, DataMoment::every_backward, false, g}}));
    QCOMPARE(found({.level = 3, .reshard = Reshard::after_backward}, 4, 1, 1000),
             (Found{{AG, DataMoment::every_forward, false, w}, {RS, DataMoment::every_backward, false, g}}));
    QCOMPARE(found({.level = 3, .reshard = Reshard::after_step}, 4, 1, 1000),
             (Found{{AG, DataMoment::first_forward, false, w}, {RS, DataMoment::after_backward, false, g}}));
    for (int level = 0; level <= 3; ++level) QVERIFY(found({.level = level}, 1, 1, 1000).empty());
  }

  /// Copies of shards: all-reduces of 1/G over R, once or after every micro-batch, or a sharded optimizer.
  void copies() {
    const double shard = 1000.0 / 4, r = 2;
    const auto last = [&](CopySync sync, int level = 3) {
      return found({.level = level, .group = 4, .copies = sync}, 4, 2, 1000).back();
    };
    QCOMPARE(last(CopySync::each_step),
             (std::tuple{AR, DataMoment::after_backward, true, 2 * (r - 1) / r * 4 * shard}));
    QCOMPARE(last(CopySync::each_micro_batch),
             (std::tuple{AR, DataMoment::every_backward, true, 2 * (r - 1) / r * 4 * shard}));
    QCOMPARE(last(CopySync::shard_optimizer),
             (std::tuple{AG, DataMoment::next_forward, true, (r - 1) / r * 2 * shard}));
    QCOMPARE(found({.level = 3, .group = 4, .copies = CopySync::shard_optimizer}, 4, 2, 1000).size(), std::size_t{5});
    // Whole gradients have one sum, behind the last micro-batch.
    for (const Sharding& sharding :
         {Sharding{.level = 1, .group = 4, .copies = CopySync::each_micro_batch},
          Sharding{.level = 3, .group = 4, .reshard = Reshard::after_step, .copies = CopySync::each_micro_batch}})
      for (const DataCollective& one : cost::data_traffic(sharding, ranks(4, 2), {1000, 0}))
        QVERIFY(one.moment != DataMoment::every_backward);
    // Several instances of the distributed optimizer.
    QCOMPARE(found({.level = 1, .group = 4}, 4, 2, 1000),
             (Found{{RS, DataMoment::last_backward, false, 3000},
                    {AR, DataMoment::last_backward, true, 2 * (r - 1) / r * 4 * shard},
                    {AG, DataMoment::next_forward, false, 1500}}));
  }

  /// Level 1 sends as much as level 0 with 4-byte gradients and weights; level 3 half as much again (arXiv 1910.02054,
  /// section 7). Levels 2 and 3 grow with the micro-batches.
  void volume_of_a_step() {
    const WireBytes same{2, 2};
    const auto step = [&](int level, int micro_batches) {
      return cost::bytes_per_step(cost::data_traffic({.level = level}, ranks(64), {1e9, 0}, same), micro_batches);
    };
    QCOMPARE(step(1, 8), step(0, 8));
    QCOMPARE(step(2, 1), step(0, 1));
    QCOMPARE(step(3, 1), 1.5 * step(0, 1));
    QCOMPARE(step(0, 8), step(0, 1));
    QCOMPARE(step(3, 8), 8 * step(3, 1));
    QCOMPARE(step(2, 8), 4.5 * step(2, 1));
    QVERIFY(
        cost::bytes_per_step(cost::data_traffic({.level = 1}, ranks(64), {1e9, 0}), 1) <
        cost::bytes_per_step(cost::data_traffic({}, ranks(64), {1e9, 0}), 1));  // weights are narrower than gradients
  }

  /// With copies of sharded states, experts' shards are spread over D_e / R ranks.
  void experts_have_groups_of_their_own() {
    const Shard shard{.tensor = 2, .sequence = true, .expert = 8};
    const Sharding sharding{.level = 3, .group = 16};
    const plan::StageDegrees degrees = plan::degrees_of(128, shard, sharding).value();
    QCOMPARE(degrees.copies, 4);
    QCOMPARE(degrees.expert_data, 16);
    QCOMPARE(degrees.expert_sharding, 4);
    const auto traffic = cost::data_traffic(sharding, degrees, {1e6, 2e6});
    QCOMPARE(traffic.size(), std::size_t{8});
    using plan::GroupFamily;
    const DataCollective &dense = traffic[0], &expert = traffic[4];
    QVERIFY(dense.group == GroupFamily::sharding && expert.group == GroupFamily::expert_sharding);
    QCOMPARE(dense.ranks, 16);
    QCOMPARE(dense.bytes, 15.0 / 16 * 2e6);
    QCOMPARE(expert.ranks, 4);
    QCOMPARE(expert.bytes, 3.0 / 4 * 4e6);
    QVERIFY(traffic.back().group == GroupFamily::expert_sharding_copies);
    QCOMPARE(traffic.back().bytes, 2 * 3.0 / 4 * 2e6);  // AR of 4 bytes x 1/4 over 4 copies
    // The groups have as many devices as the collectives have ranks.
    std::vector<DeviceId> devices;
    for (std::int32_t i = 0; i < 128; ++i) devices.push_back(DeviceId(i));
    const auto groups = plan::StageGroups::of(devices, shard, sharding);
    for (const DataCollective& one : traffic) QCOMPARE(groups->size(one.group), one.ranks);
    const DataCollective norms = cost::data_traffic(sharding, degrees, {1e6, 2e6, 1e3}).front();
    QVERIFY(norms.group == GroupFamily::tensor && norms.kind == AR && norms.moment == DataMoment::after_backward);
    QCOMPARE(norms.bytes, 2 * 1.0 / 2 * 4e3);
    const StateBytes held = cost::held_bytes({2, 4, 12, 0}, sharding, degrees, {1e6, 2e6});
    QCOMPARE(held.weights, 2 * (1e6 / 16 + 2e6 / 4));
    QCOMPARE(held.optimizer, 12 * (1e6 / 16 + 2e6 / 4));
  }

  /// Llama 3.1 405B: 15.75 blocks on a rank, G 16. DeepSeek-V3: experts at 16 bytes.
  void published_states() {
    const double weights = 15.75 * 398'458'880;
    const Sharding sharding{.level = 1};
    const auto rounded = [](double bytes) { return std::round(bytes / gib * 100); };
    const StateBytes narrow = cost::sharded_bytes(*cost::state_bytes("mixed-16"), sharding, 16);
    QCOMPARE(rounded(weights * total(narrow)), 2776.0);
    QCOMPARE(rounded(weights * total(cost::sharded_bytes(*cost::state_bytes("mixed-18"), sharding, 16))), 3945.0);
    QCOMPARE(narrow.step, 4.0 / 16);
    QCOMPARE(rounded(14.5 * 176'160'768 * total(*cost::state_bytes("mixed-16"))), 3806.0);
  }

  /// Closed forms: 6 + 12/G of 18 (Megatron-LM, dist_optimizer.md), 16/G, 2 + 18/G, 18/G... of engines.
  void closed_forms() {
    const auto sum = [](const char* recipe, const Sharding& sharding, int group) {
      return total(cost::sharded_bytes(*cost::state_bytes(recipe), sharding, group));
    };
    for (const int group : {1, 2, 8, 64}) {
      const double g = group;
      QCOMPARE(sum("mixed-18", {}, group), 18.0);
      QCOMPARE(sum("mixed-18", {.level = 1}, group), 6 + 12 / g);
      QCOMPARE(sum("mixed-18", {.level = 3}, group), 18 / g);
      QCOMPARE(sum("fp32-masters", {.level = 3}, group), 16 / g);
      QCOMPARE(sum("fp32-masters", {.level = 3, .reshard = Reshard::after_step}, group), 2 + 4 + 16 / g);
      QCOMPARE(sum("deepspeed", {.level = 2}, group), 2 + 18 / g);
      QCOMPARE(sum("deepspeed-3", {.level = 3}, group), 18 / g);
      QCOMPARE(sum("precision-aware", {.level = 1}, group), 6 + 6 / g);
    }
  }

  /// Copies of shards hold the optimizer's states once for all, if these are sharded over them, too.
  void copies_share_the_optimizer() {
    const StateBytes bytes{2, 4, 12};
    QCOMPARE(total(cost::sharded_bytes(bytes, {.level = 3}, 4, 2)), 18.0 / 4);
    QCOMPARE(total(cost::sharded_bytes(bytes, {.level = 3, .copies = CopySync::shard_optimizer}, 4, 2)),
             6.0 / 4 + 12.0 / 8);
  }

  void recipes_have_names_of_their_own() {
    std::set<std::string_view> names;
    for (const cost::StateRecipe& recipe : cost::state_recipes()) QVERIFY(names.insert(recipe.name).second);
    QVERIFY(!cost::state_bytes("none"));
  }

  /// Two moments of a byte, a scale of 4 bytes for each block of 256 (arXiv 2110.02861): a quarter of 32-bit moments.
  void optimizers_of_8_bits() {
    const StateBytes narrow = *cost::state_bytes("adam-8bit");
    QCOMPARE(narrow.optimizer, 2 * (1 + 4.0 / 256));
    QCOMPARE(*cost::state_bytes("paged-adam-8bit"), narrow);
    QVERIFY(narrow.optimizer < 8 / 3.9);
    int paged = 0;
    for (const cost::StateRecipe& recipe : cost::state_recipes()) paged += recipe.paged;
    QCOMPARE(paged, 1);
  }
};

PIPEDECK_TEST(TestDataTraffic)

}  // namespace pipedeck::tst_data_traffic

#include "tst_data_traffic.moc"
