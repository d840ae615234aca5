// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/whatif/what_if_rows.hpp"

#include <cmath>
#include <functional>

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include "app/models/format.hpp"
#include "app/models/rates.hpp"
#include "app/models/whatif/pareto_content.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::models::whatif {

namespace {

struct WhatIfText {
  Q_DECLARE_TR_FUNCTIONS(WhatIf)
};

constexpr int max_places = 3;

/// A figure of a plan: its text and the value to compare; `less` means lower is better. One with an empty text for
/// both plans is left out.
struct Figure {
  QString label;
  QString (*text)(const PlanCandidate&);
  std::optional<double> (*value)(const PlanCandidate&);
  bool less = true;
  QString (*tool_tip)(const PlanCandidate&) = nullptr;
};

/// Returns "71.5 of 80 GiB", or "640 MiB of 16 GiB" in two units.
QString memory_text(Bytes used, Bytes capacity) {
  constexpr QChar no_break(u'\u00a0');  // between number and unit
  QStringList one = format_bytes(used).split(no_break), all = format_bytes(capacity).split(no_break);
  if (one.last() == all.last()) one.removeLast();
  return WhatIfText::tr("%1 of %2").arg(one.join(no_break), all.join(no_break));
}

std::vector<Figure> figures() {
  return {
      {WhatIfText::tr("Iteration"), [](const PlanCandidate& p) { return format_time(p.iteration); },
       [](const PlanCandidate& p) { return std::optional(p.iteration.count); }},
      {WhatIfText::tr("Samples per second"), [](const PlanCandidate& p) { return format_number(p.samples_per_second); },
       [](const PlanCandidate& p) { return std::optional(p.samples_per_second); }, false},
      {WhatIfText::tr("Tokens per second"),
       [](const PlanCandidate& p) {
         return p.utilization ? format_number(p.utilization->tokens_per_second, 4) : QString();
       },
       [](const PlanCandidate& p) {
         return p.utilization ? std::optional(p.utilization->tokens_per_second) : std::nullopt;
       },
       false},
      {WhatIfText::tr("MFU"),
       [](const PlanCandidate& p) {
         const auto share = mfu_of(p.utilization);
         return share ? mfu_text(*share) : p.utilization ? QStringLiteral("–") : QString();
       },
       [](const PlanCandidate& p) { return mfu_of(p.utilization); }, false,
       [](const PlanCandidate& p) { return mfu_tip(p.utilization); }},
      {WhatIfText::tr("Peak memory"), [](const PlanCandidate& p) { return memory_text(p.largest_peak, p.capacity); },
       [](const PlanCandidate& p) { return std::optional(static_cast<double>(p.largest_peak.count)); }},
      {WhatIfText::tr("Price per hour"), [](const PlanCandidate& p) { return price_text(p.price_per_hour); },
       [](const PlanCandidate& p) { return p.price_per_hour; }},
      {WhatIfText::tr("Price per 1 M samples"),
       [](const PlanCandidate& p) { return price_text(p.price_per_million_samples()); },
       [](const PlanCandidate& p) { return p.price_per_million_samples(); }},
  };
}

Row words(const QString& label, const std::optional<PlanCandidate>& today, const std::optional<PlanCandidate>& now,
          const std::function<QString(const PlanCandidate&)>& text) {
  return {label, today ? text(*today) : QString(), now ? text(*now) : QString(), {}, Row::Effect::neutral};
}

/// Returns `more` or `less` with the relative change: "83 % more", "12 % less".
QString share_text(double before, double after, const QString& more, const QString& less) {
  const double change = after / before - 1;
  return (change >= 0 ? more : less).arg(format_percent(std::abs(change)));
}

QString places_text(const std::vector<std::string>& places) {
  QStringList names;
  for (std::size_t i = 0; i < places.size() && static_cast<int>(i) < max_places; ++i)
    names << text::to_qstring(places[i]);
  const int others = static_cast<int>(places.size()) - max_places;
  const QString named = names.join(QStringLiteral(", "));
  return others > 0 ? WhatIfText::tr("%1 and %2 more").arg(named).arg(others) : named;
}

QString price_change_text(double change) {
  const QString number = format_price(std::abs(change));
  return change < 0 ? WhatIfText::tr("%1 less per hour").arg(number) : WhatIfText::tr("%1 more per hour").arg(number);
}

/// Returns "+13.4 · 0.55": the gain in samples/s, and the gain per unit of currency per hour if that is known.
QString gain_text(const PurchaseGain& gain) {
  const QString number = format_number(std::abs(gain.gain));
  const QString samples = gain.gain < 0 ? QStringLiteral("−%1").arg(number) : QStringLiteral("+%1").arg(number);
  if (const auto per_price = gain.gain_per_price())
    return QStringLiteral("%1 · %2").arg(samples, format_number(*per_price, 2));
  const bool cheaper = gain.price_change && *gain.price_change < 0 && gain.gain > 0;
  return cheaper ? WhatIfText::tr("%1 · cheaper").arg(samples) : samples;
}

QString purchase_tip(const PurchaseGain& gain) {
  if (!gain.best) return text::to_qstring(gain.failure_reason);
  QStringList lines{WhatIfText::tr("%1 samples/s with %2")
                        .arg(format_number(gain.best->samples_per_second), text::to_qstring(gain.best->plan->name))};
  if (const auto share = mfu_of(gain.best->utilization)) lines << WhatIfText::tr("MFU %1").arg(mfu_text(*share));
  lines << (gain.price_change ? price_change_text(*gain.price_change) : WhatIfText::tr("The price is unknown"));
  if (const auto per_price = gain.gain_per_price())
    lines << WhatIfText::tr("%1 samples/s per additional USD per hour").arg(format_number(*per_price));
  lines << WhatIfText::tr("Click to see it in the sliders");
  return lines.join('\n');
}

}  // namespace

std::vector<Row> what_if_rows(const std::optional<PlanCandidate>& today, const std::optional<PlanCandidate>& now) {
  std::vector<Row> rows{
      words(WhatIfText::tr("Best plan"), today, now,
            [](const PlanCandidate& p) { return text::to_qstring(p.plan->name); }),
      words(WhatIfText::tr("Schedule"), today, now,
            [](const PlanCandidate& p) { return text::to_qstring(std::string(traits_of(p.plan->schedule).title)); }),
      words(WhatIfText::tr("Micro-batches"), today, now, [](const PlanCandidate& p) {
        return QStringLiteral("%1 × %2").arg(p.plan->micro_batches).arg(p.plan->micro_batch);
      })};
  for (const Figure& figure : figures()) {
    Row row{figure.label,
            today ? figure.text(*today) : QString(),
            now ? figure.text(*now) : QString(),
            {},
            Row::Effect::same};
    if ((today || now) && row.current.isEmpty() && row.now.isEmpty()) continue;
    if (figure.tool_tip && (today || now)) row.tool_tip = figure.tool_tip(now ? *now : *today);
    const double before = today ? figure.value(*today).value_or(0) : 0;
    const double after = now ? figure.value(*now).value_or(before) : before;
    if (before > 0 && after != before) {
      row.change = format_change(after / before - 1);
      row.effect = (after < before) == figure.less ? Row::Effect::better : Row::Effect::worse;
    }
    rows.push_back(std::move(row));
  }
  rows.push_back(words(WhatIfText::tr("Devices · nodes"), today, now,
                       [](const PlanCandidate& p) { return QStringLiteral("%1 · %2").arg(p.devices).arg(p.nodes); }));
  return rows;
}

QString difference_text(const std::optional<PlanCandidate>& today, const std::optional<PlanCandidate>& now) {
  if (!now) return {};
  if (!today) return WhatIfText::tr("Nothing fits today. Here %1 fits.").arg(text::to_qstring(now->plan->name));
  const double ratio = now->samples_per_second / today->samples_per_second;
  if (now->samples_per_second == today->samples_per_second && now->price_per_hour == today->price_per_hour)
    return WhatIfText::tr("No change from today.");
  QString speed =
      share_text(1, ratio, WhatIfText::tr("%1 more samples per second"), WhatIfText::tr("%1 fewer samples per second"));
  if (std::abs(ratio - 1) < 5e-4) speed = WhatIfText::tr("The number of samples per second is unchanged");
  const auto before = today->price_per_million_samples(), after = now->price_per_million_samples();
  if (!before || !after || *before <= 0) return WhatIfText::tr("%1; the price is unknown.").arg(speed);
  if (std::abs(*after / *before - 1) < 5e-4) return WhatIfText::tr("%1, at the same price per sample.").arg(speed);
  return WhatIfText::tr("%1; a sample is %2.")
      .arg(speed, share_text(*before, *after, WhatIfText::tr("%1 dearer"), WhatIfText::tr("%1 cheaper")));
}

QString times_text(const TimeScale& times) {
  switch (times.source) {
    case TimeScale::Source::same_device:
      return {};
    case TimeScale::Source::measured:
      return WhatIfText::tr("Times on %1 come from the profile.").arg(text::to_qstring(times.to));
    case TimeScale::Source::scaled:
      return WhatIfText::tr("Times scaled by %1 from %2, by the devices' peaks.")
          .arg(format_factor(times.factor), text::to_qstring(times.from));
    case TimeScale::Source::unknown:
      return WhatIfText::tr("The relative speed of %1 and %2 is unknown. They count as equally fast.")
          .arg(text::to_qstring(times.to), text::to_qstring(times.from));
  }
  return {};
}

QString purchase_title(const Purchase& purchase) {
  const QString factor = QString::number(purchase.factor), type = text::to_qstring(purchase.type);
  const QString places = places_text(purchase.places);
  switch (purchase.kind) {
    case UpgradeKind::links_inside:
      return WhatIfText::tr("%1 × bandwidth inside nodes").arg(factor);
    case UpgradeKind::links_between:
      return WhatIfText::tr("%1 × bandwidth between nodes").arg(factor);
    case UpgradeKind::links:
      return WhatIfText::tr("%1 × bandwidth of %2").arg(factor, places);
    case UpgradeKind::node:
      return WhatIfText::tr("One more node like %1").arg(places);
    case UpgradeKind::every_device:
      return WhatIfText::tr("%1 for every device").arg(type);
    case UpgradeKind::node_devices:
      return WhatIfText::tr("%1 in %2").arg(type, places);
    case UpgradeKind::one_device:
      return WhatIfText::tr("%1 for device G%2").arg(type, places);
    case UpgradeKind::memory:
      return WhatIfText::tr("%1 × memory of every device").arg(factor);
  }
  return {};
}

std::vector<BarRow> purchase_rows(const std::vector<PurchaseGain>& gains) {
  std::vector<BarRow> rows;
  for (const PurchaseGain& gain : gains) {
    BarRow row;
    row.label = purchase_title(gain.purchase);
    row.tool_tip = purchase_tip(gain);
    row.meaning = gain.gain >= 0 ? BarMeaning::better : BarMeaning::worse;
    row.to = gain.gain;
    row.text = gain.best ? gain_text(gain) : WhatIfText::tr("nothing fits");
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace pipedeck::models::whatif
