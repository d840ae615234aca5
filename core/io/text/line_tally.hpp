// SPDX-License-Identifier: Apache-2.0
// A tally of the lines of a text: which of them its reader understood.
#pragma once

#include <string_view>

#include "core/base/import_share.hpp"

namespace pipedeck::io::text {

class LineTally {
 public:
  LineTally() { share_.unit = "line"; }

  void understand() { ++share_.understood; }
  /// Counts a line without figures of time and memory, such as a legend.
  void ignore() { ++share_.without_effect; }
  /// Counts a line that the reader passed over. Lines without a letter or a digit do not count.
  void leave_out(std::string_view line, int number);

  const ImportShare& share() const { return share_; }

 private:
  ImportShare share_;
};

}  // namespace pipedeck::io::text
