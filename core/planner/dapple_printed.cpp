// SPDX-License-Identifier: Apache-2.0
// The paper's objective as printed (eq. 1-3), and the search of section IV-C on it (eq. 4-5): every state keeps the
// prefixes for which the latency is least when the unplanned layers form one more stage on all devices left.
#include <algorithm>
#include <limits>

#include "core/planner/dapple_search.hpp"

namespace pipedeck {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Eq. 3: Q is S - 1 at first, and moved to s, going down to 0, when s has the longer steady phase even so.
std::size_t printed_pivot(const std::vector<DappleStep>& steps, double more) {
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
  PrintedSearch(DappleSpace& space, const DappleSearchOptions& options)
      : space_(space), options_(options), layers_(space.layers()) {
    const bool small = layers_ <= 10 && space.chain().devices() <= 8;
    width_ = small ? everything : 8;
    at_.resize(at(layers_) + 1);
  }

  DappleFound run() {
    cell(0, DapplePlaces::start).push_back({});
    for (int first = 0; first < layers_; ++first)
      for (int state = 0; state < static_cast<int>(at_[at(first)].size()) && !stopped_; ++state) extend(first, state);
    std::stable_sort(complete_.begin(), complete_.end(),
                     [](const auto& a, const auto& b) { return a.bound < b.bound; });
    DappleFound found;
    found.cut_short = stopped_;
    if (width_ == everything && !stopped_)
      found.all_below = complete_.size() > options_.keep ? complete_[options_.keep].bound : options_.below;
    if (complete_.size() > options_.keep) complete_.resize(options_.keep);
    found.candidates = std::move(complete_);
    return found;
  }

 private:
  static constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();

  struct Prefix {
    double estimate = 0;  ///< eq. 5
    std::vector<DappleStep> steps;
    std::vector<DapplePart> parts;
  };

  std::vector<Prefix>& cell(int layer, int state) {
    auto& row = at_[at(layer)];
    if (row.size() <= at(state)) row.resize(at(state) + 1);
    return row[at(state)];
  }

  /// Nothing is given up before there is an answer, but by a stop.
  bool interrupted() { return stopped_ = stopped_ || (options_.interrupted && options_.interrupted()); }

  void extend(int first, int state) {
    const std::vector<Prefix> here = std::move(cell(first, state));
    if (here.empty()) return;
    const int most = std::min(space_.places().left(state), space_.most_replicas());
    for (int replicas = 1; replicas <= most; ++replicas)
      for (const int to : space_.places().next(state, replicas)) {
        if (interrupted()) return;
        for (int last = first + 1; last <= layers_; ++last)
          if (space_.may_keep(to, first, last) > 0)
            for (const Prefix& prefix : here) add(prefix, {first, last, to});
      }
  }

  void add(Prefix prefix, const DapplePart& part) {
    append(prefix, part);
    if (part.last < layers_) return keep(std::move(prefix));
    const double latency = dapple_printed(prefix.steps, space_.micro_batches());
    if (space_.places().may_end(part.state) && latency < options_.below)
      complete_.push_back({latency, std::move(prefix.parts)});
  }

  void append(Prefix& prefix, const DapplePart& part) {
    if (!prefix.parts.empty())
      prefix.steps.push_back(space_.transfer(prefix.parts.back().state, part.state, part.first, DappleMeasure::l_max));
    prefix.steps.push_back(space_.compute(part.state, part.first, part.last, DappleMeasure::l_max));
    prefix.parts.push_back(part);
  }

  void keep(Prefix prefix) {
    const DapplePart& part = prefix.parts.back();
    if (space_.places().left(part.state) == 0) return;
    if (width_ < everything) prefix.estimate = estimate(prefix);
    std::vector<Prefix>& list = cell(part.last, part.state);
    const auto place = std::upper_bound(list.begin(), list.end(), prefix.estimate,
                                        [](double value, const Prefix& other) { return value < other.estimate; });
    list.insert(place, std::move(prefix));
    if (list.size() > width_) list.pop_back();
  }

  /// Eq. 5: the rest is one stage on all devices left. Where they are too many for whole samples: on what there can be.
  /// Where a pin forbids that stage: as if nothing were left.
  double estimate(Prefix prefix) {
    const DapplePart part = prefix.parts.back();
    const int replicas = std::min(space_.places().left(part.state), space_.most_replicas());
    const DapplePlaces::Next next = space_.places().next(part.state, replicas);
    if (next.count > 0) append(prefix, {part.last, layers_, *(next.end() - 1)});
    return dapple_printed(prefix.steps, space_.micro_batches());
  }

  DappleSpace& space_;
  DappleSearchOptions options_;
  int layers_;
  std::size_t width_;
  bool stopped_ = false;
  std::vector<std::vector<std::vector<Prefix>>> at_;  ///< [layers planned][state]
  std::vector<DappleCandidate> complete_;
};

}  // namespace

DappleFound search_printed(DappleSpace& space, const DappleSearchOptions& options) {
  return PrintedSearch(space, options).run();
}

double dapple_printed(const std::vector<DappleStep>& steps, int micro_batches) {
  const double more = micro_batches - 1;
  const std::size_t q = printed_pivot(steps, more);
  double warm = 0;
  for (std::size_t s = 0; s <= q; ++s) warm += steps[s].forward;  // T_w
  // T_e of eq. 1: behind the pivot the backwards are taken off, from the pivot's own on; before it they are added.
  double ending = -std::numeric_limits<double>::infinity(), backwards = 0;
  for (std::size_t s = q; s < steps.size(); ++s)
    backwards += steps[s].backward, ending = std::max(ending, steps[s].all_reduce - backwards);
  backwards = steps[q].backward;
  for (std::size_t s = q; s-- > 0;)
    backwards += steps[s].backward, ending = std::max(ending, steps[s].all_reduce + backwards);
  return warm + more * (steps[q].forward + steps[q].backward) + ending;  // eq. 2
}

}  // namespace pipedeck
