// SPDX-License-Identifier: Apache-2.0
// Plans of a project, or of files, as a report.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "app/cli/options/question.hpp"
#include "core/base/result.hpp"
#include "core/model/plan.hpp"
#include "core/store/project_file.hpp"

namespace pipedeck::cli::work {

struct ReportExport {
  options::FileOptions inputs;                ///< of plans in files: what they are for
  options::SimulationOptionGroup simulation;  ///< the same
  std::vector<std::string> plans;             ///< further files
  std::string name;                           ///< of a project: the only plan with details; empty: the ticked ones
  std::string out;                            ///< "-": standard output, HTML alone
};

/// `file`: of the project, as the user gave it.
Result<void> export_report(const store::ProjectContent& project, const std::string& file, const ReportExport& how,
                           std::stop_token stop);
Result<void> export_report(const Plan& plan, const std::string& file, const ReportExport& how, std::stop_token stop);

}  // namespace pipedeck::cli::work
