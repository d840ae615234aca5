// SPDX-License-Identifier: Apache-2.0
// Members of dumps that have to be there, or an error with their place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "core/io/pickle/tree.hpp"

namespace pipedeck::io::dumps {

/// A dictionary at a place of a tree.
struct Entry {
  const pickle::Tree& tree;
  pickle::Node node;
  std::string_view place;  ///< "/entries"
  std::size_t number = 0;  ///< in that list

  std::string place_of(std::string_view key) const;
  tl::unexpected<Error> refuse(std::string_view key, std::string_view expected) const;
  /// Returns a whole number from `least` to `most`.
  Result<std::int64_t> integer(std::string_view key, std::int64_t least, std::int64_t most) const;
  /// Returns the same, or `otherwise` if the member is absent or None.
  Result<std::int64_t> integer_or(std::string_view key, std::int64_t otherwise, std::int64_t least,
                                  std::int64_t most) const;
  Result<const std::string*> text(std::string_view key) const;
  Result<const pickle::Items*> list(std::string_view key) const;
};

}  // namespace pipedeck::io::dumps
