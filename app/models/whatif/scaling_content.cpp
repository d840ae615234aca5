// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/whatif/scaling_content.hpp"

#include <algorithm>
#include <cmath>

#include <QCoreApplication>
#include <QLocale>

#include "app/models/format.hpp"
#include "app/models/whatif/explain_rows.hpp"

namespace pipedeck::models::whatif {

namespace {

struct ScalingText {
  Q_DECLARE_TR_FUNCTIONS(Scaling)
};

QString percent(double share) { return decimal(100 * share, 1); }

QString short_number(double value) {
  for (const auto& [unit, sign] : {std::pair(1e9, "G"), std::pair(1e6, "M"), std::pair(1e3, "k")})
    if (value >= unit) return QLocale().toString(value / unit, 'g', 3) + QLatin1String(sign);
  return QLocale().toString(value, 'g', 3);
}

}  // namespace

bool ScalingContent::has_plan() const { return std::ranges::any_of(rows, &ScalingRow::planned); }

double ScalingContent::ideal(const ScalingRow& row) const {
  const auto first = std::ranges::find_if(rows, &ScalingRow::planned);
  return first == rows.end() ? 0 : first->per_second * row.devices / first->devices;
}

QString rate_text(const ScalingContent& content) {
  return content.counts_tokens ? ScalingText::tr("tokens/s") : ScalingText::tr("samples/s");
}

QString short_part_text(TimePart part) {
  switch (part) {
    case TimePart::bubble:
      return ScalingText::tr("bubble");
    case TimePart::tensor_parallel:
      return ScalingText::tr("TP");
    case TimePart::context_parallel:
      return ScalingText::tr("CP");
    case TimePart::expert_parallel:
      return ScalingText::tr("EP");
    case TimePart::gather:
      return ScalingText::tr("weights");
    case TimePart::point_to_point:
      return ScalingText::tr("PP");
    case TimePart::all_reduce:
      return ScalingText::tr("DP");
    default:
      return part_text(part);
  }
}

QString efficiency_text(const ScalingRow& row) {
  return row.efficiency > 0 ? ScalingText::tr("%1 %").arg(percent(row.efficiency)) : QStringLiteral("–");
}

QStringList scaling_header(const ScalingContent& content) {
  QStringList titles{ScalingText::tr("Nodes"),     ScalingText::tr("Devices"),   ScalingText::tr("Batch"),
                     ScalingText::tr("Plan"),      ScalingText::tr("Iteration"), rate_text(content),
                     ScalingText::tr("Efficiency")};
  for (const TimePart part : content.parts) titles << ScalingText::tr("%1 %").arg(short_part_text(part));
  return titles;
}

QStringList scaling_cells(const ScalingContent& content, const ScalingRow& row) {
  QStringList cells{QLocale().toString(row.nodes), QLocale().toString(row.devices),
                    QLocale().toString(row.global_batch)};
  if (!row.planned) return cells << row.reason;
  cells << row.plan << row.iteration << format_number(row.per_second, 4) << efficiency_text(row);
  for (const TimePart part : content.parts) cells << percent(row.shares[static_cast<std::size_t>(part)]);
  return cells;
}

QString copied_text(const ScalingContent& content) {
  QStringList lines{scaling_header(content).join(u'\t')};
  for (const ScalingRow& row : content.rows) {
    lines << scaling_cells(content, row).join(u'\t');
    if (!row.note.isEmpty()) lines.last() += u'\t' + row.note;
  }
  return lines.join(u'\n');
}

QStringList scaling_lines(const ScalingContent& content, const ScalingRow& row) {
  QStringList lines{counted(row.devices, ScalingText::tr("1 device"), ScalingText::tr("%1 devices"))};
  if (!row.planned) return lines << row.reason;
  lines << row.plan << ScalingText::tr("%1 %2").arg(format_number(row.per_second, 4), rate_text(content))
        << ScalingText::tr("efficiency %1").arg(efficiency_text(row));
  std::vector<TimePart> parts = content.parts;
  const auto share = [&](TimePart part) { return row.shares[static_cast<std::size_t>(part)]; };
  std::ranges::stable_sort(parts, std::ranges::greater(), share);
  for (const TimePart part : parts)
    if (share(part) >= 5e-4) lines << ScalingText::tr("%1 %2 %").arg(part_text(part), percent(share(part)));
  return lines;
}

std::vector<RateTick> rate_ticks(double low, double high) {
  constexpr double powers_are_enough = 1.5;  // decades
  std::vector<double> steps{1, 2, 5};
  if (std::log10(high / low) > powers_are_enough) steps = {1};
  std::vector<RateTick> ticks;
  const auto first = static_cast<int>(std::floor(std::log10(low) + 1e-9));
  for (int power = first; ticks.empty() || ticks.back().value < high * (1 - 1e-9); ++power)
    for (const double step : steps) {
      const double value = step * std::pow(10.0, power);
      if (!ticks.empty() && ticks.back().value >= high * (1 - 1e-9)) break;
      if (value <= low * (1 + 1e-9)) ticks.clear();  // only the last one below is needed
      ticks.push_back({value, short_number(value)});
    }
  return ticks;
}

}  // namespace pipedeck::models::whatif
