// SPDX-License-Identifier: Apache-2.0
#include "core/sim/explain/jitter.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>
#include <numbers>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "core/base/random.hpp"
#include "core/sim/engine_plan.hpp"
#include "core/sim/simulation_size.hpp"

namespace pipedeck::sim::explain {
namespace {

constexpr int max_threads = 64;

/// A plan made ready once, then run as often as wanted, from several threads.
class JitterRuns {
 public:
  static Result<JitterRuns> of(const costs::SimulatorInputs& inputs, const Plan& plan, const std::stop_token& stop) {
    Result<EnginePlan> prepared = prepare(inputs, plan, stop);
    if (!prepared) return tl::unexpected(prepared.error());
    JitterRuns runs(inputs, plan, std::move(*prepared));
    const engine::EngineInput recorded = runs.prepared_.run_of(inputs, plan, true);
    const Result<engine::Trace> trace = run_to_end(recorded, stop);
    if (!trace) return tl::unexpected(trace.error());
    runs.window_ = window_of(recorded, *trace);
    runs.still_ = iteration_of(recorded, runs.window_);
    runs.passes_ = engine::pass_durations(*trace);
    return runs;
  }

  /// Without jitter.
  Nanoseconds is_disabled() const { return still_; }

  /// `passes` is the caller's own, so that it is made once for many runs.
  Result<Nanoseconds> iteration(const Jitter& jitter, engine::PassDurations& passes,
                                const std::stop_token& stop) const {
    passes.resize(passes_.size());
    for (std::size_t l = 0; l < passes_.size(); ++l) {
      const DeviceId lead = prepared_.costs.lanes[l].devices.front();
      passes[l].resize(passes_[l].size());
      for (std::size_t i = 0; i < passes_[l].size(); ++i)
        passes[l][i] = saturating::whole(std::floor(static_cast<double>(passes_[l][i]) * jitter.factor(lead, i) + 0.5));
    }
    engine::EngineInput run = prepared_.run_of(inputs_, plan_, false);
    run.passes = &passes;
    const Result<engine::Trace> trace = run_to_end(run, stop);
    if (!trace) return tl::unexpected(trace.error());
    return iteration_within(run, *trace, window_);
  }

 private:
  JitterRuns(const costs::SimulatorInputs& inputs, const Plan& plan, EnginePlan prepared)
      : inputs_(inputs), plan_(plan), prepared_(std::move(prepared)) {}

  const costs::SimulatorInputs& inputs_;
  const Plan& plan_;
  EnginePlan prepared_;
  engine::PassDurations passes_;  // without jitter
  Nanoseconds still_;
  Window window_;
};

Result<std::vector<Nanoseconds>> all_runs(const JitterRuns& runs, const JitterOptions& options, int threads,
                                          const Progress& progress, const std::stop_token& stop) {
  const auto count = static_cast<std::size_t>(options.runs);
  if (options.variation == 0) return std::vector<Nanoseconds>(count, runs.is_disabled());
  std::vector<Nanoseconds> iterations(count);
  std::atomic<std::size_t> next = 0;
  const auto work = [&](bool reports) -> Result<void> {
    engine::PassDurations passes;
    for (std::size_t i = next++; i < count; i = next++) {
      if (reports) report(progress, static_cast<double>(i) / static_cast<double>(count), "simulating with jitter");
      TRY(const auto time, runs.iteration(Jitter(options.variation, options.seed, i), passes, stop));
      iterations[i] = time;
    }
    return {};
  };
  std::vector<std::future<Result<void>>> others;
  for (int t = 1; t < std::min({threads, max_threads, options.runs}); ++t)
    others.push_back(std::async(std::launch::async, work, false));
  Result<void> done = work(true);
  for (auto& other : others)
    if (Result<void> result = other.get(); !result && done) done = result;
  if (!done) return tl::unexpected(done.error());
  return iterations;
}

/// Half up.
Nanoseconds mean_of(const std::vector<Nanoseconds>& times) {
  const auto count = static_cast<std::int64_t>(times.size());
  std::int64_t whole = 0, rest = 0;  // apart: the sum of all may be too large
  for (const Nanoseconds time : times) whole += time.count / count, rest += time.count % count;
  return Nanoseconds(whole + (2 * rest + count) / (2 * count));
}

JitterBand band_of(const JitterOptions& options, Nanoseconds still, std::vector<Nanoseconds> iterations) {
  std::sort(iterations.begin(), iterations.end());
  const auto at = [&](std::size_t percent) {
    return iterations[(iterations.size() * percent + 99) / 100 - 1];  // the rank rounded up
  };
  return {options, still, mean_of(iterations), at(5), at(50), at(95)};
}

}  // namespace

Jitter::Jitter(double variation, std::uint64_t seed, std::uint64_t run)
    : stream_(mix_bits(mix_bits(seed) ^ run)), sigma_(std::sqrt(std::log1p(variation * variation))) {}

/// exp(sigma z - sigma^2 / 2), z normal (Box, Muller, 1958).
double Jitter::factor(DeviceId lead, std::size_t place) const {
  Random random(mix_bits(stream_ ^ lead.index()), place);
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  const double z = radius * std::cos(2 * std::numbers::pi * random.uniform());
  return std::exp(sigma_ * z - sigma_ * sigma_ / 2);
}

Result<void> check(const JitterOptions& options) {
  if (!(options.variation >= 0 && options.variation <= largest_jitter))
    return fail(ErrorCode::bad_usage,
                fmt::format("jitter: found {}, expected a standard deviation over mean from 0 to {}; 0.05 is 5 %",
                            options.variation, largest_jitter));
  if (options.runs < 1 || options.runs > max_jitter_runs)
    return fail(ErrorCode::bad_usage,
                fmt::format("jitter: found {} runs, expected 1 to {}", options.runs, max_jitter_runs));
  return {};
}

Result<JitterBand> jitter_band(const Simulator& simulator, const Plan& plan, const JitterOptions& options, int threads,
                               const Progress& progress, std::stop_token stop) {
  if (Result<void> known = check(options); !known) return tl::unexpected(known.error());
  const costs::SimulatorInputs& inputs = simulator.inputs();
  const std::int64_t beside = jittered_bytes(std::clamp(threads, 1, max_threads));
  if (Result<void> small = has_mesh(plan) ? Result<void>() : check_size(plan, false, max_simulation, beside); !small)
    return tl::unexpected(small.error());
  const Result<JitterRuns> runs = JitterRuns::of(inputs, plan, stop);
  if (!runs) return tl::unexpected(runs.error());
  TRY(auto iterations, all_runs(*runs, options, threads, progress, stop));
  return band_of(options, runs->is_disabled(), std::move(iterations));
}

}  // namespace pipedeck::sim::explain
