// SPDX-License-Identifier: Apache-2.0
#include "core/planner/dapple/spaces.hpp"

#include <algorithm>
#include <limits>

#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::dapple {

namespace {

constexpr double steps = 6e6;         // of all searches for one answer: a second or two
constexpr double usual_devices = 48;  // beyond, steps take longer
constexpr std::size_t width = 8;      // of a narrow search of up to `wide_devices`, less beyond
constexpr std::size_t wide_devices = 64;
constexpr int per_shape = 2;
constexpr std::size_t shape_budget = 300'000;
constexpr double not_far = 1.2;  // from the best bound, if several plans are wanted

std::size_t max_effort(int devices) {
  const double longer = std::max(1.0, devices / usual_devices);
  return static_cast<std::size_t>(steps / (longer * longer));
}

void sort_entries(std::vector<Entry>& entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.bound < b.bound; });
}

}  // namespace

Spaces::Spaces(search::Chain& chain, const Request& wanted, const std::vector<int>& micro_batches,
               std::function<bool()> interrupted)
    : chain_(chain), wanted_(wanted), interrupted_(std::move(interrupted)), places_(chain.network(), wanted.rules) {
  for (const bool recompute : {false, true}) {
    // If memory is ignored, recomputation has no benefit.
    if (wanted.recompute == (recompute ? Recompute::off : Recompute::on)) continue;
    if (recompute && wanted.recompute == Recompute::automatic && wanted.space.ignore_memory) continue;
    for (const int size : micro_batches) {
      SpaceOptions options = wanted.space;
      options.recompute = recompute;
      options.measure = wanted.simulated && !wanted.printed ? DappleCostKind::lower_bound : DappleCostKind::l_max;
      options.rounds = wanted.rounds || options.measure == DappleCostKind::lower_bound;
      Member member{.space = std::make_unique<Space>(chain, places_, size, options), .bounds = nullptr};
      if (member.space->max_replicas() < 1) continue;
      member.work = work_of(*member.space);
      spaces_.push_back(std::move(member));
    }
  }
  std::stable_sort(spaces_.begin(), spaces_.end(), [](const Member& a, const Member& b) { return a.work < b.work; });
}

/// A layer on r devices takes r times its passes of ceil(micro-batch / r) samples: the least of that, over r and types.
double Spaces::work_of(Space& space) {
  std::vector<double> least(static_cast<std::size_t>(space.layers()), search::never);
  std::vector<bool> types(chain_.cluster().device_types.size(), false);
  for (int d = 0; d < chain_.devices(); ++d)
    types[static_cast<std::size_t>(chain_.network().device(DeviceId(d)).type)] = true;
  for (int r = wanted_.rules.unit; r <= space.max_replicas(); r += wanted_.rules.unit)
    for (std::size_t type = 0; type < types.size(); ++type) {
      if (!types[type]) continue;
      const search::PassTimes& times = chain_.times((space.micro_batch() + r - 1) / r, static_cast<int>(type));
      for (int l = 0; l < space.layers(); ++l) {
        const double forward = times.forward_of(l, l + 1) * (space.options().recompute ? 2 : 1);
        double& known = least[static_cast<std::size_t>(l)];
        known = std::min(known, r * (forward + times.backward_of(l, l + 1)));
      }
    }
  double work = 0;
  for (const double one : least) work += one;
  return work * space.micro_batches() / chain_.devices();
}

const Bounds* Spaces::bounds(Member& member) {
  if (!member.bounds) {
    member.bounds = std::make_unique<Bounds>(*member.space, interrupted_);
    if (interrupted_ && interrupted_()) member.bounds.reset();  // perhaps not whole
    if (member.bounds) member.least = std::max(0.0, member.bounds->least());
  }
  return member.bounds.get();
}

double Spaces::least() {
  double least = search::never;
  for (Member& member : spaces_) {
    if (member.work >= least) break;
    if (bounds(member)) least = std::min(least, member.least);
  }
  return least;
}

SearchOptions Spaces::options(double limit, std::size_t keep) const {
  SearchOptions options;
  options.below = limit;
  options.keep = keep;
  // A search without proof is shorter.
  const std::size_t most = max_effort(chain_.devices()) / (wanted_.rounds && !wanted_.simulated ? 3 : 1);
  options.search_budget = most - std::min(effort_, most);
  // Data parallelism is simulated separately.
  options.min_stages = wanted_.simulated && !wanted_.printed ? 2 : 1;
  options.warmup = wanted_.warmup == Warmup::A ? Warmup::A : Warmup::B;
  options.interrupted = interrupted_;
  return options;
}

double Spaces::rounding(int index) const {
  const Space& space = *spaces_[static_cast<std::size_t>(index)].space;
  if (space.options().measure != DappleCostKind::lower_bound) return 0;
  const int longest = 4 * (std::min(chain_.layers(), chain_.devices()) + 1);
  return 1e-9 * (2.0 * space.micro_batches() + longest) / 2;
}

void Spaces::take(Found& all, DappleFound&& found, int space) {
  const double off = rounding(space);
  for (Candidate& candidate : found.candidates)
    all.entries.push_back({candidate.bound - off, space, std::move(candidate.parts)});
  all.all_below = std::min(all.all_below, found.all_below - off);
  all.cut_short |= found.cut_short;
  effort_ += found.spent;
}

Spaces::Found Spaces::search(double limit, std::size_t keep) {
  return search_all(limit, [&](Member& member, double below) {
    return search_dapple(*member.space, *member.bounds, options(below, keep));
  });
}

/// Where a space is too large below the limit, the lower part of it.
Spaces::Found Spaces::search_by_shape(double limit, std::size_t keep) {
  return search_all(limit, [&](Member& member, double below) {
    DappleFound found;
    for (int tries = 0; tries < 5; ++tries, below = (below + member.least) / 2) {
      SearchOptions shapes = options(below, keep);
      shapes.per_shape = per_shape;
      shapes.search_budget = shape_budget;
      found = search_dapple(*member.space, *member.bounds, shapes);
      if (!found.cut_short || !found.candidates.empty()) break;
    }
    found.cut_short = false;  // the result claims no completeness
    return found;
  });
}

Spaces::Found Spaces::search_all(double limit, const std::function<DappleFound(Member&, double below)>& search_one) {
  Found all;
  all.all_below = limit;
  for (int s = 0; s < count() && !all.cut_short; ++s) {
    Member& member = spaces_[static_cast<std::size_t>(s)];
    const double below = limit + rounding(s);
    if (member.work >= below) break;
    if (member.least >= below) continue;
    if (!bounds(member))
      all.cut_short = true, all.all_below = 0;
    else if (member.least < below)
      take(all, search_one(member, below), s);
  }
  sort_entries(all.entries);
  return all;
}

/// The limit is raised here, too: the lower it is, the better are the few that are kept.
Spaces::Found Spaces::search_heuristic(std::size_t keep) {
  Found all;
  const double lowest = least();
  for (const double reach : reaches) {
    const double limit = lowest == 0 ? search::never : lowest * reach;
    for (int s = 0; s < count(); ++s) {
      Member& member = spaces_[static_cast<std::size_t>(s)];
      if (member.work >= limit) break;
      if (member.least >= limit || !bounds(member) || member.least >= limit) continue;
      SearchOptions narrow = options(limit, keep);
      narrow.width = std::clamp<std::size_t>(width * wide_devices / places_.units(chain_.devices()), 2, width);
      narrow.search_budget = std::numeric_limits<std::size_t>::max();
      take(all, search_dapple(*member.space, *member.bounds, narrow), s);
    }
    if (!all.entries.empty()) break;
  }
  all.all_below = 0;
  sort_entries(all.entries);
  return all;
}

Spaces::Found Spaces::search_printed(std::size_t keep) {
  Found all;
  all.all_below = search::never;
  for (int s = 0; s < count(); ++s)
    take(all, dapple::search_printed(*spaces_[static_cast<std::size_t>(s)].space, options(search::never, keep)), s);
  sort_entries(all.entries);
  return all;
}

}  // namespace pipedeck::planner::dapple
