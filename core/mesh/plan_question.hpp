// SPDX-License-Identifier: Apache-2.0
// The question that a plan of format version 2 asks (formats.md, "Plan"), and the plan of a question.
#pragma once

#include <memory>
#include <span>

#include "core/base/result.hpp"
#include "core/mesh/question.hpp"
#include "core/model/plan.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::mesh {

/// Returns the schedules of plans of format version 2.
std::span<const ScheduleKind> covered_orders();

/// Returns the question of a plan with equal degrees on every stage, in pipelines of consecutive devices. On
/// a cluster of several kinds, those of each kind are its first ones, in the cluster's order. The profile must be
/// computed from a transformer. bad_input has the place of what is not covered: stages that differ, schedules that
/// are not among covered_orders(), shares of samples or columns.
Result<Question> question_of(const Plan& plan, const Profile& profile, std::shared_ptr<const Cluster> cluster);

/// Returns the plan of a question, without a name: question_of() gives the question again. `profile`: of its model.
Plan plan_of(const Question& question, const Profile& profile);

}  // namespace pipedeck::mesh
