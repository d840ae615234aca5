// SPDX-License-Identifier: Apache-2.0
// validate: reads files of any format and reports for each if it keeps the contract.
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.hpp"
#include "app/cli/text/checkpoint_text.hpp"
#include "app/cli/text/console.hpp"
#include "app/cli/work/file_formats.hpp"
#include "core/io/dumps/files.hpp"
#include "core/io/text/printable.hpp"
#include "core/io/text/utf8.hpp"

namespace pipedeck::cli::commands {
namespace {

using Json = nlohmann::ordered_json;

class ValidateCommand : public options::Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("FILE", files_, "files of any format, folders of checkpoints")->required();
    app.add_option("--profile-micro-batch", profile_micro_batch_, "samples per micro-batch of a graph text")
        ->check(CLI::Range(1, 1 << 30))
        ->type_name("N");
    app.add_flag("--json", json_, "write only JSON on standard output");
  }

  Result<int> run(std::stop_token) override {
    for (const std::string& path : files_) inspect_any(path);
    const auto printed =
        json_ ? text::write_output("-", reports_.dump(2, ' ', false, Json::error_handler_t::replace) + "\n")
              : text::print_answer(lines_);
    if (!printed && status_ == 0) return tl::unexpected(printed.error());
    return status_;
  }

 private:
  void inspect_any(const std::string& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) return inspect_checkpoints(path);
    if (begins_as_checkpoint(path)) {
      const auto part = runtime::checkpoint::ShardFile::open(path);
      const auto verified = part ? part->verify() : tl::unexpected(part.error());
      return verified ? good(path, "checkpoint-part", text::summary_of(*part)) : bad(path, verified.error());
    }
    if (io::dumps::looks_like_dump(path)) return inspect_dump(path);
    const auto file = work::read_any_file(path, {.profile_micro_batch = profile_micro_batch_});
    file ? good(path, work::format_name(*file), work::summary_of(*file)) : bad(path, file.error());
  }

  void inspect_dump(const std::string& path) {
    const auto dump = io::dumps::read_dump(path);
    if (!dump) return bad(path, dump.error());
    if (const auto* snapshot = std::get_if<io::dumps::MemorySnapshot>(&*dump))
      return good(path, "memory-snapshot", fmt::format("{} devices", snapshot->devices.size()));
    const auto& flight = std::get<io::dumps::FlightDump>(*dump);
    good(path, "flight-recorder", fmt::format("rank {}, {} calls", flight.rank, flight.entries.size()));
  }

  /// Its first bytes alone: checkpoints are large.
  static bool begins_as_checkpoint(const std::string& path) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) return false;  // a pipe can be read only once
    std::string first(8, '\0');
    std::ifstream(path, std::ios::binary).read(first.data(), static_cast<std::streamsize>(first.size()));
    return runtime::checkpoint::looks_like_checkpoint(first);
  }

  /// Good where it can be resumed from, which is what such a folder is for.
  void inspect_checkpoints(const std::string& path) {
    const auto steps = text::checkpoints_in(path);
    if (!steps) return bad(path, steps.error());
    if (steps->empty())
      return bad(path,
                 {ErrorCode::bad_input, "found a folder without checkpoints, expected a file or step folders", {}, {}});
    for (const runtime::checkpoint::StepContent& step : *steps) {
      for (const Error& problem : step.problems) bad(problem.file, problem);
      if (step.complete())
        good(step.folder.path, "checkpoint", text::summary_of(step));
      else
        bad(step.folder.path, {ErrorCode::bad_input, text::summary_of(step), {}, {}});
    }
  }

  void good(const std::string& path, std::string_view format, const std::string& summary) {
    lines_ += fmt::format("{}: {}: {}\n", io::text::printable(path), format, io::text::printable(summary));
    reports_.push_back({{"file", io::text::to_utf8(path)}, {"valid", true}, {"format", format}});
  }

  void bad(const std::string& path, Error error) {
    error = text::in_file(std::move(error), path);
    text::print_error(error);
    status_ = exit_status(ErrorCode::bad_input);
    reports_.push_back(
        {{"file", io::text::to_utf8(path)}, {"valid", false}, {"place", error.place}, {"message", error.message}});
  }

  int status_ = 0;
  std::string lines_;
  Json reports_ = Json::array();
  std::vector<std::string> files_;
  std::optional<int> profile_micro_batch_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<options::Command> make_validate_command() { return std::make_unique<ValidateCommand>(); }

}  // namespace pipedeck::cli::commands
