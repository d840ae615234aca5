// SPDX-License-Identifier: Apache-2.0
#include "core/planner/dapple/bounds.hpp"

#include <set>

#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::dapple {

namespace {

Bound in_front(const Step& step, const Bound& rest) {
  const double through = std::max(step.pivot, step.forward + step.backward + rest.through);
  return {through, std::max(step.all_reduce + through, step.forward + rest.whole)};
}

void lower(Bound& bound, const Bound& other) {
  bound.through = std::min(bound.through, other.through);
  bound.whole = std::min(bound.whole, other.whole);
}

}  // namespace

Bounds::Bounds(Space& space, const std::function<bool()>& interrupted)
    : space_(space),
      devices_(space.chain().devices()),
      unit_(space.places().rules().unit),
      most_(std::max(0, space.max_replicas())),
      row_(units(devices_) + 1),
      paths_(space.places().paths(interrupted)) {
  if (interrupted && interrupted()) return;
  search::Chain& chain = space.chain();
  std::set<int> types;
  for (int d = 0; d < devices_; ++d) types.insert(chain.network().device(DeviceId(d)).type);
  times_.resize(units(most_) + 1);
  for (int r = unit_; r <= most_; r += unit_)
    for (const int type : types)
      times_[units(r)].push_back(
          {&chain.times((space.micro_batch() + r - 1) / r, type), &chain.times(space.micro_batch() / r, type)});

  measure_passes();
  const std::size_t layers = search::at(space.layers());
  after_.assign((layers + 1) * row_, {search::never, search::never});
  with_.assign((layers + 1) * (units(most_) + 1) * row_, {search::never, search::never});
  for (std::size_t left = 0; left < row_; ++left)
    if (left == 0 || space.places().rules().allow_idle) after_[layers * row_ + left] = {0, 0};
  for (int first = space.layers() - 1; first >= 0; --first) {
    if (interrupted && interrupted()) return;
    for (int r = unit_; r <= most_; r += unit_)
      if (!space.places().rules().replicas || *space.places().rules().replicas == r) add_stages(first, r);
    close(first);
  }
  least_ = search::never;
  for (int r = unit_; r <= most_; r += unit_) least_ = std::min(least_, with(0, devices_, r).whole);
}

void Bounds::measure_passes() {
  passes_.assign(search::at(space_.layers()) + 1, 0);
  for (int layer = space_.layers() - 1; layer >= 0; --layer) {
    double least = search::never;
    for (int r = unit_; r <= most_; r += unit_) {
      const Step step = stage(r, layer, layer + 1);
      least = std::min(least, step.forward + step.backward);
    }
    passes_[search::at(layer)] = passes_[search::at(layer) + 1] + least;
  }
}

/// Adds stages of every length with `replicas` replicas, for every number of devices left.
void Bounds::add_stages(int first, int replicas) {
  Bound* const here = &with_[(search::at(first) * (units(most_) + 1) + units(replicas)) * row_];
  const int longest = space_.longest_fitting(first, replicas), micro_batches = space_.micro_batches();
  // The number of held micro-batches falls with every layer.
  const bool rounds =
      space_.options().rounds && longest > 0 && space_.most_in_flight(replicas, first, first + longest) < micro_batches;
  for (int last = first + 1; last <= first + longest; ++last) {
    Step step = stage(replicas, first, last);
    if (rounds) {
      const int kept = space_.most_in_flight(replicas, first, last);
      if (kept == 0) break;
      const double round = step.forward + step.backward + passes_[search::at(last)];
      step.pivot = std::max(step.pivot, round_trips(micro_batches, std::min(kept, micro_batches), step.forward, round));
    }
    const Bound* const rest = &after_[search::at(last) * row_];
    const std::size_t taken = units(replicas);
    for (std::size_t left = taken; left < row_; ++left) lower(here[left], in_front(step, rest[left - taken]));
  }
}

/// The best number of replicas, the transfer to them in front.
void Bounds::close(int layer) {
  if (layer == 0) return;
  for (int r = unit_; r <= most_; r += unit_) {
    const Step step = transfer(r, layer);
    for (int left = r; left <= devices_; left += unit_)
      lower(after_[search::at(layer) * row_ + units(left)], in_front(step, with(layer, left, r)));
  }
}

Step Bounds::stage(int replicas, int first, int last) const {
  const bool sure = space_.options().measure == DappleCostKind::lower_bound, recompute = space_.options().recompute;
  Step step{search::never, search::never, search::never, 0};
  double longest_backward = 0;
  for (const auto& [most, fewest] : times_[units(replicas)]) {
    const double forward = most->forward_of(first, last), backward = most->backward_of(first, last);
    const double again = recompute ? forward : 0;
    longest_backward = std::max(longest_backward, backward);
    step.pivot = std::min(step.pivot, space_.micro_batches() * (forward + backward + again));
    step.forward = std::min(step.forward, sure ? std::min(forward, fewest->forward_of(first, last)) : forward);
    step.backward =
        std::min(step.backward, sure ? std::min(backward, fewest->backward_of(first, last)) : backward + again);
  }
  step.all_reduce = all_reduce(replicas, space_.chain().parameters(first, last));
  if (sure && space_.chain().workload().conventions.overlap != Overlap::none)
    step.all_reduce = overlapped_tail(
        step.all_reduce, all_reduce(replicas, space_.chain().parameters(first, first + 1)), longest_backward);
  return step;
}

/// The largest slice of a cut has at least its share of the pairs; the smallest may have a single sample.
Step Bounds::transfer(int replicas, int cut) const {
  const bool sure = space_.options().measure == DappleCostKind::lower_bound;
  const int pairs = replicas + most_ - 1, micro_batch = space_.micro_batch();
  const auto time = [&](int samples) {
    return paths_.shortest + static_cast<double>(space_.chain().cut(cut, samples).count) / paths_.widest;
  };
  const double longest = time((micro_batch + pairs - 1) / pairs), pass = sure ? time(1) : longest;
  return {pass, pass, (space_.micro_batches() + 1) * longest, 0};
}

/// At least 2b (r - 1) / (r beta), however devices are spread; and where they can't all be on one node, k nodes at
/// least, 2b (k - 1) / (k beta) between those.
double Bounds::all_reduce(int replicas, Bytes bytes) const {
  if (replicas < 2) return 0;
  const double twice = 2 * static_cast<double>(bytes.count);
  const int largest = space_.places().largest_node(), nodes = (replicas + largest - 1) / largest;
  const double inside = twice * (replicas - 1) / (replicas * paths_.widest);
  return nodes < 2 ? inside : std::max(inside, twice * (nodes - 1) / (nodes * paths_.widest_between));
}

}  // namespace pipedeck::planner::dapple
