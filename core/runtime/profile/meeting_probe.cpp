// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/profile/meeting_probe.hpp"

#include <chrono>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "core/runtime/cores.hpp"
#include "core/runtime/thread_of_its_own.hpp"
#include "core/runtime/transport/threads.hpp"

namespace pipedeck {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t warm_ups = 10, most = 400;
constexpr std::chrono::milliseconds long_enough(100);  // on a busy machine each thread gets its turn on a core

/// Runs until the first member, which contributes 1 while it continues, has seen enough.
std::vector<double> meet_often(Collective& group) {
  std::vector<double> seconds;
  const auto begin = Clock::now();
  for (float going_on = 1; going_on > 0;) {
    const auto start = Clock::now();
    const bool enough = seconds.size() > warm_ups && (seconds.size() >= most || start - begin > long_enough);
    going_on = group.rank() == 0 && !enough ? 1 : 0;
    group.all_reduce({&going_on, 1});
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  seconds.erase(seconds.begin(), seconds.begin() + warm_ups);
  return seconds;
}

}  // namespace

RobustSummary measure_meeting(int members) {
  std::vector<std::shared_ptr<DeviceMemory>> memories;
  std::vector<DeviceId> devices;
  for (int i = 0; i < members; ++i) {
    memories.push_back(std::make_shared<DeviceMemory>());
    devices.emplace_back(std::int32_t{i});
  }
  RunControl control(std::chrono::hours(1), devices);
  control.look_before_sleeping(devices.size());
  ThreadTransport transport(memories, control);
  std::vector<std::size_t> all(static_cast<std::size_t>(members));
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<std::unique_ptr<Collective>> groups;
  for (const std::size_t member : all) groups.push_back(transport.join(all, member));
  std::vector<std::jthread> others;
  for (std::size_t member = 1; member < all.size(); ++member)
    others.emplace_back([&group = *groups[member], member] {
      stand_apart(member);
      meet_often(group);
    });
  RobustSummary summary;
  on_one_core([&] {
    stand_apart(0);
    summary = summary_of(meet_often(*groups.front()));
  });
  return summary;
}

}  // namespace pipedeck
