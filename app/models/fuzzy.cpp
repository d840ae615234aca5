// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/fuzzy.hpp"

#include <algorithm>

#include <QStringList>

namespace pipedeck::models {

namespace {

constexpr int letter_score = 10, start_score = 30, row_score = 25, whole_score = 40, gap_cost = 1;

bool begins_word(const QString& text, qsizetype at) {
  if (at == 0) return true;
  const QChar before = text[at - 1], here = text[at];
  if (!before.isLetterOrNumber()) return here.isLetterOrNumber();
  return (before.isLower() && here.isUpper()) || (before.isLetter() != here.isLetter());
}

/// Matches a word from `from` on, letter by letter: the next one in a row, else the next beginning of a word, else the
/// next letter.
std::optional<FuzzyMatch> match_from(const QString& word, const QString& text, qsizetype from) {
  FuzzyMatch match;
  qsizetype at = from;
  for (qsizetype i = 0; i < word.size(); ++i) {
    const auto same = [&](qsizetype k) { return text[k].toCaseFolded() == word[i].toCaseFolded(); };
    qsizetype found = -1;
    if (i == 0 || (at < text.size() && same(at))) {
      found = at;
    } else {
      for (qsizetype k = at; k < text.size() && found < 0; ++k)
        if (same(k) && begins_word(text, k)) found = k;
      for (qsizetype k = at; k < text.size() && found < 0; ++k)
        if (same(k)) found = k;
    }
    if (found < 0) return std::nullopt;
    match.score += letter_score + (begins_word(text, found) ? start_score : 0);
    if (i > 0 && found == at) match.score += row_score;
    if (i > 0) match.score -= static_cast<int>(std::min<qsizetype>(found - at, 20)) * gap_cost;
    match.positions.push_back(static_cast<int>(found));
    at = found + 1;
  }
  const bool whole = begins_word(text, from) && match.positions.back() - match.positions.front() + 1 == word.size() &&
                     (at == text.size() || !text[at].isLetterOrNumber());
  if (whole) match.score += whole_score;
  return match;
}

std::optional<FuzzyMatch> match_word(const QString& word, const QString& text) {
  std::optional<FuzzyMatch> best;
  for (qsizetype from = 0; from < text.size(); ++from) {
    if (text[from].toCaseFolded() != word[0].toCaseFolded()) continue;
    auto match = match_from(word, text, from);
    if (match && (!best || match->score > best->score)) best = std::move(match);
  }
  return best;
}

}  // namespace

std::optional<FuzzyMatch> fuzzy_match(const QString& wanted, const QString& text) {
  FuzzyMatch all;
  for (const QString& word : wanted.split(u' ', Qt::SkipEmptyParts)) {
    const auto match = match_word(word, text);
    if (!match) return std::nullopt;
    all.score += match->score;
    all.positions.insert(all.positions.end(), match->positions.begin(), match->positions.end());
  }
  std::ranges::sort(all.positions);
  all.positions.erase(std::ranges::unique(all.positions).begin(), all.positions.end());
  all.score -= static_cast<int>(std::min<qsizetype>(text.size(), 60)) / 4;
  return all;
}

}  // namespace pipedeck::models
