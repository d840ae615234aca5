// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/profile/meeting_probe.hpp"

#include <chrono>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "core/runtime/cpu/one_core.hpp"
#include "core/runtime/machine/cores.hpp"
#include "core/runtime/transport/threads.hpp"

namespace pipedeck::runtime::profile {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t warm_up_meetings = 10, most = 400;
constexpr std::chrono::milliseconds long_enough(100);  // on a busy machine each thread gets its turn on a core

/// Runs until the first member, which contributes 1 while it continues, has seen enough.
std::vector<double> run_barriers(transport::Collective& group) {
  std::vector<double> seconds;
  const auto begin = Clock::now();
  for (float going_on = 1; going_on > 0;) {
    const auto start = Clock::now();
    const bool enough = seconds.size() > warm_up_meetings && (seconds.size() >= most || start - begin > long_enough);
    going_on = group.rank() == 0 && !enough ? 1 : 0;
    group.all_reduce({&going_on, 1});
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  seconds.erase(seconds.begin(), seconds.begin() + warm_up_meetings);
  return seconds;
}

}  // namespace

machine::RobustSummary measure_barrier(int members) {
  std::vector<std::shared_ptr<tensor::DeviceMemory>> memories;
  std::vector<DeviceId> devices;
  for (int i = 0; i < members; ++i) {
    memories.push_back(std::make_shared<tensor::DeviceMemory>());
    devices.emplace_back(std::int32_t{i});
  }
  transport::RunControl control(std::chrono::hours(1), devices);
  control.enable_spin_wait(devices.size());
  transport::ThreadTransport transport(memories, control);
  std::vector<std::size_t> all(static_cast<std::size_t>(members));
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<std::unique_ptr<transport::Collective>> groups;
  for (const std::size_t member : all) groups.push_back(transport.join(all, member));
  std::vector<std::jthread> others;
  for (std::size_t member = 1; member < all.size(); ++member)
    others.emplace_back([&group = *groups[member], member] {
      machine::pin_to_core(member);
      run_barriers(group);
    });
  machine::RobustSummary summary;
  cpu::run_on_worker_thread([&] {
    machine::pin_to_core(0);
    summary = machine::summary_of(run_barriers(*groups.front()));
  });
  return summary;
}

}  // namespace pipedeck::runtime::profile
