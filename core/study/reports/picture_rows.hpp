// SPDX-License-Identifier: Apache-2.0
// Which devices a plan's pictures have rows for: one for neighbours of a rank that do the same, replicas mostly, as
// many as there is room for.
#pragma once

#include <string>
#include <vector>

#include "core/model/plan.hpp"
#include "core/model/simulation.hpp"
#include "core/study/reports/translator.hpp"

namespace pipedeck::study::reports {

struct PictureRow {
  const SimulatedDevice* device = nullptr;
  std::string stages;  ///< of the rank's first row: "stage 0", "stages 0, 3"
  std::string name;    ///< "G0", "G0 ×8"
  bool begins_rank = false;
};

struct PictureRows {
  std::vector<PictureRow> rows;
  std::string left_out;  ///< a sentence on what has no row; empty: nothing
};

/// Pointers are into `simulation`.
PictureRows picture_rows(const Translator& words, const Plan& plan, const Simulation& simulation);

/// Columns of both pictures.
inline constexpr double picture_width = 960, stages_at = 0, names_at = 78, plot_at = 136;

/// Returns the place of a legend's next entry: right of the last one, or below it where the picture would end.
class LegendPlaces {
 public:
  explicit LegendPlaces(double top) : top_(top) {}
  /// `gap`: to the next entry, `letter`: the width of one.
  void next(const std::string& name, double gap, double letter);
  double x() const { return x_; }
  double top() const { return top_; }

 private:
  double x_ = plot_at, end_ = plot_at, top_;
};
inline constexpr double swatch = 11, name_beside_swatch = 16;

/// Distance of ticks, in units of 1, 2 or 5 times a power of ten, so that there are about `wanted`.
double tick_step(double span, int wanted);

}  // namespace pipedeck::study::reports
