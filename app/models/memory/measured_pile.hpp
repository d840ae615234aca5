// SPDX-License-Identifier: GPL-3.0-or-later
// Measured memory of a device over time by class, next to its prediction at the peak. Plain values, so that drawing and
// hit tests agree.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <QString>

#include "core/base/units.hpp"
#include "core/model/simulation.hpp"

namespace pipedeck::models::memory {

/// Classes from bottom to top: as call stacks separate them.
enum class PileClass : std::uint8_t { weights, optimizer, gradients, activations, communication, untold };
inline constexpr int pile_class_count = 6;
/// Returns the predicted item whose colour the class has.
MemoryItem item_of(PileClass part);
QString text_of(PileClass part);  // "gradients, workspace"

using PileBytes = std::array<Bytes, pile_class_count>;
Bytes total(const PileBytes& parts);

struct PilePoint {
  double time = 0;  ///< ms, or an event's number
  PileBytes parts{};
  Bytes reserved;
};

struct MeasuredPile {
  QString title;
  std::vector<PilePoint> points;  ///< one at least, by time
  bool timed = false;             ///< times are milliseconds
  PilePoint peak;
  std::optional<PileBytes> predicted{};  ///< at the predicted peak
  Bytes predicted_reserved{};
  Bytes capacity{};  ///< 0: not known

  /// Returns the bytes at the top of the axis: a tenth above all that is drawn.
  double full() const;
  double end() const;
  /// Returns the point in effect at a time.
  const PilePoint& at(double time) const;
};

}  // namespace pipedeck::models::memory
