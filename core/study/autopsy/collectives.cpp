// SPDX-License-Identifier: Apache-2.0
#include "core/study/autopsy/collectives.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace pipedeck::study::autopsy {
namespace {

using io::dumps::CollectiveState;
using io::dumps::FlightDump;
using io::dumps::FlightEntry;
using io::dumps::FlightGroup;

/// A collective of a rank: its first call of that number. Coalesced calls share one.
struct Call {
  const FlightEntry* entry = nullptr;
  CollectiveState state = CollectiveState::scheduled;  ///< the least of all calls of that number
};

/// A group's calls on one of its ranks.
struct Member {
  const FlightDump* dump = nullptr;
  std::map<std::int64_t, Call> calls;
  std::int64_t joined = -1;  ///< the last collective that it called
};

struct Group {
  FlightGroup name;
  std::map<int, Member> members;
  std::vector<int> without_dump;
};

/// Groups of one name may differ from rank to rank: their ranks tell them apart.
using GroupKey = std::pair<std::string, std::vector<int>>;

void add_call(Member& member, const FlightEntry& entry) {
  const auto [call, added] = member.calls.try_emplace(entry.sequence, Call{&entry, entry.state});
  if (!added) call->second.state = std::min(call->second.state, entry.state);
  member.joined = std::max(member.joined, entry.sequence);
}

/// Returns the ranks of a group of a dump. A dump may not hold them: another one's group of that name with its rank
/// does.
std::vector<int> ranks_of(const FlightGroup& group, int rank,
                          const std::map<std::string, std::set<std::vector<int>>>& known) {
  if (!group.ranks.empty()) return group.ranks;
  const auto found = known.find(group.name);
  if (found == known.end()) return {};
  for (const std::vector<int>& ranks : found->second)
    if (std::ranges::binary_search(ranks, rank)) return ranks;
  return {};
}

std::map<GroupKey, Group> groups_of(const std::vector<FlightDump>& dumps) {
  std::map<std::string, std::set<std::vector<int>>> known;
  for (const FlightDump& dump : dumps)
    for (const FlightGroup& group : dump.groups)
      if (!group.ranks.empty()) known[group.name].insert(group.ranks);
  std::map<GroupKey, Group> groups;
  for (const FlightDump& dump : dumps) {
    std::vector<Member*> members;
    for (std::size_t i = 0; i < dump.groups.size(); ++i) {
      const std::vector<int> ranks = ranks_of(dump.groups[i], dump.rank, known);
      Group& group = groups[{dump.groups[i].name, ranks}];
      group.name = {dump.groups[i].name, dump.groups[i].description, ranks};
      Member& member = group.members[dump.rank];
      member.dump = &dump;
      member.joined = std::max(member.joined, dump.status[i].enqueued);
      members.push_back(&member);
    }
    for (const FlightEntry& entry : dump.entries)
      if (entry.is_collective()) add_call(*members[entry.group], entry);
  }
  std::set<int> dumped;
  for (const FlightDump& dump : dumps) dumped.insert(dump.rank);
  for (auto& [key, group] : groups)
    for (const int rank : group.name.ranks)
      if (!dumped.contains(rank)) group.without_dump.push_back(rank);
  return groups;
}

const std::string& text_in(const FlightDump& dump, std::uint32_t number) { return dump.texts[number]; }

/// Returns what all ranks of a collective must call alike. Sizes differ by rank in some.
std::string signature_of(const Member& member, const FlightEntry& entry) {
  const std::string& name = entry.operation;
  const bool inputs =
      name.find("all_to_all") == name.npos && name != "scatter" && name != "coalesced" && name != "barrier";
  const bool outputs = inputs && name != "gather" && name != "reduce";
  return fmt::format("{} of {} to {}, {}", name, inputs ? text_in(*member.dump, entry.input_sizes) : "any",
                     outputs ? text_in(*member.dump, entry.output_sizes) : "any",
                     text_in(*member.dump, entry.input_types));
}

std::string call_text(const FlightDump& dump, const FlightEntry& entry) {
  const std::string &sizes = text_in(dump, entry.input_sizes), &types = text_in(dump, entry.input_types);
  return fmt::format("{}{}{}", entry.operation, sizes.empty() ? "" : " of " + sizes, types.empty() ? "" : " " + types);
}

Stall stall_at(StallKind kind, const Group& group, std::int64_t sequence) {
  return {.kind = kind, .group = group.name.name, .description = group.name.description, .sequence = sequence};
}

void describe(Stall& stall, const Member& member, const FlightEntry& entry) {
  stall.operation = entry.operation;
  stall.sizes = text_in(*member.dump, entry.input_sizes);
  stall.types = text_in(*member.dump, entry.input_types);
  stall.place = member.dump->places[entry.place];
}

/// Returns the first collective that ranks of the group called differently.
std::optional<Stall> different_call(const Group& group) {
  std::map<std::int64_t, std::map<std::string, std::vector<int>>> calls;
  for (const auto& [rank, member] : group.members)
    for (const auto& [sequence, call] : member.calls)
      calls[sequence][signature_of(member, *call.entry)].push_back(rank);
  for (const auto& [sequence, by_signature] : calls) {
    if (by_signature.size() < 2) continue;
    const auto usual = std::ranges::max_element(by_signature, {}, [](const auto& one) { return one.second.size(); });
    Stall stall = stall_at(StallKind::different, group, sequence);
    for (const auto& [signature, ranks] : by_signature) {
      auto& of = signature == usual->first ? stall.waiting : stall.ranks;
      of.insert(of.end(), ranks.begin(), ranks.end());
    }
    std::ranges::sort(stall.ranks);
    const Member &first = group.members.at(stall.waiting.front()), &other = group.members.at(stall.ranks.front());
    describe(stall, first, *first.calls.at(sequence).entry);
    stall.found = call_text(*other.dump, *other.calls.at(sequence).entry);
    return stall;
  }
  return std::nullopt;
}

/// Returns the first collective after number `least` that has not ended on a rank that called it; by the counters if
/// no rank recorded its call.
std::optional<std::int64_t> first_waiting_call(const Group& group, std::int64_t least, std::int64_t most) {
  std::optional<std::int64_t> first;
  bool recorded = false;
  for (const auto& [rank, member] : group.members)
    for (auto call = member.calls.upper_bound(least); call != member.calls.end(); ++call) {
      recorded = true;
      // A collective that ended had all it needs: the dump of the rank that lacks it is from an earlier time.
      if (call->second.state == CollectiveState::completed) continue;
      first = std::min(first.value_or(call->first), call->first);
      break;
    }
  if (!recorded && most > least) return least + 1;
  return first;
}

/// Returns the first collective that some ranks wait in and others have not called.
std::optional<Stall> missing_call(const Group& group) {
  const auto joined = [](const auto& one) { return one.second.joined; };
  const std::int64_t least = joined(*std::ranges::min_element(group.members, {}, joined));
  const std::int64_t most = joined(*std::ranges::max_element(group.members, {}, joined));
  const auto sequence = first_waiting_call(group, least, most);
  if (!sequence) return std::nullopt;
  Stall stall = stall_at(StallKind::missing, group, *sequence);
  for (const auto& [rank, member] : group.members) {
    if (member.joined < *sequence) {
      stall.ranks.push_back(rank);
      continue;
    }
    const auto call = member.calls.find(*sequence);
    if (stall.waiting.empty() && call != member.calls.end()) describe(stall, member, *call->second.entry);
    stall.waiting.push_back(rank);
  }
  if (stall.ranks.empty()) return std::nullopt;
  return stall;
}

/// Returns the first collective that all have called and that has not ended on some rank.
std::optional<Stall> unfinished_call(const Group& group) {
  std::map<std::int64_t, std::array<std::vector<int>, 3>> states;
  for (const auto& [rank, member] : group.members)
    for (const auto& [sequence, call] : member.calls)
      states[sequence][static_cast<std::size_t>(call.state)].push_back(rank);
  for (const auto& [sequence, by_state] : states) {
    const auto& [scheduled, started, completed] = by_state;
    if (scheduled.empty() && started.empty()) continue;
    if (scheduled.size() + started.size() + completed.size() < group.members.size()) return std::nullopt;
    const bool mixed = !scheduled.empty() && !started.empty();
    Stall stall = stall_at(mixed ? StallKind::unstarted : StallKind::unfinished, group, sequence);
    stall.ranks = mixed ? scheduled : std::vector<int>();
    stall.waiting = started;
    if (!mixed) stall.waiting.insert(stall.waiting.end(), scheduled.begin(), scheduled.end());
    std::ranges::sort(stall.waiting);
    const Member& first = group.members.at(stall.waiting.front());
    describe(stall, first, *first.calls.at(sequence).entry);
    return stall;
  }
  return std::nullopt;
}

/// Adds the sends and receives that wait while their other side is not called. Ranks of both are within the group.
void add_unmatched(const Group& group, std::vector<Stall>& stalls) {
  using Pair = std::pair<int, int>;
  struct Waiting {
    std::vector<const FlightEntry*> sends, receives;
  };
  std::map<Pair, Waiting> waiting;
  const std::vector<int>& ranks = group.name.ranks;
  const auto global = [&](int rank) {
    return static_cast<std::size_t>(rank) < ranks.size() ? ranks[static_cast<std::size_t>(rank)] : rank;
  };
  for (const auto& [rank, member] : group.members)
    for (const FlightEntry& entry : member.dump->entries) {
      if (entry.is_collective() || entry.state == CollectiveState::completed) continue;
      if (member.dump->groups[entry.group].name != group.name.name) continue;
      Waiting& pair = waiting[{global(entry.source), global(entry.target)}];
      (entry.operation == "send" ? pair.sends : pair.receives).push_back(&entry);
    }
  for (const auto& [pair, both] : waiting) {
    const bool sent = both.sends.size() > both.receives.size();
    const int caller = sent ? pair.first : pair.second, absent = sent ? pair.second : pair.first;
    const auto dump = group.members.find(absent);
    if (both.sends.size() == both.receives.size() || dump == group.members.end()) continue;
    const std::size_t first = std::min(both.sends.size(), both.receives.size());
    Stall stall = stall_at(StallKind::unmatched, group, static_cast<std::int64_t>(first) + 1);
    stall.ranks = {absent}, stall.waiting = {caller};
    describe(stall, group.members.at(caller), *(sent ? both.sends : both.receives)[first]);
    stalls.push_back(std::move(stall));
  }
}

/// Returns the missing ranks that wait nowhere themselves.
std::vector<int> roots_of(const std::vector<Stall>& stalls) {
  std::set<int> waiting, missing;
  for (const Stall& stall : stalls) {
    waiting.insert(stall.waiting.begin(), stall.waiting.end());
    if (stall.kind == StallKind::different) waiting.insert(stall.ranks.begin(), stall.ranks.end());
    missing.insert(stall.ranks.begin(), stall.ranks.end());
  }
  std::vector<int> roots;
  std::ranges::set_difference(missing, waiting, std::back_inserter(roots));
  return roots;
}

std::string group_text(const Stall& stall) {
  return stall.description.empty() ? "group " + stall.group
                                   : fmt::format("group {} ({})", stall.group, stall.description);
}

std::string operation_text(const Stall& stall) {
  const std::string operation = stall.operation.empty() ? "collective" : stall.operation;
  return fmt::format("{} {}{}{}", operation, stall.sequence, stall.sizes.empty() ? "" : " of " + stall.sizes,
                     stall.types.empty() ? "" : " " + stall.types);
}

std::string_view has(const std::vector<int>& ranks) { return ranks.size() == 1 ? "has" : "have"; }
std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

}  // namespace

std::string_view name_of(StallKind kind) {
  constexpr std::array<std::string_view, 5> names{"different", "missing", "unstarted", "unfinished", "unmatched"};
  return names[static_cast<std::size_t>(kind)];
}

Result<CollectivesAutopsy> collectives_autopsy(const std::vector<FlightDump>& dumps) {
  CollectivesAutopsy autopsy;
  std::set<int> dumped, absent;
  for (const FlightDump& dump : dumps) {
    if (!dumped.insert(dump.rank).second)
      return fail(ErrorCode::bad_input,
                  fmt::format("found two dumps of rank {}, expected one of each rank", dump.rank));
    autopsy.calls += dump.entries.size();
  }
  const std::map<GroupKey, Group> groups = groups_of(dumps);
  autopsy.groups = groups.size();
  for (const auto& [key, group] : groups) {
    absent.insert(group.without_dump.begin(), group.without_dump.end());
    std::optional<Stall> stall = different_call(group);
    const auto missing = missing_call(group);
    if (!stall || (missing && missing->sequence < stall->sequence)) stall = missing;
    const auto unfinished = unfinished_call(group);
    if (!stall || (unfinished && unfinished->sequence < stall->sequence)) stall = unfinished;
    if (stall) autopsy.stalls.push_back(*std::move(stall));
    add_unmatched(group, autopsy.stalls);
  }
  std::ranges::stable_sort(autopsy.stalls, {}, &Stall::kind);
  autopsy.dumped.assign(dumped.begin(), dumped.end());
  autopsy.without_dump.assign(absent.begin(), absent.end());
  autopsy.roots = roots_of(autopsy.stalls);
  return autopsy;
}

std::string sentence_of(const Stall& stall, const RankPlaces& places) {
  const std::string in = fmt::format("{} in {}", operation_text(stall), group_text(stall));
  const std::string at = stall.place.empty() ? "" : fmt::format(", called at {}", stall.place);
  switch (stall.kind) {
    case StallKind::different:
      return fmt::format("{} called {} as number {} of {}; {} called {}{}.", capital(places.text(stall.ranks)),
                         stall.found, stall.sequence, group_text(stall), places.text(stall.waiting),
                         operation_text(stall), at);
    case StallKind::missing:
      return fmt::format("{} {} not called {}; {} {} called it{}.", capital(places.text(stall.ranks)), has(stall.ranks),
                         in, places.text(stall.waiting), has(stall.waiting), at);
    case StallKind::unstarted:
      return fmt::format("{} {} called {} and not started it; {} {} started it{}.", capital(places.text(stall.ranks)),
                         has(stall.ranks), in, places.text(stall.waiting), has(stall.waiting), at);
    case StallKind::unfinished:
      return fmt::format("All ranks called {}; it has not ended on {}{}.", in, places.text(stall.waiting), at);
    case StallKind::unmatched:
      return fmt::format("{} waits in a {} that {} {} not called the other side of, in {}{}.",
                         capital(places.text(stall.waiting)), stall.operation, places.text(stall.ranks),
                         has(stall.ranks), group_text(stall), at);
  }
  return {};
}

std::vector<std::string> findings_of(const CollectivesAutopsy& autopsy, const RankPlaces& places) {
  std::vector<std::string> found;
  if (autopsy.stalls.empty()) found.emplace_back("Every recorded collective of all groups has ended on all ranks.");
  if (!autopsy.roots.empty())
    found.push_back(fmt::format("{} {} up the job: others wait there, and {} in no collective.",
                                capital(places.text(autopsy.roots)), autopsy.roots.size() == 1 ? "holds" : "hold",
                                autopsy.roots.size() == 1 ? "it waits" : "they wait"));
  for (const Stall& stall : autopsy.stalls) found.push_back(sentence_of(stall, places));
  if (!autopsy.without_dump.empty())
    found.push_back(fmt::format("No dump was given of {}, which groups have.", places.text(autopsy.without_dump)));
  return found;
}

}  // namespace pipedeck::study::autopsy
