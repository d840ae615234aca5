// SPDX-License-Identifier: Apache-2.0
// How far work in another process is, a JSON line at a time (formats.md, "Progress").
#pragma once

#include <string>

#include "core/base/result.hpp"

namespace pipedeck::io::documents {

struct ProgressMessage {
  double done = 0;  ///< in [0, 1]
  std::string what;
  bool operator==(const ProgressMessage&) const = default;
};

/// One line, without the newline.
std::string progress_to_json(const ProgressMessage& note);
Result<ProgressMessage> progress_from_json(const std::string& line);

}  // namespace pipedeck::io::documents
