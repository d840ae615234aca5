// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/core_list.hpp"

#include <QRegularExpression>
#include <QStringList>

namespace pipedeck::models {

std::optional<QList<int>> cores_from_text(const QString& text, qsizetype most) {
  static const QRegularExpression part(QStringLiteral(R"(^\s*(\d{1,5})\s*(?:-\s*(\d{1,5})\s*)?$)"));
  QList<int> cores;
  if (text.trimmed().isEmpty()) return cores;
  for (const QString& piece : text.split(QLatin1Char(','))) {
    const QRegularExpressionMatch found = part.match(piece);
    if (!found.hasMatch()) return std::nullopt;
    const int first = found.captured(1).toInt();
    const int last = found.hasCaptured(2) ? found.captured(2).toInt() : first;
    const int step = last < first ? -1 : 1;
    if (cores.size() + std::abs(last - first) + 1 > most) return std::nullopt;
    for (int core = first; core != last + step; core += step) cores << core;
  }
  return cores;
}

QString cores_to_text(const QList<int>& cores) {
  QStringList parts;
  for (qsizetype begin = 0; begin < cores.size();) {
    qsizetype end = begin + 1;
    while (end < cores.size() && cores[end] == cores[end - 1] + 1) ++end;
    const QString first = QString::number(cores[begin]);
    parts << (end - begin == 1 ? first : QStringLiteral("%1-%2").arg(first).arg(cores[end - 1]));
    begin = end;
  }
  return parts.join(QLatin1Char(','));
}

}  // namespace pipedeck::models
