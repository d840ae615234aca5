// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/engine_export.hpp"

#include <fmt/format.h>

#include "app/cli/text/console.hpp"
#include "app/cli/text/table.hpp"
#include "app/cli/work/plan_columns.hpp"
#include "core/base/count_text.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/model/memory_verdict.hpp"
#include "core/plan/validate.hpp"
#include "core/study/compare.hpp"
#include "core/study/origin.hpp"

namespace pipedeck::cli::work {
namespace {

std::string cost_text(const study::SimulatedPlan& near, const study::SimulatedPlan& own) {
  const Seconds now = to_seconds(own.simulation->iteration), then = to_seconds(near.simulation->iteration);
  return fmt::format("{}, {}, {} of {}: {} ms per iteration instead of {} ms ({}){}", stage_shape_text(near.plan),
                     schedule_text(near.plan), counted(near.plan.micro_batches, "micro-batch"), near.plan.micro_batch,
                     text::milliseconds_text(then), text::milliseconds_text(now),
                     text::change_text(now.count, then.count),
                     near.simulation->fits ? "" : ", above the devices' memory");
}

Result<void> write_plan(const std::string& file, const Plan& plan) {
  return file.empty() ? Result<void>() : text::write_output(file, io::documents::plan_to_json(plan) + '\n');
}

}  // namespace

Result<std::string> engine_export(const study::engines::NamedOutput& wanted, const Plan& plan, const std::string& file,
                                  const EngineExport& how, std::stop_token stop) {
  if (how.inputs.profile.empty() || how.inputs.cluster.empty())
    return fail(ErrorCode::bad_usage,
                fmt::format("export: {} needs --profile and --cluster of the plan", wanted.output->name));
  if (!how.nearest_plan.empty() && !how.closest)
    return fail(ErrorCode::bad_usage, "export: --nearest-plan needs --nearest");
  TRY(const auto problem, options::open_inputs(how.inputs, {}));
  TRY_VOID(plan::validate(plan, *problem.profile, *problem.cluster));
  options::warn_if_made_for_others(plan, file, problem);
  const auto origin = io::documents::origin_of(*problem.profile);
  if (!origin) return tl::unexpected(text::in_file(origin.error(), how.inputs.profile));
  const TransformerOrigin* shape = *origin ? &**origin : nullptr;
  const study::engines::EngineRequest question{plan, *problem.profile, *problem.cluster, shape};
  auto text = study::engines::engine_text(wanted, question);
  if (text) {
    TRY_VOID(write_plan(how.nearest_plan, plan));
    return text;
  }
  const std::string why = text.error().message;
  Problem asked = problem;
  asked.workload = options::workload_of(plan, problem.workload.conventions);
  study::PlanSimulator plan_simulator;
  TRY(const auto near,
      study::fastest(plan_simulator, asked, study::engines::closest_plans(*wanted.engine, question), stop));
  if (!near) return fail(ErrorCode::bad_input, why + "; no plan of these layers on these devices is supported");
  TRY(const auto own, plan_simulator.simulate(asked, plan, stop));
  const std::string cost = cost_text(*near, own);
  if (!how.closest)
    return fail(ErrorCode::bad_input, fmt::format("{}; nearest supported plan, written with --nearest: {}", why, cost));
  text::print_note(why);
  text::print_note("written instead: " + cost);
  const Plan written = study::with_origin(near->plan, study::origin_of(*problem.profile, *problem.cluster));
  TRY_VOID(write_plan(how.nearest_plan, written));
  return study::engines::engine_text(wanted, {written, *problem.profile, *problem.cluster, shape});
}

}  // namespace pipedeck::cli::work
