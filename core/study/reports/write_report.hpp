// SPDX-License-Identifier: Apache-2.0
// A report on disk: whole, or what was there before.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/study/reports/document.hpp"

namespace pipedeck::study::reports {

/// By its ending: Markdown for ".md" and ".markdown", HTML for all else.
bool is_markdown_file(const std::string& path);

/// Writes HTML in one file, or Markdown with its pictures in the folder "NAME-pictures". Errors name the file that
/// can't be written.
Result<void> write_report(const std::string& path, const Document& document);

}  // namespace pipedeck::study::reports
