// SPDX-License-Identifier: Apache-2.0
#include "core/sim/network/fluid_network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pipedeck::sim::network {

FluidNetwork::FluidNetwork(const std::vector<double>& capacities) : links_(capacities.size()) {
  for (std::size_t l = 0; l < capacities.size(); ++l) links_[l].capacity = capacities[l];
}

int FluidNetwork::start(const FlowShape& shape, std::int64_t now) {
  int number = static_cast<int>(flows_.size());
  if (free_.empty()) {
    flows_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  Flow& fresh = flow(number);
  fresh = Flow{};
  fresh.shape = &shape;
  fresh.since = now;
  add_flow(number, now);
  return number;
}

void FluidNetwork::advance(std::int64_t now, std::vector<int>& ended) {
  while (!queue_.empty() && flow(queue_.front()).due == now) {
    const int number = queue_.front();
    unqueue_first();
    remove_flow(number);
    if (++flow(number).phase < flow(number).shape->size()) {
      add_flow(number, now);
    } else {
      ended.push_back(number);
      free_.push_back(number);
    }
  }
}

// --- phases

/// A flow whose links are empty has them for itself; otherwise update_rates() computes rates.
void FluidNetwork::add_flow(int number, std::int64_t now) {
  Flow& entering = flow(number);
  const FlowShape& phases = *entering.shape;
  const auto empty = [&](std::size_t p) { return phases[p].until <= (p == 0 ? 0 : phases[p - 1].until); };
  while (entering.phase + 1 < phases.size() && empty(entering.phase)) ++entering.phase;
  bool alone = true;
  for (const LinkUse& use : phase(entering).uses) {
    alone = alone && link(use.link).flows.empty();
    link(use.link).flows.push_back({number, use.times});
  }
  if (alone) return set_speed(number, 1, now);
  for (const LinkUse& use : phase(entering).uses) mark(use.link);
}

void FluidNetwork::remove_flow(int number) {
  const Flow& leaving = flow(number);
  for (const LinkUse& use : phase(leaving).uses) {
    const int where = use.link;
    std::vector<Crossing>& flows = link(where).flows;
    const auto own = std::find_if(flows.begin(), flows.end(), [&](const Crossing& c) { return c.flow == number; });
    *own = flows.back();
    flows.pop_back();
    if (!flows.empty()) mark(where);
  }
}

void FluidNetwork::mark(int number) {
  if (link(number).changed) return;
  link(number).changed = true;
  changed_.push_back(number);
}

/// Nothing is touched where the speed stays, so that rounding does not add up.
void FluidNetwork::set_speed(int number, double speed, std::int64_t now) {
  Flow& own = flow(number);
  if (speed != own.speed) {
    own.position += static_cast<double>(now - own.since) * own.speed;
    own.since = now;
    own.speed = speed;
  } else if (own.queued >= 0) {
    return;
  }
  const double left = std::floor((phase(own).until - own.position) / speed + 0.5);
  own.due = std::max(now, own.since + static_cast<std::int64_t>(left));
  queue(number);
}

// --- rates

void FluidNetwork::update_rates(std::int64_t now) {
  ++search_;
  for (const int number : changed_) {
    link(number).changed = false;
    if (link(number).seen == search_ || link(number).flows.empty()) continue;
    gather(number);
    fill();
    for (const int near : near_flows_) set_speed(near, flow(near).found / phase(flow(near)).rate, now);
  }
  changed_.clear();
}

/// The links and flows that hang together with a link.
void FluidNetwork::gather(int from) {
  near_links_.assign(1, from);
  near_flows_.clear();
  link(from).seen = search_;
  for (std::size_t at = 0; at < near_links_.size(); ++at) {
    Link& here = link(near_links_[at]);
    here.left = here.capacity;
    here.weight = 0;
    for (const Crossing& crossing : here.flows) {
      here.weight += crossing.times;
      Flow& other = flow(crossing.flow);
      if (other.seen == search_) continue;
      other.seen = search_;
      other.found = -1;
      near_flows_.push_back(crossing.flow);
      for (const LinkUse& use : phase(other).uses) {
        const int next = use.link;
        if (link(next).seen == search_) continue;
        link(next).seen = search_;
        near_links_.push_back(next);
      }
    }
  }
}

constexpr double rounding = 1e-9;  // far below the part that one of all devices has of a hop

/// Progressive filling: all rates rise together until a link is full; its flows stay at that level, the others go on.
void FluidNetwork::fill() {
  double risen = 0;  // lest rounding lowers it again
  while (true) {
    double level = std::numeric_limits<double>::infinity();
    int fullest = -1;
    for (const int number : near_links_) {
      const Link& here = link(number);
      if (here.weight <= 0 || here.left >= level * here.weight) continue;
      level = here.left / here.weight;
      fullest = number;
    }
    if (fullest < 0) return;
    level = risen = std::max(risen, level);
    if (freeze_capped(level)) continue;
    for (const Crossing& crossing : link(fullest).flows)
      if (flow(crossing.flow).found < 0) freeze(flow(crossing.flow), level);
  }
}

/// Flows that would not go faster than `level` even alone.
bool FluidNetwork::freeze_capped(double level) {
  bool any = false;
  for (const int number : near_flows_) {
    Flow& own = flow(number);
    if (own.found >= 0 || phase(own).rate > level) continue;
    freeze(own, phase(own).rate);
    any = true;
  }
  return any;
}

void FluidNetwork::freeze(Flow& own, double rate) {
  own.found = rate;
  for (const LinkUse& use : phase(own).uses) {
    Link& here = link(use.link);
    here.left -= use.times * rate;
    here.weight -= use.times;
    if (here.weight < rounding) here.weight = 0;  // parts of hops need not add up to exactly one
  }
}

// --- the queue: a binary heap that knows each flow's place

bool FluidNetwork::before(int a, int b) const { return flow(a).due != flow(b).due ? flow(a).due < flow(b).due : a < b; }

void FluidNetwork::place(std::size_t at, int number) {
  queue_[at] = number;
  flow(number).queued = static_cast<int>(at);
}

void FluidNetwork::queue(int number) {
  if (flow(number).queued < 0) {
    queue_.push_back(number);
    flow(number).queued = static_cast<int>(queue_.size()) - 1;
  }
  const auto at = static_cast<std::size_t>(flow(number).queued);
  sift_up(at);
  sift_down(static_cast<std::size_t>(flow(number).queued));
}

void FluidNetwork::unqueue_first() {
  flow(queue_.front()).queued = -1;
  const int last = queue_.back();
  queue_.pop_back();
  if (queue_.empty()) return;
  place(0, last);
  sift_down(0);
}

void FluidNetwork::sift_up(std::size_t at) {
  const int number = queue_[at];
  for (; at > 0 && before(number, queue_[(at - 1) / 2]); at = (at - 1) / 2) place(at, queue_[(at - 1) / 2]);
  place(at, number);
}

void FluidNetwork::sift_down(std::size_t at) {
  const int number = queue_[at];
  for (std::size_t child = 2 * at + 1; child < queue_.size(); child = 2 * at + 1) {
    if (child + 1 < queue_.size() && before(queue_[child + 1], queue_[child])) ++child;
    if (!before(queue_[child], number)) break;
    place(at, queue_[child]);
    at = child;
  }
  place(at, number);
}

}  // namespace pipedeck::sim::network
