// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/whatif/capacity_rows.hpp"

#include <QCoreApplication>
#include <QLocale>

#include "app/models/format.hpp"
#include "app/models/rates.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::models::whatif {

namespace {

struct CapacityText {
  Q_DECLARE_TR_FUNCTIONS(CapacityRows)
};

QString format_minutes(Seconds time) {
  return time.count < 60 ? format_time(time) : CapacityText::tr("%1 min").arg(format_number(time.count / 60));
}

QString money_text(double money, const QString& currency) {
  return QStringLiteral("%1 %2").arg(QLocale().toString(money, 'f', 0), currency);
}

QString where_text(const CapacityFound& found) {
  const QString nodes =
      found.point.nodes == 1 ? CapacityText::tr("1 node") : CapacityText::tr("%1 nodes").arg(found.point.nodes);
  return found.point.type.empty() ? nodes : QStringLiteral("%1 · %2").arg(text::to_qstring(found.point.type), nodes);
}

QString ruled_out_text(const CapacityGoal& goal, const CapacityFound& found, const QString& currency) {
  const auto cost = capacity_cost(goal, found);
  switch (capacity_verdict(goal, found)) {
    case CapacityStatus::meets:
      return {};
    case CapacityStatus::memory:
      return CapacityText::tr("%1 too little memory").arg(format_bytes(missing_memory(found)));
    case CapacityStatus::no_plan:
      return CapacityText::tr("no plan");
    case CapacityStatus::time:
      return CapacityText::tr("%1 too long").arg(days_text(cost->time - *goal.within));
    case CapacityStatus::money:
      return CapacityText::tr("%1 above the limit").arg(money_text(*cost->money - *goal.budget, currency));
    case CapacityStatus::no_price:
      return CapacityText::tr("no price is known");
  }
  return {};
}

QString figures_text(const CapacityGoal& goal, const CapacityFound& found, const QString& currency) {
  const auto cost = capacity_cost(goal, found);
  if (!cost) return ruled_out_text(goal, found, currency);
  const QString time = days_text(cost->time);
  return cost->money ? QStringLiteral("%1 · %2").arg(time, money_text(*cost->money, currency)) : time;
}

QString tip_text(const CapacityGoal& goal, const CapacityFound& found, const QString& currency) {
  QStringList lines;
  if (found.plan) {
    const PlanCandidate& plan = *found.plan;
    lines << text::to_qstring(plan.plan->name)
          << counted(rented_devices(plan), CapacityText::tr("1 device"), CapacityText::tr("%1 devices"));
    lines << CapacityText::tr("peak %1 of %2").arg(format_bytes(plan.peak), format_bytes(plan.capacity));
  }
  if (const auto cost = capacity_cost(goal, found)) {
    lines << CapacityText::tr("%1 samples/s").arg(format_number(cost->samples_per_second));
    if (cost->tokens_per_second) lines << CapacityText::tr("%1 tokens/s").arg(format_number(*cost->tokens_per_second));
    lines << counted(cost->iterations, CapacityText::tr("1 iteration"), CapacityText::tr("%1 iterations"));
    lines << CapacityText::tr("%1 device-hours").arg(QLocale().toString(cost->device_hours, 'f', 0));
  }
  if (const QString out = ruled_out_text(goal, found, currency); !out.isEmpty()) lines << out;
  if (!found.failure_reason.empty()) lines << text::to_qstring(found.failure_reason);
  if (found.plan) lines << CapacityText::tr("Double-click to add the plan to the project");
  return lines.join('\n');
}

}  // namespace

QString days_text(Seconds time) {
  const double days = time.count / 86400;
  if (time.count < 3600) return format_minutes(time);
  return days < 1 ? CapacityText::tr("%1 h").arg(format_number(24 * days))
                  : CapacityText::tr("%1 d").arg(format_number(days));
}

std::vector<BarRow> capacity_rows(const CapacityGoal& goal, std::span<const CapacityFound> found,
                                  const QString& currency) {
  std::vector<BarRow> rows;
  for (const CapacityFound& one : found) {
    BarRow row;
    row.label = where_text(one);
    row.text = figures_text(goal, one, currency);
    row.tool_tip = tip_text(goal, one, currency);
    row.meaning = capacity_verdict(goal, one) == CapacityStatus::meets ? BarMeaning::better : BarMeaning::worse;
    if (const auto cost = capacity_cost(goal, one)) row.to = cost->time.count;
    if (goal.within) row.mark = goal.within->count;
    if (one.fits() && one.plan->utilization) {
      const auto share = mfu_of(one.plan->utilization);
      row.more = share ? mfu_text(*share) : QStringLiteral("–");
      row.more_tip = mfu_tip(one.plan->utilization);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

QString capacity_text(const CapacityGoal& goal, std::span<const CapacityFound> found, const QString& currency) {
  if (found.empty()) return {};
  const CapacityFound& first = found[ranked_capacity(goal, found).front()];
  const QString where = where_text(first);
  if (capacity_verdict(goal, first) == CapacityStatus::meets)
    return CapacityText::tr("Choose: %1, %2.").arg(where, figures_text(goal, first, currency));
  return CapacityText::tr("No cluster meets these limits. Nearest: %1, %2.")
      .arg(where, ruled_out_text(goal, first, currency));
}

}  // namespace pipedeck::models::whatif
