// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/optimizer_time.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/analytic/transformer/shards/adapters.hpp"
#include "core/analytic/transformer/shards/work_times.hpp"
#include "core/cost/state_bytes.hpp"
#include "core/mesh/trained_weights.hpp"

namespace pipedeck::mesh {
namespace {

using analytic::transformer::shards::Compute;
using analytic::transformer::shards::LayerShard;
using analytic::transformer::shards::ShardProduct;
using analytic::transformer::shards::WorkKind;
using analytic::transformer::shards::WorkTime;

constexpr int newton_schulz_iterations = 5;

class Stepper {
 public:
  Stepper(const Question& question, const TypeRates& rates, const GroupTimes& groups, const StageLayers& layers)
      : question_(question), rates_(rates), groups_(groups), layers_(layers) {
    for (const LayerShard& layer : layers) {
      const cost::RankWeights own = trained_weights(layer, question);
      trained_.dense += own.dense, trained_.expert += own.expert;
    }
  }

  Result<Seconds> time() const {
    const Training& training = question_.training;
    Seconds time =
        training.offloads_optimizer ? on_device(2 * states().gradients + states().weights) : on_device(moved_by_step());
    if (training.offloads_optimizer) {
      TRY(const Seconds on_host, host_time());
      time += on_host;
    } else if (training.pages_optimizer) {
      TRY(const BytesPerSecond rate, host_rate(rates_, "pages of the optimizer"));
      time += Seconds(held(2 * states().optimizer) / rate.count);  // in, then out
    }
    if (training.optimizer_step == OptimizerStep::muon) {
      TRY(const Seconds products, muon_time());
      time += products;
    }
    return time;
  }

 private:
  const StateBytes& states() const { return question_.states; }

  /// Gradients are read for their norm and again for the step, states are read and written, weights are written.
  double moved_by_step() const { return 2 * states().optimizer + 2 * states().gradients + states().weights; }

  /// Returns the bytes of a rank's share of the trained weights.
  double held(double bytes) const {
    Sharding by_optimizer = question_.sharding;
    if (by_optimizer.level > 0) by_optimizer.level = 1;
    return cost::held_bytes({0, 0, bytes, 0}, by_optimizer, groups_.degrees(), trained_).optimizer;
  }

  Seconds on_device(double bytes) const {
    const double rate = rates_.type.memory_bandwidth ? rates_.type.memory_bandwidth->count : 0;
    return rate > 0 ? Seconds(held(bytes) / (rate * rates_.reached.memory)) : Seconds();
  }

  /// Returns the time of gradients to the host, the step there, and weights back (ZeRO-Offload, arXiv 2101.06840). The
  /// devices of a node share the rate of its memory.
  Result<Seconds> host_time() const {
    TRY(const BytesPerSecond link, host_rate(rates_, "an optimizer on the host"));
    const Node& node = question_.cluster->nodes.front();
    if (!node.memory_bandwidth)
      return fail(
          ErrorCode::bad_input,
          fmt::format("found no memory_gb_per_s of node '{}', expected one for an optimizer on the host", node.name));
    const double sent = question_.wire.gradients + question_.wire.weights;
    const double memory = node.memory_bandwidth->count / device_count(node);
    return Seconds(held(sent) / link.count + held(2 * states().optimizer + sent) / memory);
  }

  /// A sum over matrices, and the longest: a rank has whole ones.
  struct MatrixTimes {
    Seconds sum, longest;
    Seconds of(int ranks) const { return std::max(sum / ranks, longest); }
  };

  /// Returns the time of the products on whole matrices, shared by the ranks of the sharding group, after the tensor
  /// ranks have gathered them in 16 bits. Embedding, head, router and vectors have elementwise steps.
  Result<Seconds> muon_time() const {
    MatrixTimes dense, expert;
    double cut = 0, cut_of_experts = 0;  // elements on a rank of matrices of which it has a part
    for (const LayerShard& layer : layers_) {
      if (!is_block(layer)) continue;
      for (const ShardProduct& product : layer.forward.products) {
        if (!is_linear(product)) continue;
        const bool routed = product.kind == WorkKind::grouped_product;
        TRY_VOID(add(routed ? expert : dense, product));
        if (product.inner_ranks * product.column_ranks > 1)
          (routed ? cut_of_experts : cut) += product.inner * product.columns * product.times;
      }
    }
    const plan::StageDegrees& degrees = groups_.degrees();
    const bool sharded = question_.sharding.level > 0;
    const int by = sharded ? degrees.sharding : 1, by_experts = sharded ? degrees.expert_sharding : 1;
    return dense.of(by) + expert.of(by_experts) + gathered(plan::GroupFamily::tensor, degrees.tensor, cut / by) +
           gathered(plan::GroupFamily::expert_tensor, question_.shard().expert_tensor, cut_of_experts / by_experts);
  }

  Seconds gathered(plan::GroupFamily family, int ranks, double elements) const {
    return groups_.time(family, CollectiveKind::all_gather, (ranks - 1) * 2 * elements);
  }

  Result<void> add(MatrixTimes& times, const ShardProduct& product) const {
    for (const double share : product.joined) {
      if (share <= 0) continue;
      TRY(const Seconds one,
          matrix_time(product.inner * product.inner_ranks, product.columns * share * product.column_ranks));
      times.sum += one * product.times;
      times.longest = std::max(times.longest, one);
    }
    return {};
  }

  Result<Seconds> matrix_time(double inner, double columns) const {
    const auto [rows, other] = std::minmax(inner, columns);
    LayerShard work;
    work.kind = "optimizer";
    const double times = newton_schulz_iterations;
    for (const auto& [name, k, n] :
         {std::tuple("gram", other, rows), {"square", rows, rows}, {"update", rows, other}}) {
      ShardProduct product;
      product.name = name, product.rows = rows, product.inner = k, product.columns = n, product.times = times;
      work.forward.products.push_back(std::move(product));
    }
    work.forward.launches = 3 * newton_schulz_iterations;
    Training graphs;  // the host is ahead of the device: it has launched all matrices of the stage
    graphs.products = question_.training.products, graphs.recipe = question_.training.recipe;
    graphs.graphs = Graphs::all;
    TRY(const WorkTime time, work_time(work, Compute::forward, rates_, graphs));
    return time.total;
  }

  const Question& question_;
  const TypeRates& rates_;
  const GroupTimes& groups_;
  const StageLayers& layers_;
  cost::RankWeights trained_;
};

}  // namespace

double newton_schulz_operations(double rows, double columns) {
  const auto [m, n] = std::minmax(rows, columns);
  return newton_schulz_iterations * (4 * m * m * n + 2 * m * m * m);
}

Result<BytesPerSecond> host_rate(const TypeRates& rates, std::string_view why) {
  if (!rates.type.host_bandwidth)
    return fail(ErrorCode::bad_input,
                fmt::format("found no host_gb_per_s of {}, expected one for {}", rates.type.name, why));
  return *rates.type.host_bandwidth;
}

Result<Seconds> optimizer_time(const Question& question, const TypeRates& rates, const GroupTimes& groups,
                               const StageLayers& layers) {
  return Stepper(question, rates, groups, layers).time();
}

}  // namespace pipedeck::mesh
