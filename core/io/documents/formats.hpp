// SPDX-License-Identifier: Apache-2.0
// The JSON formats of docs/formats.md, one reader and one writer each. Text in, validated value out; errors carry the
// JSON pointer (the caller adds the file). Writing a value that was read gives an equal value when read again, unknown
// keys included. Numbers are written with the fewest digits that read back the same.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/cluster.hpp"
#include "core/model/model.hpp"
#include "core/model/plan.hpp"
#include "core/model/profile.hpp"
#include "core/model/run.hpp"
#include "core/model/simulation.hpp"

namespace pipedeck::io::documents {

Result<Profile> profile_from_json(const std::string& text);
std::string profile_to_json(const Profile& profile);

Result<Cluster> cluster_from_json(const std::string& text);
std::string cluster_to_json(const Cluster& cluster);

/// Checks what a plan can be checked for alone; validate(plan, profile, cluster) does the rest.
Result<Plan> plan_from_json(const std::string& text);
std::string plan_to_json(const Plan& plan);

Result<ModelSpec> model_from_json(const std::string& text);
std::string model_to_json(const ModelSpec& model);

Result<Simulation> simulation_from_json(const std::string& text);
/// Intervals and memory curves are written where asked for.
struct SimulationText {
  bool intervals = false;
  bool curves = true;
};
std::string simulation_to_json(const Simulation& simulation, const SimulationText& what = {});

/// One line, without the newline.
std::string event_to_json(const RunEvent& event);
Result<RunEvent> event_from_json(const std::string& line);
/// The events of a log.
struct EventLines {
  std::vector<RunEvent> events;
  std::size_t size = 0;  ///< bytes of the text that hold them
  std::string warning;   ///< about a last line that was cut off; empty: it was not
};
/// JSON lines, each an event; empty ones are passed over. An error's place begins with its line's number. A full disk
/// or a killed run leaves a last line without its end: the events before it are returned, with a warning.
Result<EventLines> events_from_lines(const std::string& text);

}  // namespace pipedeck::io::documents
