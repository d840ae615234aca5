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
#include <utility>

#include <fmt/format.h>

#include "core/base/replaced_file.hpp"
#include "core/io/text/utf8.hpp"

namespace pipedeck::io {
namespace {

namespace fs = std::filesystem;

/// A mark that some editors put before a text. No format contains it.
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

tl::unexpected<Error> system_failure(const std::string& what, const std::string& path) {
  return fail(ErrorCode::io, fmt::format("{}: {}", what, std::strerror(errno)), {}, path);
}

/// Closes the descriptor and removes the file unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& target) {
    remove_stale_temporaries(target);
    // Opened with O_EXCL, so that two writers never share one; the usual permissions, which mkstemp does not give.
    for (int attempt = 0; descriptor_ < 0 && attempt < 100; ++attempt) {
      path_ = temporary_path(target, attempt);
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
  void replaces(const struct ::stat& before) { keep_owner(descriptor_, before); }
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
struct PendingFile {
  std::string target;
  std::unique_ptr<TemporaryFile> file;
};

text::TextChunks whole(const std::string& text) {
  return [&text](const text::ChunkSink& sink) { return sink(text); };
}

Result<PendingFile> write_temporary(const std::string& path, const text::TextChunks& content) {
  // A link stays one: the file that it leads to is replaced.
  TRY(auto target, end_of_links(path));
  PendingFile written{std::move(target), nullptr};
  struct ::stat before {};
  const bool there = ::stat(written.target.c_str(), &before) == 0;
  // Renaming would replace a file that its owner protects from being written.
  if (there && ::access(written.target.c_str(), W_OK) != 0) return system_failure("the file can't be written", path);
  written.file = std::make_unique<TemporaryFile>(written.target);
  if (!written.file->created()) return system_failure("the file can't be written", path);
  if (there) written.file->replaces(before);
  const bool complete = content([&](std::string_view piece) { return written.file->write(piece); });
  if (!complete || !written.file->complete()) return system_failure("the file can't be written", path);
  return written;
}

}  // namespace

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

Result<void> write_file_chunks(const std::string& path, const text::TextChunks& content) {
  TRY(auto beside, write_temporary(path, content));
  if (!beside.file->rename(beside.target)) return system_failure("the file can't be written", path);
  return {};
}

Result<void> write_files(const std::vector<FileText>& files) {
  std::vector<PendingFile> written;
  for (const FileText& file : files) {
    TRY(auto beside, write_temporary(file.path, whole(file.content)));
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

}  // namespace pipedeck::io
