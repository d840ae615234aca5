// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/accuracy/error_figures.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include <QCoreApplication>

namespace pipedeck::models::accuracy {

namespace {

struct FigureWords {
  Q_DECLARE_TR_FUNCTIONS(Accuracy)
};

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Returns the dimensions that a run uses; without one, it is data parallel alone.
QStringList dimensions_of(const RunRow& row) {
  QStringList names;
  for (const Use use : {Use::tensor, Use::pipeline, Use::context, Use::experts, Use::sharded})
    if (row.uses(use)) names << use_text(use);
  if (names.isEmpty()) names << FigureWords::tr("data parallel alone");
  return names;
}

QStringList groups_of_run(const RunRow& row, GroupBy by) {
  switch (by) {
    case GroupBy::gpu:
      return {row.gpu};
    case GroupBy::source:
      return {row.source};
    case GroupBy::model:
      return {row.model};
    case GroupBy::precision:
      return {row.precision};
    case GroupBy::dimension:
      return dimensions_of(row);
  }
  return {};
}

}  // namespace

ErrorFigures figures_of(std::vector<double> errors) {
  ErrorFigures figures;
  figures.runs = static_cast<int>(errors.size());
  if (errors.empty()) return figures;
  figures.bias = mean_of(errors);
  for (double& error : errors) error = std::abs(error);
  std::ranges::sort(errors);
  figures.mean = mean_of(errors);
  figures.nine_in_ten = errors[(errors.size() * 9 + 9) / 10 - 1];
  const auto within = std::ranges::count_if(errors, [](double error) { return error <= wide_band; });
  figures.within = static_cast<double>(within) / static_cast<double>(errors.size());
  return figures;
}

Headline headline_of(std::span<const RunRow> rows, std::span<const std::size_t> shown) {
  Headline headline;
  std::vector<double> errors, memories;
  for (const std::size_t i : shown) {
    errors.push_back(rows[i].error());
    if (const auto memory = rows[i].memory_error()) memories.push_back(*memory);
    headline.too_large += rows[i].fits ? 0 : 1;
  }
  headline.errors = figures_of(std::move(errors));
  headline.memories = static_cast<int>(memories.size());
  if (memories.empty()) return headline;
  std::ranges::sort(memories);
  const std::size_t middle = memories.size() / 2;
  headline.memory_median = memories.size() % 2 == 1 ? memories[middle] : (memories[middle - 1] + memories[middle]) / 2;
  return headline;
}

QString group_by_text(GroupBy by) {
  switch (by) {
    case GroupBy::gpu:
      return FigureWords::tr("GPU");
    case GroupBy::source:
      return FigureWords::tr("Source");
    case GroupBy::model:
      return FigureWords::tr("Model");
    case GroupBy::precision:
      return FigureWords::tr("Precision");
    case GroupBy::dimension:
      return FigureWords::tr("Dimension");
  }
  return {};
}

std::vector<ErrorGroup> groups_of(std::span<const RunRow> rows, std::span<const std::size_t> shown, GroupBy by) {
  std::map<QString, std::vector<double>> errors;
  for (const std::size_t i : shown)
    for (const QString& name : groups_of_run(rows[i], by)) errors[name].push_back(rows[i].error());
  std::vector<ErrorGroup> groups;
  for (auto& [name, of_group] : errors) {
    std::ranges::sort(of_group);
    groups.push_back({name, figures_of(of_group), std::move(of_group)});
  }
  std::ranges::stable_sort(groups, std::ranges::greater(), [](const ErrorGroup& group) { return group.figures.runs; });
  return groups;
}

std::vector<std::size_t> largest_errors(std::span<const RunRow> rows, std::span<const std::size_t> shown,
                                        std::size_t count) {
  std::vector<std::size_t> runs(shown.begin(), shown.end());
  std::ranges::stable_sort(runs, std::ranges::greater(), [&](std::size_t i) { return std::abs(rows[i].error()); });
  runs.resize(std::min(runs.size(), count));
  return runs;
}

std::vector<whatif::BarRow> error_rows(std::span<const RunRow> rows, std::span<const std::size_t> runs) {
  std::vector<whatif::BarRow> bars;
  for (const std::size_t i : runs) {
    const RunRow& row = rows[i];
    whatif::BarRow bar{QStringLiteral("%1 · %2").arg(row.model, row.gpu), 0, row.error(), error_text(row.error()),
                       describe_run(row).join(u'\n')};
    bar.meaning = row.error() > 0 ? whatif::BarMeaning::worse : whatif::BarMeaning::better;  // in two colours
    bars.push_back(std::move(bar));
  }
  return bars;
}

}  // namespace pipedeck::models::accuracy
