// SPDX-License-Identifier: Apache-2.0
#include "core/sim/simulate.hpp"

#include <utility>

#include "core/cost/lower_bound.hpp"
#include "core/plan/cuts.hpp"
#include "core/plan/validate.hpp"
#include "core/sim/engine/period.hpp"
#include "core/sim/engine_plan.hpp"
#include "core/sim/simulation_size.hpp"
#include "core/sim/verdict.hpp"

namespace pipedeck::sim {

struct Simulator::Shared : costs::SimulatorInputs {};

namespace {

Result<void> check_size_of(const costs::SimulatorInputs& inputs, const Plan& plan, bool verdict) {
  return check_size(plan, verdict, max_simulation, slowed_bytes(inputs.conventions.calibration, verdict));
}

}  // namespace

Result<Simulator> Simulator::of(std::shared_ptr<const Profile> profile, std::shared_ptr<const Cluster> cluster,
                                const SimulationOptions& conventions) {
  Result<cost::Network> network = cost::Network::of(*cluster, conventions.calibration);
  if (!network) return tl::unexpected(network.error());
  std::vector<LayerId> order;
  for (std::size_t i = 0; i < profile->layers.size(); ++i) order.push_back(LayerId(i));
  std::vector<Bytes> cuts = plan::boundary_bytes(*profile, order);
  return Simulator(std::make_shared<const Shared>(Shared{
      {std::move(profile), std::move(cluster), conventions, std::move(*network), std::move(order), std::move(cuts)}}));
}

Result<Simulation> Simulator::run(const Plan& plan, std::stop_token stop, const SimulationDetail& detail) const {
  if (Result<void> small = check_size_of(*shared_, plan, true); !small) return tl::unexpected(small.error());
  const Result<EnginePlan> ready = prepare(*shared_, plan, stop);
  if (!ready) return tl::unexpected(ready.error());
  const engine::EngineInput input = ready->run_of(*shared_, plan, true);
  const Result<engine::Trace> trace = run_to_end(input, stop);
  if (!trace) return tl::unexpected(trace.error());
  return verdict_of(*shared_, input, *trace, detail, std::move(stop));
}

Result<Seconds> Simulator::iteration_time(const Plan& plan, std::stop_token stop) const {
  if (Result<void> small = check_size_of(*shared_, plan, false); !small) return tl::unexpected(small.error());
  const Result<EnginePlan> ready = prepare(*shared_, plan, stop);
  if (!ready) return tl::unexpected(ready.error());
  const engine::EngineInput input = ready->run_of(*shared_, plan, false);
  const Result<engine::Trace> trace = run_to_end(input, stop);
  if (!trace) return tl::unexpected(trace.error());
  return to_seconds(iteration_of(input, window_of(input, *trace)));
}

Result<Nanoseconds> Simulator::period(const Plan& plan, std::stop_token stop) const {
  if (!plan.synchronous())
    return iteration_time(plan, std::move(stop)).map([](Seconds time) { return round_to_nanoseconds(time); });
  if (Result<void> small = check_size_of(*shared_, plan, false); !small) return tl::unexpected(small.error());
  const Result<EnginePlan> ready = prepare(*shared_, plan, stop);
  if (!ready) return tl::unexpected(ready.error());
  return engine::steady_state_period(ready->run_of(*shared_, plan, false), stop);
}

const costs::SimulatorInputs& Simulator::inputs() const { return *shared_; }

Result<Schedule> Simulator::schedule(const Plan& plan) const {
  Result<EnginePlan> ready = prepare(*shared_, plan, {});
  if (!ready) return tl::unexpected(ready.error());
  return std::move(ready->schedule);
}

Simulator Simulator::with_overlap(Overlap overlap) const {
  Shared other = *shared_;
  other.conventions.overlap = overlap;
  return Simulator(std::make_shared<const Shared>(std::move(other)));
}

std::function<Result<Seconds>(const Plan&, std::optional<Overlap>, std::stop_token)> score_of(
    const Simulator& simulator) {
  return
      [own = simulator, none = simulator.with_overlap(Overlap::none), layer = simulator.with_overlap(Overlap::layer)](
          const Plan& plan, std::optional<Overlap> overlap, std::stop_token stop) {
        if (!overlap) return own.iteration_time(plan, std::move(stop));
        return (*overlap == Overlap::none ? none : layer).iteration_time(plan, std::move(stop));
      };
}

std::function<Result<bool>(const Plan&, std::stop_token)> fits_of(const Simulator& simulator) {
  return [simulator](const Plan& plan, std::stop_token stop) -> Result<bool> {
    TRY(const auto simulation, simulator.run(plan, std::move(stop)));
    return simulation.fits;
  };
}

Result<Simulation> simulate(const Problem& problem, const Plan& plan, std::stop_token stop) {
  if (Result<void> valid = plan::validate(plan, *problem.profile, *problem.cluster); !valid)
    return tl::unexpected(valid.error());
  const Result<Simulator> simulator = Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  if (!simulator) return tl::unexpected(simulator.error());
  return simulator->run(plan, std::move(stop));
}

Plan with_prediction(Plan plan, const Simulation& simulation, Seconds lower_bound) {
  Predicted predicted;
  predicted.iteration = to_seconds(simulation.iteration);
  predicted.samples_per_second = simulation.samples_per_second;
  predicted.bubble_fraction = simulation.bubble_fraction;
  for (const SimulatedDevice& device : simulation.devices) predicted.peak_memory.push_back(device.peak);
  predicted.lower_bound = cost::simulation_lower_bound(plan, lower_bound, predicted.iteration);
  predicted.fits = simulation.fits;
  predicted.network = simulation.network;
  predicted.overlap = simulation.overlap;
  predicted.collectives = simulation.collectives;
  plan.predicted = std::move(predicted);
  return plan;
}

}  // namespace pipedeck::sim
