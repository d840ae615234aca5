// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/whatif/explain_rows.hpp"

#include <cmath>

#include <QCoreApplication>
#include <QStringList>

#include "app/models/format.hpp"
#include "core/model/explanation.hpp"

namespace pipedeck::models::whatif {

namespace {

struct ExplainText {
  Q_DECLARE_TR_FUNCTIONS(Explain)
};

/// Rounding of single operations is no change.
Nanoseconds without_rounding(Nanoseconds change, Nanoseconds whole) {
  constexpr std::int64_t shown = 1'000'000;
  return std::abs(change.count) < whole.count / shown ? Nanoseconds() : change;
}

QString signed_time(Nanoseconds time) {
  const QString words = format_time(Nanoseconds(std::abs(time.count)));
  return time.count > 0 ? u'+' + words : time.count < 0 ? u'−' + words : words;
}

/// Formats small changes, too: "−0.02 %".
QString change_text(double share) {
  constexpr double small = 0.00095;
  if (share == 0 || std::abs(share) >= small) return format_change(share);
  return decimal(share * 100, 2) + QStringLiteral(" %");
}

double seconds(Nanoseconds time) { return to_seconds(time).count; }

QString part_tip(TimePart part) {
  switch (part) {
    case TimePart::compute:
      return ExplainText::tr(
          "Forward and backward passes without the communication inside them, on the average device");
    case TimePart::imbalance:
      return ExplainText::tr("Idle: the busiest device has more to do than the average one");
    case TimePart::bubble:
      return ExplainText::tr("Idle while the pipeline fills and drains, and while other stages still compute");
    case TimePart::recompute:
      return ExplainText::tr("Forward passes that run again before the backward");
    case TimePart::optimizer:
      return ExplainText::tr("Optimizer steps");
    case TimePart::tensor_parallel:
      return ExplainText::tr("Collectives inside the passes, over the tensor-parallel devices of a replica");
    case TimePart::context_parallel:
      return ExplainText::tr("Exchange of keys and values inside the passes, over context-parallel devices");
    case TimePart::expert_parallel:
      return ExplainText::tr("Dispatch of tokens to experts and back inside the passes");
    case TimePart::gather:
      return ExplainText::tr("Waiting for sharded weights before layers, and for scatters of their gradients");
    case TimePart::point_to_point:
      return ExplainText::tr("Idle while activations or gradients are computed and on their way");
    case TimePart::all_reduce:
      return ExplainText::tr("Idle while the gradients of the device's stages are all-reduced");
  }
  return {};
}

QString link_text(const SensitivityEntry& entry) {
  const QString from = QString::fromStdString(entry.from), to = QString::fromStdString(entry.to);
  return from == to ? ExplainText::tr("link inside %1").arg(from) : ExplainText::tr("link %1–%2").arg(from, to);
}

/// Returns "link n0–tor", "speed of G0–G7, each".
QString better_text(const SensitivityGroup& group) {
  const int count = static_cast<int>(group.entries.size());
  const SensitivityEntry& one = group.first();
  if (one.kind == SensitivityKind::link_bandwidth)
    return count == 1 ? link_text(one) : ExplainText::tr("%1 + %2 more, each").arg(link_text(one)).arg(count - 1);
  const bool speed = one.kind == SensitivityKind::device_speed;
  if (count == 1)
    return speed ? ExplainText::tr("speed of %1").arg(device_name(one.device))
                 : ExplainText::tr("memory of %1").arg(device_name(one.device));
  const QString devices = devices_text(group.devices());
  return speed ? ExplainText::tr("speed of %1, each").arg(devices) : ExplainText::tr("memory of %1, each").arg(devices);
}

/// Lists the members of a row whose label does not name them.
QString members_text(const SensitivityGroup& group) {
  if (group.entries.size() == 1 || group.first().kind != SensitivityKind::link_bandwidth) return {};
  QStringList links;
  for (const SensitivityEntry& entry : group.entries) links << link_text(entry);
  return u'\n' + links.join(u'\n');
}

QString group_text(SensitivityKind kind) {
  switch (kind) {
    case SensitivityKind::link_bandwidth:
      return ExplainText::tr("Bandwidth of links");
    case SensitivityKind::device_speed:
      return ExplainText::tr("Speed of devices");
    case SensitivityKind::device_memory:
      return ExplainText::tr("Memory of devices");
  }
  return {};
}

QString rate_text(const SensitivityLever& lever) {
  const auto gigabits = [](BytesPerSecond rate) { return format_number(rate.count * 8 / 1e9); };
  return ExplainText::tr("%1 → %2 Gbit/s").arg(gigabits(lever.before), gigabits(lever.after));
}

/// Returns "all devices, +10 %", "between nodes, 25 → 100 Gbit/s".
QString lever_text(const SensitivityLever& lever) {
  const QString by = format_change(lever.factor - 1);
  switch (lever.kind) {
    case LeverKind::all_devices:
      return ExplainText::tr("all devices, %1 speed").arg(by);
    case LeverKind::device_type:
      return ExplainText::tr("every %1, %2 speed").arg(QString::fromStdString(lever.type), by);
    case LeverKind::device_memory:
      return ExplainText::tr("all devices, %1 memory").arg(by);
    case LeverKind::links_inside:
      return ExplainText::tr("inside nodes, %1").arg(rate_text(lever));
    case LeverKind::links_between:
      return ExplainText::tr("between nodes, %1").arg(rate_text(lever));
    case LeverKind::micro_batches:
      return counted(lever.micro_batches, ExplainText::tr("1 more micro-batch"),
                     ExplainText::tr("%1 more micro-batches"));
  }
  return {};
}

QString lever_tip(const SensitivityLever& lever) {
  if (lever.kind != LeverKind::micro_batches) return lever_text(lever);
  return ExplainText::tr("%1 of the same size, so a larger global batch; time of as many samples")
      .arg(lever_text(lever));
}

}  // namespace

QString part_text(TimePart part) {
  switch (part) {
    case TimePart::compute:
      return ExplainText::tr("compute");
    case TimePart::imbalance:
      return ExplainText::tr("unequal stages");
    case TimePart::bubble:
      return ExplainText::tr("pipeline bubble");
    case TimePart::recompute:
      return ExplainText::tr("recompute");
    case TimePart::optimizer:
      return ExplainText::tr("optimizer");
    case TimePart::tensor_parallel:
      return ExplainText::tr("exposed: tensor parallel");
    case TimePart::context_parallel:
      return ExplainText::tr("exposed: context parallel");
    case TimePart::expert_parallel:
      return ExplainText::tr("exposed: expert parallel");
    case TimePart::gather:
      return ExplainText::tr("exposed: sharded weights");
    case TimePart::point_to_point:
      return ExplainText::tr("exposed: pipeline");
    case TimePart::all_reduce:
      return ExplainText::tr("exposed: gradients");
  }
  return {};
}

std::vector<BarRow> waterfall_rows(const Waterfall& waterfall, const QString& from, const QString& to) {
  std::vector<BarRow> rows;
  const auto total = [&](const QString& name, Nanoseconds time) {
    rows.push_back({name, 0, seconds(time), format_time(time), ExplainText::tr("Iteration of %1").arg(name),
                    BarMeaning::total, false});
  };
  total(from, waterfall.a.total());
  Nanoseconds at = waterfall.a.total();
  for (int i = 0; i < time_part_count; ++i) {
    const auto part = static_cast<TimePart>(i);
    if (!is_of_all_plans(part) && waterfall.a[part].count == 0 && waterfall.b[part].count == 0) continue;
    const Nanoseconds change = waterfall.change[part], next = at + change;
    const QString tip = part_tip(part) + u'\n' +
                        ExplainText::tr("%1 in %2, %3 in %4")
                            .arg(format_time(waterfall.a[part]), from, format_time(waterfall.b[part]), to);
    rows.push_back({part_text(part), seconds(at), seconds(next),
                    signed_time(without_rounding(change, waterfall.a.total())), tip,
                    change.count > 0 ? BarMeaning::worse : BarMeaning::better, false});
    at = next;
  }
  total(to, waterfall.b.total());
  return rows;
}

std::vector<BarRow> token_rows(const QString& from, double measured, const std::vector<PartChange>& changes,
                               const QString& to) {
  constexpr double shown = 0.5e-9;
  const auto time = [](double of) { return Nanoseconds(std::llround(of * 1e9)); };
  const auto total = [&](const QString& label, double of, const QString& tip) {
    return BarRow{label, 0, of, format_time(time(of)), tip, BarMeaning::total, false};
  };
  std::vector<BarRow> rows{total(ExplainText::tr("measured there"), measured,
                                 ExplainText::tr("Measured time of one device for each token: %1").arg(from))};
  double at = measured;
  for (const PartChange& change : changes) {
    const double next = at + change.seconds;
    if (std::abs(change.seconds) >= shown) {
      BarRow& row = rows.emplace_back();
      row.label = change.name;
      row.from = at, row.to = next;
      row.text = signed_time(time(change.seconds));
      row.tool_tip = ExplainText::tr("%1: %2 for each token").arg(change.name, row.text);
      row.meaning = change.seconds > 0 ? BarMeaning::worse : BarMeaning::better;
    }
    at = next;
  }
  rows.push_back(total(ExplainText::tr("predicted here"), at,
                       ExplainText::tr("Predicted time of one device for each token: %1").arg(to)));
  return rows;
}

std::vector<BarRow> sensitivity_rows(const Sensitivity& sensitivity) {
  std::vector<BarRow> rows;
  const auto heading = [&](const QString& text) { rows.push_back({text, 0, 0, {}, {}, BarMeaning::total, true}); };
  const auto add = [&](const QString& label, Nanoseconds gain, const QString& tip) {
    const Nanoseconds change(-gain.count);
    const double share = sensitivity.iteration.count > 0
                             ? static_cast<double>(change.count) / static_cast<double>(sensitivity.iteration.count)
                             : 0;
    const QString text = QStringLiteral("%1 (%2)").arg(signed_time(change), change_text(share));
    rows.push_back({label, 0, seconds(gain), text, tip.arg(text),
                    change.count > 0 ? BarMeaning::worse : BarMeaning::better, false});
  };
  if (!sensitivity.levers.empty()) heading(ExplainText::tr("Largest levers"));
  for (const SensitivityLever& lever : sensitivity.levers)
    add(lever_text(lever), lever.gain, lever_tip(lever) + QStringLiteral(": %1"));
  const QString by = format_change(sensitivity.factor - 1);
  for (int i = 0; i < sensitivity_kind_count; ++i) {
    const auto kind = static_cast<SensitivityKind>(i);
    heading(group_text(kind));
    for (const SensitivityGroup& group : grouped(sensitivity)) {
      const SensitivityEntry& entry = group.first();
      if (entry.kind != kind || entry.gain.count == 0) continue;
      add(better_text(group), entry.gain,
          ExplainText::tr("%1 of %2: %3").arg(by, better_text(group)) + members_text(group));
    }
    if (rows.back().heading) rows.pop_back();
  }
  return rows;
}

QString copied_text(const std::vector<BarRow>& rows) {
  QStringList lines;
  for (const BarRow& row : rows) {
    lines << (row.heading ? row.label : row.label + u'\t' + row.text);
    if (!row.more.isEmpty()) lines.last() += u'\t' + row.more;
  }
  return lines.join(u'\n');
}

}  // namespace pipedeck::models::whatif
