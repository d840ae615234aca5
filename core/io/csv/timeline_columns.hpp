// SPDX-License-Identifier: Apache-2.0
// A timeline as bytes, column after column, 23 an operation: how a project file keeps operations that as JSON would
// take four times the place and fifty times the time.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/model/timeline.hpp"

namespace pipedeck::io::csv {

/// Little-endian: "PDT1", the numbers of lanes and operations, the lanes, the columns.
std::string timeline_to_columns(const Timeline& timeline);
Result<Timeline> timeline_from_columns(const std::string& bytes);

}  // namespace pipedeck::io::csv
