// SPDX-License-Identifier: Apache-2.0
// Reads and writes files. A written file is whole, or it is as it was before. Errors name the file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/io/text/pieces.hpp"

namespace pipedeck::io {

/// Returns the whole content of a file of at most `limit` bytes, without a byte order mark. UTF-16 that begins with a
/// mark is returned as UTF-8.
Result<std::string> read_file(const std::string& path, std::size_t limit = std::size_t{1} << 31);

/// Writes a temporary file in the same folder, flushes it, and renames it to `path`.
Result<void> write_file(const std::string& path, const std::string& content);
/// Writes pieces as they are made, for content too long for one text.
Result<void> write_file_chunks(const std::string& path, const text::TextChunks& content);

struct FileText {
  std::string path, content;
};
/// Writes all files, or none if one cannot be written: every content is on the disk before the first rename.
Result<void> write_files(const std::vector<FileText>& files);

}  // namespace pipedeck::io
