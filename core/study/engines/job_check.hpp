// SPDX-License-Identifier: Apache-2.0
// A training job of another engine against the rules of that engine, and the nearest jobs that keep them.
#pragma once

#include <string>
#include <vector>

#include "core/io/jobs/training_job.hpp"
#include "core/model/transformer_config.hpp"

namespace pipedeck::study::engines {

struct BrokenRule {
  std::string engine;   ///< empty: every plan has to keep it
  std::string name;     ///< "heads"
  std::string source;   ///< file of the engine, or a paper
  std::string message;  ///< "found 64 heads, expected a multiple of 7 tensor ranks"
  bool operator==(const BrokenRule&) const = default;
};

/// A job with other values of a few of its numbers.
struct NearestJob {
  std::string change;         ///< "tensor parallelism 8 instead of 7"
  io::jobs::TrainingJob job;  ///< completed
};

struct JobCheck {
  int rules = 0;  ///< that were checked
  std::vector<BrokenRule> broken;
  std::vector<NearestJob> nearest;  ///< nearest first; empty if no rule of degrees and batches is broken, or if neither
                                    ///< two other numbers nor powers of two as degrees help
};

/// `devices`: of a job that does not state them; 0: the fewest. `model` may be null: its rules are not checked.
JobCheck check_job(const io::jobs::TrainingJob& job, int devices, const TransformerConfig* model);

}  // namespace pipedeck::study::engines
