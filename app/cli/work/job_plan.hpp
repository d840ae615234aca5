// SPDX-License-Identifier: Apache-2.0
// Training jobs of other engines as profiles and plans.
#pragma once

#include <memory>
#include <string>

#include "app/cli/options/job_options.hpp"
#include "core/analytic/analytic_profile.hpp"
#include "core/base/result.hpp"
#include "core/io/jobs/training_job.hpp"
#include "core/mesh/prediction.hpp"
#include "core/model/cluster.hpp"
#include "core/model/plan.hpp"
#include "core/model/transformer_config.hpp"

namespace pipedeck::cli::work {

/// Returns bad_usage if --gpus contradicts the file.
Result<void> check_gpus(const io::jobs::TrainingJob& job, const options::JobOptions& how);

/// Returns the shape of the job's model: the file's, or that of the profile that was asked for. bad_input if there is
/// neither.
Result<TransformerConfig> model_of(const io::jobs::TrainingJob& job, const options::JobOptions& how);

/// Returns the model's profile for that device type, as the job trains it; empty: one is assumed, with a note.
Result<analytic::AnalyticProfile> profile_of(const io::jobs::TrainingJob& job, const TransformerConfig& model,
                                             const std::string& device);

/// Returns the plan of a completed job. Without a cluster its name stays empty.
Result<Plan> plan_of(const io::jobs::TrainingJob& job, const TransformerConfig& model,
                     std::shared_ptr<const Cluster> cluster = nullptr);

/// Returns time and memory of a completed job on the cluster. bad_input if the cluster has fewer devices.
Result<mesh::Prediction> predicted(const io::jobs::TrainingJob& job, const TransformerConfig& model,
                                   const std::shared_ptr<const Cluster>& cluster);

}  // namespace pipedeck::cli::work
