// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/compare/plan_columns.hpp"

#include <array>
#include <cmath>

#include "app/models/compare/plan_table_model.hpp"
#include "app/models/format.hpp"
#include "app/models/rates.hpp"
#include "app/text/in_qt.hpp"
#include "core/model/memory_verdict.hpp"

namespace pipedeck::models::compare {

namespace {

using Model = PlanTableModel;
using Number = std::optional<double>;

QString tr(const char* text) { return Model::tr(text); }

double seconds_of(const PlanRow& row) { return to_seconds(row.simulation->iteration).count; }

QString percent(double share, const PlanRow&) { return format_percent(share); }

PlanColumn iteration_column() {
  return {.title = tr("Iteration"),
          .tip = tr("Simulated time of one global batch"),
          .widest = QStringLiteral("0.888 s"),
          .number = [](const PlanRow& row) { return row.simulation ? Number(seconds_of(row)) : std::nullopt; },
          .text = [](double seconds, const PlanRow&) { return format_time(Seconds(seconds)); },
          .tip_of =
              [](const PlanRow& row) {
                return (row.plan.synchronous()
                            ? tr("%1 ms from the first forward to the end of the last optimizer step, %2 samples/s")
                            : tr("Asynchronous: %1 ms per global batch, %2 samples/s"))
                    .arg(decimal(in_milliseconds(row.simulation->iteration), 3))
                    .arg(format_number(row.simulation->samples_per_second));
              },
          .difference = Difference::relative};
}

PlanColumn measured_column() {
  return {.title = tr("Measured"),
          .tip = tr("Time per step of the plan's newest run on this machine, from its throughput"),
          .widest = Model::tr("%1 fastest", "a measured time").arg(QStringLiteral("0.888 s")),
          .number = [](const PlanRow& row) { return row.measured ? Number(row.measured->count) : std::nullopt; },
          .text =
              [](double seconds, const PlanRow& row) {
                const QString time = format_time(Seconds(seconds));
                return row.fastest ? Model::tr("%1 fastest", "a measured time").arg(time) : time;
              },
          .tip_of =
              [](const PlanRow& row) {
                return row.measured ? tr("A step of the newest run of this plan on this machine took %1. The list of "
                                         "runs shows that run's own prediction.")
                                          .arg(format_time(*row.measured))
                                    : tr("No run of this plan has finished on this machine");
              },
          .difference = Difference::relative};
}

PlanColumn samples_column() {
  return {
      .title = tr("Samples/s"),
      .tip = tr("Global batch divided by the iteration time"),
      .widest = QStringLiteral("88.88"),
      .number =
          [](const PlanRow& row) { return row.simulation ? Number(row.simulation->samples_per_second) : std::nullopt; },
      .text = [](double rate, const PlanRow&) { return format_number(rate); },
      .tip_of =
          [](const PlanRow& row) {
            return tr("%1 samples/s: %2 samples in %3 ms")
                .arg(format_number(row.simulation->samples_per_second))
                .arg(row.plan.global_batch)
                .arg(decimal(in_milliseconds(row.simulation->iteration), 3));
          },
      .difference = Difference::relative,
      .more_is_better = true,
      .hides = 1};
}

PlanColumn speed_up_column() {
  return {.title = tr("Speed-up"),
          .tip = tr("Compared with the whole model on one device"),
          .widest = QStringLiteral("88.8 ×"),
          .number = [](const PlanRow& row) -> Number {
            if (!row.simulation || row.single_device.count <= 0 || seconds_of(row) <= 0) return std::nullopt;
            return row.single_device.count / seconds_of(row);
          },
          .text = [](double factor, const PlanRow&) { return format_factor(factor); },
          .tip_of =
              [](const PlanRow& row) {
                return row.single_device.count > 0 ? tr("One device would take %1").arg(format_time(row.single_device))
                                                   : tr("The time on one device is unknown");
              },
          .difference = Difference::relative,
          .more_is_better = true,
          .hides = 2};
}

PlanColumn bubble_column() {
  return {
      .title = tr("Bubble"),
      .tip = tr("Share of device time spent idle"),
      .widest = QStringLiteral("88 %"),
      .number =
          [](const PlanRow& row) { return row.simulation ? Number(row.simulation->bubble_fraction) : std::nullopt; },
      .text = &percent,
      .tip_of =
          [](const PlanRow& row) {
            return tr("Devices are idle for %1 % of their time").arg(decimal(100 * row.simulation->bubble_fraction, 2));
          },
      .difference = Difference::points};
}

QString exact_percent(double share) { return tr("%1 %").arg(decimal(100 * share, 1)); }

PlanColumn tokens_column() {
  return {.title = tr("Tokens/s/device"),
          .tip = tr("Tokens that a device trains per second"),
          .widest = QStringLiteral("88888"),
          .number =
              [](const PlanRow& row) {
                return row.utilization ? Number(row.utilization->tokens_per_second_per_device) : std::nullopt;
              },
          .text = [](double rate, const PlanRow&) { return format_number(rate, 4); },
          .tip_of =
              [](const PlanRow& row) {
                return row.utilization ? tr("%1 tokens/s on %2")
                                             .arg(format_number(row.utilization->tokens_per_second, 5),
                                                  counted(row.utilization->devices, tr("1 device"), tr("%1 devices")))
                                       : tr("The profile does not know the tokens of a sample");
              },
          .difference = Difference::relative,
          .more_is_better = true,
          .hides = 5};
}

PlanColumn mfu_column() {
  return {.title = tr("MFU"),
          .tip = mfu_title_tip(),
          .widest = QStringLiteral("88.8 %"),
          .number = [](const PlanRow& row) { return mfu_of(row.utilization); },
          .text = [](double share, const PlanRow&) { return mfu_text(share); },
          .tip_of = [](const PlanRow& row) { return mfu_tip(row.utilization); },
          .difference = Difference::points,
          .more_is_better = true,
          .hides = 4};
}

double exposed_share(const Simulation& simulation) { return simulation.parts.share(simulation.parts.communication()); }

PlanColumn communication_column() {
  return {
      .title = tr("Exposed comm."),
      .tip = tr("Exposed communication: share of the iteration in which a device communicates and does not compute"),
      .widest = QStringLiteral("88.8 %"),
      .number =
          [](const PlanRow& row) { return row.simulation ? Number(exposed_share(*row.simulation)) : std::nullopt; },
      .text = [](double share, const PlanRow&) { return exact_percent(share); },
      .tip_of =
          [](const PlanRow& row) {
            const TimeBreakdown& parts = row.simulation->parts;
            QStringList lines{tr("Mean of the plan's devices:")};
            for (const auto& [name, part] : {std::pair(tr("tensor parallel"), TimePart::tensor_parallel),
                                             std::pair(tr("context parallel"), TimePart::context_parallel),
                                             std::pair(tr("expert parallel"), TimePart::expert_parallel),
                                             std::pair(tr("sharded weights"), TimePart::gather),
                                             std::pair(tr("pipeline"), TimePart::point_to_point),
                                             std::pair(tr("gradients"), TimePart::all_reduce)})
              if (is_of_all_plans(part) || parts[part].count > 0)
                lines << tr("%1 %2, %3").arg(name, format_time(parts[part]), exact_percent(parts.share(parts[part])));
            return lines.join(QLatin1Char('\n'));
          },
      .difference = Difference::points};
}

PlanColumn peak_column() {
  return {.title = tr("Peak memory"),
          .tip = tr("Peak memory of the most loaded device, out of its capacity"),
          .widest = QStringLiteral("888.8 GiB"),
          .number = [](const PlanRow& row) -> Number {
            const SimulatedDevice* fullest = most_loaded_device(row);
            return fullest ? Number(static_cast<double>(fullest->peak.count)) : std::nullopt;
          },
          .text = [](double bytes, const PlanRow&) { return format_bytes(Bytes(std::llround(bytes))); },
          .tip_of =
              [](const PlanRow& row) {
                const SimulatedDevice* fullest = most_loaded_device(row);
                if (!fullest) return QString();
                return tr("G%1 holds %2 of %3 at %4. Upper estimate, whatever the operation times: %5")
                    .arg(fullest->device.value)
                    .arg(format_bytes(fullest->peak), format_bytes(fullest->capacity),
                         format_time(to_seconds(fullest->peak_time)), format_bytes(fullest->peak_upper_bound));
              },
          .difference = Difference::bytes};
}

PlanColumn over_bound_column() {
  return {.title = tr("From optimal"),
          .tip = tr("At most so much above the iteration of the best possible plan"),
          .widest = QStringLiteral("≤ 888 %"),
          .number = [](const PlanRow& row) -> Number {
            if (!row.simulation || row.lower_bound.count <= 0) return std::nullopt;
            return seconds_of(row) / row.lower_bound.count - 1;
          },
          .text = [](double share, const PlanRow&) { return QStringLiteral("≤ ") + format_percent(share); },
          .tip_of =
              [](const PlanRow& row) {
                if (row.lower_bound.count <= 0) return tr("No lower bound is known");
                return (has_mesh(row.plan) ? tr("No mesh of equal stages can be faster than %1")
                                           : tr("No plan of this problem can be faster than %1"))
                    .arg(format_time(row.lower_bound));
              },
          .difference = Difference::points,
          .hides = 3};
}

QString fits_tip(const PlanRow& row) {
  const Simulation& s = *row.simulation;
  const SimulatedDevice* fullest = most_loaded_device(row);
  if (fit_of(s) == Fit::expected)
    return Model::tr("Expected to fit, but %n devices may exceed their memory: G%1 up to %2 of %3", nullptr,
                     num_devices_over_capacity(s))
        .arg(fullest_device_at_most(s)->device.value)
        .arg(format_bytes(fullest_device_at_most(s)->peak_upper_bound),
             format_bytes(fullest_device_at_most(s)->capacity));
  if (s.fits || !fullest)
    return tr("Fits on every device, whatever the operation times: %1 of G%2's memory is left")
        .arg(format_percent(margin_rounded_down(memory_margin(s))))
        .arg(fullest ? fullest->device.value : 0);
  return tr("G%1 needs %2 more than its memory")
      .arg(fullest->device.value)
      .arg(format_bytes(fullest->peak - fullest->capacity));
}

PlanColumn fits_column() {
  return {.title = tr("Fits"),
          .tip = tr("Fits into the memory of every device"),
          .widest = QStringLiteral("✓  ") + tr("%1 left").arg(QStringLiteral("88.8 %")),
          .number =
              [](const PlanRow& row) {
                return row.simulation ? Number(static_cast<double>(fit_of(*row.simulation))) : std::nullopt;
              },
          .text =
              [](double, const PlanRow& row) {
                if (!row.simulation->fits) return QString();
                return tr("%1 left").arg(format_percent(margin_rounded_down(memory_margin(*row.simulation))));
              },
          .tip_of = &fits_tip};
}

}  // namespace

/// The order is that of PlanTableModel::Column.
const PlanColumn& plan_column(int column) {
  static const std::array<PlanColumn, Model::column_count> columns{
      PlanColumn{.tip = tr("Shown as Gantt chart and memory curves below"),
                 .number = [](const PlanRow& row) { return Number(row.ticked ? 0 : 1); }},
      PlanColumn{.tip = tr("Baseline: the other rows show their difference to it (P)"),
                 .number = [](const PlanRow& row) { return Number(row.baseline ? 0 : 1); }},
      PlanColumn{.title = tr("Plan"), .tip = tr("Planner, degrees of parallelism, or devices and layers per stage")},
      iteration_column(),
      measured_column(),
      samples_column(),
      tokens_column(),
      mfu_column(),
      speed_up_column(),
      bubble_column(),
      communication_column(),
      peak_column(),
      over_bound_column(),
      fits_column()};
  return columns.at(static_cast<std::size_t>(column));
}

std::optional<DifferenceText> difference_to(const PlanRow& baseline, const PlanRow& row, int column) {
  const PlanColumn& of = plan_column(column);
  if (of.difference == Difference::none || baseline.id == row.id || !of.number) return std::nullopt;
  const auto from = of.number(baseline), to = of.number(row);
  if (!from || !to || (of.difference == Difference::relative && *from == 0)) return std::nullopt;
  const double change = *to - *from;
  DifferenceText difference;
  switch (of.difference) {
    case Difference::relative:
      difference.text = format_change(change / *from);
      break;
    case Difference::points:
      //: A difference of two percentages, in percentage points.
      difference.text = Model::tr("%1 pp").arg(format_change(change).remove(QLatin1Char('%')).trimmed());
      break;
    case Difference::bytes:
      difference.text = (change < 0 ? QStringLiteral("−") : QStringLiteral("+")) +
                        format_bytes(Bytes(std::llround(std::abs(change))));
      break;
    case Difference::none:
      break;
  }
  if (change == 0) difference.text = QStringLiteral("=");
  difference.better = change == 0 ? 0 : (change > 0) == of.more_is_better ? 1 : -1;
  return difference;
}

}  // namespace pipedeck::models::compare
