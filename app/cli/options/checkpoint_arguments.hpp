// SPDX-License-Identifier: Apache-2.0
// --checkpoint, --checkpoint-every, --keep and --resume of run.
#pragma once

#include <optional>
#include <string>

#include "core/model/model.hpp"
#include "core/model/plan.hpp"
#include "core/runtime/train.hpp"

namespace CLI {
class App;
}

namespace pipedeck::cli::options {

class CheckpointArguments {
 public:
  void declare(CLI::App& app);
  /// Opens what is to be resumed and compares it with model and plan; warns of what it passes over and of differences.
  /// Errors before anything is written.
  Result<void> apply(const ModelSpec& model, const Plan& plan, runtime::train::TrainOptions& options) const;
  /// After a run that failed or was stopped: "resume with --resume DIR (step 100)"; nothing where there is no step.
  std::optional<std::string> resume_hint() const;

 private:
  Result<void> check() const;
  Result<void> resume(const ModelSpec& model, const Plan& plan, runtime::train::TrainOptions& options) const;
  std::string folder() const { return folder_.empty() && every_ > 0 ? resumed_ : folder_; }

  std::string folder_, resumed_;
  int every_ = 0;
  std::optional<int> keep_;
};

}  // namespace pipedeck::cli::options
