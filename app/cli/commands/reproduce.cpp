// SPDX-License-Identifier: Apache-2.0
// reproduce: a table of one of the papers next to our own answers.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.hpp"
#include "app/cli/text/console.hpp"
#include "app/cli/text/reproduction_text.hpp"
#include "app/cli/text/table.hpp"
#include "core/reproduce/reproduction.hpp"

namespace pipedeck::cli::commands {
namespace {

std::string names_text() {
  text::Table table({{"", text::Align::left}, {"", text::Align::left}});
  for (const reproduce::TableInfo& info : reproduce::paper_tables()) table.add({info.name, info.title});
  table.add({"all", "every table"});
  return table.text();
}

std::string names_json() {
  auto json = nlohmann::ordered_json::array();
  for (const reproduce::TableInfo& info : reproduce::paper_tables())
    json.push_back({{"name", info.name}, {"title", info.title}});
  return json.dump(2) + "\n";
}

class ReproduceCommand : public options::Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("TABLE", table_, "table, or all; without it the tables are listed")->type_name("NAME");
    app.add_option("--data", data_, "folder with the measured profiles; presets replace missing ones")
        ->capture_default_str()
        ->type_name("DIR");
    auto* json = app.add_flag("--json", json_, "write only JSON on standard output");
    app.add_flag("--markdown", markdown_, "write a page of Markdown, like docs/reproduction.md")->excludes(json);
  }

  Result<int> run(std::stop_token stop) override {
    if (table_.empty()) return printed(json_ ? names_json() : names_text());
    text::ProgressLine line;
    std::vector<std::string> names;
    for (const reproduce::TableInfo& info : reproduce::paper_tables())
      if (table_ == "all" || table_ == info.name) names.push_back(info.name);
    if (names.empty()) names.push_back(table_);  // the core lists them
    std::vector<reproduce::ReproducedTable> tables;
    for (const std::string& name : names) {
      const Progress progress = [&](double done, std::string_view what) {
        line.show((static_cast<double>(tables.size()) + done) / static_cast<double>(names.size()),
                  fmt::format("{}: {}", name, what));
      };
      TRY(auto table, reproduce::reproduce(name, {.data = data_, .stop = stop, .progress = progress}));
      tables.push_back(std::move(table));
    }
    return printed(json_       ? text::reproduction_json(tables) + "\n"
                   : markdown_ ? text::reproduction_markdown(tables)
                               : text::reproduction_text(tables));
  }

 private:
  /// Prints texts of the program itself, which need no escapes.
  static Result<int> printed(const std::string& text) {
    TRY_VOID(text::write_output("-", text));
    return 0;
  }

  std::string table_, data_ = "../shared/data";
  bool json_ = false, markdown_ = false;
};

}  // namespace

std::unique_ptr<options::Command> make_reproduce_command() { return std::make_unique<ReproduceCommand>(); }

}  // namespace pipedeck::cli::commands
