// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/job_plan.hpp"

#include <utility>

#include <fmt/format.h>

#include "app/cli/text/console.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/mesh/job.hpp"
#include "core/mesh/plan_question.hpp"
#include "core/mesh/rates.hpp"
#include "core/presets/computed_profile.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/efficiency.hpp"
#include "core/presets/presets.hpp"
#include "core/sim/step/predict_step.hpp"

namespace pipedeck::cli::work {

Result<void> check_gpus(const io::jobs::TrainingJob& job, const options::JobOptions& how) {
  if (how.gpus == 0 || job.devices == 0 || how.gpus == job.devices) return {};
  return fail(ErrorCode::bad_usage,
              fmt::format("--gpus: found {}, expected {}, the number that the file states", how.gpus, job.devices));
}

Result<TransformerConfig> model_of(const io::jobs::TrainingJob& job, const options::JobOptions& how) {
  if (how.profile.empty()) {
    if (job.model) return *job.model;
    return fail(ErrorCode::bad_input,
                fmt::format("found no shape of the model{}, expected --profile P of it",
                            job.model_name.empty() ? std::string() : fmt::format(" '{}'", job.model_name)));
  }
  auto opened = presets::open_profile(how.profile);
  if (!opened) return tl::unexpected(text::in_file(opened.error(), how.profile));
  auto origin = io::documents::origin_of(opened->profile);
  if (!origin) return tl::unexpected(text::in_file(origin.error(), how.profile));
  if (!*origin)
    return fail(ErrorCode::bad_input, "found times that were measured, expected a profile of a config.json or a preset",
                {}, how.profile);
  return std::move((**origin).config);
}

Result<analytic::AnalyticProfile> profile_of(const io::jobs::TrainingJob& job, const TransformerConfig& model,
                                             const std::string& device) {
  TRY(const auto found, presets::catalogue_device(device.empty() ? std::string(presets::assumed_device_type) : device));
  auto made = presets::computed_profile({model, {}}, found, mesh::profile_options_of(job));
  if (made && device.empty())
    made->notes.push_back(
        fmt::format("No device type was given (--device): {} is assumed", presets::assumed_device_type));
  return made;
}

Result<Plan> plan_of(const io::jobs::TrainingJob& job, const TransformerConfig& model,
                     std::shared_ptr<const Cluster> cluster) {
  TRY(const auto made, profile_of(job, model, {}));
  return mesh::plan_of(job, made.profile, cluster ? std::move(cluster) : std::make_shared<const Cluster>());
}

Result<mesh::Prediction> predicted(const io::jobs::TrainingJob& job, const TransformerConfig& model,
                                   const std::shared_ptr<const Cluster>& cluster) {
  TRY(const auto rates, mesh::rates_of(*cluster, job.devices, presets::device_catalogue(), presets::efficiency()));
  TRY(const auto made, profile_of(job, model, {}));
  TRY(const Plan plan, mesh::plan_of(job, made.profile, cluster));
  TRY(const auto question, mesh::question_of(plan, made.profile, cluster));
  return sim::step::predict_step(question, rates);
}

}  // namespace pipedeck::cli::work
