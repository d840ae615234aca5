// SPDX-License-Identifier: Apache-2.0
#include "core/io/topology/pci_tree.hpp"

#include <algorithm>
#include <cmath>

namespace pipedeck::io::topology {

std::optional<int> first_generation_lanes(BytesPerSecond speed) {
  constexpr double lane_gb_per_s = 0.25;
  for (int lanes = 1; lanes <= 16; lanes *= 2)
    if (std::abs(in_gigabytes_per_second(speed) - lanes * lane_gb_per_s) < 0.01) return lanes;
  return std::nullopt;
}

int PciTree::add(const PciNode& node) {
  nodes_.push_back(node);
  return static_cast<int>(nodes_.size()) - 1;
}

std::vector<int> PciTree::from_root(int position) const {
  std::vector<int> chain;
  for (int at = position; at >= 0; at = nodes_[static_cast<std::size_t>(at)].parent) chain.push_back(at);
  std::ranges::reverse(chain);
  return chain;
}

PciPath PciTree::path(int first, int second) const {
  const std::vector<int> a = from_root(first), b = from_root(second);
  const auto parted = std::ranges::mismatch(a, b);
  const auto common = static_cast<std::size_t>(parted.in1 - a.begin());
  PciPath path{common > 0, a.size() - common, b.size() - common, {}};
  const auto narrow = [&](auto begin, auto end) {
    for (; begin != end; ++begin)
      if (const auto& speed = nodes_[static_cast<std::size_t>(*begin)].speed)
        if (!path.narrowest || *speed < *path.narrowest) path.narrowest = *speed;
  };
  narrow(parted.in1, a.end());
  narrow(parted.in2, b.end());
  return path;
}

}  // namespace pipedeck::io::topology
