// SPDX-License-Identifier: GPL-3.0-or-later
// Memory by item ready for drawing: which moment of a span of time held the most, and which item lies where in the pile
// of a moment. Plain values, so that drawing and hit-testing ask the same.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/domain/memory_items.hpp"

namespace pipedeck::app {

/// From the bottom of a pile to its top: what is always there lies below what comes and goes.
inline constexpr std::array<MemoryItem, memory_item_count> stacking_order{
    MemoryItem::reserve,     MemoryItem::communication, MemoryItem::weights,
    MemoryItem::gradients,   MemoryItem::optimizer,     MemoryItem::stashed_weights,
    MemoryItem::activations, MemoryItem::boundary,      MemoryItem::workspace};

/// The item at `bytes` above the bottom of a pile of `parts`; nothing above its top.
std::optional<MemoryItem> item_at(const MemoryParts& parts, Bytes bytes);

class MemoryStack {
 public:
  /// `items` must outlive it.
  explicit MemoryStack(const DeviceItems& items);
  const DeviceItems& items() const { return *items_; }
  /// The point in effect at `time`, in nanoseconds.
  std::size_t at(double time) const;
  /// The point that holds the most of all in effect during [begin, end), the first of equals.
  std::size_t highest(double begin, double end) const;
  /// The same, with the point in effect at the begin already known.
  std::size_t highest_from(std::size_t point, double end) const;

 private:
  std::size_t better(std::size_t a, std::size_t b) const;
  const DeviceItems* items_;
  std::vector<std::uint32_t> blocks_;  ///< the highest point of each block
};

struct MemoryStacks {
  std::shared_ptr<const std::vector<DeviceItems>> items;
  std::vector<MemoryStack> stacks;
  const MemoryStack* of(DeviceId device) const;
  /// Items that some device holds at some time, in stacking order.
  std::vector<MemoryItem> kinds() const;
};

/// Null for null.
std::shared_ptr<const MemoryStacks> make_memory_stacks(std::shared_ptr<const std::vector<DeviceItems>> items);

/// Where the strips of several devices lie, one under another, all to the same scale.
struct MemoryStrips {
  int count = 0;
  double full = 1;  ///< bytes at the top of a strip

  static constexpr int gap = 5, top_space = 4, bottom_space = 6;
  /// Fewer devices get higher strips.
  int strip_height() const;
  int height() const;
  double top(int strip) const { return top_space + strip * (strip_height() + gap); }
  double bottom(int strip) const { return top(strip) + strip_height(); }
  double y_of(int strip, Bytes bytes) const;
  Bytes bytes_at(int strip, double y) const;
  std::optional<int> strip_at(double y) const;
};

}  // namespace pipedeck::app
