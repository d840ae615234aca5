// SPDX-License-Identifier: Apache-2.0
// The requirements of every fuzz target on a reader: any bytes give a value or an error with a message, and the value
// can be used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/base/result.hpp"

namespace pipedeck::fuzz {

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline void require(bool holds) {
  if (!holds) std::abort();
}

/// An error of files that anybody may write is bad_input with words, never an internal one.
template <class T>
bool judged(const Result<T>& result) {
  if (!result) require(result.error().code == ErrorCode::bad_input && !result.error().message.empty());
  return result.has_value();
}

}  // namespace pipedeck::fuzz
