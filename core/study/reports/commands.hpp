// SPDX-License-Identifier: Apache-2.0
// Lines for a shell.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/workload.hpp"

namespace pipedeck::study::reports {

/// The word as bash reads it back, in one printable line: 'my plan', $'two\nlines'.
std::string shell_word(const std::string& word);

/// Returns a file as a report names it: an absolute path without its folders, which are the writer's own.
std::string shown_file(const std::string& path);

/// The words of one command.
std::string shell_line(const std::vector<std::string>& words);

/// --network shared ...: what differs from the defaults. The calibration is a file's, and not among them.
std::vector<std::string> convention_arguments(const SimulationOptions& conventions);

/// The files of a simulate command, as they are typed.
struct SimulatedFiles {
  std::string profile, cluster, plan;
  std::string calibration;  ///< empty: none
  std::optional<int> profile_micro_batch{};
};
std::string simulation_command(const SimulatedFiles& files, const SimulationOptions& conventions);

/// A project's documents, taken out of it into files.
struct ProjectFile {
  std::string path, profile, cluster;  ///< names of its documents
  bool calibrated = false;             ///< plans are judged with its calibration
};
std::vector<std::string> question_commands(const ProjectFile& project);
/// `number`: from 1, of the plan's file.
std::vector<std::string> plan_commands(const ProjectFile& project, const std::string& plan, std::size_t number,
                                       const SimulationOptions& conventions);

}  // namespace pipedeck::study::reports
