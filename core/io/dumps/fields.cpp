// SPDX-License-Identifier: Apache-2.0
#include "core/io/dumps/fields.hpp"

#include <fmt/format.h>

namespace pipedeck::io::dumps {

std::string Entry::place_of(std::string_view key) const { return fmt::format("{}/{}/{}", place, number, key); }

tl::unexpected<Error> Entry::refuse(std::string_view key, std::string_view expected) const {
  if (!tree.as<pickle::Pairs>(node))
    return fail(ErrorCode::bad_input, fmt::format("found {}, expected a dictionary", tree.describe(node)),
                fmt::format("{}/{}", place, number));
  const pickle::Node* found = tree.find(node, key);
  return fail(ErrorCode::bad_input,
              fmt::format("found {}, expected {}", found ? tree.describe(*found) : "nothing", expected), place_of(key));
}

Result<std::int64_t> Entry::integer(std::string_view key, std::int64_t least, std::int64_t most) const {
  const auto* value = tree.member<std::int64_t>(node, key);
  if (value && *value >= least && *value <= most) return *value;
  return refuse(key, fmt::format("a whole number from {} to {}", least, most));
}

Result<std::int64_t> Entry::integer_or(std::string_view key, std::int64_t otherwise, std::int64_t least,
                                       std::int64_t most) const {
  const pickle::Node* found = tree.find(node, key);
  if (!found || tree.as<pickle::None>(*found)) return otherwise;
  return integer(key, least, most);
}

Result<const std::string*> Entry::text(std::string_view key) const {
  if (const auto* value = tree.member<std::string>(node, key)) return value;
  return refuse(key, "a text");
}

Result<const pickle::Items*> Entry::list(std::string_view key) const {
  if (const auto* value = tree.member<pickle::Items>(node, key)) return value;
  return refuse(key, "a list");
}

}  // namespace pipedeck::io::dumps
