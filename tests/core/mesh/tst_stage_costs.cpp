// SPDX-License-Identifier: Apache-2.0
// The times of a stage from those of its layers and of its groups, added up by hand.
#include <QTest>

#include <algorithm>
#include <cmath>

#include "core/analytic/transformer/layers.hpp"
#include "core/mesh/group_times.hpp"
#include "core/mesh/stage_costs.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_stage_costs {

namespace shards = analytic::transformer::shards;
using analytic::transformer::shards::Compute;
using cost::PassPart;
using plan::GroupFamily;
using shards::LayerShard;

mesh::Rates rates() {
  mesh::Rates rates;
  rates.type.name = "X1";
  rates.type.peak_tflops = {{"bf16", 400}};
  rates.type.memory_bandwidth = gigabytes_per_second(2000);
  rates.reached.products = {{"bf16", {{0.7, 128, 128, 128}, {0.6, 128, 128, 128}, 0}}};
  rates.reached.attention = {{"default", {0.5, 0.4, 8000, 32}}};
  return rates;
}

/// Nodes of 8 devices, a card each.
std::shared_ptr<const Cluster> cluster_of(int nodes) {
  Cluster cluster;
  DeviceType type;
  type.name = "X1", type.memory = Bytes(std::int64_t{80} << 30);
  cluster.device_types.push_back(type);
  cluster.switches.push_back({"switch"});
  for (int n = 0; n < nodes; ++n) {
    Node node;
    node.name = "node-" + std::to_string(n);
    node.devices = {{"X1", 8}};
    node.link = Link{gigabytes_per_second(300), Seconds(2e-6)};
    node.nic = gigabytes_per_second(50);
    cluster.nodes.push_back(node);
    cluster.links.push_back({node.name, "switch", Link{gigabytes_per_second(400), Seconds(3e-6)}});
  }
  return std::make_shared<const Cluster>(cluster);
}

/// 4 blocks on one node.
mesh::Question question(const Shard& shard = {}, int data = 1) {
  mesh::Question made;
  TransformerConfig& config = made.config;
  config.hidden = 4096, config.layers = 4, config.heads = config.key_value_heads = 32, config.head_width = 128;
  config.feed_forward = 16384, config.vocabulary = 32000, config.norm = NormKind::rms;
  made.layer.count.sequence = 2048;
  made.layer.shard = shard;
  made.data = data;
  made.cluster = cluster_of(4);
  return made;
}

void add_experts(mesh::Question& question) {
  question.config.experts = Experts{.count = 8, .per_token = 2, .feed_forward = 2048, .dense = {}};
}

mesh::StageCosts costs_of(const mesh::Question& question, const mesh::Rates& rates) {
  const auto layers = mesh::stage_layers(question);
  if (!layers) qFatal("%s", layers.error().text().c_str());
  const auto costs = mesh::stage_costs(question, rates, *layers);
  if (!costs) qFatal("%s", costs.error().text().c_str());
  return costs->front();
}

/// Returns the times of all reductions of each stage.
std::vector<std::vector<double>> reductions_of(const mesh::Question& question, const mesh::Rates& rates) {
  const auto layers = mesh::stage_layers(question);
  const auto costs = mesh::stage_costs(question, rates, *layers);
  if (!costs) qFatal("%s", costs.error().text().c_str());
  std::vector<std::vector<double>> times;
  for (const mesh::StageCosts& stage : *costs) {
    times.emplace_back();
    for (const mesh::StageReduction& one : stage.reductions) times.back().push_back(one.time.count);
  }
  return times;
}

mesh::StageLayers layers_of(const mesh::Question& question) { return mesh::stage_layers(question)->front(); }

double work(const mesh::StageLayers& layers, Compute pass, const mesh::Rates& rates) {
  double sum = 0;
  for (const LayerShard& layer : layers)
    sum += analytic::transformer::shards::work_time(layer, pass, rates, {})->total.count;
  return sum;
}

/// Returns the time of all collectives of a pass over groups of a family, one after the other.
double sent(const mesh::Question& question, const mesh::Rates& rates, GroupFamily family, Pass pass) {
  const auto groups = mesh::GroupTimes::of(question, rates);
  double sum = 0;
  for (const LayerShard& layer : layers_of(question))
    for (const shards::LayerCollective& one : layer.collectives)
      if (one.group == family && one.pass == pass) sum += groups->time(one.group, one.kind, one.bytes).count;
  return sum;
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

class TestStageCosts : public QObject {
  Q_OBJECT
 private slots:
  void one_device_computes_alone() {
    mesh::Question asked = question();
    asked.layer.recomputed.blocks = true;
    const mesh::Rates reached = rates();
    const auto layers = layers_of(asked);
    const mesh::StageCosts costs = costs_of(asked, reached);
    QVERIFY(near(costs.forward.duration().count, work(layers, Compute::forward, reached)));
    QVERIFY(near(costs.recompute.count, work(layers, Compute::recompute, reached)));
    QVERIFY(near(costs.backward.duration().count, work(layers, Compute::recompute, reached) +
                                                      work(layers, Compute::input_gradient, reached) +
                                                      work(layers, Compute::weight_gradient, reached)));
    QCOMPARE(costs.forward.exposed().count + costs.backward.exposed().count, 0.0);
    QVERIFY(costs.reductions.empty());
    QCOMPARE(costs.gather.count + costs.send.count, 0.0);
  }

  /// Without sequence parallelism, all of the forward's all-reduces are exposed.
  void tensor_ranks_wait_for_their_sums() {
    mesh::Question asked = question({.tensor = 8});
    const mesh::Rates reached = rates();
    const double expected = sent(asked, reached, GroupFamily::tensor, Pass::forward);
    QVERIFY(expected > 0);
    QVERIFY(near(costs_of(asked, reached).forward[PassPart::tensor].count, expected));
    // In the backward, each is behind a weight gradient.
    QVERIFY(costs_of(asked, reached).backward[PassPart::tensor].count <
            sent(asked, reached, GroupFamily::tensor, Pass::backward));
  }

  /// Without weight gradients to hide them, all of the backward's all-reduces are exposed, too.
  void tensor_ranks_wait_for_input_gradients() {
    mesh::Question asked = question({.tensor = 8});
    asked.training.waits_for_input_gradients = true;
    const mesh::Rates reached = rates();
    const double expected = sent(asked, reached, GroupFamily::tensor, Pass::backward);
    QVERIFY(near(costs_of(asked, reached).backward[PassPart::tensor].count, expected));
    QVERIFY(near(costs_of(asked, reached).forward[PassPart::tensor].count,
                 sent(asked, reached, GroupFamily::tensor, Pass::forward)));
  }

  /// In pieces, a gather takes T pieces and a reduction 4 of its product: at least a fourth of a reduction stays.
  void pieces_hide_most_of_tensor_communication() {
    mesh::Question asked = question({.tensor = 8, .sequence = true});
    const mesh::Rates reached = rates();
    const double whole = costs_of(asked, reached).forward[PassPart::tensor].count;
    asked.training.hidden.tensor = true;
    const double pieces = costs_of(asked, reached).forward[PassPart::tensor].count;
    const auto groups = mesh::GroupTimes::of(asked, reached);
    double expected = 0;
    for (const LayerShard& layer : layers_of(asked)) {
      const analytic::transformer::shards::WorkTime time =
          *analytic::transformer::shards::work_time(layer, Compute::forward, reached, {});
      for (const shards::LayerCollective& one : layer.collectives) {
        if (one.pass != Pass::forward) continue;
        const double t = groups->time(one.group, one.kind, one.bytes).count;
        const std::string product =
            one.name.find(" of ") != one.name.npos ? one.name.substr(one.name.find(" of ") + 4) : "";
        double p = 0;
        for (const analytic::transformer::shards::NamedTime& named : time.products)
          p += named.name == product ? named.time.count : 0;
        if (p == 0)
          expected += t;  // of the embedding and the loss
        else if (one.kind == CollectiveKind::all_gather)
          expected += std::max(t - p * 7 / 8, 0.0);
        else
          expected += t / 4 + std::max(t - p, 0.0) * 3 / 4;
      }
    }
    QVERIFY(near(pieces, expected));
    QVERIFY(pieces < 0.8 * whole);
  }

  /// Two exchanges forward and two backward, of which a pair of passes hides as much as it computes.
  void expert_exchanges_hide_behind_another_micro_batch() {
    mesh::Question asked = question({.expert = 8}, 8);
    add_experts(asked);
    const mesh::Rates reached = rates();
    const mesh::StageCosts open = costs_of(asked, reached);
    QVERIFY(near(open.forward[PassPart::expert].count, sent(asked, reached, GroupFamily::expert, Pass::forward)));
    asked.training.hidden.expert = true;
    QVERIFY(costs_of(asked, reached).forward[PassPart::expert] == open.forward[PassPart::expert]);  // one micro-batch
    asked.micro_batches = 8;
    const mesh::StageCosts hidden = costs_of(asked, reached);
    const double exchanged = open.forward[PassPart::expert].count + open.backward[PassPart::expert].count;
    const double computed = open.forward[PassPart::compute].count + open.backward[PassPart::compute].count;
    QVERIFY(near(hidden.forward[PassPart::expert].count + hidden.backward[PassPart::expert].count + 1,
                 std::max(0.0, exchanged - computed) + 1));
  }

  /// Gradients are reduced layer by layer, the last one's first.
  void reductions_follow_their_layers() {
    mesh::Question asked = question({}, 32);
    asked.sharding.level = 1;
    const mesh::Rates reached = rates();
    const mesh::StageCosts costs = costs_of(asked, reached);
    QVERIFY(std::ranges::is_sorted(costs.reductions, {}, [](const mesh::StageReduction& one) { return one.ready; }));
    QVERIFY(near(costs.reductions.back().ready.count, costs.backward.duration().count));
    double sum = 0, expected = 0;
    for (const mesh::StageReduction& one : costs.reductions) sum += one.time.count;
    const auto groups = mesh::GroupTimes::of(asked, reached);
    for (const LayerShard& layer : layers_of(asked))
      expected +=
          groups->time(GroupFamily::sharding, CollectiveKind::reduce_scatter, 4 * layer.weights.all() * 31 / 32).count;
    QVERIFY(near(sum, expected));
    asked.training.hidden.gradients = asked.training.hidden.weights = false;
    const mesh::StageCosts open = costs_of(asked, reached);
    QCOMPARE(open.reductions.size(), std::size_t{1});
    QVERIFY(near(open.reductions[0].ready.count, costs.backward.duration().count));
    QVERIFY(near(open.reductions[0].time.count, sum));
    QVERIFY(open.gather > costs.gather);
  }

  /// 4 data ranks own a tensor each, 32 at most the tensors of 4 blocks and both ends.
  void owners_broadcast_their_tensors() {
    const mesh::Rates reached = rates();
    for (const int data : {4, 32}) {
      mesh::Question asked = question({}, data);
      asked.sharding.level = 1;
      asked.training.hidden.weights = false;
      asked.training.owned_tensors = 2;
      double weights = 0;
      for (const LayerShard& layer : layers_of(asked)) weights += layer.weights.all();
      const auto tensors = static_cast<int>(2 * layers_of(asked).size());
      QVERIFY(tensors > 4 && tensors < 32);
      const double expected =
          mesh::GroupTimes::of(asked, reached)
              ->broadcasts(GroupFamily::sharding, 2 * weights * (data - 1) / data, std::min(data, tensors))
              .count;
      QVERIFY(near(costs_of(asked, reached).gather.count, expected));
    }
  }

  /// Level 3 exposes at least the first gather, and hides others behind compute.
  void sharded_weights_are_gathered_ahead() {
    mesh::Question asked = question({}, 8);
    asked.layer.count.micro_batch = 4;
    asked.sharding.level = 3;
    mesh::Rates reached = rates();
    const auto groups = mesh::GroupTimes::of(asked, reached);
    double all = 0;
    for (const LayerShard& layer : layers_of(asked))
      all += groups->time(GroupFamily::sharding, CollectiveKind::all_gather, 2 * layer.weights.all() * 7 / 8).count;
    const double first = groups
                             ->time(GroupFamily::sharding, CollectiveKind::all_gather,
                                    2 * layers_of(asked).front().weights.all() * 7 / 8)
                             .count;
    const mesh::StageCosts costs = costs_of(asked, reached);
    QVERIFY(costs.forward[PassPart::gather].count >= first * (1 - 1e-9));
    QVERIFY(costs.forward[PassPart::gather].count < all);
    QVERIFY(costs.reductions.empty());
    // Compute takes longer next to gathers and scatters.
    reached.reached.busy = 1.25;
    QVERIFY(costs_of(asked, reached).forward[PassPart::compute] > costs.forward[PassPart::compute]);
  }

  /// Adam in 16 bits with fp32 gradients moves 2 x 4 + 2 x 12 + 2 bytes per weight, of which 1/G are a rank's.
  void the_optimizer_moves_its_states() {
    const mesh::Rates reached = rates();
    double weights = 0;
    for (const LayerShard& layer : layers_of(question())) weights += layer.weights.all();
    const double expected = 34 * weights / (2e12 * reached.reached.memory);
    QVERIFY(near(costs_of(question(), reached).optimizer.count, expected));
    mesh::Question sharded = question({}, 8);
    sharded.sharding.level = 1;
    QVERIFY(near(costs_of(sharded, reached).optimizer.count, expected / 8));
  }

  /// Ranks of the next stage are on another node: w n h bytes, or 1/T of them with sequence parallelism.
  void outputs_are_sent_to_the_next_stage() {
    mesh::Question asked = question({.tensor = 8});
    asked.pipeline = 2;
    const mesh::Rates reached = rates();
    const auto groups = mesh::GroupTimes::of(asked, reached);
    const double bytes = 2.0 * 2048 * 4096;
    QVERIFY(near(costs_of(asked, reached).send.count, groups->to_next_stage(bytes).count));
    asked.training.scatters_sends = true;
    const double gathered = groups->time(GroupFamily::tensor, CollectiveKind::all_gather, bytes * 7 / 8).count;
    QVERIFY(near(costs_of(asked, reached).send.count, groups->to_next_stage(bytes / 8).count + gathered));
    asked.layer.shard.sequence = true;
    QVERIFY(near(costs_of(asked, reached).send.count, groups->to_next_stage(bytes / 8).count));
  }

  /// The first and the last stage are on two nodes: pairs of ranks sum V h / T gradients over their cards, as two data
  /// ranks do.
  void ends_sum_the_gradients_of_their_table() {
    const mesh::Rates reached = rates();
    const mesh::Question two_nodes = question({.tensor = 8}, 2);
    const auto pair = mesh::GroupTimes::of(two_nodes, reached);
    const auto sum_of = [&](double bytes) {
      return pair->time(GroupFamily::data_context, CollectiveKind::all_reduce, bytes).count;
    };
    mesh::Question asked = question({.tensor = 8});
    asked.pipeline = 4, asked.micro_batches = 4;
    const double bytes = 32000.0 * 4096 / 8 * asked.wire.gradients;
    QVERIFY(sum_of(bytes) > bytes / 50e9);
    const auto apart = reductions_of(asked, reached);
    asked.config.tied = true;
    auto tied = reductions_of(asked, reached);
    for (const std::size_t end : {0, 3}) {
      QVERIFY(near(tied[end].back(), sum_of(bytes)));
      tied[end].pop_back();
    }
    QCOMPARE(tied, apart);
    // A shard of it with states that are sharded.
    asked.layer.shard.tensor = 4, asked.data = 2, asked.sharding.level = 2;
    QVERIFY(near(reductions_of(asked, reached).back().back(), sum_of(bytes)));
    // Frozen words have no gradients.
    asked.training.adapters.rank = 8;
    const auto adapted = reductions_of(asked, reached);
    asked.config.tied = false;
    QCOMPARE(adapted, reductions_of(asked, reached));
  }

  /// Where ranks have both ends, all traffic and steps are of the model's parameters.
  void a_shared_table_is_counted_once() {
    const mesh::Rates reached = rates();
    for (const auto order : {ScheduleKind::one_f_one_b, ScheduleKind::dualpipe_v}) {
      mesh::Question asked = question({}, 8);
      asked.config.tied = true;
      asked.order = order;
      if (order == ScheduleKind::dualpipe_v) asked.pipeline = asked.virtual_stages = 2, asked.micro_batches = 4;
      const auto layers = mesh::stage_layers(asked);
      const auto groups = mesh::GroupTimes::of(asked, reached);
      double sent = 0;
      for (const mesh::StageLayers& stage : *layers)
        for (const LayerShard& layer : stage)
          sent += cost::bytes_per_step(mesh::traffic_of(layer, asked, groups->degrees()), asked.micro_batches);
      QVERIFY(near(sent, 2 * 7.0 / 8 * asked.wire.gradients * analytic::transformer::parameters_of(asked.config)));
      const auto costs = mesh::stage_costs(asked, reached, *layers);
      double optimizer = 0;
      for (const mesh::StageCosts& stage : *costs) optimizer += stage.optimizer.count;
      QVERIFY(
          near(optimizer, 34 * analytic::transformer::parameters_of(asked.config) / (2e12 * reached.reached.memory)));
    }
  }
};

PIPEDECK_TEST(TestStageCosts)

}  // namespace pipedeck::tst_stage_costs

#include "tst_stage_costs.moc"
