// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/pages/accuracy_rows.hpp"

#include <QCoreApplication>

#include "app/text/in_qt.hpp"

namespace pipedeck::ui::pages {

namespace {

struct PartWords {
  Q_DECLARE_TR_FUNCTIONS(Accuracy)
};

/// Returns the part of the explanations that has the colour of this one.
TimePart colour_part(mesh::StepPart part) {
  switch (part) {
    case mesh::StepPart::compute:
      return TimePart::compute;
    case mesh::StepPart::recompute:
      return TimePart::recompute;
    case mesh::StepPart::tensor:
      return TimePart::tensor_parallel;
    case mesh::StepPart::context:
      return TimePart::context_parallel;
    case mesh::StepPart::expert:
      return TimePart::expert_parallel;
    case mesh::StepPart::gather:
      return TimePart::gather;
    case mesh::StepPart::data:
      return TimePart::all_reduce;
    case mesh::StepPart::bubble:
      return TimePart::bubble;
    case mesh::StepPart::pipeline:
    case mesh::StepPart::host:
      return TimePart::point_to_point;
    case mesh::StepPart::optimizer:
      return TimePart::optimizer;
  }
  return TimePart::compute;
}

void take_mapping(const study::accuracy::PublishedRun& run, models::accuracy::RunRow& row) {
  row.gpus = run.gpus.value_or(0);
  row.gpus_per_node = run.gpus_per_node.value_or(0);
  row.tensor = run.tensor.value_or(1);
  row.pipeline = run.pipeline.value_or(1);
  row.virtual_stages = run.virtual_stages.value_or(1);
  row.context = run.context.value_or(1);
  row.expert = run.expert.value_or(1);
  row.data = run.data.value_or(1);
  row.sequence = run.sequence.value_or(0);
  row.global_batch = run.global_batch.value_or(0);
  row.micro_batch = run.micro_batch.value_or(0);
}

void take_figures(const study::accuracy::Outcome& outcome, models::accuracy::RunRow& row) {
  row.measured_seconds = outcome.measured_seconds.value_or(0);
  row.measured_memory = outcome.run.memory_gib;
  if (row.measured_seconds > 0 && row.gpus > 0)
    row.measured = outcome.run.tokens_per_second.value_or(static_cast<double>(row.sequence) * row.global_batch /
                                                          row.gpus / row.measured_seconds);
  if (!outcome.prediction) return;
  row.predicted_seconds = outcome.prediction->iteration.count;
  row.predicted = row.measured * row.measured_seconds / row.predicted_seconds;
  row.predicted_memory = outcome.predicted_gib();
  row.fits = outcome.prediction->fits;
  for (int i = 0; i < mesh::step_part_count; ++i) {
    const auto part = static_cast<mesh::StepPart>(i);
    row.parts.push_back({part_name(part), colour_part(part), (*outcome.prediction)[part].count});
  }
}

}  // namespace

QString part_name(mesh::StepPart part) {
  switch (part) {
    case mesh::StepPart::compute:
      return PartWords::tr("compute");
    case mesh::StepPart::recompute:
      return PartWords::tr("recompute");
    case mesh::StepPart::tensor:
      return PartWords::tr("TP, exposed");
    case mesh::StepPart::context:
      return PartWords::tr("CP, exposed");
    case mesh::StepPart::expert:
      return PartWords::tr("EP, exposed");
    case mesh::StepPart::gather:
      return PartWords::tr("sharding, exposed");
    case mesh::StepPart::bubble:
      return PartWords::tr("pipeline bubble");
    case mesh::StepPart::pipeline:
      return PartWords::tr("PP, exposed");
    case mesh::StepPart::data:
      return PartWords::tr("DP, exposed");
    case mesh::StepPart::optimizer:
      return PartWords::tr("optimizer");
    case mesh::StepPart::host:
      return PartWords::tr("host copies, exposed");
  }
  return {};
}

models::accuracy::RunRow run_row(const study::accuracy::Outcome& outcome) {
  const study::accuracy::PublishedRun& run = outcome.run;
  models::accuracy::RunRow row;
  row.id = text::to_qstring(run.row);
  row.source = text::to_qstring(run.source);
  row.model = text::to_qstring(run.model);
  row.gpu = text::to_qstring(run.gpu);
  row.precision = text::to_qstring(run.precision);
  row.task = text::to_qstring(run.task);
  row.sharding = text::to_qstring(run.sharding);
  row.recompute = text::to_qstring(run.recompute);
  row.software = text::to_qstring(run.software);
  row.judged = outcome.judged;
  row.skipped = text::to_qstring(outcome.skipped);
  take_mapping(run, row);
  take_figures(outcome, row);
  for (const std::string& note : outcome.notes) row.notes << text::to_qstring(note);
  if (!run.notes.empty()) row.notes << text::to_qstring(run.notes);
  return row;
}

}  // namespace pipedeck::ui::pages
