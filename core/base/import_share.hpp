// SPDX-License-Identifier: Apache-2.0
// An account of how much of a file its importer understood. It ends every import, in the window and on the command
// line.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pipedeck {

/// A count of a file's parts: each is understood, without effect on time and memory, or left out.
struct ImportShare {
  static constexpr std::size_t max_listed = 20;  ///< parts that are left out by name; others are only counted

  std::string unit = "option";  ///< a part, in the singular: "line", "key"
  int understood = 0, without_effect = 0;
  int unlisted = 0;                     ///< left out, and not in `left_out`
  std::vector<std::string> left_out{};  ///< with their values: "--moe-router-dtype fp32", "line 7: driver 570"
  std::vector<std::string> assumed{};   ///< in the place of what the file leaves open, a clause each
  std::string format{};                 ///< name of the importer: "nvidia-smi"; empty: unknown

  int parts() const { return understood + without_effect + unlisted + static_cast<int>(left_out.size()); }
  /// Adds a part that is left out. A part that is listed already, or too many, is only counted.
  void leave_out(std::string part);
  bool operator==(const ImportShare&) const = default;
};

/// Returns "understood 31 of 40 options, 8 without effect on time and memory (98 %); assumed 2 values, left out 1".
/// Percentages are rounded down: 100 % leaves out nothing.
std::string text_of(const ImportShare& share);

/// Returns the last line of an import: "nvidia-smi: understood 9 of 9 lines (100 %); assumed nothing, left out
/// nothing".
std::string line_of(const ImportShare& share);

}  // namespace pipedeck
