// SPDX-License-Identifier: Apache-2.0
#include "app/cli/report_export.hpp"

#include <algorithm>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/calibration_text.hpp"
#include "app/cli/console.hpp"
#include "app/cli/project_question.hpp"
#include "core/domain/validate.hpp"
#include "core/io/files.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/report/commands.hpp"
#include "core/report/report.hpp"
#include "core/report/write_report.hpp"

namespace pipedeck::cli {
namespace {

using reports::ReportQuestion;

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr))); }

ReportQuestion question_for(Problem problem) {
  ReportQuestion question;
  question.title = fmt::format("{} on {}", problem.profile->name, problem.cluster->name);
  question.problem = std::move(problem);
  question.price_list = device_catalogue();
  question.program = "pipedeck-cli " PIPEDECK_VERSION;
  question.date = today();
  return question;
}

Result<void> write(const ReportQuestion& question, const std::string& out, const std::stop_token& stop) {
  ProgressLine line;
  const auto made = reports::make_report(question, line.callback(), stop);
  if (!made) return tl::unexpected(made.error());
  // Standard output and devices take a page; pictures of a text need a folder.
  return out != "-" && reports::is_markdown_file(out) ? reports::write_report(out, *made)
                                                      : write_output(out, reports::to_html(*made));
}

Result<void> check_name(const ProjectQuestion& asked, const std::string& name) {
  std::vector<std::string> names;
  for (const ProjectPlan& plan : asked.plans)
    if (!plan.plan.stages.empty()) names.push_back(plan.plan.name);
  if (name.empty() || std::ranges::find(names, name) != names.end()) return {};
  return fail(ErrorCode::bad_usage,
              fmt::format("export: found --name {}, expected one of: {}", name, fmt::join(names, ", ")));
}

/// The ticked plans in detail, or the one that was named; where nothing is ticked, all.
void add_plans(ReportQuestion& question, const ProjectQuestion& asked, const reports::ProjectFile& from,
               const std::string& name) {
  const bool any_ticked = std::ranges::any_of(
      asked.plans, [](const ProjectPlan& plan) { return plan.ticked && !plan.plan.stages.empty(); });
  for (const ProjectPlan& entry : asked.plans) {
    const bool detailed = name.empty() ? entry.ticked || !any_ticked : entry.plan.name == name;
    question.plans.push_back({std::make_shared<const Plan>(entry.plan), entry.note, entry.remarks, detailed,
                              reports::plan_commands(from, entry.plan.name, question.plans.size() + 1,
                                                     question.problem.workload.conventions)});
  }
}

}  // namespace

Result<void> export_report(const ProjectContent& project, const std::string& file, const ReportExport& how,
                           std::stop_token stop) {
  if (how.inputs.given() || !how.plans.empty() || how.judged.conventions() != Conventions() ||
      !how.judged.calibration.empty())
    return fail(ErrorCode::bad_usage,
                "export: found options of plans in files, expected none: a project has its own model, cluster and "
                "conventions");
  const auto asked = question_of(project);
  if (!asked) return tl::unexpected(asked.error());
  if (auto known = check_name(*asked, how.name); !known) return known;
  ReportQuestion question = question_for(asked->problem);
  const reports::ProjectFile from{file, question.problem.profile->name, question.problem.cluster->name,
                                  asked->calibration.has_value()};
  question.commands = reports::question_commands(from);
  if (asked->calibration) question.calibration = calibration_line(*asked->calibration);
  add_plans(question, *asked, from, how.name);
  return write(question, how.out, stop);
}

Result<void> export_report(const Plan& plan, const std::string& file, const ReportExport& how, std::stop_token stop) {
  if (how.inputs.profile.empty() || how.inputs.cluster.empty())
    return fail(ErrorCode::bad_usage, "export: report needs --profile and --cluster, which the plan is for");
  if (!how.name.empty())
    return fail(ErrorCode::bad_usage, "export: found --name with a plan, expected it with a project");
  auto problem = open_inputs(how.inputs, how.judged);
  if (!problem) return tl::unexpected(problem.error());
  ReportQuestion question = question_for(*std::move(problem));
  question.calibration = how.judged.calibration;
  const auto add = [&](const Plan& one, const std::string& of) -> Result<void> {
    if (auto valid = validate(one, *question.problem.profile, *question.problem.cluster); !valid)
      return tl::unexpected(in_file(valid.error(), of));
    const reports::SimulatedFiles files{how.inputs.profile, how.inputs.cluster, of, how.judged.calibration,
                                        how.inputs.profile_micro_batch};
    question.plans.push_back({std::make_shared<const Plan>(one),
                              {},
                              {},
                              true,
                              {reports::simulation_command(files, question.problem.workload.conventions)}});
    return {};
  };
  if (auto added = add(plan, file); !added) return added;
  for (const std::string& further : how.plans) {
    const auto read = read_plan(further);
    if (!read) return tl::unexpected(read.error());
    if (auto added = add(*read, further); !added) return added;
  }
  return write(question, how.out, stop);
}

}  // namespace pipedeck::cli
