// SPDX-License-Identifier: Apache-2.0
// The question that a project was left with, and its plans: what the window's table shows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/calibration_record.hpp"
#include "core/model/plan.hpp"
#include "core/model/workload.hpp"
#include "core/store/project_file.hpp"

namespace pipedeck::cli::options {

struct ProjectPlan {
  Plan plan;         ///< without stages where the planner found none
  std::string note;  ///< why it found none
  std::string remarks;
  bool ticked = true;  ///< drawn below the table
};

struct ProjectRequest {
  Problem problem;
  std::vector<ProjectPlan> plans;
  std::optional<CalibrationRecord> calibration;  ///< that plans are judged with
};

/// bad_usage where the project has no question: no model, no cluster, or no plans for them.
Result<ProjectRequest> question_of(const store::ProjectContent& project);

}  // namespace pipedeck::cli::options
