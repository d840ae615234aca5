// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/rates.hpp"

#include <QCoreApplication>
#include <QStringList>

#include "app/models/format.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::models {

namespace {

struct RatesText {
  Q_DECLARE_TR_FUNCTIONS(Rates)
};

}  // namespace

std::optional<double> mfu_of(const std::optional<Utilization>& rates) {
  if (!rates || rates->peak_per_device <= 0) return std::nullopt;
  return rates->mfu;
}

QString mfu_text(double share) { return RatesText::tr("%1 %").arg(decimal(100 * share, 1)); }

QString mfu_title_tip() {
  return RatesText::tr("Model FLOPs utilization: the model's operations over the devices' peak");
}

QString mfu_tip(const std::optional<Utilization>& rates) {
  if (!rates) return RatesText::tr("The profile does not know the operations of a sample");
  if (rates->peak_per_device <= 0)
    return RatesText::tr("Unknown: there is no %1 peak of %2")
        .arg(text::to_qstring(rates->precision), text::to_qstring(rates->unknown_peak));
  QStringList lines;
  if (rates->above_peak())
    lines << RatesText::tr("Above the peak: it %1").arg(text::to_qstring(above_peak_reason(*rates)));
  lines << text::to_qstring(mfu_convention(rates->precision))
        << RatesText::tr("%1 if attention counts all pairs of tokens, as PaLM does").arg(mfu_text(rates->mfu_all_pairs))
        << RatesText::tr("%1 with recomputation (HFU)").arg(mfu_text(rates->hfu));
  return lines.join(QLatin1Char('\n'));
}

}  // namespace pipedeck::models
