// SPDX-License-Identifier: Apache-2.0
#include "core/cost/whale_bridge.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

namespace pipedeck::cost {

namespace {

// Bytes over all t devices: in an all-reduce each device sends 2 (t - 1) / t of them, in a gather it receives (t - 1) /
// t.
std::int64_t reduced(Bytes bytes, int t) { return 2 * (t - 1) * bytes.count; }
std::int64_t gathered(Bytes bytes, int t) { return (t - 1) * bytes.count; }

// A layout of a tensor between two layers: whole on every device, or column-sharded.
enum State : std::size_t { whole, column_sharded };

constexpr std::int64_t no_bytes = std::numeric_limits<std::int64_t>::max() / 4;

/// A state's cheapest path.
struct Way {
  std::int64_t bytes = no_bytes;
  std::vector<WhaleSplitPattern> patterns;
};

void take(Way& best, const Way& from, std::int64_t bytes, std::optional<WhaleSplitPattern> pattern) {
  if (from.bytes >= no_bytes || from.bytes + bytes >= best.bytes) return;
  best = {from.bytes + bytes, from.patterns};
  if (pattern) best.patterns.push_back(*pattern);
}

/// Returns the cheapest paths after one matmul.
std::array<Way, 2> behind(const std::array<Way, 2>& now, Bytes input, Bytes output, int t) {
  std::array<Way, 2> next;
  // SP1: the whole input, gathered if it is sharded; backward sums its gradient.
  take(next[column_sharded], now[whole], reduced(input, t), WhaleSplitPattern::columns);
  take(next[column_sharded], now[column_sharded], gathered(input, t) + reduced(input, t), WhaleSplitPattern::columns);
  // SP2: an input in columns. Taking them from a whole input is free, but the gradient of the input has to be gathered.
  take(next[whole], now[column_sharded], reduced(output, t), WhaleSplitPattern::rows);
  take(next[whole], now[whole], gathered(input, t) + reduced(output, t), WhaleSplitPattern::rows);
  return next;
}

}  // namespace

Bridge bridge_between(const Stage& from, const Stage& to, Bytes output, std::optional<WhaleSplitPattern> first) {
  Bridge bridge;
  if (from.replicas() > 1) bridge.gather = BridgeGather::batch;
  if (from.tensor_parallel > 1) bridge.gather = BridgeGather::columns;
  const bool column_sharded = to.tensor_parallel > 1 && first == WhaleSplitPattern::rows;
  bridge.fused =
      (bridge.gather == BridgeGather::batch && to.replicas() > 1) ||
      (bridge.gather == BridgeGather::columns && column_sharded && from.tensor_parallel == to.tensor_parallel);
  bridge.whole = output * static_cast<std::int64_t>(to.devices.size());
  bridge.moved = output * (column_sharded ? 1 : to.tensor_parallel);
  return bridge;
}

PatternChoice cheapest_patterns(std::span<const Layer> layers, Bytes input, int degree) {
  PatternChoice choice;
  std::array<Way, 2> now;
  now[whole].bytes = 0;
  for (const Layer& layer : layers) {
    for (const TensorParallelPoint& point : layer.tensor_parallel)
      if (point.degree == degree)
        choice.listed += Bytes(reduced(point.forward_allreduce, degree) + reduced(point.backward_allreduce, degree));
    if (layer.parameters.count > 0) now = behind(now, input, layer.output, degree);
    input = layer.output;
  }
  take(now[whole], now[column_sharded], gathered(input, degree), {});
  choice.patterns = std::move(now[whole].patterns);
  choice.chosen = Bytes(now[whole].bytes);
  return choice;
}

std::string text_of(const Bridge& bridge) {
  const double moved = static_cast<double>(bridge.moved.count) / 0x1p20;
  if (bridge.gather == BridgeGather::none) return fmt::format("no bridge, {:.2f} MiB a micro-batch each way", moved);
  return fmt::format("bridge: gather by {}{}, {:.2f} MiB a micro-batch each way ({:.2f} with the whole everywhere)",
                     bridge.gather == BridgeGather::batch ? "samples" : "columns", bridge.fused ? ", fused" : "", moved,
                     static_cast<double>(bridge.whole.count) / 0x1p20);
}

std::string text_of(const PatternChoice& choice) {
  const auto columns = std::count(choice.patterns.begin(), choice.patterns.end(), WhaleSplitPattern::columns);
  return fmt::format(
      "sharding {} x SP1, {} x SP2, {:.2f} MiB a profile micro-batch (the profile's all-reduces: {:.2f})", columns,
      static_cast<std::ptrdiff_t>(choice.patterns.size()) - columns, static_cast<double>(choice.chosen.count) / 0x1p20,
      static_cast<double>(choice.listed.count) / 0x1p20);
}

}  // namespace pipedeck::cost
