// SPDX-License-Identifier: Apache-2.0
// Reading any known file by its content, writing a file so that it is whole or not there.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/result.hpp"
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

enum class FileKind {
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
  operators
};
std::string_view name_of(FileKind kind);  // "profile"

/// The content identifies the kind, not the name: SQLite header, the JSON "format" key or a transformer's "model_type",
/// XML or a matrix of GPUs, the first fields of an ONNX model, else graph text.
Result<FileKind> kind_of_content(const std::string& content);

struct ReadOptions {
  std::optional<int> profile_micro_batch;  ///< for graph text, which has none; else "-pbs-N" of the file's name is used
};

using Document = std::variant<Profile, Cluster, Plan, Simulation, ModelSpec, CalibrationRecord, FoundMachines,
                              ReadTransformer, OperatorGraph>;

/// Whole content of a file, at most `limit` bytes; without a byte order mark, and UTF-16 that begins with one as UTF-8.
/// Errors name the file.
Result<std::string> read_file(const std::string& path, std::size_t limit = std::size_t{1} << 31);
/// Writes a temporary file in the same folder, flushes it, and renames it to `path`.
Result<void> write_file(const std::string& path, const std::string& content);

/// Validated documents; errors carry `path` as their file.
Result<Document> read_document(const std::string& path, const ReadOptions& options = {});
/// `content` is what `path` held: pipes can be read only once.
Result<Document> read_document(const std::string& path, const std::string& content, const ReadOptions& options);
Result<Profile> read_profile(const std::string& path, const ReadOptions& options = {});
Result<Cluster> read_cluster(const std::string& path);
Result<Plan> read_plan(const std::string& path);
Result<ModelSpec> read_model(const std::string& path);
Result<CalibrationRecord> read_calibration(const std::string& path);

/// Lower-case hexadecimal SHA-256.
std::string sha256(const std::string& bytes);
/// Returns the checksum of the canonical JSON text, so formatting and unknown keys' order do not matter.
std::string sha256_of(const Profile& profile);
std::string sha256_of(const Cluster& cluster);

}  // namespace pipedeck::io
