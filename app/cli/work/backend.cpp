// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/backend.hpp"

#include <CLI/CLI.hpp>

namespace pipedeck::cli::work {

void declare_backend(CLI::App& app, std::string& backend) {
  app.add_option("--backend", backend, "backend: cpu (one thread per device) or cuda (the first GPU)")
      ->required()
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->type_name("NAME");
}

Result<void> check_backend(const std::string& backend) {
  if (backend == "cpu") return {};
  return fail(ErrorCode::bad_usage, "--backend cuda: only run and profile use GPUs; trials need --backend cpu");
}

}  // namespace pipedeck::cli::work
