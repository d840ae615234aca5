// SPDX-License-Identifier: Apache-2.0
#include "core/sim/simulate.hpp"

#include <array>
#include <map>
#include <utility>

#include "core/cost/lower_bound.hpp"
#include "core/plan/cuts.hpp"
#include "core/plan/validate.hpp"
#include "core/sim/engine/period.hpp"
#include "core/sim/engine_plan.hpp"
#include "core/sim/simulation_size.hpp"
#include "core/sim/step/predict_step.hpp"
#include "core/sim/verdict.hpp"

namespace pipedeck::sim {

struct Simulator::Shared : costs::SimulatorInputs {};

namespace {

Result<void> check_size_of(const costs::SimulatorInputs& inputs, const Plan& plan, bool verdict) {
  if (has_mesh(plan)) return {};  // it is folded to a device per pipeline rank
  return check_size(plan, verdict, max_simulation, slowed_bytes(inputs.conventions.calibration, verdict));
}

}  // namespace

Result<Simulator> Simulator::of(std::shared_ptr<const Profile> profile, std::shared_ptr<const Cluster> cluster,
                                const SimulationOptions& conventions) {
  Result<cost::Network> network = cost::Network::of(*cluster, conventions);
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
  return verdict_of(ready->result_inputs(*shared_), input, *trace, detail, std::move(stop));
}

Result<mesh::Prediction> Simulator::prediction(const Plan& plan) const {
  TRY(const StepQuestion step, question_of(*shared_, plan));
  return step::predict_step(step.question, step.rates);
}

Result<std::optional<step::ImbalanceBand>> Simulator::imbalance(const Plan& plan) const {
  constexpr std::array shown{1.0, 1.25, 1.5, 2.0, 3.0, 4.0};
  TRY(const StepQuestion step, question_of(*shared_, plan));
  if (!step::has_imbalance(step.question)) return std::optional<step::ImbalanceBand>();
  TRY(auto band, step::imbalance_band(step.question, step.rates, shown));
  return std::optional(std::move(band));
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

Result<Simulation> simulate(const mesh::Question& question, const mesh::Rates& rates, std::stop_token stop,
                            const SimulationDetail& detail) {
  const auto profile = std::make_shared<Profile>();
  TRY(const EnginePlan ready, prepare(question, rates, profile->micro_batch));
  TRY(cost::Network network, cost::Network::of(*question.cluster));
  const costs::SimulatorInputs inputs{profile, question.cluster, SimulationOptions(), std::move(network), {}, {}};
  const engine::EngineInput input = ready.run_of(inputs, ready.pipeline->plan, true);
  TRY(const engine::Trace trace, run_to_end(input, stop));
  return verdict_of(ready.result_inputs(inputs), input, trace, detail, std::move(stop));
}

void take_sample_rate(const Plan& plan, const Plan& same, Simulation& simulation) {
  simulation.samples_per_second *= static_cast<double>(plan.global_batch) / same.global_batch;
}

Plan with_prediction(Plan plan, const Simulation& simulation, Seconds lower_bound) {
  Predicted predicted;
  predicted.iteration = to_seconds(simulation.iteration);
  predicted.samples_per_second = simulation.samples_per_second;
  predicted.bubble_fraction = simulation.bubble_fraction;
  std::map<DeviceId, Bytes> peaks;
  for (const SimulatedDevice& device : simulation.devices) {
    peaks[device.device] = device.peak;
    for (const DeviceId twin : device.twins) peaks[twin] = device.peak;
  }
  for (const auto& [device, peak] : peaks) predicted.peak_memory.push_back(peak);
  predicted.lower_bound = cost::simulation_lower_bound(plan, lower_bound, predicted.iteration);
  predicted.fits = simulation.fits;
  predicted.network = simulation.network;
  predicted.overlap = simulation.overlap;
  predicted.collectives = simulation.collectives;
  plan.predicted = std::move(predicted);
  return plan;
}

}  // namespace pipedeck::sim
