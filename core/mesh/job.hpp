// SPDX-License-Identifier: Apache-2.0
// A training job of another engine as a question and a plan: the numbers that its file leaves open follow from the
// others.
#pragma once

#include <memory>

#include "core/base/result.hpp"
#include "core/io/jobs/training_job.hpp"
#include "core/mesh/question.hpp"
#include "core/model/plan.hpp"
#include "core/model/profile.hpp"
#include "core/model/transformer_origin.hpp"
#include "core/plan/mesh_rules.hpp"

namespace pipedeck::mesh {

/// Returns the fewest devices on which the degrees of a job divide each other: T C P, and copies for its experts.
int fewest_devices(const io::jobs::TrainingJob& job);

/// Returns the job with devices, batch, micro-batches and the sharding group. Numbers that its file does not
/// state follow, and are added to what is assumed. `devices`: of a job that does not state them; 0: the fewest.
io::jobs::TrainingJob completed(io::jobs::TrainingJob job, int devices);

/// Returns what the rules ask of a completed job. `model` may be null, and must outlive the question.
plan::MeshQuestion rules_question_of(const io::jobs::TrainingJob& job, const TransformerConfig* model);

/// Returns the options with which a profile of the job's model is computed.
AnalyticOptions profile_options_of(const io::jobs::TrainingJob& job);

/// Returns the plan of a completed job on the first devices of the cluster. The profile must be computed from the
/// job's model. bad_input if the job breaks a rule of every plan, or its stages do not have the model's blocks.
Result<Plan> plan_of(const io::jobs::TrainingJob& job, const Profile& profile, std::shared_ptr<const Cluster> cluster);

}  // namespace pipedeck::mesh
