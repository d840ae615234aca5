// SPDX-License-Identifier: Apache-2.0
// One writer a project: an advisory lock on a hidden file beside it. The kernel gives it back when its owner ends,
// however that ends, so a killed program locks nobody out.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/domain/result.hpp"

namespace pipedeck {

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

}  // namespace pipedeck
