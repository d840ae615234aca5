// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/pages/scaling_rows.hpp"

#include <algorithm>

#include <QCoreApplication>
#include <QStringList>

#include "app/models/format.hpp"
#include "app/models/whatif/explain_rows.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::ui::pages {

namespace {

struct ScalingText {
  Q_DECLARE_TR_FUNCTIONS(ScalingRows)
};

using session::whatif::ScalingKind;
using session::whatif::ScalingPoint;
using session::whatif::ScalingStudy;

QString percent(double share) { return models::decimal(100 * share, 1); }

QString devices_count_text(int devices) {
  return models::counted(devices, ScalingText::tr("1 device"), ScalingText::tr("%1 devices"));
}

/// Returns a sentence, or an empty text for an efficiency of 100 % or less.
QString above_text(const std::vector<ScalingPoint>& points, std::size_t position) {
  const auto above = study::capacity::above_ideal(points, position);
  if (!above) return {};
  QString text = ScalingText::tr("Above 100 % on %1: %2 takes %3 % of the step on %4, %5 % here.")
                     .arg(devices_count_text(points[position].devices), models::whatif::part_text(above->part),
                          percent(above->first_share), devices_count_text(above->first_devices), percent(above->share));
  if (above->part == TimePart::recompute) text += ScalingText::tr(" The smaller size recomputes to fit.");
  return text;
}

/// Returns a sentence for all sizes with the same part as reason, in the order of sizes.
QStringList above_texts(const std::vector<ScalingPoint>& points) {
  struct Reason {
    study::capacity::AboveIdeal first;
    double least = 1, most = 0;
    QStringList devices;
  };
  std::vector<Reason> reasons;
  for (std::size_t p = 0; p < points.size(); ++p) {
    const auto above = study::capacity::above_ideal(points, p);
    if (!above) continue;
    auto reason = std::ranges::find_if(reasons, [&](const Reason& one) { return one.first.part == above->part; });
    if (reason == reasons.end()) reason = reasons.insert(reasons.end(), Reason{*above, 1, 0, {}});
    reason->devices << QString::number(points[p].devices);
    reason->least = std::min(reason->least, above->share), reason->most = std::max(reason->most, above->share);
  }
  QStringList texts;
  for (const Reason& one : reasons) {
    const QString here = percent(one.least) == percent(one.most)
                             ? percent(one.least)
                             : ScalingText::tr("%1 to %2").arg(percent(one.least), percent(one.most));
    QString text = ScalingText::tr("Above 100 % on %1 devices: %2 takes %3 % of the step on %4, %5 % there.")
                       .arg(one.devices.join(QStringLiteral(", ")), models::whatif::part_text(one.first.part),
                            percent(one.first.first_share), devices_count_text(one.first.first_devices), here);
    if (one.first.part == TimePart::recompute) text += ScalingText::tr(" The smaller size recomputes to fit.");
    texts << text;
  }
  return texts;
}

}  // namespace

models::whatif::ScalingContent scaling_content(const ScalingStudy& study, ScalingKind kind) {
  const std::vector<ScalingPoint> points = study.found(kind);
  const bool has_first = study.has_first(kind);
  models::whatif::ScalingContent content;
  content.parts = study::capacity::scaling_parts(points);
  content.counts_tokens =
      std::ranges::all_of(points, [](const ScalingPoint& one) { return !one.plan || one.plan->utilization; });
  for (std::size_t p = 0; p < points.size(); ++p) {
    const ScalingPoint& one = points[p];
    models::whatif::ScalingRow& row = content.rows.emplace_back();
    row.nodes = one.nodes, row.devices = one.devices, row.global_batch = one.global_batch;
    row.planned = one.plan.has_value();
    row.reason = text::to_qstring(one.reason);
    if (!one.plan) continue;
    row.plan = text::to_qstring(one.plan->plan->name);
    row.iteration = models::format_time(one.plan->iteration);
    row.per_second = content.counts_tokens ? one.plan->utilization->tokens_per_second : one.plan->samples_per_second;
    for (int i = 0; i < time_part_count; ++i)
      row.shares[static_cast<std::size_t>(i)] = one.parts.share(one.parts[static_cast<TimePart>(i)]);
    if (!has_first) continue;
    row.efficiency = study::capacity::scaling_efficiency(points, p);
    row.note = above_text(points, p);
  }
  return content;
}

QString scaling_words(const ScalingStudy& study, ScalingKind kind) {
  if (study.kind() == kind && !study.unavailable_reason().isEmpty()) return study.unavailable_reason();
  const std::vector<ScalingPoint> points = study.found(kind);
  const QString rule = kind == ScalingKind::strong ? ScalingText::tr("The global batch stays.")
                                                   : ScalingText::tr("The samples of a device stay.");
  if (study.size_count(kind) == 0)
    return rule + ScalingText::tr(" Plans at 1, 2, 4 … nodes show the efficiency and what takes the rest of the step.");
  QStringList sentences{rule};
  const auto known = static_cast<qlonglong>(points.size()), all = static_cast<qlonglong>(study.size_count(kind));
  if (study.running() && study.kind() == kind)
    sentences << ScalingText::tr("Planning: %1 of %2 sizes, the largest first.").arg(known).arg(all);
  else if (known < all)
    sentences << ScalingText::tr("Cancelled: %1 of %2 sizes are known.").arg(known).arg(all);
  else if (std::ranges::none_of(points, [](const ScalingPoint& one) { return one.plan.has_value(); }))
    sentences << ScalingText::tr("No plan fits at any size: %1").arg(text::to_qstring(points.back().reason));
  else
    sentences << ScalingText::tr("Efficiency is the throughput of a device over that at the first size with a plan.");
  if (study.has_first(kind)) sentences << above_texts(points);
  return sentences.join(QLatin1Char(' '));
}

}  // namespace pipedeck::ui::pages
