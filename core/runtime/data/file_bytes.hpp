// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/result.hpp"

namespace pipedeck::runtime::data {

/// Returns the content of a file. bad_input, with the file's name, if it is a folder or cannot be read.
Result<std::string> file_bytes(const std::string& path);

}  // namespace pipedeck::runtime::data
