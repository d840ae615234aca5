// SPDX-License-Identifier: GPL-3.0-or-later
// Made-up published runs for tests of the accuracy page.
#pragma once

#include <cmath>
#include <random>

#include "app/models/accuracy/run_row.hpp"

namespace pipedeck::test {

inline models::accuracy::RunRow run_of(const QString& id, double measured, double predicted) {
  models::accuracy::RunRow row;
  row.id = id;
  row.source = QStringLiteral("source-a");
  row.model = QStringLiteral("llama-3-70b");
  row.gpu = QStringLiteral("H100");
  row.precision = QStringLiteral("bf16");
  row.gpus = row.data = 64;
  row.gpus_per_node = 8;
  row.sequence = 8192;
  row.global_batch = 128;
  row.measured = measured;
  row.predicted = predicted;
  row.measured_seconds = 8192.0 * 128 / 64 / measured;
  row.predicted_seconds = 8192.0 * 128 / 64 / predicted;
  row.parts = {{QStringLiteral("compute"), TimePart::compute, 0.9 * row.predicted_seconds},
               {QStringLiteral("TP, exposed"), TimePart::tensor_parallel, 0},
               {QStringLiteral("DP, exposed"), TimePart::all_reduce, 0.1 * row.predicted_seconds}};
  return row;
}

/// Returns runs with random figures, features and gaps; the same for a seed.
inline std::vector<models::accuracy::RunRow> random_runs(unsigned seed, int count) {
  std::mt19937 random(seed);
  const auto below = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
  const QStringList gpus{"H100", "A100-80GB", "GB200", "B200", "V100", "H200", "MI300X"};
  const QStringList precisions{"bf16", "fp16", "fp8-current", "mxfp8", "nvfp4"};
  const QStringList models{"llama-3-70b", "mixtral-8x7b", "gpt3-175b"};
  std::vector<models::accuracy::RunRow> rows;
  for (int i = 0; i < count; ++i) {
    const double measured = std::pow(10, 1 + 4.0 * below(1000) / 1000);
    models::accuracy::RunRow row =
        run_of(QStringLiteral("run-%1").arg(i), measured, measured * (0.7 + 0.6 * below(1000) / 1000));
    row.source = QStringLiteral("source-%1").arg(QChar(u'a' + below(below(10) + 1)));
    row.gpu = gpus[below(static_cast<int>(gpus.size()))];
    row.precision = precisions[below(static_cast<int>(precisions.size()))];
    row.model = models[below(static_cast<int>(models.size()))];
    row.tensor = 1 << below(4);
    row.pipeline = 1 << below(3);
    row.context = 1 << below(2);
    row.expert = 1 << below(2);
    if (below(4) == 0) row.sharding = QStringLiteral("fsdp zero3 group 64");
    row.judged = below(10) > 0;
    if (below(12) == 0) row.predicted = 0;
    row.fits = below(20) > 0;
    if (below(3) == 0) row.measured_memory = 40.0 + below(30);
    if (row.predicted > 0) row.predicted_memory = 40.0 + below(30);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace pipedeck::test
