// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/accuracy/run_row.hpp"

#include <array>

#include <QCoreApplication>
#include <QLocale>

#include "app/models/format.hpp"
#include "core/base/units.hpp"

namespace pipedeck::models::accuracy {

namespace {

struct RunWords {
  Q_DECLARE_TR_FUNCTIONS(Accuracy)
};

constexpr double least_part = 1e-4;  ///< of an iteration: below, a part is no row
const QString separator = QStringLiteral(" · ");

QString counted_text(int count) { return QLocale().toString(count); }

QString gib_text(double gib) { return format_bytes(Bytes(static_cast<std::int64_t>(gib * 0x1p30))); }

QString batch_text(const RunRow& row) {
  QString text = QStringLiteral("%1 × %2").arg(counted_text(row.global_batch), counted_text(row.sequence));
  if (row.micro_batch > 0) text += RunWords::tr(", micro-batch %1").arg(row.micro_batch);
  return text;
}

QString memory_text(const RunRow& row) {
  if (!row.predicted_memory) return {};
  const QString predicted = gib_text(*row.predicted_memory);
  const auto error = row.memory_error();
  if (!error) return RunWords::tr("%1, not measured").arg(predicted);
  return RunWords::tr("%1, measured %2 (%3)").arg(predicted, gib_text(*row.measured_memory), error_text(*error));
}

}  // namespace

Family family_of(const QString& gpu) {
  constexpr std::array<std::pair<const char*, Family>, 12> names{{{"GH200", Family::hopper},
                                                                  {"H100", Family::hopper},
                                                                  {"H200", Family::hopper},
                                                                  {"H800", Family::hopper},
                                                                  {"H20", Family::hopper},
                                                                  {"A100", Family::ampere},
                                                                  {"A800", Family::ampere},
                                                                  {"GB200", Family::blackwell},
                                                                  {"GB300", Family::blackwell},
                                                                  {"B200", Family::blackwell},
                                                                  {"B300", Family::blackwell},
                                                                  {"V100", Family::volta}}};
  for (const auto& [name, family] : names)
    if (gpu.startsWith(QLatin1String(name))) return family;
  return Family::other;
}

QString family_text(Family family) {
  switch (family) {
    case Family::hopper:
      return QStringLiteral("H100, H200");
    case Family::ampere:
      return QStringLiteral("A100, A800");
    case Family::blackwell:
      return QStringLiteral("Blackwell");
    case Family::volta:
      return QStringLiteral("V100");
    case Family::other:
      return RunWords::tr("other GPUs");
  }
  return {};
}

PrecisionKind precision_of(const QString& name) {
  if (name.startsWith(QLatin1String("fp8"))) return PrecisionKind::fp8;
  if (name.startsWith(QLatin1String("mx")) || name.startsWith(QLatin1String("nv"))) return PrecisionKind::narrow;
  return PrecisionKind::bits_16;
}

QString precision_text(PrecisionKind precision) {
  switch (precision) {
    case PrecisionKind::bits_16:
      return RunWords::tr("16 bits");
    case PrecisionKind::fp8:
      return QStringLiteral("fp8");
    case PrecisionKind::narrow:
      return QStringLiteral("mxfp8, nvfp4");
  }
  return {};
}

QString use_text(Use use) {
  switch (use) {
    case Use::tensor:
      return RunWords::tr("tensor parallel");
    case Use::pipeline:
      return RunWords::tr("pipeline");
    case Use::context:
      return RunWords::tr("context parallel");
    case Use::experts:
      return RunWords::tr("experts");
    case Use::sharded:
      return RunWords::tr("sharded weights");
    case Use::memory:
      return RunWords::tr("memory measured");
  }
  return {};
}

std::optional<double> RunRow::memory_error() const {
  if (!measured_memory || !predicted_memory || *measured_memory <= 0) return std::nullopt;
  return *predicted_memory / *measured_memory - 1;
}

bool RunRow::uses(Use use) const {
  switch (use) {
    case Use::tensor:
      return tensor > 1;
    case Use::pipeline:
      return pipeline > 1;
    case Use::context:
      return context > 1;
    case Use::experts:
      return expert > 1;
    case Use::sharded:
      return sharding.contains(QLatin1String("fsdp")) || sharding.contains(QLatin1String("zero3"));
    case Use::memory:
      return measured_memory.has_value();
  }
  return false;
}

QString tokens_text(double tokens_per_second) {
  return tokens_per_second < 10 ? format_number(tokens_per_second) : QLocale().toString(tokens_per_second, 'f', 0);
}

QString error_text(double error) { return format_change(error); }

QString mapping_text(const RunRow& row) {
  const std::pair<const char*, int> degrees[] = {{"TP", row.tensor},  {"PP", row.pipeline}, {"VP", row.virtual_stages},
                                                 {"CP", row.context}, {"EP", row.expert},   {"DP", row.data}};
  QStringList words;
  for (const auto& [name, degree] : degrees)
    if (degree > 1) words << QLatin1String(name) + QChar::Nbsp + QString::number(degree);
  return words.isEmpty() ? RunWords::tr("one GPU") : words.join(separator);
}

QString machine_text(const RunRow& row) {
  const QString gpus = QStringLiteral("%1 %2").arg(counted_text(row.gpus), row.gpu);
  return row.gpus_per_node > 0 && row.gpus > row.gpus_per_node
             ? RunWords::tr("%1, %2 per node").arg(gpus).arg(row.gpus_per_node)
             : gpus;
}

QStringList describe_run(const RunRow& row) {
  QStringList lines{
      QStringList{row.model, QStringLiteral("%1 %2").arg(counted_text(row.gpus), row.gpu), row.precision}.join(
          separator)};
  lines << mapping_text(row);
  if (row.shown())
    lines << RunWords::tr("%1 over %2 tokens/s/GPU, %3")
                 .arg(tokens_text(row.predicted), tokens_text(row.measured), error_text(row.error()));
  return lines;
}

std::vector<Fact> facts_of(const RunRow& row) {
  std::vector<Fact> facts;
  const auto add = [&](const QString& name, const QString& text) {
    if (!text.isEmpty()) facts.push_back({name, text});
  };
  add(RunWords::tr("Machine"), machine_text(row));
  add(RunWords::tr("Mapping"), mapping_text(row));
  add(RunWords::tr("Batch"), batch_text(row));
  add(RunWords::tr("Precision"), row.precision);
  add(RunWords::tr("Sharding"), row.sharding);
  add(RunWords::tr("Recompute"), row.recompute == QLatin1String("none") ? RunWords::tr("nothing") : row.recompute);
  add(RunWords::tr("Memory"), memory_text(row));
  return facts;
}

std::vector<whatif::BarRow> part_rows(const RunRow& row) {
  std::vector<whatif::BarRow> rows;
  if (row.predicted_seconds <= 0) return rows;
  const auto add = [&](const QString& name, double from, double to) -> whatif::BarRow& {
    whatif::BarRow bar{name, from, to, format_time(Seconds{to - from}), {}};
    bar.mark = row.measured_seconds;
    bar.tool_tip = RunWords::tr("%1: %2 of the predicted iteration")
                       .arg(name, format_percent((to - from) / row.predicted_seconds));
    return rows.emplace_back(std::move(bar));
  };
  double end = 0;
  for (const IterationPart& part : row.parts) {
    if (part.seconds < least_part * row.predicted_seconds) continue;
    add(part.name, end, end + part.seconds).part = part.part;
    end += part.seconds;
  }
  add(RunWords::tr("predicted"), 0, row.predicted_seconds).tool_tip = RunWords::tr("Predicted iteration");
  if (row.measured_seconds > 0)
    add(RunWords::tr("measured"), 0, row.measured_seconds).tool_tip = RunWords::tr("Measured iteration");
  return rows;
}

QString copied_text(const RunRow& row) {
  QStringList lines{QStringList{row.model, row.id, row.software}.join(u'\t')};
  if (row.shown())
    lines << QStringList{RunWords::tr("tokens/s/GPU, predicted and measured"), tokens_text(row.predicted),
                         tokens_text(row.measured), error_text(row.error())}
                 .join(u'\t');
  for (const Fact& fact : facts_of(row)) lines << fact.name + u'\t' + fact.text;
  for (const whatif::BarRow& part : part_rows(row)) lines << part.label + u'\t' + part.text;
  return lines.join(u'\n') + u'\n';
}

}  // namespace pipedeck::models::accuracy
