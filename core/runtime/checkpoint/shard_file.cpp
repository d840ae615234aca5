// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/checkpoint/shard_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace pipedeck::runtime::checkpoint {
namespace {

/// Magic bytes like PNG's: a non-ASCII byte and line ends of both kinds, which a transfer as text would change.
constexpr std::string_view magic{"\x89PDCK\r\n\x1a", 8};
constexpr std::uint32_t version = 1;
constexpr std::uint64_t max_header = std::uint64_t{1} << 28;
constexpr std::size_t piece = std::size_t{1} << 20;  // bytes written and checked at a time

/// Fields before the header: magic, version, length of the header. Its checksum follows the header.
constexpr std::size_t preamble = 8 + 4 + 8, checksum_bytes = 4;

std::uint32_t checksum_of(const void* data, std::size_t bytes, std::uint32_t before = 0) {
  return static_cast<std::uint32_t>(crc32_z(before, static_cast<const unsigned char*>(data), bytes));
}

tl::unexpected<Error> system_failure(const char* what, const std::string& path) {
  return fail(ErrorCode::io, fmt::format("{}: {}", what, std::strerror(errno)), {}, path);
}

std::uint64_t values_begin(std::size_t header) { return preamble + header + checksum_bytes; }

std::uint64_t state_bytes(const LayerPart& layer) {
  return static_cast<std::uint64_t>(layer.floats()) * sizeof(float) + checksum_bytes;
}

std::uint64_t values_bytes(const Part& part) {
  std::uint64_t sum = 0;
  for (const LayerPart& layer : part.layers) sum += static_cast<std::uint64_t>(layer.lists()) * state_bytes(layer);
  return sum;
}

std::string preamble_of(const std::string& header) {
  std::string bytes(magic);
  const std::uint64_t size = header.size();
  bytes.append(reinterpret_cast<const char*>(&version), sizeof version);
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
  return bytes;
}

/// A file that is removed unless it is finished.
class Unfinished {
 public:
  explicit Unfinished(std::string path) : path_(std::move(path)) {
    // A file of this name is a killed run's. It may also be another name of a user's file: it is not written to.
    std::error_code none;
    if (std::filesystem::is_regular_file(std::filesystem::symlink_status(path_, none))) ::unlink(path_.c_str());
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  ~Unfinished() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    if (!finished_) ::unlink(path_.c_str());
  }

  bool created() const { return descriptor_ >= 0; }
  bool write(const void* data, std::size_t bytes) {
    const char* from = static_cast<const char*>(data);
    while (bytes > 0) {
      const ssize_t written = ::write(descriptor_, from, bytes);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return false;
      from += written;
      bytes -= static_cast<std::size_t>(written);
    }
    return true;
  }
  bool finish(const std::string& name) {
    finished_ = ::fsync(descriptor_) == 0 && ::rename(path_.c_str(), name.c_str()) == 0;
    return finished_;
  }

 private:
  std::string path_;
  int descriptor_ = -1;
  bool finished_ = false;
};

/// Flushes the folder: without this a renamed file may be lost after a power cut.
bool flush_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool flushed = ::fsync(descriptor) == 0 || errno == EINVAL;  // a file system whose folders cannot be flushed
  ::close(descriptor);
  return flushed;
}

bool write_values(Unfinished& file, std::span<const float> values, const std::function<void()>& progress) {
  std::uint32_t checksum = 0;
  while (!values.empty()) {
    const auto part = values.first(std::min(values.size(), piece / sizeof(float)));
    checksum = checksum_of(part.data(), part.size_bytes(), checksum);
    if (!file.write(part.data(), part.size_bytes())) return false;
    if (progress) progress();
    values = values.subspan(part.size());
  }
  return file.write(&checksum, sizeof checksum);
}

bool write_all(Unfinished& file, const Part& part, std::span<const float> values,
               const std::function<void()>& progress) {
  const std::string header = encode(part), begin = preamble_of(header);
  const std::uint32_t checksum = checksum_of(header.data(), header.size());
  if (!file.write(begin.data(), begin.size()) || !file.write(header.data(), header.size()) ||
      !file.write(&checksum, sizeof checksum))
    return false;
  for (const LayerPart& layer : part.layers)
    for (int state = 0; state < layer.lists(); ++state) {
      const auto floats = static_cast<std::size_t>(layer.floats());
      if (!write_values(file, values.first(floats), progress)) return false;
      values = values.subspan(floats);
    }
  return true;
}

/// Reads bytes [at, at + bytes) of the file. Returns false if the file ends before or cannot be read.
bool read_at(int descriptor, std::uint64_t at, void* data, std::size_t bytes) {
  char* to = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t got = ::pread(descriptor, to, bytes, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    at += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

bool looks_like_checkpoint(std::string_view content) { return content.starts_with(magic); }

Bytes file_bytes(const Part& part) {
  return Bytes(static_cast<std::int64_t>(values_begin(encode(part).size()) + values_bytes(part)));
}

Result<void> write_part(const std::string& path, const Part& part, std::span<const float> values,
                        const std::function<void()>& progress) {
  ensure(static_cast<std::int64_t>(values.size()) == part.floats(), "a part has the stated number of values");
  Unfinished file(path + std::string(unfinished_ending));
  if (!file.created() || !write_all(file, part, values, progress) || !file.finish(path) || !flush_folder_of(path))
    return system_failure("cannot be written", path);
  return {};
}

Result<ShardFile> ShardFile::open(const std::string& path) {
  ShardFile file(path, ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // no pipe is waited for
  if (file.descriptor_ < 0) return system_failure("can't be opened", path);
  if (auto read = file.read_header(); !read) {
    read.error().file = path;
    return tl::unexpected(std::move(read.error()));
  }
  return file;
}

ShardFile::ShardFile(ShardFile&& other) noexcept { *this = std::move(other); }

ShardFile& ShardFile::operator=(ShardFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(part_, other.part_);
  std::swap(values_begin_, other.values_begin_);
  return *this;
}

ShardFile::~ShardFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> ShardFile::read_header() {
  struct ::stat about {};
  if (::fstat(descriptor_, &about) != 0 || !S_ISREG(about.st_mode))
    return fail(ErrorCode::bad_input, "found no plain file, expected a part of a checkpoint");
  const auto size = static_cast<std::uint64_t>(about.st_size);
  std::array<char, preamble> begin{};
  const std::size_t there = std::min<std::uint64_t>(size, preamble);
  if (!read_at(descriptor_, 0, begin.data(), there)) return fail(ErrorCode::io, "can't be read");
  const std::string_view found(begin.data(), std::min(there, magic.size()));
  if (there == 0) return fail(ErrorCode::bad_input, "the file is empty");
  if (!magic.starts_with(found)) return fail(ErrorCode::bad_input, "found a file that is no part of a checkpoint");
  if (there < preamble)
    return fail(ErrorCode::bad_input, fmt::format("truncated: found {} bytes, expected {} at least", there, preamble));
  std::uint32_t written_by = 0, checksum = 0;
  std::uint64_t header_bytes = 0;
  std::memcpy(&written_by, begin.data() + 8, sizeof written_by);
  std::memcpy(&header_bytes, begin.data() + 12, sizeof header_bytes);
  if (written_by != version)
    return fail(ErrorCode::bad_input, fmt::format("found version {}, expected {}, the only one that this program reads",
                                                  written_by, version));
  if (header_bytes > max_header)
    return fail(ErrorCode::bad_input, fmt::format("corrupt: a header of {} bytes", header_bytes));
  if (size < values_begin(header_bytes))
    return fail(ErrorCode::bad_input,
                fmt::format("truncated: found {} bytes, expected {} at least", size, values_begin(header_bytes)));
  std::string header(header_bytes, '\0');
  if (!read_at(descriptor_, preamble, header.data(), header.size()) ||
      !read_at(descriptor_, preamble + header_bytes, &checksum, sizeof checksum))
    return fail(ErrorCode::io, "can't be read");
  if (checksum != checksum_of(header.data(), header.size()))
    return fail(ErrorCode::bad_input, "corrupt: the header is not the one that was written");
  TRY(auto part, decode_part(header));
  part_ = std::move(part);
  values_begin_ = values_begin(header_bytes);
  const std::uint64_t expected = values_begin_ + values_bytes(part_);
  if (size < expected)
    return fail(ErrorCode::bad_input, fmt::format("truncated: found {} bytes, expected {}", size, expected));
  if (size > expected)
    return fail(ErrorCode::bad_input, fmt::format("corrupt: found {} bytes, expected {}", size, expected));
  return {};
}

Result<void> ShardFile::read(std::size_t index, int state, std::span<float> values) const {
  const LayerPart& layer = part_.layers[index];
  std::uint64_t at = values_begin_ + static_cast<std::uint64_t>(state) * state_bytes(layer);
  for (std::size_t i = 0; i < index; ++i)
    at += static_cast<std::uint64_t>(part_.layers[i].lists()) * state_bytes(part_.layers[i]);
  std::uint32_t checksum = 0;
  if (!read_at(descriptor_, at, values.data(), values.size_bytes()) ||
      !read_at(descriptor_, at + values.size_bytes(), &checksum, sizeof checksum))
    return fail(ErrorCode::io, "can't be read", {}, path_);
  if (checksum == checksum_of(values.data(), values.size_bytes())) return {};
  const auto& named = part_.origin.layers[static_cast<std::size_t>(layer.layer)];
  constexpr std::array<const char*, 3> states{"parameters", "first moment", "second moment"};
  const char* what = state < layer.states ? states[static_cast<std::size_t>(state)] : "older parameters";
  return fail(
      ErrorCode::bad_input,
      fmt::format("corrupt: the {} of layer {} '{}' are not those that were written", what, layer.layer, named.name),
      {}, path_);
}

Result<void> ShardFile::verify() const {
  std::vector<float> values;
  for (std::size_t i = 0; i < part_.layers.size(); ++i)
    for (int state = 0; state < part_.layers[i].lists(); ++state) {
      values.resize(static_cast<std::size_t>(part_.layers[i].floats()));
      TRY_VOID(read(i, state, values));
    }
  return {};
}

}  // namespace pipedeck::runtime::checkpoint
