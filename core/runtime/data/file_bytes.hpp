// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "core/base/result.hpp"

namespace pipedeck::runtime::data {

/// Opens a plain file, whose descriptor the caller closes. bad_input, with the file's name, if it is a folder, a pipe
/// or a device, or cannot be opened.
Result<int> open_plain_file(const std::string& path);

/// Returns the content of a plain file of at most `limit` bytes. bad_input, with the file's name, if it is another.
Result<std::string> file_bytes(const std::string& path, std::size_t limit = std::size_t{1} << 31);

}  // namespace pipedeck::runtime::data
