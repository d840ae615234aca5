// SPDX-License-Identifier: Apache-2.0
// validate: reads files of any format and says of each whether it keeps the contract.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/command.hpp"
#include "app/cli/console.hpp"
#include "app/cli/file_formats.hpp"
#include "core/io/utf8.hpp"

namespace pipedeck::cli {
namespace {

class ValidateCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("FILE", files_, "files of any format")->required();
    app.add_option("--profile-micro-batch", profile_micro_batch_, "samples of one micro-batch of a graph text")
        ->check(CLI::Range(1, 1 << 30))
        ->type_name("N");
    app.add_flag("--json", json_, "JSON alone on standard output");
  }

  Result<int> run(std::stop_token) override {
    int status = 0;
    std::string lines;
    auto reports = nlohmann::ordered_json::array();
    for (const std::string& path : files_) {
      const auto file = read_any_file(path, {.profile_micro_batch = profile_micro_batch_});
      if (!file) {
        const Error error = in_file(file.error(), path);
        print_error(error);
        status = exit_status(ErrorCode::bad_input);
        reports.push_back(
            {{"file", to_utf8(path)}, {"valid", false}, {"place", error.place}, {"message", error.message}});
        continue;
      }
      lines += fmt::format("{}: {}: {}\n", path, format_name(*file), summary_of(*file));
      reports.push_back({{"file", to_utf8(path)}, {"valid", true}, {"format", format_name(*file)}});
    }
    if (auto written = write_output("-", json_ ? reports.dump(2) + "\n" : lines); !written)
      return tl::unexpected(written.error());
    return status;
  }

 private:
  std::vector<std::string> files_;
  std::optional<int> profile_micro_batch_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_validate_command() { return std::make_unique<ValidateCommand>(); }

}  // namespace pipedeck::cli
