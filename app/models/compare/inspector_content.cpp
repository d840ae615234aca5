// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/compare/inspector_content.hpp"

#include <algorithm>
#include <array>

#include <QCoreApplication>

#include "app/models/compare/plan_reasons.hpp"
#include "app/models/compare/plan_table_model.hpp"
#include "app/models/format.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::models::compare {

namespace {

struct InspectorText {
  Q_DECLARE_TR_FUNCTIONS(Inspector)
};

QString latin(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

QString overlap_text(Overlap overlap) {
  switch (overlap) {
    case Overlap::layer:
      return InspectorText::tr("by layer, as soon as gradients are ready");
    case Overlap::bucket:
      return InspectorText::tr("by bucket, as soon as it is full");
    case Overlap::none:
      break;
  }
  return InspectorText::tr("after the last backward");
}

/// Sums up the optimizer steps, which are the last operations of their lane.
Nanoseconds optimizer_time(const Timeline& timeline) {
  Nanoseconds sum;
  for (const TimelineLane& lane : timeline.lanes) {
    if (lane.role != LaneRole::compute || lane.size() == 0) continue;
    const TimelineRow last = timeline.row(lane.end - 1);
    if (last.operation.kind == OpKind::optimizer) sum += last.duration;
  }
  return sum;
}

/// Splits device time into busy and idle parts, which add up to devices x iteration.
std::vector<InspectorPart> iteration_parts(const Simulation& s) {
  Nanoseconds busy;
  for (const SimulatedDevice& device : s.devices) busy += device.busy;
  const Nanoseconds optimizer = optimizer_time(s.timeline);
  const Nanoseconds waiting = s.idle.waiting_activation + s.idle.waiting_gradient;
  const Nanoseconds total = busy + s.idle.warmup + s.idle.drain + waiting + s.idle.waiting_all_reduce;
  if (total.count <= 0) return {};
  const double iteration = to_seconds(s.iteration).count;
  std::vector<InspectorPart> parts;
  const auto add = [&](InspectorPartKind kind, const QString& label, Nanoseconds time, const QString& tip) {
    const double share = static_cast<double>(time.count) / static_cast<double>(total.count);
    parts.push_back({kind, label, format_time(Seconds(share * iteration)), tip, share});
  };
  const auto mean = [&](Nanoseconds time) {
    return format_time(Seconds(static_cast<double>(time.count) / static_cast<double>(total.count) * iteration));
  };
  add(InspectorPartKind::arithmetic, InspectorText::tr("arithmetic"), busy - optimizer,
      InspectorText::tr("Forward, backward and recompute; mean over the plan's devices"));
  add(InspectorPartKind::fill_and_drain, InspectorText::tr("pipeline fill and drain"), s.idle.warmup + s.idle.drain,
      InspectorText::tr("%1 before a device's first operation, %2 after its last")
          .arg(mean(s.idle.warmup), mean(s.idle.drain)));
  add(InspectorPartKind::waiting, InspectorText::tr("waiting for other stages"), waiting,
      InspectorText::tr("%1 for activations, %2 for gradients, including exposed transfers")
          .arg(mean(s.idle.waiting_activation), mean(s.idle.waiting_gradient)));
  add(InspectorPartKind::all_reduce, InspectorText::tr("all-reduce tail"), s.idle.waiting_all_reduce,
      InspectorText::tr("Gradient all-reduce after the last backward, before the optimizer"));
  add(InspectorPartKind::optimizer_step, InspectorText::tr("optimizer"), optimizer,
      InspectorText::tr("Optimizer step of each device"));
  return parts;
}

struct MemoryName {
  MemoryItem item;
  InspectorPartKind kind;
  const char* label;
};

constexpr std::array<MemoryName, memory_item_count> memory_names{{
    {MemoryItem::weights, InspectorPartKind::weights, QT_TRANSLATE_NOOP("Inspector", "weights")},
    {MemoryItem::gradients, InspectorPartKind::gradients, QT_TRANSLATE_NOOP("Inspector", "gradients")},
    {MemoryItem::optimizer, InspectorPartKind::optimizer_state, QT_TRANSLATE_NOOP("Inspector", "optimizer state")},
    {MemoryItem::stashed_weights, InspectorPartKind::stashed_weights,
     QT_TRANSLATE_NOOP("Inspector", "stashed weights")},
    {MemoryItem::activations, InspectorPartKind::activations, QT_TRANSLATE_NOOP("Inspector", "activations")},
    {MemoryItem::boundary, InspectorPartKind::boundary, QT_TRANSLATE_NOOP("Inspector", "boundary")},
    {MemoryItem::workspace, InspectorPartKind::workspace, QT_TRANSLATE_NOOP("Inspector", "workspace")},
    {MemoryItem::communication, InspectorPartKind::communication,
     QT_TRANSLATE_NOOP("Inspector", "communication buffers")},
    {MemoryItem::reserve, InspectorPartKind::reserve, QT_TRANSLATE_NOOP("Inspector", "reserve")},
}};

QString place_text(const Plan& plan, DeviceId device) {
  QStringList stages;
  for (const StageCopy& chunk : stage_copies(plan))
    if (std::ranges::count(chunk.devices, device) > 0) stages << QString::number(chunk.stage.value);
  if (stages.isEmpty()) return QStringLiteral("G%1").arg(device.value);
  return (stages.size() == 1 ? InspectorText::tr("G%1 (stage %2)") : InspectorText::tr("G%1 (stages %2)"))
      .arg(device.value)
      .arg(stages.join(QStringLiteral(", ")));
}

void fill_memory(InspectorContent& content, const PlanRow& row) {
  const SimulatedDevice* device = most_loaded_device(row);
  if (!device) return;
  const QString place = place_text(row.plan, device->device);
  content.fits = device->peak <= device->capacity;
  content.memory_text = content.fits
                            ? InspectorText::tr("Peak %1 of %2 on %3 at %4, with %5 micro-batches in flight")
                                  .arg(format_bytes(device->peak), format_bytes(device->capacity), place,
                                       format_time(to_seconds(device->peak_time)))
                                  .arg(device->peak_micro_batches)
                            : InspectorText::tr("Does not fit: %1 needs %2, %3 more than its %4")
                                  .arg(place, format_bytes(device->peak), format_bytes(device->peak - device->capacity),
                                       format_bytes(device->capacity));
  if (content.fits && device->peak_upper_bound > device->peak)
    content.memory_text +=
        InspectorText::tr("; upper estimate %1, whatever the operation times%2")
            .arg(format_bytes(device->peak_upper_bound),
                 device->peak_upper_bound > device->capacity ? InspectorText::tr(", above its capacity") : QString());
  const double whole = static_cast<double>(std::max({device->peak.count, device->capacity.count, std::int64_t{1}}));
  content.capacity_share = static_cast<double>(device->capacity.count) / whole;
  for (const MemoryName& name : memory_names) {
    const Bytes bytes = device->peak_breakdown[name.item];
    if (bytes.count <= 0) continue;
    content.memory.push_back({name.kind, InspectorText::tr(name.label), format_bytes(bytes), QString(),
                              static_cast<double>(bytes.count) / whole});
  }
}

void fill_certificate(InspectorContent& content, const PlanRow& row) {
  const double iteration = to_seconds(row.simulation->iteration).count;
  if (row.lower_bound.count > 0) {
    const double gap = iteration / row.lower_bound.count - 1;
    content.certificate.push_back(
        gap < 1e-6
            ? InspectorText::tr("Optimal: meets the lower bound of all plans, %1.").arg(format_time(row.lower_bound))
            : InspectorText::tr("At most %1 above the best possible plan: no plan takes less than %2.")
                  .arg(format_percent(gap), format_time(row.lower_bound)));
  } else {
    content.certificate.push_back(InspectorText::tr("No lower bound is known for this plan."));
  }
  if (const auto& objective = row.plan.objective) {
    const QString name = text::to_qstring(objective->name);
    // PipeDream minimises the slowest stage's time per mini-batch, which is not comparable with an iteration.
    const bool comparable = row.plan.synchronous() && row.plan.planner != "pipedream";
    if (objective->time && !comparable) {
      content.certificate.push_back(InspectorText::tr("The planner's own formula (%1) gives %2 per mini-batch.")
                                        .arg(name, format_time(*objective->time)));
    } else if (objective->time) {
      const double off = objective->time->count > 0 ? iteration / objective->time->count - 1 : 0;
      content.certificate.push_back(
          InspectorText::tr("The planner's own formula (%1) gives %2; the simulation is %3 %4 it.")
              .arg(name, format_time(*objective->time), format_percent(std::abs(off)),
                   off < 0 ? InspectorText::tr("under") : InspectorText::tr("over")));
    } else if (objective->bytes) {
      content.certificate.push_back(
          InspectorText::tr("The planner minimised %1: %2.").arg(name, format_bytes(*objective->bytes)));
    }
  }
  if (const auto& certificate = row.plan.certificate) {
    if (certificate->partition_lower_bound.count > 0)
      content.certificate.push_back(InspectorText::tr("These stages take at least %1 under this schedule.")
                                        .arg(format_time(certificate->partition_lower_bound)));
    if (!certificate->optimal_in.empty())
      content.certificate.push_back(InspectorText::tr("Proven: %1.").arg(text::to_qstring(certificate->optimal_in)));
  }
  if (row.plan.truncated)
    content.certificate.push_back(InspectorText::tr("The planner's search ended at its time budget."));
}

void fill_figures(InspectorContent& content, const PlanRow& row) {
  const Simulation& s = *row.simulation;
  const double iteration = to_seconds(s.iteration).count;
  content.figures = {
      {InspectorText::tr("Iteration"), format_time(Seconds(iteration))},
      {InspectorText::tr("Throughput"), InspectorText::tr("%1 samples/s").arg(format_number(s.samples_per_second))}};
  if (row.single_device.count > 0 && iteration > 0)
    content.figures.emplace_back(InspectorText::tr("Speed-up"), format_factor(row.single_device.count / iteration));
  content.figures.emplace_back(InspectorText::tr("Bubble"), format_percent(s.bubble_fraction));
  content.figures.emplace_back(InspectorText::tr("Only communication"), format_percent(s.communication_fraction));
  content.figures.emplace_back(
      InspectorText::tr("Micro-batches"),
      InspectorText::tr("%1 of %2 samples").arg(row.plan.micro_batches).arg(row.plan.micro_batch));
}

/// Returns the bytes of weights, gradients and optimizer state per parameter (simulator.md, "Memory of a device over
/// time").
QString optimizer_text(const Plan& plan) {
  const QString name = latin(name_of(plan.optimizer));
  int bytes = 0;
  if (plan.precision == Precision::fp32) {
    switch (plan.optimizer) {
      case Optimizer::adam:
        bytes = 16;
        break;
      case Optimizer::momentum:
      case Optimizer::rmsprop:
        bytes = 12;
        break;
      case Optimizer::sgd:
      case Optimizer::none:
        bytes = 8;
        break;
    }
  } else if (plan.optimizer == Optimizer::adam) {
    bytes = plan.precision == Precision::mixed_16 ? 16 : plan.precision == Precision::mixed_18 ? 18 : 20;
  }
  return bytes > 0 ? InspectorText::tr("%1, %2 bytes per parameter").arg(name).arg(bytes) : name;
}

void fill_conventions(InspectorContent& content, const PlanRow& row) {
  const Plan& plan = row.plan;
  QString schedule = text::to_qstring(std::string(traits_of(plan.schedule).title));
  if (plan.schedule == ScheduleKind::one_f_one_b)
    schedule += plan.warmup_counts ? InspectorText::tr(", own warm-up")
                                   : InspectorText::tr(", warm-up %1").arg(latin(name_of(plan.warmup)));
  if (!plan.synchronous()) schedule += InspectorText::tr(", steady state");
  content.conventions = {{InspectorText::tr("Schedule"), schedule},
                         {InspectorText::tr("Optimizer"), optimizer_text(plan)},
                         {InspectorText::tr("Precision"), latin(name_of(plan.precision))}};
  if (plan.zero > 0)
    content.conventions.emplace_back(InspectorText::tr("ZeRO"), InspectorText::tr("stage %1").arg(plan.zero));
  if (!row.simulation) return;
  content.conventions.emplace_back(InspectorText::tr("Network"),
                                   row.simulation->network == NetworkModel::ideal
                                       ? InspectorText::tr("ideal: transfers do not share links")
                                       : InspectorText::tr("shared: transfers share links fairly"));
  content.conventions.emplace_back(InspectorText::tr("All-reduce"), overlap_text(row.simulation->overlap));
}

}  // namespace

InspectorContent inspector_content(const PlanRow& row) {
  InspectorContent content;
  content.title = QString::fromStdString(row.plan.name);
  if (!row.plan.stages.empty())
    content.subtitle = InspectorText::tr("%1 · %2").arg(QString::fromStdString(row.plan.planner),
                                                        QString::fromStdString(stage_shape_text(row.plan)));
  fill_conventions(content, row);
  if (!row.simulation) {
    content.fits = !row.plan.stages.empty();
    content.why.push_back(row.note.isEmpty() ? InspectorText::tr("Being simulated.") : row.note);
    return content;
  }
  content.why = reason_sentences(row);
  for (const std::string& sentence : row.plan.rationale) content.why.push_back(text::to_qstring(sentence));
  if (!row.note.isEmpty()) content.why.push_back(row.note);
  content.iteration = iteration_parts(*row.simulation);
  fill_memory(content, row);
  fill_certificate(content, row);
  fill_figures(content, row);
  return content;
}

}  // namespace pipedeck::models::compare
