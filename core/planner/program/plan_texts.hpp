// SPDX-License-Identifier: Apache-2.0
// A stream of JSON objects: one after another or as a list, whole ones as soon as they are there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pipedeck::planner::program {

class PlanTexts {
 public:
  void add(std::string_view more);
  /// Returns the whole objects so far.
  const std::vector<std::string>& whole() const { return whole_; }
  /// Returns what is wrong with the text if it ends here; empty: nothing.
  std::string problem() const;

 private:
  void add(char letter);

  std::vector<std::string> whole_;
  std::string open_;  ///< the object that is not whole yet
  int braces_ = 0, brackets_ = 0;
  bool in_string_ = false, escaped_ = false;
  std::string stray_;  ///< the first letters outside of objects that are no list's
};

}  // namespace pipedeck::planner::program
