// SPDX-License-Identifier: Apache-2.0
#include "core/study/reports/commands.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace pipedeck::study::reports {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_./:=,+@%-").find(c) != std::string_view::npos;
}

constexpr const char *program = "pipedeck-cli", *profile_file = "profile.json", *cluster_file = "cluster.json",
                     *calibration_file = "calibration.json";

std::string document_command(const ProjectFile& project, const char* kind, const std::string& name,
                             const std::string& out) {
  return shell_line({program, "export", shown_file(project.path), kind, "--name", name, "-o", out});
}

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7F; }

}  // namespace

std::string shell_word(const std::string& word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
  const bool escapes = std::ranges::any_of(word, is_control);
  std::string quoted = escapes ? "$'" : "'";
  for (const char c : word) {
    if (is_control(c)) {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else if (escapes && (c == '\'' || c == '\\')) {
      quoted += '\\';
      quoted += c;
    } else if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + '\'';
}

std::string shown_file(const std::string& path) {
  const std::filesystem::path file(path);
  return file.is_absolute() ? file.filename().string() : path;
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

std::vector<std::string> convention_arguments(const SimulationOptions& simulation) {
  const SimulationOptions usual;
  std::vector<std::string> words;
  const auto add = [&](const char* option, std::string value) {
    words.emplace_back(option);
    words.push_back(std::move(value));
  };
  if (simulation.network != usual.network) add("--network", std::string(name_of(simulation.network)));
  if (simulation.overlap != usual.overlap) add("--overlap", std::string(name_of(simulation.overlap)));
  if (simulation.bucket != usual.bucket) add("--bucket-bytes", std::to_string(simulation.bucket.count));
  if (simulation.collectives != usual.collectives) add("--collectives", std::string(name_of(simulation.collectives)));
  if (simulation.reserve != usual.reserve) add("--reserve-bytes", std::to_string(simulation.reserve.count));
  if (simulation.communication != usual.communication)
    add("--communication-bytes", std::to_string(simulation.communication.count));
  if (simulation.fragmentation != usual.fragmentation)
    add("--fragmentation", fmt::format("{}", simulation.fragmentation));
  return words;
}

std::string simulation_command(const SimulatedFiles& files, const SimulationOptions& conventions) {
  std::vector<std::string> words{program,     "simulate",
                                 "--profile", shown_file(files.profile),
                                 "--cluster", shown_file(files.cluster),
                                 "--plan",    shown_file(files.plan)};
  if (files.profile_micro_batch)
    words.insert(words.end(), {"--profile-micro-batch", std::to_string(*files.profile_micro_batch)});
  const std::vector<std::string> simulation = convention_arguments(conventions);
  words.insert(words.end(), simulation.begin(), simulation.end());
  if (!files.calibration.empty()) words.insert(words.end(), {"--calibration", shown_file(files.calibration)});
  words.emplace_back("--explain");
  return shell_line(words);
}

std::vector<std::string> question_commands(const ProjectFile& project) {
  std::vector<std::string> lines{document_command(project, "profile", project.profile, profile_file),
                                 document_command(project, "cluster", project.cluster, cluster_file)};
  if (project.calibrated)
    lines.push_back(shell_line({program, "export", shown_file(project.path), "calibration", "-o", calibration_file}));
  return lines;
}

std::vector<std::string> plan_commands(const ProjectFile& project, const std::string& plan, std::size_t number,
                                       const SimulationOptions& conventions) {
  const std::string file = fmt::format("plan-{}.json", number);
  return {
      document_command(project, "plan", plan, file),
      simulation_command({profile_file, cluster_file, file, project.calibrated ? calibration_file : ""}, conventions)};
}

}  // namespace pipedeck::study::reports
