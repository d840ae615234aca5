// SPDX-License-Identifier: Apache-2.0
#include "core/study/autopsy/late_ranks.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "core/base/count_text.hpp"

namespace pipedeck::study::autopsy {
namespace {

using io::traces::CollectiveKernel;
using io::traces::CollectiveKind;
using io::traces::RankCollectives;

/// A collective on the ranks that took part in it.
struct Matched {
  const CollectiveKind* kind = nullptr;
  int step = 0;
  std::vector<std::pair<std::size_t, const CollectiveKernel*>> ranks;  ///< positions of traces, ascending
};

/// The kernels of a kind in a step, by position of the trace.
using InStep = std::map<std::size_t, std::vector<const CollectiveKernel*>>;

/// Matches the k-th collective of a kind in a step on all ranks that have the kind.
std::vector<Matched> matched_in(const std::vector<RankCollectives>& traces, int& unmatched) {
  std::map<CollectiveKind, std::map<int, InStep>> all;
  std::map<CollectiveKind, std::set<std::size_t>> members;
  for (std::size_t i = 0; i < traces.size(); ++i)
    for (const CollectiveKernel& kernel : traces[i].kernels) {
      all[traces[i].kinds[kernel.kind]][kernel.step][i].push_back(&kernel);
      members[traces[i].kinds[kernel.kind]].insert(i);
    }
  std::vector<Matched> matched;
  for (const auto& [kind, steps] : all) {
    const std::size_t ranks = members.at(kind).size();
    for (const auto& [step, by_rank] : steps) {
      const std::size_t count = by_rank.begin()->second.size();
      const bool alike = ranks > 1 && by_rank.size() == ranks &&
                         std::ranges::all_of(by_rank, [&](const auto& one) { return one.second.size() == count; });
      if (!alike)
        unmatched += static_cast<int>(
            std::ranges::max_element(by_rank, {}, [](const auto& one) { return one.second.size(); })->second.size());
      for (std::size_t k = 0; alike && k < count; ++k) {
        Matched one{&kind, step, {}};
        for (const auto& [trace, kernels] : by_rank) one.ranks.emplace_back(trace, kernels[k]);
        matched.push_back(std::move(one));
      }
    }
  }
  // The keys of `all` end here: kinds are looked up in the first trace that has them.
  for (Matched& one : matched) {
    const auto& [trace, kernel] = one.ranks.front();
    one.kind = &traces[trace].kinds[kernel->kind];
  }
  return matched;
}

std::int64_t middle(std::vector<std::int64_t> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, at);
  return *at;
}

/// Returns each clock's offset from the first trace's; nothing for a rank without a path of common collectives to it.
std::vector<std::optional<std::int64_t>> offsets_of(const std::vector<Matched>& matched, std::size_t traces) {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::int64_t>> differences;
  for (const Matched& one : matched) {
    const auto& [first, reference] = one.ranks.front();
    for (std::size_t i = 1; i < one.ranks.size(); ++i)
      differences[{first, one.ranks[i].first}].push_back(one.ranks[i].second->end() - reference->end());
  }
  std::vector<std::vector<std::pair<std::size_t, std::int64_t>>> neighbours(traces);
  for (auto& [pair, ends] : differences) {
    const std::int64_t later = middle(std::move(ends));
    neighbours[pair.first].emplace_back(pair.second, later);
    neighbours[pair.second].emplace_back(pair.first, -later);
  }
  std::vector<std::optional<std::int64_t>> offsets(traces);
  std::vector<std::size_t> next{0};
  offsets[0] = 0;
  for (std::size_t i = 0; i < next.size(); ++i)
    for (const auto& [to, later] : neighbours[next[i]])
      if (!offsets[to]) {
        offsets[to] = *offsets[next[i]] + later;
        next.push_back(to);
      }
  return offsets;
}

/// A collective's moments on one clock.
struct Moments {
  std::int64_t last = 0, before_last = 0;  ///< when the last rank came, and the one before
  std::int64_t first_end = 0, last_end = 0;
  std::size_t latest = 0;  ///< position in Matched::ranks
};

Moments moments_of(const Matched& one, const std::vector<std::optional<std::int64_t>>& offsets) {
  Moments moments;
  std::vector<std::int64_t> starts;
  for (std::size_t i = 0; i < one.ranks.size(); ++i) {
    const auto& [trace, kernel] = one.ranks[i];
    starts.push_back(kernel->start - *offsets[trace]);
    const std::int64_t end = kernel->end() - *offsets[trace];
    moments.first_end = i == 0 ? end : std::min(moments.first_end, end);
    moments.last_end = i == 0 ? end : std::max(moments.last_end, end);
    if (starts[i] > starts[moments.latest]) moments.latest = i;
  }
  moments.last = starts[moments.latest];
  starts.erase(starts.begin() + static_cast<std::ptrdiff_t>(moments.latest));
  moments.before_last = std::ranges::max(starts);
  return moments;
}

void add_to(LateRanks& found, const Matched& one, const Moments& moments,
            const std::vector<std::optional<std::int64_t>>& offsets, KindLateness& kind) {
  ++kind.collectives;
  std::int64_t waiting = 0, transfer = 0;
  for (std::size_t i = 0; i < one.ranks.size(); ++i) {
    const auto& [trace, kernel] = one.ranks[i];
    RankLateness& rank = found.ranks[trace];
    const std::int64_t wait = moments.last - (kernel->start - *offsets[trace]);
    const std::int64_t rest = std::max<std::int64_t>(0, kernel->end() - *offsets[trace] - moments.last);
    ++rank.collectives;
    rank.waiting.count += wait, rank.transfer.count += rest;
    waiting += wait, transfer += rest;
  }
  const auto ranks = static_cast<std::int64_t>(one.ranks.size());
  kind.waiting.count += waiting / ranks, kind.transfer.count += transfer / ranks;
  RankLateness& latest = found.ranks[one.ranks[moments.latest].first];
  ++latest.last;
  latest.late.count += moments.last - moments.before_last;
}

Result<void> check_ranks(const std::vector<RankCollectives>& traces) {
  std::set<int> ranks;
  for (const RankCollectives& trace : traces)
    if (!ranks.insert(trace.rank).second)
      return fail(ErrorCode::bad_input, fmt::format("found two traces of rank {}, expected one of each", trace.rank));
  if (traces.size() < 2)
    return fail(ErrorCode::bad_input, "found the trace of one rank, expected those of several ranks of one run");
  return {};
}

Nanoseconds mean_step(const std::vector<RankCollectives>& traces, const std::set<int>& steps) {
  std::int64_t sum = 0, count = 0;
  for (const RankCollectives& trace : traces)
    for (const auto& [number, duration] : trace.steps)
      if (steps.contains(number)) sum += duration, ++count;
  return Nanoseconds(count > 0 ? sum / count : 0);
}

std::string time_text(Nanoseconds time) {
  const double us = static_cast<double>(time.count) / 1e3;
  if (std::abs(us) < 1000) return fmt::format("{:.1f} µs", us);
  return std::abs(us) < 1e7 ? fmt::format("{:.2f} ms", us / 1e3) : fmt::format("{:.2f} s", us / 1e6);
}

Nanoseconds per_step(Nanoseconds sum, const LateRanks& found) {
  return Nanoseconds(sum.count / std::max(1, found.steps));
}

std::string share_text(Nanoseconds part, const LateRanks& found) {
  if (found.step.count <= 0) return "";
  return fmt::format(" ({:.1f} % of a step)",
                     100 * static_cast<double>(per_step(part, found).count) / static_cast<double>(found.step.count));
}

std::string capital_rank(std::string text) {
  if (!text.empty() && text[0] == 'r') text[0] = 'R';
  return text;
}

}  // namespace

const RankLateness* LateRanks::latest() const {
  const auto most = std::ranges::max_element(ranks, {}, [](const RankLateness& one) { return one.late; });
  return most == ranks.end() || most->late.count == 0 ? nullptr : &*most;
}

Result<LateRanks> late_ranks(const std::vector<RankCollectives>& traces) {
  TRY_VOID(check_ranks(traces));
  std::vector<RankCollectives> sorted = traces;
  std::ranges::sort(sorted, {}, &RankCollectives::rank);
  LateRanks found;
  const std::vector<Matched> matched = matched_in(sorted, found.unmatched);
  if (matched.empty())
    return fail(ErrorCode::bad_input,
                "found no collective that several ranks recorded in one step, expected kernels of NCCL or RCCL");
  const auto offsets = offsets_of(matched, sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    found.ranks.push_back(
        {.rank = sorted[i].rank, .offset = Nanoseconds(offsets[i].value_or(0)), .aligned = offsets[i].has_value()});
    found.transfers += sorted[i].transfers;
  }
  std::map<CollectiveKind, KindLateness> kinds;
  std::set<int> steps;
  std::vector<std::int64_t> spreads;
  for (const Matched& one : matched) {
    if (!offsets[one.ranks.front().first]) continue;
    const Moments moments = moments_of(one, offsets);
    spreads.push_back(moments.last_end - moments.first_end);
    add_to(found, one, moments, offsets, kinds[*one.kind]);
    steps.insert(one.step);
    ++found.matched;
  }
  for (auto& [kind, sums] : kinds) {
    sums.kind = kind;
    found.kinds.push_back(sums);
  }
  std::ranges::stable_sort(found.kinds, std::greater(), &KindLateness::waiting);
  found.steps = static_cast<int>(steps.size());
  found.step = mean_step(sorted, steps);
  found.spread = Nanoseconds(spreads.empty() ? 0 : middle(std::move(spreads)));
  return found;
}

namespace {

/// Returns the ranks' lateness if it aligns all clocks; nothing if the traces do not allow it.
std::optional<LateRanks> alignment_of(const std::vector<std::string>& files, const std::stop_token& stop) {
  constexpr Nanoseconds most_spread(1'000'000);
  std::vector<RankCollectives> traces;
  for (const std::string& file : files) {
    auto read = io::traces::read_collectives(file, stop);
    if (!read) return std::nullopt;
    traces.push_back(*std::move(read));
  }
  auto found = late_ranks(traces);
  if (!found || found->spread > most_spread || !std::ranges::all_of(found->ranks, &RankLateness::aligned))
    return std::nullopt;
  return *std::move(found);
}

}  // namespace

Result<io::traces::ParsedTrace> join_aligned(std::vector<io::traces::ParsedTrace> traces,
                                             const std::vector<std::string>& files, const std::stop_token& stop) {
  const std::optional<LateRanks> found = alignment_of(files, stop);
  if (!found) return io::traces::join_ranks(std::move(traces), files);
  std::map<int, std::int64_t> offsets;
  for (const RankLateness& rank : found->ranks) offsets[rank.rank] = rank.offset.count;
  for (io::traces::ParsedTrace& trace : traces)
    for (std::int64_t& start : trace.starts) start -= offsets[trace.rank.value_or(0)];
  TRY(auto joined, io::traces::join_ranks(std::move(traces), files));
  for (std::string& sentence : findings_of(*found, {})) joined.notes.push_back(std::move(sentence));
  return joined;
}

std::vector<std::string> findings_of(const LateRanks& found, const RankPlaces& places) {
  std::vector<std::string> text;
  Nanoseconds late, waiting, transfer;
  for (const RankLateness& one : found.ranks) late += one.late, waiting += one.waiting, transfer += one.transfer;
  if (const RankLateness* latest = found.latest()) {
    text.push_back(fmt::format("{} comes last to {} of its {}, and {} a step after the last but one{}.",
                               capital_rank(places.text(latest->rank)), latest->last,
                               counted(latest->collectives, "collective"), time_text(per_step(latest->late, found)),
                               share_text(latest->late, found)));
    if (2 * latest->late.count < late.count)
      text.push_back("No rank alone is late: the others together delay the steps more.");
  }
  const auto ranks = static_cast<std::int64_t>(found.ranks.size());
  text.push_back(fmt::format("A rank's collectives take {} a step of waiting for the last rank, and {} of transfer.",
                             time_text(per_step(waiting / ranks, found)),
                             time_text(per_step(transfer / ranks, found))));
  text.push_back(fmt::format("Clocks are aligned by {} of {}; their ends then differ by {} (median).",
                             counted(found.matched, "collective"), counted(found.steps, "step"),
                             time_text(found.spread)));
  if (found.unmatched > 0)
    text.push_back(fmt::format("Left out: {} that not all ranks of a group recorded in the same step.",
                               counted(found.unmatched, "collective")));
  if (found.transfers > 0)
    text.push_back(fmt::format("Left out: {}, of which one side can end first.",
                               counted(static_cast<std::int64_t>(found.transfers), "send and receive")));
  for (const RankLateness& one : found.ranks)
    if (!one.aligned)
      text.push_back(fmt::format("{} has no collective with the first rank's groups: its clock is not known.",
                                 capital_rank(places.text(one.rank))));
  return text;
}

}  // namespace pipedeck::study::autopsy
