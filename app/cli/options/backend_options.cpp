// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options/backend_options.hpp"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cuda/module.hpp"

namespace pipedeck::cli::options {

void BackendOptions::declare(CLI::App& app) {
  app.add_option("--backend", backend_, "backend: cpu (one thread per device) or cuda (one GPU per device)")
      ->required()
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->type_name("NAME");
  app.add_option("--precision", precision_,
                 "precision of matrix products on GPUs: fp32, tf32 (factors with 10 bits of mantissa) or bf16 (7 bits, "
                 "attention too); weights, gradients and sums stay fp32 [fp32]")
      ->check(CLI::IsMember({"fp32", "tf32", "bf16"}))
      ->type_name("NAME");
  app.add_flag("--oversubscribe", oversubscribe_,
               "let devices share GPUs if there are fewer; times then differ from the plan's");
  app.add_flag("--no-graphs", no_graphs_,
               "launch every kernel of every step: without it passes are recorded in the second step as CUDA graphs, "
               "which later steps launch");
}

Result<void> BackendOptions::check_usage(const CLI::App& app) const {
  const auto given = [&](const char* option) { return app.count(option) > 0; };
  if (on_processor()) {
    for (const char* option : {"--precision", "--oversubscribe", "--no-graphs"})
      if (given(option))
        return fail(ErrorCode::bad_usage,
                    fmt::format("run: {} needs --backend cuda: on the processor it would do nothing", option));
    return {};
  }
  if (given("--replay"))
    return fail(ErrorCode::bad_usage, "run: --replay needs --backend cpu: it keeps processor cores busy, not GPUs");
  if (oversubscribe_ && given("--transport") && app["--transport"]->results().back() == "mpi")
    return fail(ErrorCode::bad_usage,
                "run: --oversubscribe needs --transport threads: copies join the devices of one process");
  return {};
}

Result<runtime::layers::Backend> BackendOptions::open(const CLI::App& app, const Plan& plan,
                                                      const runtime::transport::ProcessGroup& processes) const {
  TRY_VOID(check_usage(app));
  if (on_processor()) return runtime::cpu::cpu_backend();
  TRY(const auto module, runtime::cuda::cuda_module());
  auto backend = runtime::cuda::cuda_backend(*module, plan, *runtime::cuda::parse_cuda_precision(precision_),
                                             oversubscribe_, processes);
  if (backend && no_graphs_) backend->recorded.clear();
  return backend;
}

}  // namespace pipedeck::cli::options
