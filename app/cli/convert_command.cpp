// SPDX-License-Identifier: Apache-2.0
// convert: any format that is read, into any format that can hold the same.
#include <fmt/format.h>

#include "app/cli/command.hpp"
#include "app/cli/console.hpp"
#include "app/cli/file_formats.hpp"

namespace pipedeck::cli {
namespace {

class ConvertCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    std::vector<std::string> names;
    for (const FileFormat& format : file_formats()) names.emplace_back(format.name);
    app.add_option("IN", in_, "file to read, told by its content")->required();
    app.add_option("OUT", out_, "file to write; - is standard output")->required();
    app.add_option("--to", to_, "format to write; without, what OUT's ending says, else IN's own")
        ->check(CLI::IsMember(names))
        ->type_name("FORMAT");
    app.add_option("--profile-micro-batch", profile_micro_batch_, "samples of one micro-batch of a graph text")
        ->check(CLI::Range(1, 1 << 30))
        ->type_name("N");
  }

  Result<int> run(std::stop_token) override {
    const auto file = read_any_file(in_, {.profile_micro_batch = profile_micro_batch_});
    if (!file) return tl::unexpected(file.error());
    auto text = text_of(*file, target(*file));
    if (!text) return tl::unexpected(in_file(text.error(), in_));
    if (!text->ends_with('\n')) *text += '\n';
    if (auto written = write_output(out_, *text); !written) return tl::unexpected(written.error());
    return 0;
  }

 private:
  std::string target(const AnyFile& file) const {
    if (!to_.empty()) return to_;
    const FileFormat* by_name = file_format_of_name(out_);
    return std::string(by_name ? by_name->name : format_name(file));
  }

  std::string in_, out_, to_;
  std::optional<int> profile_micro_batch_;
};

}  // namespace

std::unique_ptr<Command> make_convert_command() { return std::make_unique<ConvertCommand>(); }

}  // namespace pipedeck::cli
