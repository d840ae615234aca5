// SPDX-License-Identifier: Apache-2.0
// The layer graphs of PipeDream's and DAPPLE's released programs: a line a node, a tab-indented line an edge.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::io::profiles {

/// `Input...` sources are data loading and left out. Layers are put in topological order (Kahn's, ties by position in
/// the file); edges are kept unless the graph is a chain. Errors carry the line.
Result<Profile> profile_from_graph_text(const std::string& text, const std::string& name, int micro_batch);
std::string profile_to_graph_text(const Profile& profile);

/// N of "-pbs-N" in a file name; nothing where there is none.
std::optional<int> micro_batch_in_file_name(const std::string& path);

}  // namespace pipedeck::io::profiles
