// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/largest_words.hpp"

#include <QCoreApplication>
#include <QLocale>

#include "app/models/format.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::app {

namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(pipedeck::app::Largest)
};

QString whole(std::int64_t number) { return QLocale().toString(static_cast<qlonglong>(number)); }

QString next_words(const LargestAnswer& answer) {
  const CapacityFound& next = *answer.next_found;
  const QString begin = Words::tr("The next, %1, does not fit").arg(whole(*answer.next));
  if (answer.proof == LargestProof::states)
    return Words::tr("%1: its weights, gradients and optimizer states alone take %2, all devices together have %3.")
        .arg(begin, format_bytes(answer.next_states), format_bytes(answer.devices_hold));
  if (next.plan)
    return Words::tr("%1: the nearest plan, %2, lacks %3 on its fullest device.")
        .arg(begin, QString::fromStdString(next.plan->plan->name), format_bytes(missing_memory(next)));
  return QStringLiteral("%1: %2").arg(begin, in_qt(next.why_not));
}

}  // namespace

QStringList largest_words(const LargestFound& found) {
  const LargestAnswer& answer = found.answer;
  if (!answer.size)
    return {Words::tr("No %1 fits, not even the smallest.").arg(size_text(found.kind)), next_words(answer)};
  const FoundPlan& plan = *answer.found->plan;
  return {Words::tr("The largest %1 that fits: %2").arg(size_text(found.kind), whole(*answer.size)),
          Words::tr("%1: %2 an iteration, %3 samples/s, the fullest device holds %4 of %5.")
              .arg(QString::fromStdString(plan.plan->name), format_time(plan.iteration),
                   format_number(plan.samples_per_second), format_bytes(plan.peak), format_bytes(plan.capacity)),
          answer.next ? next_words(answer) : Words::tr("Nothing larger was looked at: “Up to” looks further.")};
}

std::vector<BarRow> tried_rows(const LargestFound& found) {
  std::vector<BarRow> rows;
  for (const TriedSize& tried : found.answer.tried) {
    BarRow row;
    row.label = whole(tried.size);
    row.to = static_cast<double>(tried.size);
    row.text = tried.fits ? Words::tr("fits") : Words::tr("does not fit");
    row.meaning = tried.fits ? BarMeaning::better : BarMeaning::worse;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace pipedeck::app
