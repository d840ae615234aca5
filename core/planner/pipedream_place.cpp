// SPDX-License-Identifier: Apache-2.0
#include "core/planner/pipedream_place.hpp"

#include <algorithm>
#include <set>

#include "core/cost/memory.hpp"
#include "core/planner/arithmetic.hpp"

namespace pipedeck {

PipedreamPlaces::PipedreamPlaces(const PipedreamFigures& figures, const std::vector<PipedreamLevel>& levels,
                                 const Pins& pins, PipedreamMemory memory, int reach)
    : figures_(figures),
      levels_(levels),
      memory_(memory),
      reach_(reach),
      ranges_(!pins.layers.empty()),
      once_((memory == PipedreamMemory::own || memory == PipedreamMemory::exact) && figures.replicas_alike() &&
            !pins.replicas && pins.layers.empty()),
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
          int& most = copies_of_[k - 1][ceil_div(rest, replicas)];
          most = std::max(most, copies * replicas);
        }
}

PipedreamPart PipedreamPlaces::top() const {
  PipedreamPart part;
  for (int r = 1; exact() && r <= figures_.devices(); ++r) part.waiting.push_back(ceil_div(figures_.devices(), r));
  return part;
}

PipedreamPart PipedreamPlaces::inner(std::size_t level, const PipedreamPart& part, int m, int replicas,
                                     int before) const {
  const PipedreamLevel& here = levels_[level - 1];
  PipedreamPart inner;
  inner.behind = part.behind + part.copies * (here.components - m) * here.devices;
  inner.copies = part.copies * replicas;
  for (int r = 1; exact() && r <= here.devices; ++r) {
    const int ahead = part.copies * before, workers = inner.copies * here.devices + inner.behind;
    inner.waiting.push_back(before == 0
                                ? part.waiting[at(replicas * r) - 1]
                                : pipedream_outstanding(ahead, ceil_div(ahead + workers, ahead), inner.copies * r));
  }
  if (ranges_) {
    inner.ranges = part.ranges;
    inner.ranges.emplace_back(m - replicas, m);
  }
  if (once_) inner.behind = ceil_div(inner.behind, inner.copies), inner.copies = 1;
  return inner;
}

int PipedreamPlaces::waiting(const PipedreamPart& device) const {
  if (memory_ == PipedreamMemory::exact) return device.waiting.front();
  return memory_ == PipedreamMemory::cautious ? figures_.most_waiting(device, reach_) : 0;
}

int PipedreamPlaces::most_copies(std::size_t level, const PipedreamPart& part) const {
  return once_ ? copies_of_[level].at(part.behind) : part.copies;
}

std::size_t PipedreamPlaces::number_of(std::size_t level, int size) const {
  if (!exact()) return 0;
  const std::vector<int>& all = sizes_[level];
  return static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), size) - all.begin());
}

}  // namespace pipedeck
