// SPDX-License-Identifier: Apache-2.0
// Several files that belong together, written as one, and files too long for one text (core/io/files.cpp).
#pragma once

#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/io/text/pieces.hpp"

namespace pipedeck::io {

struct FileText {
  std::string path, content;
};

/// All of them, or none where one can't be written: every content is on the disk before the first rename.
Result<void> write_files(const std::vector<FileText>& files);

/// As write_file, of pieces as they are made: the file is whole or as it was.
Result<void> write_file_of_pieces(const std::string& path, const text::TextPieces& content);

}  // namespace pipedeck::io
