// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of the shown runs' errors, altogether and by group.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <QString>

#include "app/models/accuracy/run_row.hpp"

namespace pipedeck::models::accuracy {

inline constexpr double wide_band = 0.2, narrow_band = 0.1;  ///< of the measured tokens per second

struct ErrorFigures {
  int runs = 0;
  double mean = 0;         ///< of the absolute errors
  double nine_in_ten = 0;  ///< the absolute error that nine in ten runs do not exceed
  double bias = 0;         ///< mean of the errors with their signs
  double within = 0;       ///< share of runs with an absolute error of at most `wide_band`
};
/// Returns zeros for no errors.
ErrorFigures figures_of(std::vector<double> errors);

struct Headline {
  ErrorFigures errors;
  int too_large = 0;             ///< runs that ran and are predicted not to fit
  int memories = 0;              ///< runs with a measured memory
  double memory_median = 0;      ///< of their errors with signs
  std::optional<double> ranked;  ///< rank correlation of mappings; nothing where too few are comparable
};
/// Returns the figures without `ranked`.
Headline headline_of(std::span<const RunRow> rows, std::span<const std::size_t> shown);

enum class GroupBy { gpu, source, model, precision, dimension };
inline constexpr int group_by_count = 5;
QString group_by_text(GroupBy by);  ///< "Dimension"

struct ErrorGroup {
  QString name;
  ErrorFigures figures;
  std::vector<double> errors;  ///< ascending
};
/// Returns the groups, the most runs first. With `dimension`, a run is in the group of each dimension that it uses.
std::vector<ErrorGroup> groups_of(std::span<const RunRow> rows, std::span<const std::size_t> shown, GroupBy by);

/// Returns the shown runs with the largest absolute errors, the largest first.
std::vector<std::size_t> largest_errors(std::span<const RunRow> rows, std::span<const std::size_t> shown,
                                        std::size_t count);
/// Returns the runs as bars from 0 to their errors.
std::vector<whatif::BarRow> error_rows(std::span<const RunRow> rows, std::span<const std::size_t> runs);

}  // namespace pipedeck::models::accuracy
