// SPDX-License-Identifier: Apache-2.0
#include "core/io/traces/collectives.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/io/traces/events.hpp"
#include "core/io/traces/names.hpp"

namespace pipedeck::io::traces {
namespace {

constexpr std::size_t most_kinds = 65'536;
constexpr std::size_t most_steps = 65'536;
constexpr std::size_t longest_kernel = 80;  // bytes of a name of no known form
constexpr int most_rank = 65'535;

/// Files collectives, launches and steps away until all events are read.
class CollectiveCollector {
 public:
  Result<void> take(const Event& event) {
    if (event.phase != 'X' || !event.start) return {};
    if (is_launch(event.category)) {
      if (event.correlation) launches_[*event.correlation] = *event.start;
      return {};
    }
    if (is_kernel(event.category)) return take_kernel(event);
    take_step(event);
    return {};
  }

  RankCollectives finish(int rank) {
    result_.rank = rank;
    std::ranges::sort(steps_);
    std::ranges::stable_sort(kernels_, {}, [](const Kernel& one) { return one.kernel.start; });
    for (Kernel& one : kernels_) {
      const auto launch = one.correlation ? launches_.find(*one.correlation) : launches_.end();
      one.kernel.step = step_at(launch == launches_.end() ? one.kernel.start : launch->second);
      result_.kernels.push_back(one.kernel);
    }
    return std::move(result_);
  }

 private:
  struct Kernel {
    CollectiveKernel kernel;
    std::optional<std::int64_t> correlation;
  };

  Result<void> take_kernel(const Event& event) {
    if (is_copy(event.category) || !is_communication(event.name)) return {};
    CollectiveKind kind{event.collective.empty() ? operation_in_kernel(event.name) : std::string(event.collective),
                        std::string(event.group), std::string(event.group_ranks)};
    if (kind.operation == "send" || kind.operation == "recv") {
      ++result_.transfers;
      return {};
    }
    const auto [found, added] = numbers_.try_emplace(kind, static_cast<std::uint32_t>(result_.kinds.size()));
    if (added) result_.kinds.push_back(std::move(kind));
    if (result_.kinds.size() > most_kinds)
      return fail(ErrorCode::bad_input, fmt::format("found more than {} groups, expected a run's few", most_kinds),
                  fmt::format("event {}", event.number));
    kernels_.push_back({{.kind = found->second, .start = *event.start, .duration = event.duration}, event.correlation});
    return {};
  }

  /// Takes a step of the host. The profiler also copies steps to a GPU's tracks, which are_kernel leaves out.
  void take_step(const Event& event) {
    constexpr std::string_view prefix = "ProfilerStep#";
    if (!event.name.starts_with(prefix) || event.category.starts_with("gpu") || steps_.size() >= most_steps) return;
    int number = 0;
    std::from_chars(event.name.data() + prefix.size(), event.name.data() + event.name.size(), number);
    if (number <= 0 || !result_.steps.try_emplace(number, event.duration).second) return;
    steps_.emplace_back(*event.start, number);
  }

  /// Returns the number of the step that a time is in or behind; 0: before the first one.
  int step_at(std::int64_t time) const {
    const auto next = std::ranges::upper_bound(steps_, time, {}, &std::pair<std::int64_t, int>::first);
    return next == steps_.begin() ? 0 : std::prev(next)->second;
  }

  RankCollectives result_;
  std::vector<Kernel> kernels_;
  std::vector<std::pair<std::int64_t, int>> steps_;          ///< start and number
  std::unordered_map<std::int64_t, std::int64_t> launches_;  ///< when, by correlation
  std::map<CollectiveKind, std::uint32_t> numbers_;
};

}  // namespace

std::string operation_in_kernel(std::string_view kernel) {
  constexpr std::array<std::string_view, 7> operations{"AllReduce", "AllGather", "ReduceScatter", "SendRecv",
                                                       "Broadcast", "AllToAll",  "Reduce"};
  for (const std::string_view operation : operations)
    if (kernel.find(operation) != kernel.npos) return std::string(operation);
  return std::string(kernel.substr(0, std::min(kernel.find_first_of("(<"), longest_kernel)));
}

Result<RankCollectives> read_collectives(const std::string& path, const std::stop_token& stop,
                                         const Progress& progress) {
  CollectiveCollector collector;
  TRY(const Head head, read_trace_events(
                           path, [&](const Event& event) { return collector.take(event); }, stop, progress));
  if (!head.rank || *head.rank < 0 || *head.rank > most_rank)
    return fail(ErrorCode::bad_input,
                "found no rank (\"distributedInfo\"), expected one: traces of several ranks are compared", {}, path);
  return collector.finish(static_cast<int>(*head.rank));
}

}  // namespace pipedeck::io::traces
