// SPDX-License-Identifier: Apache-2.0
// Several files that belong together, written as one (core/io/files.cpp).
#pragma once

#include <string>
#include <vector>

#include "core/domain/result.hpp"

namespace pipedeck {

struct FileText {
  std::string path, content;
};

/// All of them, or none where one can't be written: every content is on the disk before the first rename.
Result<void> write_files(const std::vector<FileText>& files);

}  // namespace pipedeck
