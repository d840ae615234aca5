// SPDX-License-Identifier: Apache-2.0
// The formats of files that can be read, as one table: command line, window and fuzz targets use it. The content
// identifies the format, not the name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/import_share.hpp"
#include "core/base/result.hpp"
#include "core/base/units.hpp"
#include "core/io/jobs/training_job.hpp"
#include "core/model/calibration_record.hpp"
#include "core/model/cluster.hpp"
#include "core/model/found_machine.hpp"
#include "core/model/model.hpp"
#include "core/model/operator_graph.hpp"
#include "core/model/plan.hpp"
#include "core/model/profile.hpp"
#include "core/model/simulation.hpp"
#include "core/model/transformer_config.hpp"

namespace pipedeck::io {

namespace json {
class Value;
}

enum class FileKind : std::uint8_t {
  profile,
  graph_text,
  cluster,
  plan,
  simulation,
  model,
  calibration,
  project,
  machines,
  transformer,
  operators,
  job
};
std::string_view name_of(FileKind kind);  // "profile"

struct ReadOptions {
  std::optional<int> profile_micro_batch{};  ///< for graph text, which has none; else "-pbs-N" of the file's name
  bool as_llama = false;                     ///< a transformer's configuration of an unknown family is read as Llama's
  bool multi_token = false;                  ///< a transformer's blocks that predict further tokens are layers, too
  std::vector<std::pair<std::string, std::string>> variables{};  ///< of a job's script, which others would set
  std::optional<Seconds> time_unit{};                            ///< of times in a file that has no unit
  ImportShare* share = nullptr;                                  ///< receives how much of the file was understood
};

using Document = std::variant<Profile, Cluster, Plan, Simulation, ModelSpec, CalibrationRecord, FoundMachines,
                              ParsedTransformer, OperatorGraph, jobs::TrainingJob>;

/// A file's content, as importers see it to recognise their format.
struct Content {
  const std::string& text;
  const json::Value* json = nullptr;  ///< of a JSON object
};

/// A file to be read. Its path gives names to documents that have none.
struct Source {
  const std::string& text;
  const std::string& path;
  const ReadOptions& options;
};

/// A format that can be read.
struct Importer {
  std::string_view name;     ///< "nvidia-smi"
  std::string_view ending;   ///< ".topo.txt"
  std::string_view summary;  ///< content of such a file, and whether it is read, written or both
  FileKind kind;
  std::string_view evidence;  ///< by which a content is recognised: "a table GPU0 GPU1 ... of links"
  bool (*recognises)(const Content& content);
  Result<Document> (*read)(const Source& source);
};

/// Returns the importers in the order in which they look at a file.
std::span<const Importer> importers();
/// Returns the importer of a content: bad_input if no format is recognised.
Result<const Importer*> importer_of(const std::string& content);
Result<FileKind> detect_file_kind(const std::string& content);

/// Returns validated documents. Errors carry `path` as their file.
Result<Document> read_document(const std::string& path, const ReadOptions& options = {});
/// Reads the content of `path`, since pipes can be read only once.
Result<Document> read_document(const std::string& path, const std::string& content, const ReadOptions& options);
Result<Profile> read_profile(const std::string& path, const ReadOptions& options = {});
/// As above; a transformer's config.json is no error.
Result<std::variant<Profile, ParsedTransformer>> read_profile_or_transformer(const std::string& path,
                                                                             const ReadOptions& options = {});
Result<Cluster> read_cluster(const std::string& path);
Result<Plan> read_plan(const std::string& path);
Result<ModelSpec> read_model(const std::string& path);
Result<CalibrationRecord> read_calibration(const std::string& path);

}  // namespace pipedeck::io
