// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/memory/measured_pile.hpp"

#include <algorithm>
#include <numeric>

#include <QCoreApplication>

namespace pipedeck::models::memory {

namespace {

struct PileText {
  Q_DECLARE_TR_FUNCTIONS(MeasuredPile)
};

}  // namespace

MemoryItem item_of(PileClass part) {
  constexpr std::array items{MemoryItem::weights,     MemoryItem::optimizer,     MemoryItem::gradients,
                             MemoryItem::activations, MemoryItem::communication, MemoryItem::reserve};
  return items[static_cast<std::size_t>(part)];
}

QString text_of(PileClass part) {
  switch (part) {
    case PileClass::weights:
      return PileText::tr("weights");
    case PileClass::optimizer:
      return PileText::tr("optimizer state");
    case PileClass::gradients:
      return PileText::tr("gradients, workspace");
    case PileClass::activations:
      return PileText::tr("activations");
    case PileClass::communication:
      return PileText::tr("collectives' buffers");
    case PileClass::untold:
      return PileText::tr("of unknown use");
  }
  return {};
}

Bytes total(const PileBytes& parts) {
  return std::accumulate(parts.begin(), parts.end(), Bytes(), [](Bytes sum, Bytes one) { return sum + one; });
}

double MeasuredPile::full() const {
  Bytes most = std::max(total(peak.parts), peak.reserved);
  for (const PilePoint& point : points) most = std::max(most, point.reserved);
  if (predicted) most = std::max({most, total(*predicted), predicted_reserved});
  return std::max(1.0, 1.1 * static_cast<double>(most.count));
}

double MeasuredPile::end() const { return std::max(1e-9, points.back().time); }

const PilePoint& MeasuredPile::at(double time) const {
  const auto next = std::ranges::upper_bound(points, time, {}, &PilePoint::time);
  return next == points.begin() ? points.front() : *std::prev(next);
}

}  // namespace pipedeck::models::memory
