// SPDX-License-Identifier: Apache-2.0
// The judge: runs a plan's schedule with predicted durations (simulator.md).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/base/result.hpp"
#include "core/mesh/prediction.hpp"
#include "core/mesh/question.hpp"
#include "core/mesh/rates.hpp"
#include "core/model/plan.hpp"
#include "core/model/schedule.hpp"
#include "core/model/simulation.hpp"
#include "core/model/workload.hpp"
#include "core/sim/step/imbalance_band.hpp"

namespace pipedeck::sim::costs {
struct SimulatorInputs;
}  // namespace pipedeck::sim::costs

namespace pipedeck::sim {

struct SimulationDetail {
  bool item_curves = false;  ///< the memory curves by item as well
};

/// Everything about a problem that does not change from plan to plan (paths, cut bytes, layer order), computed once, so
/// that thousands of plans are judged quickly. Immutable: use it from several threads.
class Simulator {
 public:
  static Result<Simulator> of(std::shared_ptr<const Profile> profile, std::shared_ptr<const Cluster> cluster,
                              const SimulationOptions& conventions);

  /// The whole verdict with timeline and memory curves. Not fitting is no error: `fits` is false. bad_input where it
  /// would take more memory than max_simulation.
  Result<Simulation> run(const Plan& plan, std::stop_token stop = {}, const SimulationDetail& detail = {}) const;

  /// Iteration time alone: no timeline, no memory curve.
  Result<Seconds> iteration_time(const Plan& plan, std::stop_token stop = {}) const;

  /// Simulation::period of the plan; of an asynchronous one its iteration time.
  Result<Nanoseconds> period(const Plan& plan, std::stop_token stop = {}) const;

  /// Returns the tokens, parts and memory of a plan of format version 2, as training engines count them.
  Result<mesh::Prediction> prediction(const Plan& plan) const;

  /// Returns its time and memory over the imbalance of experts; nothing if that has no effect.
  Result<std::optional<step::ImbalanceBand>> imbalance(const Plan& plan) const;

  /// The order of operations that a run of the plan simulates.
  Result<Schedule> schedule(const Plan& plan) const;

  const costs::SimulatorInputs& inputs() const;

  /// Returns a simulator of the problem with another overlap of all-reduces.
  Simulator with_overlap(Overlap overlap) const;

 private:
  struct Shared;
  explicit Simulator(std::shared_ptr<const Shared> shared) : shared_(std::move(shared)) {}
  std::shared_ptr<const Shared> shared_;
};

/// Iteration times as planners ask for them: under the simulator's own overlap, or another. The stop token is the
/// planner's, for a plan of thousands of devices takes longer than a cancelled search may.
std::function<Result<Seconds>(const Plan&, std::optional<Overlap>, std::stop_token)> score_of(
    const Simulator& simulator);

/// Returns true if plans stay within the memory of every device, by their simulated curves.
std::function<Result<bool>(const Plan&, std::stop_token)> fits_of(const Simulator& simulator);

/// Simulator::of and run in one, for a single plan. Validates the plan against profile and cluster first.
Result<Simulation> simulate(const Problem& problem, const Plan& plan, std::stop_token stop = {});

/// Returns the result of a training step in several dimensions, with one device per pipeline rank and its twins.
Result<Simulation> simulate(const mesh::Question& question, const mesh::Rates& rates, std::stop_token stop = {},
                            const SimulationDetail& detail = {});

/// The plan with `predicted`, `profile` and `cluster` names filled in from its simulation.
Plan with_prediction(Plan plan, const Simulation& simulation, Seconds lower_bound);

/// Gives the simulation of `same`, by which a run of `plan` is predicted (plan::predicted_by), the rate of the plan's
/// own samples: its context ranks are replicas there, with samples of their own.
void take_sample_rate(const Plan& plan, const Plan& same, Simulation& simulation);

}  // namespace pipedeck::sim
