// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/base/units.hpp"
#include "core/model/workload.hpp"

namespace pipedeck::runtime::exec {

/// A bucket: the gradients of layers [first, last) of a stage, reduced together as soon as `first` has its own.
struct GradientBucket {
  std::size_t first = 0, last = 0;
  bool operator==(const GradientBucket&) const = default;
};

/// Returns the pieces by layer or by bucket. A bucket collects layers from the last one on until it has `bucket` bytes.
/// Layers without parameters form no piece of their own. Empty if nothing overlaps.
std::vector<GradientBucket> gradient_buckets(const std::vector<Bytes>& layers, Overlap overlap, Bytes bucket);

}  // namespace pipedeck::runtime::exec
