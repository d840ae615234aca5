// SPDX-License-Identifier: GPL-3.0-or-later
// Search by parts of words: "pl re" finds "Planners and report", "ds3" finds "DeepSeek-V3".
#pragma once

#include <optional>
#include <vector>

#include <QString>

namespace pipedeck::models {

struct FuzzyMatch {
  int score = 0;               ///< higher is better
  std::vector<int> positions;  ///< matched characters, ascending
};

/// Matches every word of `wanted` with letters of `text` in order, in any case. Beginnings of words and letters in a
/// row score more, long texts and gaps less. Returns nothing if a word does not match.
std::optional<FuzzyMatch> fuzzy_match(const QString& wanted, const QString& text);

}  // namespace pipedeck::models
