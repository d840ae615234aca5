// SPDX-License-Identifier: Apache-2.0
// The files that a run left behind, read together: memory snapshots, dumps of the flight recorder, traces of ranks. The
// content identifies a file.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/result.hpp"
#include "core/model/plan.hpp"
#include "core/model/simulation.hpp"
#include "core/study/autopsy/collectives.hpp"
#include "core/study/autopsy/late_ranks.hpp"
#include "core/study/autopsy/memory.hpp"
#include "core/study/autopsy/rank_places.hpp"

namespace pipedeck::study::autopsy {

struct TakenFile {
  std::string path;
  std::string what;      ///< "a memory snapshot of PyTorch"
  std::string evidence;  ///< "a pickle with a list of segments"
};

/// The memory of a rank's devices.
struct RankMemory {
  std::string path;
  std::optional<int> rank;  ///< by the file's name; absent: not known
  std::vector<MeasuredPile> piles;
};

struct Autopsy {
  std::vector<TakenFile> files;
  std::vector<RankMemory> memory;
  std::optional<CollectivesAutopsy> collectives;
  std::optional<LateRanks> late;
};

/// Returns true for a file that an autopsy reads: a dump, or a trace.
bool is_autopsy_file(const std::string& path);

/// Returns the files of a folder that an autopsy reads, by name; of a file itself.
std::vector<std::string> autopsy_files_in(const std::string& path);

/// Reads the files. `rank`: of a memory snapshot, instead of its name's. Errors name the file; traces are of two ranks
/// or more.
Result<Autopsy> read_autopsy(const std::vector<std::string>& files, std::optional<int> rank = {},
                             const std::stop_token& stop = {}, const Progress& progress = {});

/// A prediction for the ranks of a plan.
struct Predicted {
  const Plan* plan = nullptr;              ///< null: none
  const Simulation* simulation = nullptr;  ///< null: none
};
/// Returns the device that a rank runs on, or null: no simulation, or no such rank.
const SimulatedDevice* device_of(const Predicted& predicted, int rank);

/// A part of the report: sentences, then a table.
struct Section {
  std::string title;
  std::vector<std::string> sentences{};
  std::vector<std::string> headings{};  ///< none: no table
  std::vector<std::vector<std::string>> rows{};
};
/// Returns the report: the files, then memory, collectives and late ranks where there are any.
std::vector<Section> report_of(const Autopsy& autopsy, const RankPlaces& places, const Predicted& predicted);

}  // namespace pipedeck::study::autopsy
