// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/compare/inspector_content.hpp"

#include <algorithm>
#include <array>

#include <QCoreApplication>

#include "app/models/compare/plan_reasons.hpp"
#include "app/models/compare/plan_table_model.hpp"
#include "app/models/format.hpp"
#include "app/text/in_qt.hpp"
#include "core/model/memory_verdict.hpp"
#include "core/plan/edits.hpp"
#include "core/plan/short_list.hpp"

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

/// The simulation's parts of the iteration: the mean of the plan's devices.
std::vector<InspectorPart> iteration_parts(const Simulation& s) {
  if (s.parts.total().count <= 0) return {};
  std::vector<InspectorPart> parts;
  const auto add = [&](InspectorPartKind kind, TimePart part, const QString& label, const QString& tip) {
    const Nanoseconds time = s.parts[part];
    if (time.count == 0 && kind != InspectorPartKind::arithmetic) return;
    parts.push_back({kind, label, format_time(time), tip, s.parts.share(time)});
  };
  add(InspectorPartKind::arithmetic, TimePart::compute, InspectorText::tr("compute"),
      InspectorText::tr("Forward and backward without the communication inside them; mean over the plan's devices"));
  add(InspectorPartKind::recompute, TimePart::recompute, InspectorText::tr("recompute"),
      InspectorText::tr("Forward passes that are repeated before the backward, to save memory"));
  add(InspectorPartKind::optimizer_step, TimePart::optimizer, InspectorText::tr("optimizer"),
      InspectorText::tr("Optimizer step of each device"));
  add(InspectorPartKind::tensor_parallel, TimePart::tensor_parallel, InspectorText::tr("exposed: tensor parallel"),
      InspectorText::tr("Collectives inside forward, backward and recompute, over the devices of a replica"));
  add(InspectorPartKind::context_parallel, TimePart::context_parallel, InspectorText::tr("exposed: context parallel"),
      InspectorText::tr("Exchange of keys and values inside the passes, over context-parallel devices"));
  add(InspectorPartKind::expert_parallel, TimePart::expert_parallel, InspectorText::tr("exposed: expert parallel"),
      InspectorText::tr("Dispatch of tokens to experts and back inside the passes"));
  add(InspectorPartKind::all_reduce, TimePart::gather, InspectorText::tr("exposed: sharded weights"),
      InspectorText::tr("Waiting for sharded weights before layers, and for scatters of their gradients"));
  add(InspectorPartKind::pipeline, TimePart::point_to_point, InspectorText::tr("exposed: pipeline"),
      InspectorText::tr("Idle while activations or gradients are computed and on their way"));
  add(InspectorPartKind::all_reduce, TimePart::all_reduce, InspectorText::tr("exposed: gradients"),
      InspectorText::tr("Idle while the gradients of the device's stages are all-reduced"));
  add(InspectorPartKind::waiting, TimePart::imbalance, InspectorText::tr("unequal stages"),
      InspectorText::tr("Idle because the busiest device has more to do than the average one"));
  add(InspectorPartKind::fill_and_drain, TimePart::bubble, InspectorText::tr("pipeline bubble"),
      InspectorText::tr("Idle while the pipeline fills and drains, and while other stages still compute"));
  return parts;
}

QString exposed_text(const Simulation& s) {
  const auto percent = [&](TimePart part) { return decimal(100 * s.parts.share(s.parts[part]), 1); };
  return InspectorText::tr("%1 % · TP %2, PP %3, DP %4")
      .arg(decimal(100 * s.parts.share(s.parts.communication()), 1), percent(TimePart::tensor_parallel),
           percent(TimePart::point_to_point), percent(TimePart::all_reduce));
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
                            ? InspectorText::tr("%5 left: peak %1 of %2 on %3 at %4, with %6 in flight")
                                  .arg(format_bytes(device->peak), format_bytes(device->capacity), place,
                                       format_time(to_seconds(device->peak_time)),
                                       format_percent(margin_rounded_down(memory_margin(*row.simulation))),
                                       counted(device->peak_micro_batches, InspectorText::tr("1 micro-batch"),
                                               InspectorText::tr("%1 micro-batches")))
                            : InspectorText::tr("Does not fit: %1 needs %2, %3 more than its %4")
                                  .arg(place, format_bytes(device->peak), format_bytes(device->peak - device->capacity),
                                       format_bytes(device->capacity));
  if (content.fits && device->peak_upper_bound > device->peak)
    content.memory_text +=
        InspectorText::tr("; upper estimate %1, whatever the operation times%2")
            .arg(format_bytes(device->peak_upper_bound),
                 device->peak_upper_bound > device->capacity ? InspectorText::tr(", above its capacity") : QString());
  const MemoryMarks marks = memory_marks(*device, row.simulation->fragmentation);
  const double whole = static_cast<double>(
      std::max({device->peak.count, marks.nvidia_smi.count, device->capacity.count, std::int64_t{1}}));
  const auto mark = [&](const QString& label, Bytes bytes) {
    content.memory_marks.push_back({label, format_bytes(bytes), static_cast<double>(bytes.count) / whole});
  };
  if (marks.nvidia_smi > marks.allocated) {
    mark(InspectorText::tr("allocated"), marks.allocated);
    mark(InspectorText::tr("reserved"), marks.reserved);
    mark(QStringLiteral("nvidia-smi"), marks.nvidia_smi);
  }
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
  if (row.lower_bound.count > 0 && has_mesh(row.plan)) {
    content.certificate.push_back(
        InspectorText::tr("At most %1 from the best mesh: no mesh of equal stages takes less than %2.")
            .arg(format_percent(iteration / row.lower_bound.count - 1), format_time(row.lower_bound)));
  } else if (row.lower_bound.count > 0) {
    const double gap = iteration / row.lower_bound.count - 1;
    content.certificate.push_back(
        gap < 1e-6
            ? InspectorText::tr("Optimal: meets the lower bound of all plans, %1.").arg(format_time(row.lower_bound))
            : InspectorText::tr("At most %1 from optimal: no plan takes less than %2.")
                  .arg(format_percent(gap), format_time(row.lower_bound)));
  } else {
    content.certificate.push_back(InspectorText::tr("No lower bound is known for this plan."));
  }
  if (row.outdated) {
    if (row.plan.objective || row.plan.certificate)
      content.certificate.push_back(InspectorText::tr(
          "The planner's own figures and proofs are left out: model, cluster or settings changed after it ended."));
    return;
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

void fill_rates(InspectorContent& content, const Utilization& rates) {
  content.figures.emplace_back(InspectorText::tr("Tokens"),
                               InspectorText::tr("%1/s").arg(format_number(rates.tokens_per_second, 4)));
  content.figures.emplace_back(InspectorText::tr("Tokens per device"),
                               InspectorText::tr("%1/s").arg(format_number(rates.tokens_per_second_per_device, 4)));
  if (rates.peak_per_device <= 0) {
    content.figures.emplace_back(InspectorText::tr("MFU"),
                                 InspectorText::tr("unknown: no %1 peak of %2")
                                     .arg(text::to_qstring(rates.precision), text::to_qstring(rates.unknown_peak)));
    return;
  }
  const auto percent = [](double share) { return InspectorText::tr("%1 %").arg(decimal(100 * share, 1)); };
  content.figures.emplace_back(InspectorText::tr("MFU"), percent(rates.mfu));
  content.figures.emplace_back(InspectorText::tr("MFU, all pairs of tokens"), percent(rates.mfu_all_pairs));
  content.figures.emplace_back(InspectorText::tr("With recomputation (HFU)"), percent(rates.hfu));
  if (rates.above_peak())
    content.alarm = InspectorText::tr("Above the peak: %1.").arg(text::to_qstring(above_peak_reason(rates)));
}

/// Counts samples per replica as engines do, where all stages have equally many replicas.
QString micro_batch_text(const Plan& plan) {
  const std::optional<int> samples = plan::samples_per_replica(plan);
  if (samples && *samples < plan.micro_batch)
    return InspectorText::tr("%1 × %2 per replica × DP %3")
        .arg(plan.micro_batches)
        .arg(*samples)
        .arg(plan.micro_batch / *samples);
  return InspectorText::tr("%1 × %2")
      .arg(plan.micro_batches)
      .arg(counted(plan.micro_batch, InspectorText::tr("1 sample"), InspectorText::tr("%1 samples")));
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
  content.figures.emplace_back(InspectorText::tr("Exposed communication"), exposed_text(s));
  if (row.utilization) fill_rates(content, *row.utilization);
  content.figures.emplace_back(InspectorText::tr("Micro-batches"), micro_batch_text(row.plan));
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
  if (!plan.synchronous()) schedule += InspectorText::tr(", asynchronous");
  content.conventions = {{InspectorText::tr("Schedule"), schedule},
                         {InspectorText::tr("Optimizer"), optimizer_text(plan)},
                         {InspectorText::tr("Precision"), latin(name_of(plan.precision))}};
  if (const Adapters adapters = adapters_of(plan); adapters.rank > 0)
    content.conventions.emplace_back(InspectorText::tr("Adapters"),
                                     InspectorText::tr("rank %1, %2, frozen weights %3")
                                         .arg(adapters.rank)
                                         .arg(latin(name_of(adapters.targets)), latin(name_of(adapters.frozen))));
  if (plan.zero > 0)
    content.conventions.emplace_back(InspectorText::tr("ZeRO"), InspectorText::tr("stage %1").arg(plan.zero));
  if (!row.simulation) return;
  content.conventions.emplace_back(InspectorText::tr("Network"),
                                   row.simulation->network == NetworkModel::ideal
                                       ? InspectorText::tr("ideal: transfers do not share links")
                                       : InspectorText::tr("shared: transfers share links fairly"));
  content.conventions.emplace_back(InspectorText::tr("All-reduce"), overlap_text(row.simulation->overlap));
  if (!row.training.isEmpty()) content.conventions.emplace_back(InspectorText::tr("Changes in training"), row.training);
  if (!row.provenance.isEmpty()) content.conventions.emplace_back(InspectorText::tr("Figures"), row.provenance);
}

}  // namespace

InspectorContent inspector_content(const PlanRow& row) {
  InspectorContent content;
  content.title = plan_title(row);
  if (row.has_plan()) {
    const QString shape = QString::fromStdString(stage_shape_text(row.plan));
    content.subtitle = row.plan.merits.empty() ? QString::fromStdString(row.plan.planner)
                                               : QString::fromStdString(plan::short_list_title(
                                                     row.plan.planner, row.plan.merits));  // "mesh: fastest + cheapest"
    if (!content.title.contains(shape)) content.subtitle += QStringLiteral(" · ") + shape;
  }
  fill_conventions(content, row);
  if (!row.simulation) {
    content.fits = !row.plan.stages.empty();
    content.why.push_back(row.note.isEmpty() ? InspectorText::tr("Being simulated.") : row.note);
    return content;
  }
  content.why = reason_sentences(row);
  if (!row.outdated)
    for (const std::string& sentence : row.plan.rationale) content.why.push_back(text::to_qstring(sentence));
  if (!row.note.isEmpty()) content.why.push_back(row.note);
  content.iteration = iteration_parts(*row.simulation);
  fill_memory(content, row);
  fill_certificate(content, row);
  fill_figures(content, row);
  return content;
}

}  // namespace pipedeck::models::compare
