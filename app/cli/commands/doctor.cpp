// SPDX-License-Identifier: Apache-2.0
// doctor: this installation on one page, for a report of a fault. Nothing in it names a person, a host or a folder.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <thread>

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.hpp"
#include "app/cli/text/console.hpp"
#include "app/cli/text/table.hpp"
#include "core/base/commit.hpp"
#include "core/base/crash_report.hpp"
#include "core/io/text/printable.hpp"
#include "core/runtime/machine/local_machine.hpp"
#include "core/runtime/profile/profiler.hpp"
#include "core/store/project_file.hpp"

namespace pipedeck::cli::commands {
namespace {

struct Fact {
  std::string section, name, value;
};
using Facts = std::vector<Fact>;

/// Returns the value of a "key: value" or "key=value" line of a system's file, without quotes; empty: none.
std::string value_in(const char* file, std::string_view key, char separator) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::size_t at = line.find(separator);
    if (at == line.npos || line.compare(0, key.size(), key) != 0) continue;
    std::string value = line.substr(at + 1);
    std::erase(value, '"');
    value.erase(0, value.find_first_not_of(' '));
    return io::text::printable(value);
  }
  return {};
}

std::string or_unknown(std::string value) { return value.empty() ? "unknown" : value; }

std::string c_library() {
  std::array<char, 64> version{};
  return confstr(_CS_GNU_LIBC_VERSION, version.data(), version.size()) > 0 ? version.data() : "unknown";
}

void add_program(Facts& facts) {
  facts.push_back({"program", "pipedeck-cli", PIPEDECK_VERSION});
  facts.push_back({"program", "commit", or_unknown(commit)});
  facts.push_back({"program", "compiler", fmt::format("g++ {}", __VERSION__)});
  std::error_code error;
  const auto window = std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "pipedeck";
  facts.push_back(
      {"program", "window", std::filesystem::exists(window, error) ? "in the same folder" : "not in the same folder"});
}

void add_system(Facts& facts) {
  utsname kernel{};
  uname(&kernel);
  facts.push_back({"system", "distribution", or_unknown(value_in("/etc/os-release", "PRETTY_NAME", '='))});
  facts.push_back({"system", "kernel", fmt::format("{} {} {}", kernel.sysname, kernel.release, kernel.machine)});
  facts.push_back({"system", "C library", c_library()});
  facts.push_back({"system", "processor", or_unknown(value_in("/proc/cpuinfo", "model name", ':'))});
  cpu_set_t usable;
  const bool known = sched_getaffinity(0, sizeof usable, &usable) == 0;
  facts.push_back(
      {"system", "cores",
       fmt::format("{}, {} of them usable", std::thread::hardware_concurrency(), known ? CPU_COUNT(&usable) : 0)});
  const double gib = runtime::machine::physical_memory().count / (1024.0 * 1024 * 1024);
  facts.push_back({"system", "memory", fmt::format("{:.1f} GiB", gib)});
}

void add_libraries(Facts& facts) {
  for (const auto& [name, version] : runtime::machine::library_versions())
    facts.push_back({"libraries", name, version});
  facts.push_back({"libraries", "SQLite", store::sqlite_version()});
}

void add_devices(Facts& facts) {
  for (const runtime::machine::BackendReport& backend : runtime::profile::backends_here())
    for (const std::string& line : backend.lines) {
      const std::string prefix = backend.name + ": ";
      facts.push_back({"devices", backend.name, line.starts_with(prefix) ? line.substr(prefix.size()) : line});
    }
}

/// Adds variables that change the programs. A path may name a person, so its value is not shown.
void add_environment(Facts& facts) {
  constexpr std::array<std::pair<const char*, bool>, 14> variables{{{"DISPLAY", true},
                                                                    {"WAYLAND_DISPLAY", true},
                                                                    {"XDG_SESSION_TYPE", true},
                                                                    {"QT_QPA_PLATFORM", true},
                                                                    {"QT_SCALE_FACTOR", true},
                                                                    {"LANG", true},
                                                                    {"OMP_NUM_THREADS", true},
                                                                    {"CUDA_VISIBLE_DEVICES", true},
                                                                    {"CUDA_DEVICE_MAX_CONNECTIONS", true},
                                                                    {"CUDA_MODULE_LOADING", true},
                                                                    {"NCCL_DEBUG", true},
                                                                    {"LD_LIBRARY_PATH", false},
                                                                    {"QT_PLUGIN_PATH", false},
                                                                    {"SSH_CONNECTION", false}}};
  for (const auto& [name, shown] : variables) {
    const char* value = std::getenv(name);
    if (value) facts.push_back({"environment", name, shown ? io::text::printable(value) : "set"});
  }
  if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY"))
    facts.push_back({"environment", "display", "none: the window can't open here"});
}

/// Returns the size of a file below the folder that a variable names, or below the home folder.
std::string size_of_file(const char* variable, const char* otherwise, const char* file) {
  const char *folder = std::getenv(variable), *home = std::getenv("HOME");
  if (!folder && !home) return "none";
  const std::filesystem::path path = folder ? std::filesystem::path(folder) : std::filesystem::path(home) / otherwise;
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path / file, error);
  return error ? "none: all are the defaults" : fmt::format("{} bytes", bytes);
}

Facts all_facts() {
  Facts facts;
  add_program(facts);
  add_system(facts);
  add_libraries(facts);
  add_devices(facts);
  add_environment(facts);
  facts.push_back({"settings", "window's", size_of_file("XDG_CONFIG_HOME", ".config", "pipedeck/pipedeck.conf")});
  const std::vector<std::string> crashes = crash_reports(crash_folder(state_folder()));
  facts.push_back({"settings", "crash reports",
                   crashes.empty() ? "none"
                                   : fmt::format("{}, the last one {}", crashes.size(),
                                                 std::filesystem::path(crashes.back()).filename().string())});
  return facts;
}

/// Returns an object of sections; a name with several lines has a list.
std::string facts_json(const Facts& facts) {
  nlohmann::ordered_json json;
  for (const Fact& fact : facts) {
    nlohmann::ordered_json& place = json[fact.section][fact.name];
    if (place.is_null())
      place = fact.value;
    else if (place.is_array())
      place.push_back(fact.value);
    else
      place = {place, fact.value};
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string facts_text(const Facts& facts) {
  text::Table table({{"", text::Align::left}, {"", text::Align::left}, {"", text::Align::left}});
  std::string section;
  for (const Fact& fact : facts) {
    table.add({fact.section == section ? "" : fact.section, fact.name, fact.value});
    section = fact.section;
  }
  return table.text();
}

class DoctorCommand : public options::Command {
 public:
  void declare(CLI::App& app) override { app.add_flag("--json", json_, "write only JSON on standard output"); }

  Result<int> run(std::stop_token) override {
    const Facts facts = all_facts();
    TRY_VOID(json_ ? text::write_output("-", facts_json(facts) + "\n") : text::print_answer(facts_text(facts)));
    return 0;
  }

 private:
  bool json_ = false;
};

}  // namespace

std::unique_ptr<options::Command> make_doctor_command() { return std::make_unique<DoctorCommand>(); }

}  // namespace pipedeck::cli::commands
