// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

namespace pipedeck {

/// Replaces control characters, including line ends, by spaces, so that a comment in a script can hold the name.
inline std::string strip_control_characters(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

}  // namespace pipedeck
