// SPDX-License-Identifier: Apache-2.0
#include "tests/core/sim/network/plain_sharing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pipedeck::test {
namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// An active flow. Progress is in nanoseconds of the flow alone, so that a flow that never shares ends on its own time.
struct Running {
  PlainFlow* flow = nullptr;
  std::size_t stretch = 0;     // a delay and bytes are two stretches of a phase
  double done = 0, speed = 1;  // ns of the flow alone; of 1
  std::int64_t since = 0, due = never;
};

const PlainPhase& phase(const Running& running) { return running.flow->phases[running.stretch / 2]; }
bool in_bytes(const Running& running) { return running.stretch % 2 == 1; }

/// Returns the end of the stretch, in ns of the flow alone.
double boundary(const Running& running) {
  double end = 0;
  for (std::size_t i = 0; i <= running.stretch; ++i) {
    const PlainPhase& own = running.flow->phases[i / 2];
    end += i % 2 == 0 ? own.delay : own.bytes / own.rate * 1e9;
  }
  return end;
}

/// Raises the rate of all open flows until a link is full or a flow has its maximum.
void set_speeds(std::vector<Running>& all, const std::map<std::string, double>& capacity, std::int64_t now) {
  std::vector<Running*> open;
  std::map<Running*, double> rates;
  for (Running& running : all)
    if (in_bytes(running)) open.push_back(&running);
  std::map<std::string, double> left = capacity;
  double level = 0;
  while (!open.empty()) {
    std::map<std::string, double> weight;
    for (const Running* running : open)
      for (const auto& [link, times] : phase(*running).uses) weight[link] += times;
    double rise = std::numeric_limits<double>::infinity();
    for (const auto& [link, times] : weight) rise = std::min(rise, left.at(link) / times);
    for (const Running* running : open) rise = std::min(rise, phase(*running).rate - level);
    level += rise;
    for (const auto& [link, times] : weight) left.at(link) -= rise * times;
    const auto full = [&](const Running* running) {
      for (const auto& [link, times] : phase(*running).uses)
        if (left.at(link) <= 1e-9 * capacity.at(link)) return true;
      return level >= phase(*running).rate * (1 - 1e-12);
    };
    for (Running* running : open)
      if (full(running)) rates[running] = level;
    open.erase(std::remove_if(open.begin(), open.end(), full), open.end());
  }
  for (Running& running : all) {
    const double speed = in_bytes(running) ? std::min(1.0, rates.at(&running) / phase(running).rate) : 1;
    if (running.due != never && std::abs(speed - running.speed) < 1e-12) continue;
    running.done += static_cast<double>(now - running.since) * running.speed;
    running.since = now;
    running.speed = speed;
    const double rest = std::max(0.0, boundary(running) - running.done);
    running.due = now + static_cast<std::int64_t>(std::floor(rest / speed + 0.5));
  }
}

}  // namespace

void share_links(std::vector<PlainFlow>& flows, const std::map<std::string, double>& capacity) {
  std::map<std::string, std::vector<PlainFlow*>> queues;
  for (PlainFlow& flow : flows) queues[flow.queue].push_back(&flow);
  for (auto& [name, queue] : queues)
    std::stable_sort(queue.begin(), queue.end(), [](const PlainFlow* a, const PlainFlow* b) {
      return std::tie(a->ready, a->tie) > std::tie(b->ready, b->tie);  // the next one is last
    });
  std::vector<Running> running;
  std::map<std::string, bool> busy;
  while (true) {
    std::int64_t now = never;
    for (const Running& each : running) now = std::min(now, each.due);
    for (const auto& [name, queue] : queues)
      if (!busy[name] && !queue.empty()) now = std::min(now, queue.back()->ready);
    if (now == never) return;
    for (std::size_t i = 0; i < running.size();) {
      Running& each = running[i];
      if (each.due > now) {
        ++i;
        continue;
      }
      each.done += static_cast<double>(now - each.since) * each.speed;
      each.since = now;
      each.due = never;
      if (++each.stretch < 2 * each.flow->phases.size()) {
        ++i;
        continue;
      }
      each.flow->end = now;
      busy[each.flow->queue] = false;
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (auto& [name, queue] : queues) {
      if (busy[name] || queue.empty() || queue.back()->ready > now) continue;
      PlainFlow* flow = queue.back();
      queue.pop_back();
      flow->start = flow->end = now;
      if (flow->phases.empty()) continue;
      busy[name] = true;
      running.push_back({flow, 0, 0, 1, now, never});
    }
    set_speeds(running, capacity, now);
  }
}

}  // namespace pipedeck::test
