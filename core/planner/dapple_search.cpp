// SPDX-License-Identifier: Apache-2.0
#include "core/planner/dapple_search.hpp"

#include <algorithm>
#include <map>

namespace pipedeck {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// What is to know of a planned prefix. Whatever follows with forward time X and backward time Y up to a pivot behind
/// adds X + (M - 1) t + max(tail + Y, Z) to `fill`, Z being of the suffix alone: so a prefix that is no worse in `own`,
/// `fill` and `fill + tail` is no worse in any completion, and the others can be forgotten.
struct Prefix {
  double own = 0;   ///< max over pivots of the prefix
  double fill = 0;  ///< sum F
  double tail = 0;  ///< max_s( AR_s + sum of B from s to the prefix's end )
  int previous = -1;
  DapplePart part{};

  bool dominates(const Prefix& other) const {
    return own <= other.own && fill <= other.fill && fill + tail <= other.fill + other.tail;
  }
};

constexpr std::size_t beam_width = 4;

class ParetoSearch {
 public:
  ParetoSearch(DappleSpace& space, const DappleSearchOptions& options, bool narrow, std::stop_token stop)
      : space_(space), options_(options), narrow_(narrow), stop_(std::move(stop)), layers_(space.chain().layers()) {
    more_ = space.micro_batches() - 1;
    at_.resize(at(layers_) + 1);
    limit_ = options.below;
  }

  std::vector<DappleCandidate> run() {
    // The start is a state like any other, with nothing before it.
    prefixes_.push_back({});
    cell(0, DappleSpace::start) = {0};
    for (int first = 0; first < layers_; ++first)
      for (int state = 0; state < static_cast<int>(at_[at(first)].size()) && !done(); ++state)
        if (!at_[at(first)][at(state)].empty()) extend(first, state);
    std::vector<DappleCandidate> answer;
    for (const auto& [bound, index] : complete_) answer.push_back({bound, parts_of(index)});
    return answer;
  }

  bool cut_short() const { return tried_ > options_.effort; }

 private:
  bool done() const { return cut_short() || stop_.stop_requested(); }

  std::vector<int>& cell(int layer, int state) {
    auto& row = at_[at(layer)];
    if (row.size() <= at(state)) row.resize(at(state) + 1);
    return row[at(state)];
  }

  /// Adds a stage behind every prefix of a state.
  void extend(int first, int state) {
    const std::vector<int> here = cell(first, state);
    if (std::all_of(here.begin(), here.end(), [&](int p) { return hopeless(prefixes_[at(p)], first, state); })) return;
    for (const DappleSpace::Hop& hop : std::vector<DappleSpace::Hop>(space_.hops(state))) {
      std::vector<Prefix> before;
      for (const int p : here) {
        Prefix prefix = prefixes_[at(p)];
        if (first > 0) pass(prefix, space_.transfer(state, hop.to, first));
        prefix.previous = p;
        if (prefix.own < limit_) before.push_back(prefix);
      }
      if (!before.empty()) add_stages(before, first, hop.to);
    }
  }

  /// Every length of the next stage, on these devices.
  void add_stages(const std::vector<Prefix>& before, int first, int to) {
    const bool only_rest = space_.state(to).left == 0;
    for (int last = only_rest ? layers_ : first + 1; last <= layers_; ++last) {
      DappleStep step = space_.compute(to, first, last);
      if ((more_ + 1) * (step.forward + step.backward) >= limit_) return;  // it grows with last
      step.all_reduce = space_.all_reduce(to, space_.chain().parameters(first, last));
      if (!space_.fits(to, first, last)) continue;
      for (const Prefix& prefix : before) add(prefix, step, {first, last, to});
    }
  }

  void add(Prefix prefix, const DappleStep& step, const DapplePart& part) {
    ++tried_;
    prefix.part = part;
    prefix.fill += step.forward;
    prefix.tail = std::max(prefix.tail, step.all_reduce) + step.backward;
    prefix.own = std::max(prefix.own, prefix.fill + more_ * (step.forward + step.backward) + prefix.tail);
    if (prefix.own >= limit_) return;
    if (part.last == layers_) {
      if (space_.may_end(part.state)) finish(prefix);
    } else if (!hopeless(prefix, part.last, part.state)) {
      keep(prefix);
    }
  }

  /// A transfer: a stage whose pivot time is the longer of its directions, for links are full-duplex.
  void pass(Prefix& prefix, const DappleStep& step) const {
    prefix.fill += step.forward;
    prefix.tail += step.backward;
    prefix.own = std::max(prefix.own, prefix.fill + more_ * std::max(step.forward, step.backward) + prefix.tail);
  }

  /// Some stage of the rest takes at least its share of the remaining work; with it as pivot L_max is at the limit.
  double at_least(const Prefix& prefix, int layer, int state) const {
    const double busiest = space_.work_from(layer) / space_.state(state).left;
    return std::max(prefix.own, prefix.fill + prefix.tail + (more_ + 1) * busiest);
  }
  bool hopeless(const Prefix& prefix, int layer, int state) const {
    return space_.state(state).left == 0 || at_least(prefix, layer, state) >= limit_;
  }

  void keep(const Prefix& prefix) {
    const std::pair<int, int> where{prefix.part.last, space_.group_of(prefix.part.state)};
    std::vector<int>& list = cell(prefix.part.last, prefix.part.state);
    if (better_ones(prefix, list) >= options_.depth) return;
    if (narrow_ ? !enter_beam(beams_[{prefix.part.last, space_.state(prefix.part.state).left}], prefix)
                : dominated_elsewhere(peers_[where], prefix))
      return;
    list.push_back(static_cast<int>(prefixes_.size()));
    prefixes_.push_back(prefix);
    if (options_.depth == 1)
      std::erase_if(list, [&](int other) { return other != list.back() && prefix.dominates(prefixes_[at(other)]); });
  }

  int better_ones(const Prefix& prefix, const std::vector<int>& list) const {
    return static_cast<int>(
        std::count_if(list.begin(), list.end(), [&](int other) { return prefixes_[at(other)].dominates(prefix); }));
  }

  /// States that differ only in which of the devices in use the last stage has allow the same next stages. All that
  /// differs is the transfer to them, and that takes between no time and the whole micro-batch over the slowest path:
  /// a prefix that is no worse even with the one is no worse than another with the other.
  bool dominated_elsewhere(std::vector<Prefix>& peers, const Prefix& prefix) const {
    if (std::count_if(peers.begin(), peers.end(), [&](const Prefix& peer) { return peer.dominates(prefix); }) >=
        options_.depth)
      return true;
    Prefix worst = prefix;
    pass(worst, space_.slowest_transfer(prefix.part.last));
    if (worst.own >= limit_) return false;
    if (options_.depth == 1) std::erase_if(peers, [&](const Prefix& peer) { return worst.dominates(peer); });
    peers.push_back(worst);
    return false;
  }

  /// The narrow search keeps the few most promising prefixes of all states with as many devices in use.
  bool enter_beam(std::vector<int>& beam, const Prefix& prefix) {
    const auto promise = [&](const Prefix& one) { return at_least(one, one.part.last, one.part.state); };
    if (beam.size() >= beam_width) {
      const auto worst = std::max_element(beam.begin(), beam.end(), [&](int a, int b) {
        return promise(prefixes_[at(a)]) < promise(prefixes_[at(b)]);
      });
      const Prefix& loser = prefixes_[at(*worst)];
      if (promise(prefix) >= promise(loser)) return false;
      std::erase(cell(loser.part.last, loser.part.state), *worst);
      beam.erase(worst);
    }
    beam.push_back(static_cast<int>(prefixes_.size()));
    return true;
  }

  /// Ties keep the one found first.
  void finish(const Prefix& prefix) {
    const auto place = std::upper_bound(complete_.begin(), complete_.end(), prefix.own,
                                        [](double bound, const auto& other) { return bound < other.first; });
    complete_.insert(place, {prefix.own, static_cast<int>(prefixes_.size())});
    prefixes_.push_back(prefix);
    if (complete_.size() > options_.keep) complete_.pop_back();
    if (complete_.size() == options_.keep) limit_ = std::min(limit_, complete_.back().first);
  }

  std::vector<DapplePart> parts_of(int index) const {
    std::vector<DapplePart> parts;
    for (; index > 0; index = prefixes_[at(index)].previous) parts.push_back(prefixes_[at(index)].part);
    std::reverse(parts.begin(), parts.end());
    return parts;
  }

  DappleSpace& space_;
  DappleSearchOptions options_;
  bool narrow_;
  std::stop_token stop_;
  int layers_;
  double more_;  ///< M - 1
  std::size_t tried_ = 0;
  double limit_;  ///< candidates at or above it are of no use
  std::vector<Prefix> prefixes_;
  std::vector<std::vector<std::vector<int>>> at_;             ///< prefixes by layers planned and state
  std::map<std::pair<int, int>, std::vector<int>> beams_;     ///< by layers and group
  std::map<std::pair<int, int>, std::vector<Prefix>> peers_;  ///< by layers and group: with the slowest transfer behind
  std::vector<std::pair<double, int>> complete_;              ///< best first
};

}  // namespace

std::vector<DappleCandidate> search_dapple(DappleSpace& space, const DappleSearchOptions& options, std::stop_token stop,
                                           bool* cut_short) {
  ParetoSearch search(space, options, false, std::move(stop));
  auto found = search.run();
  if (cut_short) *cut_short |= search.cut_short();
  return found;
}

std::vector<DappleCandidate> search_narrowly(DappleSpace& space, const DappleSearchOptions& options,
                                             std::stop_token stop) {
  return ParetoSearch(space, options, true, std::move(stop)).run();
}

std::vector<DappleStep> dapple_steps(DappleSpace& space, const std::vector<DapplePart>& parts) {
  std::vector<DappleStep> steps;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [first, last, state] = parts[i];
    if (i > 0) steps.push_back(space.transfer(parts[i - 1].state, state, first));
    DappleStep step = space.compute(state, first, last);
    step.all_reduce = space.all_reduce(state, space.chain().parameters(first, last));
    steps.push_back(step);
  }
  return steps;
}

double dapple_l_max(const std::vector<DappleStep>& steps, int micro_batches) {
  double own = 0, fill = 0, tail = 0;
  for (std::size_t q = 0; q < steps.size(); ++q) {
    const DappleStep& step = steps[q];
    const double each = q % 2 ? std::max(step.forward, step.backward) : step.forward + step.backward;
    fill += step.forward;
    tail = std::max(tail, step.all_reduce) + step.backward;
    own = std::max(own, fill + (micro_batches - 1) * each + tail);
  }
  return own;
}

}  // namespace pipedeck
