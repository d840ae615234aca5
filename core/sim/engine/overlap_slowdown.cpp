// SPDX-License-Identifier: Apache-2.0
#include "core/sim/engine/overlap_slowdown.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/result.hpp"
#include "core/sim/engine/intervals.hpp"

namespace pipedeck::sim::engine {
namespace {

class Overlaps {
 public:
  Overlaps(const EngineInput& run, const Trace& trace)
      : run_(run), trace_(trace), channels_of_(run.costs.lanes.size()), own_(run.channels.all.size(), false) {
    for (std::size_t c = 0; c < run.channels.all.size(); ++c) {
      const costs::Channel& channel = run.channels.all[c];
      if (channel.resource == costs::Channel::local) continue;
      std::set<std::size_t> lanes;
      for (const std::vector<int>* ends : {&channel.sources, &channel.targets})
        for (const int w : *ends) lanes.insert(run.costs.workers[static_cast<std::size_t>(w)].lane);
      for (const std::size_t lane : lanes) channels_of_[lane].push_back(c);
    }
  }

  /// For every pass of the lane, in the order of its list: its time during communication.
  std::vector<std::int64_t> of(std::size_t lane) {
    const std::vector<Interval> busy = communication(lane);
    std::vector<std::int64_t> overlaps;
    std::size_t at = 0;
    for (const TimelineRow& row : trace_.operations[lane]) {
      if (row.operation.kind == OpKind::optimizer) continue;
      const std::int64_t begin = row.start.count, end = row.end().count;
      while (at < busy.size() && busy[at].end <= begin) ++at;
      std::int64_t sum = 0;
      for (std::size_t i = at; i < busy.size() && busy[i].begin < end; ++i)
        sum += std::min(busy[i].end, end) - std::max(busy[i].begin, begin);
      overlaps.push_back(sum);
    }
    return overlaps;
  }

 private:
  /// Sorted and merged: when the lane's devices send, receive or all-reduce.
  std::vector<Interval> communication(std::size_t lane) {
    std::vector<Interval> all;
    add_transfers(lane, all);
    add_all_reduces(lane, all);
    return merged(std::move(all));
  }

  void add_transfers(std::size_t lane, std::vector<Interval>& all) {
    std::set<std::size_t> resources;
    for (const std::size_t c : channels_of_[lane]) {
      own_[c] = true;
      resources.insert(static_cast<std::size_t>(run_.channels.all[c].resource));
    }
    for (const std::size_t resource : resources)
      for (const TransferRow& row : trace_.transfers[resource])
        if (own_[static_cast<std::size_t>(row.channel)]) all.push_back({row.start, row.start + row.duration});
    for (const std::size_t c : channels_of_[lane]) own_[c] = false;
  }

  void add_all_reduces(std::size_t lane, std::vector<Interval>& all) const {
    std::set<int> stages;
    for (const std::size_t w : run_.costs.lanes[lane].workers) stages.insert(run_.costs.workers[w].stage);
    for (const int stage : stages)
      for (const ReductionRow& row : trace_.reductions[static_cast<std::size_t>(stage)])
        all.push_back({row.start, row.start + row.duration});
  }

  const EngineInput& run_;
  const Trace& trace_;
  std::vector<std::vector<std::size_t>> channels_of_;  // by lane
  std::vector<bool> own_;                              // of the current lane, by channel
};

}  // namespace

PassDurations overlap_durations(const EngineInput& plain, double slowdown, const std::stop_token& stop) {
  ensure(slowdown >= 1, "communication makes no pass quicker");
  EngineInput recorded = plain;
  recorded.record = true;
  const Trace trace = run_engine(recorded, stop);
  if (!trace.complete) return {};
  Overlaps overlaps(recorded, trace);
  PassDurations passes = pass_durations(trace);
  for (std::size_t l = 0; l < passes.size() && !stop.stop_requested(); ++l) {
    const std::vector<std::int64_t> beside = overlaps.of(l);
    for (std::size_t i = 0; i < beside.size(); ++i)
      passes[l][i] += saturating::whole(std::floor((slowdown - 1) * static_cast<double>(beside[i]) + 0.5));
  }
  if (stop.stop_requested()) return {};
  return passes;
}

Trace run_slowed(EngineInput plain, double slowdown, const std::stop_token& stop) {
  if (slowdown == 1) return run_engine(plain, stop);
  const PassDurations passes = overlap_durations(plain, slowdown, stop);
  if (!passes.empty()) plain.passes = &passes;
  return run_engine(plain, stop);
}

}  // namespace pipedeck::sim::engine
