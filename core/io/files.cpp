// SPDX-License-Identifier: Apache-2.0
#include "core/io/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include <fmt/format.h>

#include "core/io/documents/calibration.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/huggingface/config.hpp"
#include "core/io/json/value.hpp"
#include "core/io/onnx/model.hpp"
#include "core/io/profiles/csv.hpp"
#include "core/io/profiles/graph_text.hpp"
#include "core/io/profiles/partitioning.hpp"
#include "core/io/text/utf8.hpp"
#include "core/io/topology/bandwidth_matrix.hpp"
#include "core/io/topology/gpu_copies.hpp"
#include "core/io/topology/gpu_copies_json.hpp"
#include "core/io/topology/hwloc.hpp"
#include "core/io/topology/nccl.hpp"
#include "core/io/topology/nvidia_smi.hpp"
#include "core/io/topology/slurm.hpp"
#include "core/io/traces/events.hpp"
#include "core/io/write_files.hpp"

namespace pipedeck::io {
namespace {

namespace fs = std::filesystem;

/// Some editors put it before a text; it is no part of any of the formats.
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

constexpr std::array<std::pair<std::string_view, FileKind>, 6> json_kinds{
    {{"pipedeck.profile", FileKind::profile},
     {"pipedeck.cluster", FileKind::cluster},
     {"pipedeck.plan", FileKind::plan},
     {"pipedeck.simulation", FileKind::simulation},
     {"pipedeck.model", FileKind::model},
     {"pipedeck.calibration", FileKind::calibration}}};

std::size_t first_word(const std::string& content) { return content.find_first_not_of(" \t\r\n"); }

/// As JSON writes one.
bool is_object(const std::string& content) {
  const std::size_t first = first_word(content);
  return first != content.npos && content[first] == '{';
}

Result<FileKind> kind_of_json(const std::string& content) {
  const Result<json::Value> value = json::parse(content);
  if (!value) return tl::unexpected(value.error());
  if (huggingface::looks_like_hugging_face(*value)) return FileKind::transformer;
  if (topology::looks_like_gpu_copies(*value)) return FileKind::machines;
  if (profiles::looks_like_partitioning_json(content)) return FileKind::profile;
  const json::Value* format = value->find("format");
  if (!format)
    return fail(ErrorCode::bad_input,
                "found no 'format', expected it to say what the file is (or a 'model_type', which transformers have)",
                "/format");
  const std::string* word = format->as<std::string>();
  for (const auto& [name, kind] : json_kinds)
    if (word && *word == name) return kind;
  return fail(ErrorCode::bad_input,
              fmt::format("found {}, expected pipedeck.profile, pipedeck.cluster, pipedeck.plan, pipedeck.simulation, "
                          "pipedeck.model or pipedeck.calibration",
                          json::describe(*format)),
              "/format");
}

tl::unexpected<Error> named(Error error, const std::string& path) {
  error.file = path;
  return tl::unexpected<Error>(std::move(error));
}

tl::unexpected<Error> system_failure(const std::string& what, const std::string& path) {
  return fail(ErrorCode::io, fmt::format("{}: {}", what, std::strerror(errno)), {}, path);
}

/// For a layer graph or a table of layers.
Result<Profile> graph_text_profile(const std::string& content, const std::string& path, const ReadOptions& options) {
  const std::optional<int> micro_batch =
      options.profile_micro_batch ? options.profile_micro_batch : profiles::micro_batch_in_file_name(path);
  if (!micro_batch)
    return fail(
        ErrorCode::bad_input,
        "found layers without their micro-batch, expected --profile-micro-batch N or -pbs-N in the file's name");
  const std::string name = text::to_utf8(fs::path(path).stem().string());
  return profiles::looks_like_profile_csv(content) ? profiles::profile_from_csv(content, name, *micro_batch)
                                                   : profiles::profile_from_graph_text(content, name, *micro_batch);
}

/// The model's folder is called as the model is, its file as all others' are.
Result<ReadTransformer> transformer(const std::string& content, const std::string& path) {
  constexpr std::array<std::string_view, 2> endings{".config.json", ".json"};
  const fs::path file(path);
  std::string name = text::to_utf8(file.filename().string());
  if (name == "config.json" && file.has_parent_path())
    return huggingface::transformer_from_hugging_face(content, text::to_utf8(file.parent_path().filename().string()));
  for (const std::string_view ending : endings)
    if (name.ends_with(ending)) name.erase(name.size() - ending.size());
  return huggingface::transformer_from_hugging_face(content, name);
}

Result<FoundMachines> found_machines(const std::string& content, const std::string& path) {
  // "node-7.topo.txt" is node-7's.
  const std::string name = text::to_utf8(fs::path(path).filename().string());
  const std::string stem = name.substr(0, name.find('.', 1));
  if (is_object(content)) {
    const Result<json::Value> document = json::parse(content);
    return document ? topology::machines_from_gpu_copies(*document, stem) : tl::unexpected(document.error());
  }
  if (topology::looks_like_hwloc_topology(content)) return topology::machines_from_hwloc(content, stem);
  if (topology::looks_like_xml(content)) return topology::machines_from_nccl(content, stem);
  if (topology::looks_like_slurm(content)) return topology::machines_from_slurm(content);
  if (topology::looks_like_gpu_copies(content)) return topology::machines_from_gpu_copies(content, stem);
  return topology::looks_like_nvidia_smi_topology(content) ? topology::machines_from_nvidia_smi(content, stem)
                                                           : topology::matrix_from_csv(content, stem);
}

Result<Document> document_of(const std::string& content, const std::string& path, const ReadOptions& options) {
  const Result<FileKind> kind = kind_of_content(content);
  if (!kind) return tl::unexpected(kind.error());
  const auto as_document = [](auto result) -> Result<Document> {
    if (!result) return tl::unexpected(std::move(result).error());
    return Document(std::move(*result));
  };
  switch (*kind) {
    case FileKind::profile:
      return as_document(
          profiles::looks_like_partitioning_json(content)
              ? profiles::profile_from_partitioning_json(content, text::to_utf8(fs::path(path).stem().string()))
              : documents::profile_from_json(content));
    case FileKind::graph_text:
      return as_document(graph_text_profile(content, path, options));
    case FileKind::cluster:
      return as_document(documents::cluster_from_json(content));
    case FileKind::plan:
      return as_document(documents::plan_from_json(content));
    case FileKind::simulation:
      return as_document(documents::simulation_from_json(content));
    case FileKind::model:
      return as_document(documents::model_from_json(content));
    case FileKind::calibration:
      return as_document(documents::calibration_from_json(content));
    case FileKind::machines:
      return as_document(found_machines(content, path));
    case FileKind::transformer:
      return as_document(transformer(content, path));
    case FileKind::operators:
      return as_document(onnx::operators_from_onnx(content, text::to_utf8(fs::path(path).stem().string())));
    case FileKind::project:
      break;
  }
  return fail(ErrorCode::bad_input, "found a Pipedeck project, expected a single document");
}

template <class T>
Result<T> read_as(const std::string& path, std::string_view expected, const ReadOptions& options = {}) {
  if (traces::looks_like_trace(path))
    return fail(ErrorCode::bad_input,
                fmt::format("found a trace, expected a {}; pipedeck-cli convert --to profile makes a profile of the "
                            "modules in it, and says what it assumes",
                            expected),
                {}, path);
  Result<Document> document = read_document(path, options);
  if (!document) return tl::unexpected(std::move(document).error());
  if (T* value = std::get_if<T>(&*document)) return std::move(*value);
  if (std::holds_alternative<FoundMachines>(*document))
    return fail(ErrorCode::bad_input,
                fmt::format("found a topology of machines, expected a {}; pipedeck-cli convert makes a cluster of it, "
                            "and says what it assumes",
                            expected),
                {}, path);
  if (std::holds_alternative<ReadTransformer>(*document))
    return fail(
        ErrorCode::bad_input,
        fmt::format("found a transformer's configuration, expected a {}; pipedeck-cli convert makes a profile of "
                    "it for a device type, and says what it assumes",
                    expected),
        {}, path);
  if (std::holds_alternative<OperatorGraph>(*document))
    return fail(
        ErrorCode::bad_input,
        fmt::format("found an ONNX model, expected a {}; pipedeck-cli convert makes a profile of it for a device "
                    "type, and says what it assumes",
                    expected),
        {}, path);
  constexpr std::array<std::string_view, 6> names{"profile", "cluster", "plan", "simulation", "model", "calibration"};
  return fail(ErrorCode::bad_input, fmt::format("found a {}, expected a {}", names[document->index()], expected), {},
              path);
}

/// Closes the descriptor and removes the file unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& beside) {
    // Opened with O_EXCL, so that two writers never share one; the usual permissions, which mkstemp does not give.
    for (int attempt = 0; descriptor_ < 0 && attempt < 100; ++attempt) {
      path_ = fmt::format("{}.{}-{}.tmp", beside, ::getpid(), attempt);
      descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor_ < 0 && errno != EEXIST) return;
    }
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    const bool created = descriptor_ >= 0 || closed_;
    if (descriptor_ >= 0) ::close(descriptor_);
    if (created && !renamed_) ::unlink(path_.c_str());
  }

  bool created() const { return descriptor_ >= 0; }
  /// On file systems without permissions there are none to keep.
  void permit(::mode_t mode) { [[maybe_unused]] const int changed = ::fchmod(descriptor_, mode); }
  bool write(std::string_view content) {
    while (!content.empty()) {
      const ssize_t written = ::write(descriptor_, content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return false;
      content.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }
  /// On the disk.
  bool complete() {
    if (::fsync(descriptor_) != 0) return false;
    closed_ = true;
    return ::close(std::exchange(descriptor_, -1)) == 0;
  }
  /// Under its final name.
  bool rename(const std::string& target) {
    renamed_ = ::rename(path_.c_str(), target.c_str()) == 0;
    return renamed_;
  }

 private:
  std::string path_;
  int descriptor_ = -1;
  bool closed_ = false, renamed_ = false;
};

/// A file's new content on the disk, not yet under its name.
struct WrittenBeside {
  std::string target;
  std::unique_ptr<TemporaryFile> file;
};

text::TextPieces whole(const std::string& text) {
  return [&text](const text::TextSink& sink) { return sink(text); };
}

Result<WrittenBeside> write_beside(const std::string& path, const text::TextPieces& content) {
  // A link stays one: what it leads to is replaced, with the permissions that it had.
  std::error_code ignored;
  const fs::path resolved = fs::is_symlink(path, ignored) ? fs::weakly_canonical(path, ignored) : fs::path(path);
  WrittenBeside written{resolved.empty() ? path : resolved.string(), nullptr};
  struct ::stat before {};
  const bool there = ::stat(written.target.c_str(), &before) == 0;
  // Renaming would replace a file that its owner protects from being written.
  if (there && ::access(written.target.c_str(), W_OK) != 0) return system_failure("the file can't be written", path);
  written.file = std::make_unique<TemporaryFile>(written.target);
  if (!written.file->created()) return system_failure("the file can't be written", path);
  if (there) written.file->permit(before.st_mode & 07777);
  const bool complete = content([&](std::string_view piece) { return written.file->write(piece); });
  if (!complete || !written.file->complete()) return system_failure("the file can't be written", path);
  return written;
}

}  // namespace

std::string_view name_of(FileKind kind) {
  switch (kind) {
    case FileKind::profile:
      return "profile";
    case FileKind::graph_text:
      return "graph text";
    case FileKind::cluster:
      return "cluster";
    case FileKind::plan:
      return "plan";
    case FileKind::simulation:
      return "simulation";
    case FileKind::model:
      return "model";
    case FileKind::calibration:
      return "calibration";
    case FileKind::project:
      return "project";
    case FileKind::machines:
      return "topology of machines";
    case FileKind::transformer:
      return "transformer configuration";
    case FileKind::operators:
      return "ONNX model";
  }
  return "?";
}

Result<FileKind> kind_of_content(const std::string& content) {
  constexpr std::string_view sqlite{"SQLite format 3\0", 16};
  if (content.compare(0, sqlite.size(), sqlite) == 0) return FileKind::project;
  if (onnx::looks_like_onnx(content)) return FileKind::operators;
  const std::size_t first = first_word(content);
  if (first == content.npos) return fail(ErrorCode::bad_input, "the file is empty");
  if (is_object(content)) return kind_of_json(content);
  if (topology::looks_like_nvidia_smi_topology(content) || topology::looks_like_gpu_copies(content) ||
      topology::looks_like_xml(content))
    return FileKind::machines;
  if (content[first] == '[') return kind_of_json(content);
  if (topology::looks_like_slurm(content)) return FileKind::machines;
  if (profiles::looks_like_profile_csv(content))
    return FileKind::graph_text;  // alike in what it lacks: the micro-batch
  if (content.find(" -- ") != content.npos) return FileKind::graph_text;
  if (topology::looks_like_bandwidth_matrix(content)) return FileKind::machines;
  if (const auto headings = profiles::other_headings(content))
    return fail(ErrorCode::bad_input,
                fmt::format("found the headings {}, expected those of a table of layers: name, forward_ms, "
                            "backward_ms, output_bytes, parameter_bytes; --columns KEY=HEADING[:UNIT],... says which "
                            "column is which",
                            *headings),
                "line 1");
  return fail(
      ErrorCode::bad_input,
      "found a file of no known format, expected JSON with a 'format', a layer graph, a topology of nvidia-smi, "
      "NCCL, lstopo or Slurm, copies that nvbandwidth measured, a table of layers or of bandwidths, an ONNX model or a "
      "Pipedeck project");
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  if (!fs::exists(status)) return fail(ErrorCode::bad_input, "found no such file", {}, path);
  if (fs::is_directory(status)) return fail(ErrorCode::bad_input, "found a folder, expected a file", {}, path);
  if (fs::is_character_file(status) || fs::is_block_file(status))
    return fail(ErrorCode::bad_input, "found a device, expected a file", {}, path);
  const auto too_large = [&] {
    return fail(ErrorCode::bad_input, fmt::format("found more than {} bytes, expected at most that", limit), {}, path);
  };
  if (fs::is_regular_file(status) && fs::file_size(path, problem) > limit && !problem) return too_large();
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return fail(ErrorCode::bad_input, fmt::format("the file can't be opened: {}", std::strerror(errno)), {}, path);
  // Read piece by piece: the size of a pipe, or of a file that grows, is not known.
  std::string content;
  std::array<char, 1 << 16> piece;
  while (in.read(piece.data(), piece.size()) || in.gcount() > 0) {
    content.append(piece.data(), static_cast<std::size_t>(in.gcount()));
    if (content.size() > limit) return too_large();
  }
  if (in.bad()) return system_failure("the file can't be read", path);
  if (auto text = text::from_utf16(content)) content = *std::move(text);
  if (content.starts_with(byte_order_mark)) content.erase(0, byte_order_mark.size());
  if (content.empty()) return fail(ErrorCode::bad_input, "the file is empty", {}, path);
  return content;
}

Result<void> write_file(const std::string& path, const std::string& content) { return write_files({{path, content}}); }

Result<void> write_file_of_pieces(const std::string& path, const text::TextPieces& content) {
  TRY(auto beside, write_beside(path, content));
  if (!beside.file->rename(beside.target)) return system_failure("the file can't be written", path);
  return {};
}

Result<void> write_files(const std::vector<FileText>& files) {
  std::vector<WrittenBeside> written;
  for (const FileText& file : files) {
    TRY(auto beside, write_beside(file.path, whole(file.content)));
    // A rename onto a folder would fail when others were renamed already.
    std::error_code ignored;
    if (fs::is_directory(beside.target, ignored)) {
      errno = EISDIR;
      return system_failure("the file can't be written", file.path);
    }
    written.push_back(std::move(beside));
  }
  for (std::size_t i = 0; i < files.size(); ++i)
    if (!written[i].file->rename(written[i].target)) return system_failure("the file can't be written", files[i].path);
  return {};
}

Result<Document> read_document(const std::string& path, const ReadOptions& options) {
  const Result<std::string> content = read_file(path);
  if (!content) return tl::unexpected(content.error());
  return read_document(path, *content, options);
}

Result<Document> read_document(const std::string& path, const std::string& content, const ReadOptions& options) {
  Result<Document> document = document_of(content, path, options);
  if (!document) return named(std::move(document).error(), path);
  return document;
}

Result<Profile> read_profile(const std::string& path, const ReadOptions& options) {
  return read_as<Profile>(path, "profile", options);
}
Result<Cluster> read_cluster(const std::string& path) { return read_as<Cluster>(path, "cluster"); }
Result<Plan> read_plan(const std::string& path) { return read_as<Plan>(path, "plan"); }
Result<ModelSpec> read_model(const std::string& path) { return read_as<ModelSpec>(path, "model"); }
Result<CalibrationRecord> read_calibration(const std::string& path) {
  return read_as<CalibrationRecord>(path, "calibration");
}

}  // namespace pipedeck::io
