// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/typed_count.hpp"

#include <cmath>

#include <QRegularExpression>

namespace pipedeck::models {

std::optional<int> parse_sample_count(const QString& text, int most) {
  // Digits in groups of three separated by a space, comma, apostrophe or underscore, or a decimal number; then an
  // optional factor and a word.
  static const QRegularExpression form(QStringLiteral(
      "^\\s*(?:(\\d{1,3}(?:[\\s,_'’]\\d{3})+)|(\\d+(?:[.,]\\d+)?))\\s*(Ki|ki|k|K|Mi|M)?(?!\\p{L})\\s*\\p{L}*\\s*$"));
  const auto match = form.match(text);
  if (!match.hasMatch()) return std::nullopt;
  static const QRegularExpression gap(QStringLiteral("[\\s,_'’]"));
  QString digits = match.captured(1).isEmpty() ? match.captured(2).replace(QLatin1Char(','), QLatin1Char('.'))
                                               : match.captured(1).remove(gap);
  double value = digits.toDouble();
  const QString sign = match.captured(3).toLower();
  if (sign.startsWith(QLatin1Char('k'))) value *= sign.size() == 2 ? 1024 : 1000;
  if (sign.startsWith(QLatin1Char('m'))) value *= sign.size() == 2 ? 1024 * 1024 : 1e6;
  if (value < 1 || value > most || value != std::floor(value)) return std::nullopt;
  return static_cast<int>(value);
}

}  // namespace pipedeck::models
