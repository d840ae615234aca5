// SPDX-License-Identifier: GPL-3.0-or-later
// A published training run with its prediction, as the accuracy page shows it.
#pragma once

#include <optional>
#include <vector>

#include <QString>
#include <QStringList>

#include "app/models/whatif/explain_rows.hpp"
#include "core/model/simulation.hpp"

namespace pipedeck::models::accuracy {

/// A generation of GPUs: a shape and a colour in the chart.
enum class Family { hopper, ampere, blackwell, volta, other };
inline constexpr int family_count = 5;
Family family_of(const QString& gpu);
QString family_text(Family family);  ///< "H100, H200"

enum class PrecisionKind { bits_16, fp8, narrow };
inline constexpr int precision_count = 3;
PrecisionKind precision_of(const QString& name);
QString precision_text(PrecisionKind precision);  ///< "mxfp8, nvfp4"

/// A feature that a run uses.
enum class Use { tensor, pipeline, context, experts, sharded, memory };
inline constexpr int use_count = 6;
QString use_text(Use use);  ///< "tensor parallel"

struct IterationPart {
  QString name;
  TimePart part = TimePart::compute;  ///< its colour
  double seconds = 0;
};

struct RunRow {
  QString id, source, model, gpu, precision, task, sharding, recompute, software;
  int gpus = 0, gpus_per_node = 0;
  int tensor = 1, pipeline = 1, virtual_stages = 1, context = 1, expert = 1, data = 1;
  int sequence = 0, global_batch = 0, micro_batch = 0;      ///< 0: not printed
  bool judged = true;                                       ///< newest of its mapping, with a time and a full shape
  double measured = 0, predicted = 0;                       ///< tokens per second per GPU; 0: unknown
  double measured_seconds = 0, predicted_seconds = 0;       ///< of an iteration; 0: unknown
  std::optional<double> measured_memory, predicted_memory;  ///< GiB
  bool fits = true;
  std::vector<IterationPart> parts;  ///< their sum is `predicted_seconds`
  QStringList notes;                 ///< on what was assumed
  QString skipped;                   ///< why there is no prediction

  /// Returns true if the run is a point of the chart.
  bool shown() const { return judged && measured > 0 && predicted > 0; }
  /// Returns predicted over measured tokens per second, less 1; above 0: too quick. Only for runs that are shown.
  double error() const { return predicted / measured - 1; }
  std::optional<double> memory_error() const;
  bool uses(Use use) const;
};

QString tokens_text(double tokens_per_second);  ///< "1,036"
QString error_text(double error);               ///< "−6.9 %"
QString mapping_text(const RunRow& row);        ///< "TP 4 · PP 4 · VP 5 · CP 2 · DP 2"
QString machine_text(const RunRow& row);        ///< "64 H100, 8 per node"
/// Describes the run for a card, one fact per line. The first line is its title.
QStringList describe_run(const RunRow& row);

struct Fact {
  QString name, text;
};
std::vector<Fact> facts_of(const RunRow& row);
/// Returns the parts of the predicted iteration, each from the end of the one before, then both iterations. The
/// measured iteration is a mark in each row.
std::vector<whatif::BarRow> part_rows(const RunRow& row);
/// Returns the facts as text with tabs, for the clipboard.
QString copied_text(const RunRow& row);

}  // namespace pipedeck::models::accuracy
