// SPDX-License-Identifier: Apache-2.0
#include "core/store/project_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "core/base/replaced_file.hpp"

namespace pipedeck::store {
namespace {

namespace fs = std::filesystem;

std::string lock_path(const std::string& project) {
  std::error_code none;
  const fs::path path = fs::weakly_canonical(end_of_links(project).value_or(project), none);
  return (path.parent_path() / ("." + companion_name(path.filename().string()) + ".lock")).string();
}

/// Whoever gave the lock back removed its file: one that was opened before that locks nothing any more.
bool is_valid(int descriptor, const std::string& path) {
  struct stat held {
  }, named{};
  return ::fstat(descriptor, &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
         held.st_dev == named.st_dev;
}

}  // namespace

Result<std::optional<ProjectLock>> ProjectLock::take(const std::string& project) {
  const std::string path = lock_path(project);
  constexpr int max_tries = 100;
  for (int i = 0; i < max_tries; ++i) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0 && errno == ELOOP)
      return fail(ErrorCode::io, fmt::format("found a link at {}, expected a lock: remove it", path), {}, project);
    if (descriptor < 0)
      return fail(ErrorCode::io, fmt::format("the folder can't be written: {}", std::strerror(errno)), {}, project);
    ProjectLock lock(descriptor, path);
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      const bool held = errno == EWOULDBLOCK;
      lock.path_.clear();  // not ours to remove
      if (held) return std::optional<ProjectLock>();
      return std::optional(std::move(lock));  // a file system without locks: better to work than not
    }
    if (is_valid(descriptor, path)) return std::optional(std::move(lock));
    lock.path_.clear();
  }
  return std::optional<ProjectLock>();
}

ProjectLock::ProjectLock(ProjectLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::exchange(other.path_, {})) {}

ProjectLock& ProjectLock::operator=(ProjectLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  return *this;
}

ProjectLock::~ProjectLock() {
  if (descriptor_ < 0) return;
  if (!path_.empty()) ::unlink(path_.c_str());  // still locked, so no process holds another file of that name
  ::close(descriptor_);
}

}  // namespace pipedeck::store
