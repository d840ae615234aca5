// SPDX-License-Identifier: Apache-2.0
// Whale's communication between and within TaskGraphs (sections 3.2.2 and 3.2.3), by communicated bytes.
//
// A bridge layer gathers the output of a TaskGraph's devices, by samples after replicate and by columns after split.
// The next TaskGraph then has the whole output and takes its part. If both divide the same dimension, gather and
// partition are fused: only missing data moves.
//
// A sharding pattern defines how t devices compute the matmul of a split layer (figure 6). SP1 shards the weights by
// columns, needs the whole input, and leaves the output in columns, to be gathered if the whole is needed. Its backward
// sums the input's gradient. SP2 shards input columns and weight rows, and sums the output. Its backward needs no sum,
// since the output's gradient is whole. The matching pattern with fewer communicated bytes is
// chosen. Here the choice is made over the whole TaskGraph, which the paper's choice layer by layer never beats.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/plan.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::cost {

enum class BridgeGather { none, batch, columns };

struct Bridge {
  BridgeGather gather = BridgeGather::none;  ///< dimension along which the output is concatenated
  bool fused = false;                        ///< the next TaskGraph divides the same dimension
  Bytes whole;  ///< bytes moved if every device of the next TaskGraph received the whole output
  Bytes moved;  ///< bytes actually moved
};

enum class WhaleSplitPattern { columns, rows };  // SP1, SP2

/// Returns the bridge at a cut with `output` bytes per micro-batch. `first` is the pattern of the next TaskGraph's
/// first split layer; SP2 needs its input in columns. Only data that the next devices need moves: each gets its
/// replica's samples, whole or its own columns.
Bridge bridge_between(const Stage& from, const Stage& to, Bytes output, std::optional<WhaleSplitPattern> first = {});

struct PatternChoice {
  std::vector<WhaleSplitPattern> patterns;  ///< of each layer with weights
  Bytes chosen;                             ///< forward and backward, over all devices, for the profile's micro-batch
  Bytes listed;                             ///< bytes moved by the profile's all-reduces
};

/// Returns the patterns of a TaskGraph's layers under split(degree), in chain order; each layer with weights counts as
/// one matmul. `input` is the received tensor (0: it has no gradient). Input and output are whole.
PatternChoice cheapest_patterns(std::span<const Layer> layers, Bytes input, int degree);

std::string text_of(const Bridge& bridge);
std::string text_of(const PatternChoice& choice);

}  // namespace pipedeck::cost
