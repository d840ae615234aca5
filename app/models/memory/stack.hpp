// SPDX-License-Identifier: GPL-3.0-or-later
// Memory per item prepared for drawing: the time of the maximum within a span, and the position of each item in the
// stack. Plain values, so that drawing and hit tests agree.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/model/memory_items.hpp"

namespace pipedeck::models::memory {

/// From bottom to top: persistent items are below temporary ones.
inline constexpr std::array<MemoryItem, memory_item_count> stacking_order{
    MemoryItem::reserve,     MemoryItem::communication, MemoryItem::weights,
    MemoryItem::gradients,   MemoryItem::optimizer,     MemoryItem::stashed_weights,
    MemoryItem::activations, MemoryItem::boundary,      MemoryItem::workspace};

/// Returns the item at `bytes` above the bottom of a stack of `parts`, or nullopt above its top.
std::optional<MemoryItem> item_at(const MemoryBreakdown& parts, Bytes bytes);

class Stack {
 public:
  /// Takes a reference to `items`, which must outlive this object.
  explicit Stack(const DeviceItems& items);
  const DeviceItems& items() const { return *items_; }
  /// Returns the point in effect at `time` in nanoseconds.
  std::size_t at(double time) const;
  /// Returns the point with the largest sum in effect during [begin, end), the first of equals.
  std::size_t highest(double begin, double end) const;
  /// Returns the same, given the point in effect at the begin.
  std::size_t highest_from(std::size_t point, double end) const;

 private:
  std::size_t better(std::size_t a, std::size_t b) const;
  const DeviceItems* items_;
  std::vector<std::uint32_t> blocks_;  ///< the highest point of each block
};

struct Stacks {
  std::shared_ptr<const std::vector<DeviceItems>> items;
  std::vector<Stack> stacks;
  const Stack* of(DeviceId device) const;
  /// Returns the items that any device holds at any time, in stacking order.
  std::vector<MemoryItem> kinds() const;
};

/// Returns null for null.
std::shared_ptr<const Stacks> make_memory_stacks(std::shared_ptr<const std::vector<DeviceItems>> items);

/// A layout of the strips of several devices, one below another, all to the same scale.
struct Strips {
  int count = 0;
  double full = 1;  ///< bytes at the top of a strip

  static constexpr int gap = 5, top_space = 4, bottom_space = 6;
  /// Returns the height of a strip; it is higher for fewer devices.
  int strip_height() const;
  int height() const;
  double top(int strip) const { return top_space + strip * (strip_height() + gap); }
  double bottom(int strip) const { return top(strip) + strip_height(); }
  double y_of(int strip, Bytes bytes) const;
  Bytes bytes_at(int strip, double y) const;
  std::optional<int> strip_at(double y) const;
};

}  // namespace pipedeck::models::memory
