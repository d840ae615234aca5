// SPDX-License-Identifier: Apache-2.0
// What Whale inserts between and within TaskGraphs (sections 3.2.2 and 3.2.3), by communicated bytes.
//
// A bridge layer gathers what a TaskGraph's devices hold of its output, by samples behind replicate and by columns
// behind split, so that the next TaskGraph has all of it, and that one takes its part. Where both cut the same
// dimension, gather and partition are fused: only what is not there already moves.
//
// A sharding pattern is how a split layer's product is computed on t devices (figure 6): SP1 cuts the weights by
// columns, needs the whole input and leaves the output in columns, to be gathered where the whole is needed; backward
// sums the input's gradient. SP2 cuts input columns and weight rows and sums the output; backward needs no sum, the
// output's gradient being whole. Of the patterns that match, the one that communicates fewer bytes is taken; here over
// the whole TaskGraph, which the paper's choice layer by layer never beats.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/domain/plan.hpp"
#include "core/domain/profile.hpp"

namespace pipedeck {

enum class Gather { none, batch, columns };

struct Bridge {
  Gather gather = Gather::none;  ///< dimension in which the output is concatenated
  bool fused = false;            ///< the next TaskGraph cuts the same dimension
  Bytes whole;                   ///< moved if every device of the next TaskGraph got the whole output
  Bytes moved;                   ///< and as it is done
};

enum class ShardingPattern { columns, rows };  // SP1, SP2

/// Of a cut whose output is so large for a micro-batch. `first`: the pattern of the next TaskGraph's first split layer;
/// SP2 wants its input in columns. What moves is what the devices behind need: each its replica's samples, whole or its
/// columns of them.
Bridge bridge_between(const Stage& from, const Stage& to, Bytes output, std::optional<ShardingPattern> first = {});

struct PatternChoice {
  std::vector<ShardingPattern> patterns;  ///< of each layer that has weights
  Bytes chosen;                           ///< forward and backward, over all devices, for the profile's micro-batch
  Bytes listed;                           ///< what the profile's all-reduces move
};

/// The patterns of the layers of a TaskGraph under split(degree), in chain order: each with weights is taken for one
/// product. `input` comes in (0: it has no gradient); input and output are whole.
PatternChoice cheapest_patterns(std::span<const Layer> layers, Bytes input, int degree);

std::string text_of(const Bridge& bridge);
std::string text_of(const PatternChoice& choice);

}  // namespace pipedeck
