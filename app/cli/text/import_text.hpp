// SPDX-License-Identifier: Apache-2.0
// How a file was read, for convert --explain.
#pragma once

#include <string>
#include <string_view>

#include "core/base/import_share.hpp"

namespace pipedeck::cli::text {

/// Returns the format and the reason for it, then what was assumed and left out, a line each. The last line is that
/// which ends every import. `open`: a question that the file leaves to an option; may be empty.
std::string import_text(const std::string& file, const ImportShare& share, std::string_view evidence,
                        const std::string& open);

}  // namespace pipedeck::cli::text
