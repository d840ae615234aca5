// SPDX-License-Identifier: Apache-2.0
#include "core/planner/pipedream/place.hpp"

#include <algorithm>
#include <set>

#include "core/cost/memory.hpp"
#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::pipedream {

Places::Places(const Figures& figures, const std::vector<Level>& levels, const PlanConstraints& pins, Memory memory,
               int reach)
    : figures_(figures),
      levels_(levels),
      memory_(memory),
      reach_(reach),
      ranges_(!pins.layers.empty()),
      once_((memory == Memory::own || memory == Memory::exact) && figures.replicas_alike() && !pins.replicas &&
            pins.layers.empty()),
      sizes_(levels.size() + 1, {1}) {
  for (std::size_t k = 1; exact() && k <= levels.size(); ++k) {
    std::set<int> products;
    for (const int size : sizes_[k - 1])
      for (int m = 1; m <= levels[k - 1].components; ++m) products.insert(m * size);
    sizes_[k].assign(products.begin(), products.end());
  }
  if (!once_) return;
  copies_of_.resize(levels.size() + 1);
  copies_of_.back() = {{0, 1}};
  for (std::size_t k = levels.size(); k >= 2; --k)  // of the components of level k
    for (const auto& [behind, copies] : copies_of_[k])
      for (int m = 1; m <= levels[k - 1].components; ++m)
        for (int replicas = 1; replicas <= m; ++replicas) {
          const int rest = behind + (levels[k - 1].components - m) * levels[k - 1].devices;
          int& most = copies_of_[k - 1][search::ceil_div(rest, replicas)];
          most = std::max(most, copies * replicas);
        }
}

Part Places::top() const {
  Part part;
  for (int r = 1; exact() && r <= figures_.devices(); ++r)
    part.in_flight.push_back(search::ceil_div(figures_.devices(), r));
  return part;
}

Part Places::inner(std::size_t level, const Part& part, int m, int replicas, int before) const {
  const Level& here = levels_[level - 1];
  Part inner;
  inner.behind = part.behind + part.copies * (here.components - m) * here.devices;
  inner.copies = part.copies * replicas;
  for (int r = 1; exact() && r <= here.devices; ++r) {
    const int ahead = part.copies * before, workers = inner.copies * here.devices + inner.behind;
    inner.in_flight.push_back(
        before == 0 ? part.in_flight[search::at(replicas * r) - 1]
                    : cost::pipedream_in_flight(ahead, search::ceil_div(ahead + workers, ahead), inner.copies * r));
  }
  if (ranges_) {
    inner.ranges = part.ranges;
    inner.ranges.emplace_back(m - replicas, m);
  }
  if (once_) inner.behind = search::ceil_div(inner.behind, inner.copies), inner.copies = 1;
  return inner;
}

int Places::in_flight(const Part& device) const {
  if (memory_ == Memory::exact) return device.in_flight.front();
  return memory_ == Memory::upper_bound ? figures_.max_in_flight(device, reach_) : 0;
}

int Places::max_copies(std::size_t level, const Part& part) const {
  return once_ ? copies_of_[level].at(part.behind) : part.copies;
}

std::size_t Places::number_of(std::size_t level, int size) const {
  if (!exact()) return 0;
  const std::vector<int>& all = sizes_[level];
  return static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), size) - all.begin());
}

}  // namespace pipedeck::planner::pipedream
