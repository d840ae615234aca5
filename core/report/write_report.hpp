// SPDX-License-Identifier: Apache-2.0
// A report on disk: whole, or what was there before.
#pragma once

#include <string>
#include <vector>

#include "core/domain/result.hpp"
#include "core/report/document.hpp"

namespace pipedeck::reports {

/// By its ending: Markdown for ".md" and ".markdown", HTML for all else.
bool is_markdown_file(const std::string& path);

/// HTML in one file; Markdown with its pictures in "NAME-pictures" beside it. Errors name the file that can't be
/// written.
Result<void> write_report(const std::string& path, const Document& document);

}  // namespace pipedeck::reports
