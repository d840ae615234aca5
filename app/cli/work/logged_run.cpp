// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/logged_run.hpp"

#include <filesystem>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "app/cli/text/console.hpp"
#include "app/cli/work/file_formats.hpp"
#include "app/cli/work/job_plan.hpp"
#include "core/io/text/printable.hpp"
#include "core/io/text/utf8.hpp"
#include "core/mesh/job.hpp"
#include "core/presets/device_catalogue.hpp"

namespace pipedeck::cli::work {
namespace {

Result<io::jobs::TrainingJob> job_of(const io::jobs::TrainingLog& log, const LogOptions& how,
                                     const std::stop_token& stop) {
  if (how.job_file.empty()) {
    if (log.job) return *log.job;
    return fail(ErrorCode::bad_input,
                fmt::format("found a log of {} that does not print its job, expected --job FILE with its arguments or "
                            "configuration",
                            log.engine));
  }
  TRY(auto variables, how.job.variables());
  TRY(const auto file, read_any_file(how.job_file, {.variables = std::move(variables)}, stop));
  if (const auto* job = std::get_if<io::jobs::TrainingJob>(&file)) return *job;
  return fail(ErrorCode::bad_input,
              fmt::format("found a {}, expected arguments or a configuration of another engine", format_name(file)), {},
              how.job_file);
}

Result<std::string> device_of(const io::jobs::TrainingLog& log, const LogOptions& how) {
  if (!how.device.empty()) {
    TRY(const auto model, presets::catalogue_device(how.device));
    return model.type.name;
  }
  if (log.gpu.empty())
    return fail(ErrorCode::bad_input, "found a log that does not name its GPUs, expected --device TYPE");
  const DeviceModel* model = find_device_model(presets::device_catalogue(), log.gpu);
  if (model) return model->type.name;
  return fail(ErrorCode::bad_input,
              fmt::format("found the GPU '{}', which names no type of the catalogue, expected --device TYPE", log.gpu));
}

Result<study::accuracy::LoggedRun> run_of(const io::jobs::TrainingLog& log, const LogOptions& how,
                                          const std::stop_token& stop) {
  TRY(auto job, job_of(log, how, stop));
  TRY_VOID(check_gpus(job, how.job));
  TRY(auto model, model_of(job, how.job));
  job.model = model;
  TRY(const std::string device, device_of(log, how));
  return study::accuracy::logged_run(log, mesh::completed(std::move(job), how.job.gpus), model, device,
                                     presets::device_catalogue());
}

}  // namespace

Result<study::accuracy::LoggedRun> logged_run(const std::string& path, const std::string& text, const LogOptions& how,
                                              const std::stop_token& stop) {
  auto log = io::jobs::training_log_from(text, io::text::to_utf8(std::filesystem::path(path).stem().string()));
  if (!log) return tl::unexpected(text::in_file(std::move(log.error()), path));
  auto run = run_of(*log, how, stop);
  if (!run) return tl::unexpected(text::in_file(std::move(run.error()), path));
  return run;
}

std::string text_of(const study::accuracy::LoggedRun& logged) {
  const study::accuracy::PublishedRun& run = logged.run;
  std::string text = fmt::format("{}: {}, {:.4g} s for a step: {}\n", io::text::printable(run.row), run.software,
                                 logged.step.seconds, io::text::printable(run.notes));
  if (!run.memory_gib) text += "The log has no memory.\n";
  return text;
}

}  // namespace pipedeck::cli::work
