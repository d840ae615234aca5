// SPDX-License-Identifier: Apache-2.0
// --backend of run, and what goes with it: what the plan's devices are here.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/model/model.hpp"
#include "core/model/plan.hpp"
#include "core/runtime/layers/backend.hpp"
#include "core/runtime/transport/processes.hpp"

namespace CLI {
class App;
}

namespace pipedeck::cli::options {

class BackendOptions {
 public:
  void declare(CLI::App& app);
  bool on_processor() const { return backend_ == "cpu"; }
  /// Returns the backend for `plan`. bad_usage for options without effect, for a missing module, driver or GPU, and for
  /// options of the CPU alone. bad_input names the part of the plan that GPUs can't run. `app`: parsed, of `run`.
  Result<runtime::layers::Backend> open(const CLI::App& app, const Plan& plan,
                                        const runtime::transport::ProcessGroup& processes) const;

 private:
  Result<void> check_usage(const CLI::App& app) const;

  std::string backend_, precision_ = "fp32";
  bool oversubscribe_ = false, no_graphs_ = false;
};

}  // namespace pipedeck::cli::options
