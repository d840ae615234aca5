// SPDX-License-Identifier: Apache-2.0
// Measures what-if on BERT-48 over 2 x 8 devices: the time from the end of a slider's move to the first and the final
// answer, and the time of the front and the purchases.
#include <algorithm>
#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "core/presets/device_catalogue.hpp"
#include "core/presets/presets.hpp"
#include "core/sim/explain/sensitivity.hpp"
#include "core/study/whatif/change.hpp"
#include "core/study/whatif/front.hpp"
#include "core/study/whatif/upgrades.hpp"

using namespace pipedeck;

namespace {

using Clock = std::chrono::steady_clock;
double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

std::string figures(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return fmt::format("p50 {:.1f} ms, p95 {:.1f} ms, worst {:.1f} ms", times[times.size() / 2],
                     times[times.size() * 95 / 100], times.back());
}

}  // namespace

int main() {
  const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  Problem problem;
  problem.profile = std::make_shared<const Profile>(*presets::profile_preset("BERT-48"));
  problem.cluster = std::make_shared<const Cluster>(*presets::cluster_preset("dapple-a"));
  problem.workload.global_batch = 64;
  problem = *study::whatif::with_change(problem, {}, presets::device_catalogue());
  const std::vector<study::PlannerRequest> asked = study::default_planners(*problem.profile);
  const study::whatif::SearchOptions how{threads, {}, {}, {}};
  const auto today = study::whatif::best_plan(problem, asked, {}, 1, how);
  const std::vector<Plan> kept{*today->best->found.plan};

  std::vector<double> first, last;
  for (int step = 0; step < 60; ++step) {
    WhatIf change;
    change.between = BytesPerSecond(1e9 * (1 + step));
    change.nodes = 1 + step % 8;
    double answered = 0;
    const auto begin = Clock::now();
    const auto changed = study::whatif::with_change(problem, change, presets::device_catalogue());
    (void)study::whatif::best_plan(*changed, asked, kept, 1, how, [&](const study::whatif::Candidate&) {
      if (answered == 0) answered = milliseconds_since(begin);
    });
    last.push_back(milliseconds_since(begin));
    first.push_back(answered > 0 ? answered : last.back());
  }
  fmt::print("first answer:  {}\nfinal answer:  {}\n", figures(first), figures(last));
  auto begin = Clock::now();
  const auto plans = study::whatif::find_front(problem, asked, study::whatif::front_space(problem), how);
  fmt::print("front:         {} plans in {:.0f} ms\n", plans->size(), milliseconds_since(begin));
  begin = Clock::now();
  const auto gains = sim::explain::sensitivity(problem, *today->best->found.plan, 1.1, {}, {}, threads);
  const auto bought = study::whatif::upgrades(problem, &today->best->found,
                                              study::whatif::purchases(problem, &*gains, presets::device_catalogue()),
                                              asked, presets::device_catalogue(), how);
  fmt::print("what to buy:   {} purchases in {:.0f} ms\n", bought->size(), milliseconds_since(begin));
  return 0;
}
