// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/language/core_text.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <QCoreApplication>
#include <QHash>
#include <QLocale>
#include <QRegularExpression>
#include <QStringList>

#include "app/language/core_texts.hpp"

namespace pipedeck::app {

namespace {

/// One sentence of the core, as it is looked for and as it is said.
struct Pattern {
  QString source;
  QString translation;
  QStringList pieces;  ///< what stands between the placeholders
  qsizetype letters = 0;
  QRegularExpression whole;
  QRegularExpression within;  ///< not valid where it begins with a placeholder: it would not know where

  /// It can't be taken for another.
  bool is_plain() const {
    constexpr qsizetype few = 5, enough = 16;
    return letters >= (pieces.front().isEmpty() ? enough : few);
  }
};

const QRegularExpression& placeholder() {
  static const QRegularExpression expression(QStringLiteral("%\\d+"));
  return expression;
}

/// Where one statement ends and the next begins.
const QString statement_end = QStringLiteral("; |\\. (?=[A-Z])");

/// "moving" also at the start of a sentence.
QString opened(const QString& piece) {
  const QString quoted = QRegularExpression::escape(piece);
  if (piece.isEmpty() || !piece.front().isLower()) return quoted;
  return QStringLiteral("[%1%2]").arg(piece.front()).arg(piece.front().toUpper()) +
         QRegularExpression::escape(piece.mid(1));
}

/// Whether both end with a full stop. Of several statements in one text a pattern meets each without its own.
bool is_statement(const QString& source, const QString& translation) {
  return source.endsWith(QLatin1Char('.')) && translation.endsWith(QLatin1Char('.'));
}

Pattern pattern_of(const QString& source, const QString& translation) {
  Pattern pattern{source, translation, source.split(placeholder()), 0, {}, {}};
  if (is_statement(source, translation)) pattern.pieces.back().chop(1);
  QStringList quoted;
  for (const QString& piece : pattern.pieces) {
    pattern.letters += piece.size();
    quoted << (quoted.isEmpty() ? opened(piece) : QRegularExpression::escape(piece));
  }
  const QString stop = is_statement(source, translation) ? QStringLiteral("\\.?") : QString();
  const auto options = QRegularExpression::DotMatchesEverythingOption;
  const QString of_one_statement = QStringLiteral("((?:(?!%1).)*?)").arg(statement_end);
  pattern.whole =
      QRegularExpression(QRegularExpression::anchoredPattern(quoted.join(of_one_statement) + stop), options);
  const QString &first = pattern.pieces.front(), &last = pattern.pieces.back();
  if (!first.isEmpty())  // a placeholder at its end takes all the rest
    pattern.within = QRegularExpression((first.front().isLetter() ? QStringLiteral("(?<![A-Za-z])") : QString()) +
                                            quoted.join(QStringLiteral("(.*?)")) +
                                            (last.isEmpty()           ? QStringLiteral("$")
                                             : last.back().isLetter() ? QStringLiteral("(?![A-Za-z])")
                                                                      : QString()),
                                        options);
  return pattern;
}

/// What the language has other texts for.
struct Texts {
  QHash<QString, QString> words;  ///< single ones, which are parts of sentences only by themselves
  std::vector<Pattern> patterns;  ///< the one that says most first
};

Texts make_texts() {
  Texts texts;
  for (const char* source : core_texts()) {
    const QString english = QString::fromUtf8(source);
    const QString translation = QCoreApplication::translate("core", source);
    if (translation == english) continue;
    if (english.contains(QLatin1Char(' ')) || english.contains(QLatin1Char('%')))
      texts.patterns.push_back(pattern_of(english, translation));
    else
      texts.words.insert(english, translation);
  }
  std::ranges::stable_sort(texts.patterns, std::ranges::greater(), &Pattern::letters);
  return texts;
}

const Texts& texts() {
  static const Texts made = make_texts();
  return made;
}

bool may_match(const Pattern& pattern, const QString& text) {
  return std::ranges::all_of(pattern.pieces,
                             [&](const QString& piece) { return text.contains(piece, Qt::CaseInsensitive); });
}

QString said(const QString& text, int depth);

/// English has no comma where the language may have one: "assignments that fit", "Zuteilungen, die passen".
QString joined(QString before, const QString& after) {
  if (after.startsWith(QLatin1Char(',')))
    while (before.endsWith(QLatin1Char(' '))) before.chop(1);
  return before + after;
}

/// The placeholder stands in quotation marks: a name, which no language has another word for.
bool is_name(const QString& translation, const QRegularExpressionMatch& place) {
  const QString marks = QStringLiteral("'\"\u201e");
  return place.capturedStart() > 0 && marks.contains(translation.at(place.capturedStart() - 1));
}

QString filled(const Pattern& pattern, const QRegularExpressionMatch& match, int depth) {
  QString result;
  qsizetype at = 0;
  for (auto places = placeholder().globalMatch(pattern.translation); places.hasNext();) {
    const QRegularExpressionMatch place = places.next();
    const QString part = match.captured(place.captured().mid(1).toInt());
    result += pattern.translation.mid(at, place.capturedStart() - at);
    result += is_name(pattern.translation, place) ? part : said(part, depth + 1);
    at = place.capturedEnd();
  }
  result += pattern.translation.mid(at);
  if (is_statement(pattern.source, pattern.translation) && !match.captured().endsWith(QLatin1Char('.'))) result.chop(1);
  if (pattern.source.front().isLower() && match.captured().startsWith(pattern.source.front().toUpper()))
    result.front() = result.front().toUpper();
  return result;
}

/// Patterns that begin with words, or those that begin with a placeholder.
std::optional<QString> as_whole(const QString& text, bool with_words, int depth) {
  for (const Pattern& pattern : texts().patterns) {
    if (pattern.pieces.front().isEmpty() == with_words || !pattern.is_plain() || !may_match(pattern, text)) continue;
    if (const auto match = pattern.whole.match(text); match.hasMatch()) return filled(pattern, match, depth);
  }
  return {};
}

std::optional<QString> as_statements(const QString& text, int depth) {
  static const QRegularExpression end(statement_end);
  if (text.endsWith(QLatin1Char('.'))) return said(text.chopped(1), depth + 1) + QLatin1Char('.');
  const auto match = end.match(text);
  if (!match.hasMatch()) return {};
  return said(text.left(match.capturedStart()), depth + 1) + match.captured() +
         said(text.mid(match.capturedEnd()), depth + 1);
}

std::optional<QString> in_parts(const QString& text, int depth) {
  constexpr qsizetype least_letters = 5;  // shorter ones would be found in names
  for (const Pattern& pattern : texts().patterns) {
    if (!may_match(pattern, text)) continue;
    if (const auto match = pattern.whole.match(text); match.hasMatch()) return filled(pattern, match, depth);
    if (pattern.letters < least_letters || pattern.pieces.front().isEmpty()) continue;
    const auto match = pattern.within.match(text);
    if (!match.hasMatch()) continue;
    return joined(said(text.left(match.capturedStart()), depth + 1), filled(pattern, match, depth)) +
           said(text.mid(match.capturedEnd()), depth + 1);
  }
  return {};
}

/// "a, or b, or c"
std::optional<QString> as_alternatives(const QString& text, int depth) {
  const QLatin1String between(", or ");
  const qsizetype at = text.indexOf(between);
  if (at <= 0) return {};
  return QCoreApplication::translate("core", "%1, or %2")
      .arg(said(text.left(at), depth + 1), said(text.mid(at + between.size()), depth + 1));
}

/// "weights 0.188 GiB + gradients 0.188 GiB": each item by itself, else the first would take the others for its figure.
std::optional<QString> as_sum(const QString& text, int depth) {
  static const QRegularExpression sum(
      QStringLiteral("\\A[a-z][^+=(]* [\\d.]+ GiB(?: \\+ [a-z][^+=(]* [\\d.]+ GiB)+\\z"));
  if (!sum.match(text).hasMatch()) return {};
  const QLatin1String plus(" + ");
  QStringList items;
  for (const QString& item : text.split(plus)) items << said(item, depth + 1);
  return items.join(plus);
}

QString said(const QString& text, int depth) {
  constexpr int deepest = 24;
  const QString words = text.trimmed();
  if (depth > deepest || words.size() < 2) return text;
  std::optional<QString> found;
  if (const auto word = texts().words.constFind(words); word != texts().words.cend()) found = *word;
  if (!found) found = as_sum(words, depth);
  if (!found) found = as_whole(words, true, depth);
  if (!found) found = as_alternatives(words, depth);
  if (!found) found = as_whole(words, false, depth);
  if (!found) found = as_statements(words, depth);
  if (!found) found = in_parts(words, depth);
  if (!found) return text;
  const qsizetype start = text.indexOf(words);
  return joined(text.left(start), *found) + text.mid(start + words.size());
}

/// The core writes figures with a point; those that have a unit are figures for sure.
QString with_decimal_sign(QString text) {
  const QString sign = QLocale().decimalPoint();
  if (sign == QLatin1String(".")) return text;
  static const QRegularExpression figure(
      QStringLiteral("(?<![\\w./])(\\d+)\\.(\\d+)(?=(?: "
                     "(?:%|[mn\u00b5]?s|[KMGT]i?B|[GT]B/s|[GM]bit/s|TFLOP/s|USD)(?![\\w])|, fp\\d))"));
  return text.replace(figure, QStringLiteral("\\1") + sign + QStringLiteral("\\2"));
}

}  // namespace

QString core_text(const QString& english) {
  if (texts().patterns.empty()) return english;
  return with_decimal_sign(said(english, 0));
}

QString core_text(const Error& error) {
  QStringList parts;
  if (!error.file.empty()) parts << QString::fromStdString(error.file);
  const bool pointer = error.place.starts_with('/');  // into JSON: of use to who can open the file alone
  if (pointer && !error.file.empty()) parts << QString::fromStdString(error.place);
  if (!pointer && !error.place.empty()) parts << core_text(error.place);
  parts << core_text(error.message);
  return parts.join(QStringLiteral(": "));
}

}  // namespace pipedeck::app
