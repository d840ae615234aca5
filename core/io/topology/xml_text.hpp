// SPDX-License-Identifier: Apache-2.0
// XML of topologies, which anybody may have written: its size and its text are checked first, document types and
// entities are not looked at, errors have their line.
#pragma once

#include <optional>
#include <string>

#include <pugixml.hpp>

#include "core/base/result.hpp"

namespace pipedeck::io::topology {

/// A nesting of elements this deep describes no machine.
inline constexpr int max_xml_depth = 64;

class XmlText {
 public:
  /// `text` must outlive the reader.
  explicit XmlText(const std::string& text) : text_(text) {}

  /// No valid XML, no UTF-8 or more text than topologies have is bad_input.
  Result<void> load();
  const pugi::xml_document& document() const { return document_; }

  tl::unexpected<Error> bad(std::string message, std::ptrdiff_t offset) const;
  tl::unexpected<Error> bad(std::string message, const pugi::xml_node& node) const;

  /// A whole number in an attribute; nothing where there is none, `problem` where it is no such number.
  std::optional<int> number(const pugi::xml_node& node, const char* key, int least, int most,
                            std::optional<Error>& problem) const;

 private:
  const std::string& text_;
  pugi::xml_document document_;
};

}  // namespace pipedeck::io::topology
