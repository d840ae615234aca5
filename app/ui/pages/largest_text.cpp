// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/pages/largest_text.hpp"

#include <QCoreApplication>
#include <QLocale>

#include "app/models/format.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::ui::pages {

namespace {

struct LargestText {
  Q_DECLARE_TR_FUNCTIONS(Largest)
};

QString whole(std::int64_t number) { return QLocale().toString(static_cast<qlonglong>(number)); }

QString next_text(const study::capacity::LargestAnswer& answer) {
  const CapacityFound& next = *answer.next_found;
  const QString begin = LargestText::tr("The next, %1, does not fit").arg(whole(*answer.next));
  if (answer.proof == study::capacity::LargestProof::states_exceed_memory)
    return LargestText::tr("%1: weights, gradients and optimizer state alone need %2. All devices together have %3.")
        .arg(begin, models::format_bytes(answer.next_states), models::format_bytes(answer.devices_hold));
  if (next.plan)
    return LargestText::tr("%1: the nearest plan, %2, lacks %3 on its most loaded device.")
        .arg(begin, QString::fromStdString(next.plan->plan->name), models::format_bytes(missing_memory(next)));
  return QStringLiteral("%1: %2").arg(begin, text::to_qstring(next.failure_reason));
}

}  // namespace

QStringList largest_text(const session::whatif::LargestFound& found) {
  const study::capacity::LargestAnswer& answer = found.answer;
  if (!answer.size)
    return {LargestText::tr("No %1 fits, not even the smallest.").arg(session::whatif::size_text(found.kind)),
            next_text(answer)};
  const PlanCandidate& plan = *answer.found->plan;
  return {
      LargestText::tr("The largest %1 that fits: %2").arg(session::whatif::size_text(found.kind), whole(*answer.size)),
      LargestText::tr("%1: %2 per iteration, %3 samples/s, peak memory %4 of %5.")
          .arg(QString::fromStdString(plan.plan->name), models::format_time(plan.iteration),
               models::format_number(plan.samples_per_second), models::format_bytes(plan.peak),
               models::format_bytes(plan.capacity)),
      answer.next ? next_text(answer) : LargestText::tr("Larger sizes were not tried. Raise “Up to” to try them.")};
}

std::vector<models::whatif::BarRow> tried_rows(const session::whatif::LargestFound& found) {
  std::vector<models::whatif::BarRow> rows;
  for (const study::capacity::SizeTrial& tried : found.answer.tried) {
    models::whatif::BarRow row;
    row.label = whole(tried.size);
    row.to = static_cast<double>(tried.size);
    row.text = tried.fits ? LargestText::tr("fits") : LargestText::tr("does not fit");
    row.meaning = tried.fits ? models::whatif::BarMeaning::better : models::whatif::BarMeaning::worse;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace pipedeck::ui::pages
