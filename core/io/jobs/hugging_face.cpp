// SPDX-License-Identifier: Apache-2.0
#include "core/io/jobs/hugging_face.hpp"

#include <string>

namespace pipedeck::io::jobs {

void set_mixed_precision(TrainingJob& job, std::string_view name) {
  Training& training = job.choices.training;
  const bool narrow = !name.empty() && name != "no";
  job.precision = narrow ? Precision::mixed_18 : Precision::fp32;
  training.products = narrow ? std::string(name) : std::string();
  if (name == "fp8") training.recipe = "delayed";
  if (narrow) job.choices.states = StateBytes{4, 4, 8};
  job.choices.wire = WireBytes{narrow ? 2.0 : 4.0, 4.0};
}

void set_torch_habits(TrainingJob& job, Options& options) {
  job.choices.training.fused_weight_gradients = false;
  job.choices.training.loss = LossKind::separate;
  options.assume("PyTorch's loss: logits and their gradients as tensors of their own");
}

void set_fully_sharded(TrainingJob& job, bool stays_gathered, int copies, bool ahead) {
  Training& training = job.choices.training;
  job.sharding.level = 3;
  if (stays_gathered) job.sharding.reshard = Reshard::after_backward;
  if (copies > 1) {
    job.copies = copies;
    job.sharding.copies = CopySync::each_micro_batch;
  }
  training.hidden = {.gradients = true, .weights = true, .tensor = false, .expert = false, .pipeline = true};
  if (ahead) training.forward_ahead = GatherAhead::two;
}

}  // namespace pipedeck::io::jobs
