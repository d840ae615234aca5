// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/report_export.hpp"

#include <algorithm>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/options/project_question.hpp"
#include "app/cli/text/calibration_text.hpp"
#include "app/cli/text/console.hpp"
#include "core/io/importers.hpp"
#include "core/plan/validate.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/study/reports/commands.hpp"
#include "core/study/reports/report.hpp"
#include "core/study/reports/write_report.hpp"

namespace pipedeck::cli::work {
namespace {

using study::reports::Request;

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr))); }

Request question_for(Problem problem) {
  Request question;
  question.title = fmt::format("{} on {}", problem.profile->name, problem.cluster->name);
  question.problem = std::move(problem);
  question.price_list = presets::device_catalogue();
  question.program = "pipedeck-cli " PIPEDECK_VERSION;
  question.date = today();
  return question;
}

Result<void> write(const Request& question, const std::string& out, const std::stop_token& stop) {
  text::ProgressLine line;
  TRY(const auto made, study::reports::make_report(question, line.callback(), stop));
  // Standard output and devices take a page; pictures of a text need a folder.
  return out != "-" && study::reports::is_markdown_file(out) ? study::reports::write_report(out, made)
                                                             : text::write_output(out, study::reports::to_html(made));
}

Result<void> check_name(const options::ProjectRequest& asked, const std::string& name) {
  std::vector<std::string> names;
  for (const options::ProjectPlan& plan : asked.plans)
    if (!plan.plan.stages.empty()) names.push_back(plan.plan.name);
  if (name.empty() || std::ranges::find(names, name) != names.end()) return {};
  return fail(ErrorCode::bad_usage,
              fmt::format("export: found --name {}, expected one of: {}", name, fmt::join(names, ", ")));
}

/// The ticked plans in detail, or the one that was named; where nothing is ticked, all.
void add_plans(Request& question, const options::ProjectRequest& asked, const study::reports::ProjectFile& from,
               const std::string& name) {
  const bool any_ticked = std::ranges::any_of(
      asked.plans, [](const options::ProjectPlan& plan) { return plan.ticked && !plan.plan.stages.empty(); });
  for (const options::ProjectPlan& entry : asked.plans) {
    const bool detailed = name.empty() ? entry.ticked || !any_ticked : entry.plan.name == name;
    question.plans.push_back({std::make_shared<const Plan>(entry.plan), entry.note, entry.remarks, detailed,
                              study::reports::plan_commands(from, entry.plan.name, question.plans.size() + 1,
                                                            question.problem.workload.conventions)});
  }
}

}  // namespace

Result<void> export_report(const store::ProjectContent& project, const std::string& file, const ReportExport& how,
                           std::stop_token stop) {
  if (how.inputs.given() || !how.plans.empty() || how.simulation.conventions() != SimulationOptions() ||
      !how.simulation.calibration.empty())
    return fail(
        ErrorCode::bad_usage,
        "export: found options for plan files, expected none: a project has its own model, cluster and conventions");
  TRY(const auto asked, options::question_of(project));
  TRY_VOID(check_name(asked, how.name));
  Request question = question_for(asked.problem);
  const study::reports::ProjectFile from{file, question.problem.profile->name, question.problem.cluster->name,
                                         asked.calibration.has_value()};
  question.commands = study::reports::question_commands(from);
  if (asked.calibration) question.calibration = text::calibration_line(*asked.calibration);
  add_plans(question, asked, from, how.name);
  return write(question, how.out, stop);
}

Result<void> export_report(const Plan& plan, const std::string& file, const ReportExport& how, std::stop_token stop) {
  if (how.inputs.profile.empty() || how.inputs.cluster.empty())
    return fail(ErrorCode::bad_usage, "export: report needs --profile and --cluster of the plan");
  if (!how.name.empty())
    return fail(ErrorCode::bad_usage, "export: found --name with a plan, expected it with a project");
  TRY(auto problem, options::open_inputs(how.inputs, how.simulation));
  Request question = question_for(std::move(problem));
  question.calibration = study::reports::shown_file(how.simulation.calibration);
  const auto add = [&](const Plan& one, const std::string& of) -> Result<void> {
    if (auto valid = plan::validate(one, *question.problem.profile, *question.problem.cluster); !valid)
      return tl::unexpected(text::in_file(valid.error(), of));
    const study::reports::SimulatedFiles files{how.inputs.profile, how.inputs.cluster, of, how.simulation.calibration,
                                               how.inputs.profile_micro_batch};
    question.plans.push_back({std::make_shared<const Plan>(one),
                              {},
                              {},
                              true,
                              {study::reports::simulation_command(files, question.problem.workload.conventions)}});
    return {};
  };
  TRY_VOID(add(plan, file));
  for (const std::string& further : how.plans) {
    TRY(const auto read, io::read_plan(further));
    TRY_VOID(add(read, further));
  }
  return write(question, how.out, stop);
}

}  // namespace pipedeck::cli::work
