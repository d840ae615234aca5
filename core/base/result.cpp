// SPDX-License-Identifier: Apache-2.0
#include "core/base/result.hpp"

namespace pipedeck {
namespace {

/// Truncates text from a file, which may be as long as the file, for display in a terminal or window.
std::string beginning_of(const std::string& text) {
  constexpr std::size_t longest = 4000;
  if (text.size() <= longest) return text;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // inside a character
  return text.substr(0, end) + " …";
}

}  // namespace

std::string Error::text() const {
  std::string out;
  for (const std::string* part : {&file, &place})
    if (!part->empty()) out += beginning_of(*part) + ": ";
  return out + beginning_of(message);
}

int exit_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_usage:
    case ErrorCode::bad_input:
      return 2;
    case ErrorCode::infeasible:
      return 3;
    case ErrorCode::run_failed:
      return 4;
    case ErrorCode::cancelled:
      return 130;
    case ErrorCode::io:
    case ErrorCode::internal:
      return 1;
  }
  return 1;
}

}  // namespace pipedeck
