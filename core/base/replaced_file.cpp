// SPDX-License-Identifier: Apache-2.0
#include "core/base/replaced_file.hpp"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace pipedeck {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view temporary_ending = ".tmp";

bool runs(pid_t process) { return ::kill(process, 0) == 0 || errno != ESRCH; }

/// Returns whether `middle`, of NAME.MIDDLE.tmp, names a process that has ended.
bool is_of_ended_process(std::string_view middle) {
  pid_t process = 0;
  int attempt = 0;
  const char* const end = middle.data() + middle.size();
  const auto [rest, problem] = std::from_chars(middle.data(), end, process);
  if (problem != std::errc() || process <= 0) return false;
  if (rest != end) {
    if (*rest != '-') return false;
    const auto [last, no_attempt] = std::from_chars(rest + 1, end, attempt);
    if (no_attempt != std::errc() || last != end) return false;
  }
  return !runs(process);
}

/// FNV-1a.
std::uint64_t checksum_of(std::string_view text) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return sum;
}

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

}  // namespace

Result<std::string> end_of_links(const std::string& path) {
  constexpr int most_links = 40;  // the kernel's limit
  fs::path at = path;
  std::error_code problem;
  for (int i = 0; i <= most_links; ++i) {
    if (!fs::is_symlink(fs::symlink_status(at, problem))) return at.string();
    const fs::path next = fs::read_symlink(at, problem);
    if (problem) return fail(ErrorCode::io, fmt::format("the link can't be read: {}", problem.message()), {}, path);
    at = next.is_absolute() ? next : at.parent_path() / next;
  }
  return fail(ErrorCode::io, "found a link that leads to itself, expected one to a file", {}, path);
}

std::string companion_name(const std::string& name) {
  constexpr std::size_t longest = 220, kept = 200;  // bytes; file systems allow 255
  if (name.size() <= longest) return name;
  std::size_t end = kept;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;  // whole characters of UTF-8
  return fmt::format("{}~{:016x}", name.substr(0, end), checksum_of(name));
}

std::string temporary_path(const std::string& target, int attempt) {
  const fs::path path = target;
  const std::string name = companion_name(path.filename().string());
  return (path.parent_path() / fmt::format("{}.{}-{}{}", name, ::getpid(), attempt, temporary_ending)).string();
}

void remove_stale_temporaries(const std::string& target) {
  const std::string begin = companion_name(fs::path(target).filename().string()) + '.';
  std::error_code none;
  std::vector<fs::path> stale;
  for (fs::directory_iterator entry(folder_of(target), none), end; !none && entry != end; entry.increment(none)) {
    const std::string name = entry->path().filename().string();
    if (name.size() <= begin.size() + temporary_ending.size() || !name.starts_with(begin) ||
        !name.ends_with(temporary_ending))
      continue;
    const std::string_view middle =
        std::string_view(name).substr(begin.size(), name.size() - begin.size() - temporary_ending.size());
    if (is_of_ended_process(middle)) stale.push_back(entry->path());
  }
  for (const fs::path& file : stale) fs::remove(file, none);
}

void keep_owner(int descriptor, const struct ::stat& before) {
  struct ::stat now {};
  const bool same = ::fstat(descriptor, &now) == 0 && now.st_uid == before.st_uid && now.st_gid == before.st_gid;
  // A user who may not give files away may still keep the group. File systems without permissions have none to keep.
  if (!same && ::fchown(descriptor, before.st_uid, before.st_gid) != 0) [[maybe_unused]]
    const int kept = ::fchown(descriptor, static_cast<uid_t>(-1), before.st_gid);
  [[maybe_unused]] const int kept = ::fchmod(descriptor, before.st_mode & 0777);
}

}  // namespace pipedeck
