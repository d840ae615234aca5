// SPDX-License-Identifier: Apache-2.0
// The paper's objective as printed (eq. 1-3), and the search of section IV-C on it (eq. 4-5). For every number of
// planned layers and devices left it saves the prefixes of least latency if the unplanned layers form one more stage on
// all devices left.
#include <algorithm>
#include <limits>

#include "core/planner/dapple/search.hpp"
#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::dapple {

namespace {

/// Eq. 3: Q is S - 1 at first, and moved to s, going down to 0, when s has the longer steady phase even so.
std::size_t pivot_as_published(const std::vector<Step>& steps, double more) {
  const auto each = [&](std::size_t s) { return steps[s].forward + steps[s].backward; };
  std::size_t q = steps.size() - 1;
  double between = 0;  // sum over s < x < Q
  for (std::size_t s = steps.size() - 1; s-- > 0;) {
    if (more * each(s) > more * each(q) + between)
      q = s, between = 0;
    else
      between += each(s);
  }
  return q;
}

class PrintedSearch {
 public:
  PrintedSearch(Space& space, const SearchOptions& options)
      : space_(space), options_(options), layers_(space.layers()), devices_(space.chain().devices()) {
    everything_ = layers_ <= 10 && devices_ <= 8;
    cells_.resize(search::at(layers_ + 1) * search::at(devices_ + 1));
  }

  DappleFound run() {
    cell(0, devices_).push_back({});
    for (int first = 0; first < layers_; ++first)
      for (int left = devices_; left > 0 && !stopped_; --left) extend(first, left);
    std::stable_sort(complete_.begin(), complete_.end(),
                     [](const auto& a, const auto& b) { return a.bound < b.bound; });
    DappleFound found;
    found.cut_short = stopped_;
    if (everything_ && !stopped_)
      found.all_below = complete_.size() > options_.keep ? complete_[options_.keep].bound : options_.below;
    if (complete_.size() > options_.keep) complete_.resize(options_.keep);
    found.candidates = std::move(complete_);
    return found;
  }

 private:
  static constexpr std::size_t width = 8;       // prefixes for each number of layers planned and devices left
  static constexpr double out_of_reach = 1.25;  // times the best latency so far: slower stages are dropped

  struct Prefix {
    double estimate = 0;  ///< eq. 5
    int state = Places::start;
    std::vector<Step> steps{};
    std::vector<Part> parts{};
  };

  std::vector<Prefix>& cell(int layer, int left) {
    return cells_[search::at(layer) * search::at(devices_ + 1) + search::at(left)];
  }

  bool interrupted() { return stopped_ = stopped_ || (options_.interrupted && options_.interrupted()); }

  void extend(int first, int left) {
    const std::vector<Prefix> here = std::move(cell(first, left));
    const int unit = space_.places().rules().unit;
    for (const Prefix& prefix : here)
      for (int replicas = unit; replicas <= std::min(left, space_.max_replicas()); replicas += unit)
        for (const int to : space_.places().next(prefix.state, replicas)) {
          if (interrupted()) return;
          steps_ = prefix.steps;
          if (first > 0) steps_.push_back(space_.transfer(prefix.state, to, first, DappleCostKind::l_max));
          add_stages(prefix, first, to);
        }
  }

  /// Adds every length of the next stage on these devices.
  void add_stages(const Prefix& prefix, int first, int to) {
    for (int last = first + 1; last <= layers_; ++last) {
      const Step step = space_.compute(to, first, last, DappleCostKind::l_max);
      if (!everything_ && step.pivot > out_of_reach * best_) return;
      if (space_.max_in_flight(to, first, last) == 0) continue;
      steps_.push_back(step);
      last == layers_ ? finish(prefix, {first, last, to}) : keep(prefix, {first, last, to});
      steps_.pop_back();
    }
  }

  std::vector<Part> with(std::vector<Part> parts, const Part& part) const {
    parts.push_back(part);
    return parts;
  }

  void finish(const Prefix& prefix, const Part& part) {
    const double latency = dapple_as_published(steps_, space_.micro_batches());
    if (!space_.places().may_end(part.state) || latency >= options_.below) return;
    best_ = std::min(best_, latency);
    complete_.push_back({latency, with(prefix.parts, part)});
  }

  void keep(const Prefix& prefix, const Part& part) {
    const int left = space_.places().left(part.state);
    if (left == 0) return;
    std::vector<Prefix>& list = cell(part.last, left);
    const double latency = everything_ ? 0 : estimate(part);
    if (!everything_ && list.size() == width && latency >= list.back().estimate) return;
    const auto place = std::upper_bound(list.begin(), list.end(), latency,
                                        [](double value, const Prefix& other) { return value < other.estimate; });
    list.insert(place, {latency, part.state, steps_, with(prefix.parts, part)});
    if (!everything_ && list.size() > width) list.pop_back();
  }

  /// Eq. 5: the rest is one stage on all devices left. Where they are too many for whole samples: on what there can be.
  /// Where a pin forbids that stage: as if nothing were left.
  double estimate(const Part& part) {
    const int replicas = std::min(space_.places().left(part.state), space_.max_replicas());
    const Places::Next next = space_.places().next(part.state, replicas);
    if (next.count == 0) return dapple_as_published(steps_, space_.micro_batches());
    const int rest = *(next.end() - 1);
    steps_.push_back(space_.transfer(part.state, rest, part.last, DappleCostKind::l_max));
    steps_.push_back(space_.compute(rest, part.last, layers_, DappleCostKind::l_max));
    const double latency = dapple_as_published(steps_, space_.micro_batches());
    steps_.resize(steps_.size() - 2);
    return latency;
  }

  Space& space_;
  SearchOptions options_;
  int layers_, devices_;
  bool everything_ = false, stopped_ = false;
  double best_ = std::numeric_limits<double>::infinity();
  std::vector<std::vector<Prefix>> cells_;  ///< [layers planned][devices left]
  std::vector<Step> steps_;                 ///< of the current plan
  std::vector<Candidate> complete_;
};

}  // namespace

DappleFound search_printed(Space& space, const SearchOptions& options) { return PrintedSearch(space, options).run(); }

double dapple_as_published(const std::vector<Step>& steps, int micro_batches) {
  const double more = micro_batches - 1;
  const std::size_t q = pivot_as_published(steps, more);
  double warm = 0;
  for (std::size_t s = 0; s <= q; ++s) warm += steps[s].forward;  // T_w
  // T_e of eq. 1: after the pivot the backwards are subtracted, from the pivot's own on; before it they are added.
  double ending = -std::numeric_limits<double>::infinity(), backwards = 0;
  for (std::size_t s = q; s < steps.size(); ++s)
    backwards += steps[s].backward, ending = std::max(ending, steps[s].all_reduce - backwards);
  backwards = steps[q].backward;
  for (std::size_t s = q; s-- > 0;)
    backwards += steps[s].backward, ending = std::max(ending, steps[s].all_reduce + backwards);
  return warm + more * (steps[q].forward + steps[q].backward) + ending;  // eq. 2
}

}  // namespace pipedeck::planner::dapple
