// SPDX-License-Identifier: Apache-2.0
// The clock of the `shared` network: flows that cross the same link at once share its bandwidth max-min fairly. A flow
// passes its phases one after another, each a pure delay or bytes over some links; a collective is one flow over all
// links of its ring, so that its slowest hop holds back the others. Progress is kept in nanoseconds of the flow alone,
// not in bytes: a flow that never shared ends at the very nanosecond at which it ends in the `ideal` network.
//
// Rates change at whole nanoseconds only, when some flow begins or ends a phase, and only those of flows that are
// joined to it by links in use (the connected component) are computed again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pipedeck::sim::network {

struct LinkUse {
  int link = 0;
  /// Hops of a collective over the same link in the same direction; a part of one where several cards divide its bytes.
  double times = 1;
  bool operator==(const LinkUse&) const = default;
};

struct FlowPhase {
  double until = 0;                 ///< ns from the flow's start to the phase's end, were the flow alone
  double rate = 0;                  ///< bytes/s over a link used once, alone; its maximum with other flows
  std::span<const LinkUse> uses{};  ///< different links; they live longer than the flow. None: a pure delay
};

/// A flow's phases, independent of its start: one at least.
using FlowShape = std::vector<FlowPhase>;

class FluidNetwork {
 public:
  explicit FluidNetwork(const std::vector<double>& capacities);  ///< bytes/s, by link

  /// The flow's number until it ends. `shape` lives longer than the flow. Call update_rates() when all have started
  /// that start now.
  int start(const FlowShape& shape, std::int64_t now);
  /// Gives every flow its rate from now on.
  void update_rates(std::int64_t now);

  static constexpr std::int64_t never = INT64_MAX;
  /// When the next phase ends.
  std::int64_t next() const { return queue_.empty() ? never : flow(queue_.front()).due; }
  /// Ends the phases that are due now, appends the flows that are at their end. Call update_rates() after it.
  void advance(std::int64_t now, std::vector<int>& ended);

  /// Returns a flow's rate after update_rates(): bytes/s over a link used once; 0 in a delay.
  double rate(int number) const { return phase(flow(number)).rate * flow(number).speed; }
  std::size_t phase_of(int number) const { return flow(number).phase; }

 private:
  struct Flow {
    const FlowShape* shape = nullptr;
    std::size_t phase = 0;
    std::int64_t since = 0;  // when `position` and `speed` were set
    double position = 0;     // ns of the flow alone
    double speed = 1;        // of 1
    std::int64_t due = 0;    // end of the phase
    int queued = -1;         // place in the queue
    std::uint64_t seen = 0;
    double found = -1;  // rate found by the filling; -1: not yet
  };
  struct Crossing {
    int flow = 0;
    double times = 1;
  };
  struct Link {
    double capacity = 0;
    std::vector<Crossing> flows;
    std::uint64_t seen = 0;
    bool changed = false;
    double left = 0, weight = 0;  // of the filling: capacity not given, uses not served
  };

  Flow& flow(int number) { return flows_[static_cast<std::size_t>(number)]; }
  const Flow& flow(int number) const { return flows_[static_cast<std::size_t>(number)]; }
  Link& link(int number) { return links_[static_cast<std::size_t>(number)]; }
  static const FlowPhase& phase(const Flow& flow) { return (*flow.shape)[flow.phase]; }

  void add_flow(int number, std::int64_t now);
  void remove_flow(int number);
  void mark(int number);
  void set_speed(int number, double speed, std::int64_t now);

  void gather(int from);
  void fill();
  bool freeze_capped(double level);
  void freeze(Flow& flow, double rate);

  bool before(int a, int b) const;
  void queue(int number);
  void unqueue_first();
  void sift_up(std::size_t at);
  void sift_down(std::size_t at);
  void place(std::size_t at, int number);

  std::vector<Flow> flows_;
  std::vector<int> free_;  // numbers of flows that ended
  std::vector<Link> links_;
  std::vector<int> changed_;  // links whose flows changed since update_rates()
  std::vector<int> queue_;    // a heap of flows, the earliest due first
  std::uint64_t search_ = 0;
  std::vector<int> near_links_, near_flows_;  // the current component
};

}  // namespace pipedeck::sim::network
