// SPDX-License-Identifier: Apache-2.0
// From a plan to a trace, and from the trace to the iteration time: what results and explanations share.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>

#include "core/base/result.hpp"
#include "core/mesh/question.hpp"
#include "core/mesh/rates.hpp"
#include "core/model/schedule.hpp"
#include "core/sim/engine/engine.hpp"
#include "core/sim/engine/pace.hpp"
#include "core/sim/step/fold.hpp"

namespace pipedeck::sim {

/// A run of an order in which communication slows nothing down, with rows of operations and transfers or without.
using RunOfOrder = std::function<engine::EngineInput(const Schedule& order, bool record)>;

/// The order of a plan of schedule `adaptive`: the fastest by simulation, of those that fit in memory.
Result<Schedule> adaptive_order(const costs::SimulatorInputs& inputs, const Plan& plan, const costs::PlanCosts& costs,
                                const costs::Channels& channels, const RunOfOrder& run_of, const std::stop_token& stop);

/// A plan ready to run: its own costs, channels and lists.
struct EnginePlan {
  costs::PlanCosts costs;
  costs::Channels channels;
  Schedule schedule;
  std::optional<network::SharedFlows> flows;  ///< of the `shared` network
  std::optional<step::Pipeline> pipeline;     ///< of a plan of format version 2: it runs instead of the plan
  engine::PassDurations passes;               ///< where devices compute slower while they communicate; else none

  engine::EngineInput run_of(const costs::SimulatorInputs& inputs, const Plan& plan, bool record) const {
    engine::EngineInput run = baseline_input(inputs, plan, schedule, record);
    if (!passes.empty()) run.passes = &passes;
    return run;
  }
  /// In another order, and nothing slowed by communication.
  engine::EngineInput baseline_input(const costs::SimulatorInputs& inputs, const Plan& plan, const Schedule& order,
                                     bool record) const {
    engine::EngineInput run{
        pipeline ? pipeline->plan : plan, order, costs, channels, inputs.conventions.overlap, record,
        flows ? &*flows : nullptr};
    if (pipeline) run.overlap = Overlap::layer, run.begin = pipeline->begin;
    return run;
  }
  /// Returns the inputs that a result is made from. A pipeline counts its memory outside of the allocator itself, and
  /// its transfers never share a link.
  costs::SimulatorInputs result_inputs(const costs::SimulatorInputs& inputs) const;
  /// Finds `passes`, for costs, channels and lists as they are now.
  void apply_overlap_slowdown(const costs::SimulatorInputs& inputs, const Plan& plan, const std::stop_token& stop);
  /// Doubles an asynchronous run, at most to eight times its length, until the times of all workers repeat in the
  /// `ideal` network, which is quick to simulate.
  Result<void> lengthen_to_period(const costs::SimulatorInputs& inputs, const Plan& plan, const std::stop_token& stop);
};

/// A question of a plan of format version 2, with what its devices reach.
struct StepQuestion {
  mesh::Question question;
  mesh::Rates rates;
};
Result<StepQuestion> question_of(const costs::SimulatorInputs& inputs, const Plan& plan);

Result<EnginePlan> prepare(const costs::SimulatorInputs& inputs, const Plan& plan, const std::stop_token& stop);
/// Returns the folded pipeline of a step. Bytes are counted for micro-batches of that many samples. `known`: of the
/// question's cluster.
Result<EnginePlan> prepare(const mesh::Question& question, const mesh::Rates& rates, int samples,
                           std::shared_ptr<mesh::KnownGroups> known = {});

/// A complete trace, or why there is none.
Result<engine::Trace> run_to_end(const engine::EngineInput& run, const std::stop_token& stop);

/// The time that a run's figures are taken from: a synchronous iteration, or completions of an asynchronous plan at
/// stage 0, over whole periods (else whole turns of its replicas, or whole batches), in the second half of the run.
struct Window {
  Nanoseconds begin, end;
  std::size_t first = 0, count = 0;  ///< asynchronous: from the completion of `first` on, and of as many after it
  engine::Pace pace;                 ///< of an asynchronous plan
};
Window window_of(const engine::EngineInput& run, const engine::Trace& trace);

/// Returns the time of a whole global batch.
Nanoseconds iteration_of(const engine::EngineInput& run, const Window& window);

/// Returns that of a run with other durations, whose times need not repeat: over the mini-batches of `window`.
Nanoseconds iteration_within(const engine::EngineInput& run, const engine::Trace& trace, const Window& window);

}  // namespace pipedeck::sim
