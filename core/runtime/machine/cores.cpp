// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/machine/cores.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pipedeck::runtime::machine {

std::vector<int> usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  return cores;
}

Result<void> check_cores(const std::vector<int>& cores, std::size_t devices) {
  if (cores.empty()) return {};
  if (cores.size() != devices)
    return fail(ErrorCode::bad_usage,
                fmt::format("found {} cores, expected {}, one for each device of the plan", cores.size(), devices));
  const std::vector<int> usable = usable_cores();
  for (const int core : cores) {
    if (!std::ranges::binary_search(usable, core))
      return fail(ErrorCode::bad_usage, fmt::format("found core {}, expected one of {}, those that may be used here",
                                                    core, fmt::join(usable, ", ")));
  }
  return {};
}

bool pin_this_thread(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core), &set);
  return pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0;
}

void pin_to_core(std::size_t place) {
  const std::vector<int> cores = usable_cores();
  if (place < cores.size()) pin_this_thread(cores[place]);
}

}  // namespace pipedeck::runtime::machine
