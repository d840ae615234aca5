// SPDX-License-Identifier: Apache-2.0
#include "core/planner/pipedream/line.hpp"

#include <algorithm>
#include <map>

#include "core/cost/memory.hpp"
#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::pipedream {

namespace {

constexpr double line_rounding = 1 + 1e-12;

}  // namespace

Line::Line(const Figures& figures, const cost::Network& network, std::vector<DeviceId> devices, const Options& options,
           const PlanConstraints& pins, std::stop_token stop)
    : figures_(figures),
      devices_(std::move(devices)),
      options_(options),
      pins_(pins),
      stop_(std::move(stop)),
      count_(devices_.size()),
      ideals_(search::at(figures.ideals().count())),
      max_stages_(pins.stages.value_or(pins.max_stages.value_or(0))) {
  max_stages_ = std::min(max_stages_, static_cast<int>(count_));
  const auto width = [&](std::size_t a, std::size_t b) {
    return std::min(network.path(devices_[a], devices_[b]).bandwidth.count,
                    network.path(devices_[b], devices_[a]).bandwidth.count);
  };
  inside_.assign((count_ + 1) * (count_ + 1), search::never);
  between_.assign((count_ + 1) * (count_ + 1) * (count_ + 1), search::never);
  for (std::size_t q = 0; q < count_; ++q) {
    for (std::size_t r = 2; q + r <= count_; ++r) {
      double least = inside_[q * (count_ + 1) + r - 1];
      for (std::size_t a = q; a + 1 < q + r; ++a) least = std::min(least, width(a, q + r - 1));
      inside_[q * (count_ + 1) + r] = least;
    }
    for (std::size_t before = 1; before <= q; ++before) {
      double least = search::never;
      for (std::size_t r = 1; q + r <= count_; ++r) {
        least = std::min(least, width(q - before, q + r - 1));
        const double nearer = before > 1 ? between_[(q * (count_ + 1) + before - 1) * (count_ + 1) + r] : search::never;
        between_[(q * (count_ + 1) + before) * (count_ + 1) + r] = std::min(least, nearer);
      }
    }
  }
  nested_.assign(ideals_ * ideals_, 0);
  for (int outer = 0; search::at(outer) < ideals_; ++outer)
    for (const std::int32_t inner : figures.ideals().subsets(outer))
      nested_[search::at(inner) * ideals_ + search::at(outer)] = 1;
}

std::optional<Answer> Line::run(double bound) {
  auto answer = partition(false, bound);
  if (!answer || options_.ignore_memory || pipedream::fits(figures_, *answer)) return answer;
  return partition(true, bound);
}

bool Line::pinned(int inner, int outer, int begin, int replicas) const {
  if (pins_.replicas && *pins_.replicas != replicas) return false;
  const search::Ideals& ideals = figures_.ideals();
  for (const auto& [layer, device] : pins_.layers) {
    const auto position = static_cast<int>(std::find(devices_.begin(), devices_.end(), device) - devices_.begin());
    const bool there = position >= begin && position < begin + replicas;
    if (!there && ideals.has(outer, layer) && !ideals.has(inner, layer)) return false;
  }
  return true;
}

bool Line::fits(int inner, int outer, int begin, int replicas, int waiting) const {
  return !memory_ || figures_.fits(inner, outer, {static_cast<int>(count_) - begin - replicas, replicas}, waiting);
}

/// Returns one replica's mini-batches here that a stage before with `before` replicas has in flight; 0 replicas: no
/// such stage.
int Line::in_flight(int begin, int replicas, int before) const {
  const int workers = static_cast<int>(count_) - begin;
  if (before == 0) return (workers + replicas - 1) / replicas;
  return cost::pipedream_in_flight(before, (before + workers + before - 1) / before, replicas);
}

double Line::stage_time(int inner, int outer, int begin, int replicas) const {
  const double factor =
      replicas == 1 ? 0
                    : sync_factor(options_, replicas, inside_[search::at(begin) * (count_ + 1) + search::at(replicas)]);
  return std::max(figures_.time()[search::at(outer)] - figures_.time()[search::at(inner)],
                  factor * (figures_.weights()[search::at(outer)] - figures_.weights()[search::at(inner)])) /
         replicas;
}

double Line::transfer(int cut, int before, int begin, int replicas) const {
  return 2 * figures_.cut()[search::at(cut)] /
         between_[(search::at(begin) * (count_ + 1) + search::at(before)) * (count_ + 1) + search::at(replicas)];
}

/// Returns the possible fronts of a stage from ideal `inner` on these devices, by ascending `waiting`. Each has the
/// best times up to its position in the list.
std::vector<Line::Front> Line::fronts(int inner, int begin, int replicas) {
  std::map<int, std::vector<double>> best;
  const auto add = [&](int before, int stages, double slowest) {
    const auto [found, added] = best.try_emplace(memory_ ? in_flight(begin, replicas, before) : 0);
    if (added) found->second.assign(search::at(max_stages_) + 1, search::never);
    double& least = found->second[search::at(stages)];
    least = std::min(least, slowest);
  };
  if (begin == 0) add(0, max_stages_ > 0 ? 1 : 0, 0);
  for (int stages = max_stages_ > 0 ? 1 : 0; stages <= std::max(0, max_stages_ - 1); ++stages)
    for (int r = 1; r <= begin; ++r)
      add(r, max_stages_ > 0 ? stages + 1 : 0,
          std::max(value({inner, begin, r, stages}), transfer(inner, r, begin, replicas)));
  std::vector<Front> all;
  for (auto& [waiting, slowest] : best) {
    for (std::size_t s = 0; s < slowest.size() && !all.empty(); ++s)
      slowest[s] = std::min(slowest[s], all.back().slowest[s]);
    all.push_back({waiting, std::move(slowest)});
  }
  return all;
}

/// Every stage from ideal `inner` on the `replicas` devices behind `begin`.
void Line::extend(int inner, int begin, int replicas, double bound) {
  std::vector<Front> all = fronts(inner, begin, replicas);
  const auto hopeless = [&](const Front& front) {
    return std::all_of(front.slowest.begin(), front.slowest.end(), [&](double time) { return time >= bound; });
  };
  std::erase_if(all, hopeless);
  if (all.empty()) return;
  for (int outer = inner + 1; search::at(outer) < ideals_; ++outer) {
    if (nested_[search::at(inner) * ideals_ + search::at(outer)] == 0) continue;
    const double here = stage_time(inner, outer, begin, replicas);
    if (here >= bound || !pinned(inner, outer, begin, replicas)) continue;
    const auto front = std::find_if(
        all.rbegin(), all.rend(), [&](const Front& one) { return fits(inner, outer, begin, replicas, one.in_flight); });
    if (front == all.rend()) continue;
    for (int stages = max_stages_ > 0 ? 1 : 0; stages <= max_stages_; ++stages) {
      double& best = value({outer, begin + replicas, replicas, stages});
      best = std::min(best, std::max(front->slowest[search::at(stages)], here));
    }
  }
}

std::optional<Answer> Line::partition(bool memory, double bound) {
  memory_ = memory;
  const int devices = static_cast<int>(count_), whole = figures_.ideals().whole();
  values_.assign((search::at(max_stages_) + 1) * (count_ + 1) * (count_ + 1) * ideals_, search::never);
  for (int inner = 0; inner < whole; ++inner)
    for (int begin = inner == 0 ? 0 : 1; begin < (inner == 0 ? 1 : devices); ++begin)
      for (int replicas = 1; begin + replicas <= devices; ++replicas) {
        if (stop_.stop_requested()) return {};
        extend(inner, begin, replicas, bound);
      }
  State best{whole, devices, 0, 0};
  double slowest = bound;
  for (int stages = pins_.stages.value_or(max_stages_ > 0 ? 1 : 0); stages <= max_stages_; ++stages)
    for (int replicas = devices; replicas >= 1; --replicas)
      if (const double time = value({whole, devices, replicas, stages}); time < slowest)
        slowest = time, best = {whole, devices, replicas, stages};
  if (best.replicas == 0) return {};
  Answer answer = answer_of(best);
  answer.slowest = Seconds(slowest);
  return answer;
}

/// Back from the last stage: of equals, the earliest cut, then the widest stage before it.
Answer Line::answer_of(State last) {
  Answer answer;
  answer.nested = {last.outer};
  while (last.outer != 0) {
    const double wanted = value(last) * line_rounding;
    const int begin = last.end - last.replicas;
    answer.devices.emplace(answer.devices.begin(), devices_.begin() + begin, devices_.begin() + last.end);
    const auto before = [&]() -> std::optional<State> {
      if (begin == 0) return State{0, 0, 0, 0};
      for (const std::int32_t cut : figures_.ideals().subsets(last.outer))
        for (int r = begin; r >= 1 && cut > 0; --r) {
          const State state{cut, begin, r, std::max(0, last.stages - 1)};
          if (value(state) <= wanted && transfer(cut, r, begin, last.replicas) <= wanted &&
              stage_time(cut, last.outer, begin, last.replicas) <= wanted &&
              pinned(cut, last.outer, begin, last.replicas) &&
              fits(cut, last.outer, begin, last.replicas, in_flight(begin, last.replicas, r)))
            return state;
        }
      return {};
    }();
    ensure(before.has_value(), "PipeDream: a value of the table that no stage gives");
    answer.nested.insert(answer.nested.begin(), before->outer);
    last = *before;
  }
  return answer;
}

}  // namespace pipedeck::planner::pipedream
