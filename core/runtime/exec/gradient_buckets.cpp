// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/exec/gradient_buckets.hpp"

namespace pipedeck::runtime::exec {

std::vector<GradientBucket> gradient_buckets(const std::vector<Bytes>& layers, Overlap overlap, Bytes bucket) {
  std::vector<GradientBucket> pieces;
  if (overlap == Overlap::none) return pieces;
  const Bytes enough = overlap == Overlap::bucket ? bucket : Bytes(1);
  Bytes gathered;
  std::size_t end = layers.size(), lowest = end;
  for (std::size_t i = layers.size(); i-- > 0;) {
    if (layers[i] > Bytes()) lowest = i;
    gathered += layers[i];
    if (gathered < enough) continue;
    pieces.push_back({i, end});
    gathered = Bytes();
    end = lowest = i;
  }
  if (lowest < end) pieces.push_back({lowest, end});
  return pieces;
}

}  // namespace pipedeck::runtime::exec
