// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/language/core_text.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

#include "app/language/core_texts.hpp"

namespace pipedeck::app {

namespace {

/// One sentence of the core, as it is looked for and as it is said.
struct Pattern {
  QString translation;
  QStringList pieces;  ///< what stands between the placeholders
  qsizetype letters = 0;
  QRegularExpression whole;
  QRegularExpression within;  ///< not valid where it begins or ends with a placeholder: it would not know where
};

const QRegularExpression& placeholder() {
  static const QRegularExpression expression(QStringLiteral("%\\d+"));
  return expression;
}

Pattern pattern_of(const QString& source, const QString& translation) {
  Pattern pattern{translation, source.split(placeholder()), 0, {}, {}};
  QStringList quoted;
  for (const QString& piece : pattern.pieces) {
    pattern.letters += piece.size();
    quoted << QRegularExpression::escape(piece);
  }
  const auto options = QRegularExpression::DotMatchesEverythingOption;
  const QString text = quoted.join(QStringLiteral("(.+?)"));
  pattern.whole = QRegularExpression(QRegularExpression::anchoredPattern(text), options);
  if (!pattern.pieces.front().isEmpty() && !pattern.pieces.back().isEmpty())
    pattern.within = QRegularExpression(QStringLiteral("(?<![A-Za-z])%1(?![A-Za-z])").arg(text), options);
  return pattern;
}

/// Those that the language has another text for; the one that says most first.
std::vector<Pattern> make_patterns() {
  std::vector<Pattern> patterns;
  for (const char* source : core_texts()) {
    const QString english = QString::fromUtf8(source);
    const QString translation = QCoreApplication::translate("core", source);
    if (translation != english) patterns.push_back(pattern_of(english, translation));
  }
  std::ranges::stable_sort(patterns, std::ranges::greater(), &Pattern::letters);
  return patterns;
}

bool may_match(const Pattern& pattern, const QString& text) {
  return std::ranges::all_of(pattern.pieces, [&](const QString& piece) { return text.contains(piece); });
}

QString said(const QString& text, int depth);

QString filled(const Pattern& pattern, const QRegularExpressionMatch& match, int depth) {
  QString result;
  qsizetype at = 0;
  for (auto places = placeholder().globalMatch(pattern.translation); places.hasNext();) {
    const QRegularExpressionMatch place = places.next();
    result += pattern.translation.mid(at, place.capturedStart() - at);
    result += said(match.captured(place.captured().mid(1).toInt()), depth + 1);
    at = place.capturedEnd();
  }
  return result + pattern.translation.mid(at);
}

QString said(const QString& text, int depth) {
  static const std::vector<Pattern> patterns = make_patterns();
  constexpr int deepest = 8;
  constexpr qsizetype least_letters = 5;  // shorter ones would be found in names
  if (depth > deepest || text.size() < least_letters || patterns.empty()) return text;
  for (const Pattern& pattern : patterns) {
    if (!may_match(pattern, text)) continue;
    if (const auto match = pattern.whole.match(text); match.hasMatch()) return filled(pattern, match, depth);
  }
  for (const Pattern& pattern : patterns) {
    if (pattern.letters < least_letters || pattern.within.pattern().isEmpty() || !may_match(pattern, text)) continue;
    const auto match = pattern.within.match(text);
    if (!match.hasMatch()) continue;
    return said(text.left(match.capturedStart()), depth + 1) + filled(pattern, match, depth) +
           said(text.mid(match.capturedEnd()), depth + 1);
  }
  return text;
}

}  // namespace

QString core_text(const QString& english) { return said(english, 0); }

QString core_text(const Error& error) {
  QStringList parts;
  for (const std::string* part : {&error.file, &error.place})
    if (!part->empty()) parts << QString::fromStdString(*part);
  parts << core_text(error.message);
  return parts.join(QStringLiteral(": "));
}

}  // namespace pipedeck::app
