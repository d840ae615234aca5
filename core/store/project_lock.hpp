// SPDX-License-Identifier: Apache-2.0
// One writer per project: an advisory lock on a hidden file in the same folder. The kernel releases it when its owner
// ends, in any way, so a killed program locks out no other.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/base/result.hpp"

namespace pipedeck::store {

class ProjectLock {
 public:
  /// Nothing: somebody else has it. An error: no lock can be made there (the folder can't be written).
  static Result<std::optional<ProjectLock>> take(const std::string& project);
  ProjectLock(ProjectLock&& other) noexcept;
  ProjectLock& operator=(ProjectLock&& other) noexcept;
  ~ProjectLock();  ///< gives it back

 private:
  ProjectLock(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  int descriptor_ = -1;
  std::string path_;
};

}  // namespace pipedeck::store
