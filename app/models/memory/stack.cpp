// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/memory/stack.hpp"

#include <algorithm>
#include <cmath>

namespace pipedeck::models::memory {

namespace {

constexpr std::size_t points_per_block = 64;

}  // namespace

std::optional<MemoryItem> item_at(const MemoryBreakdown& parts, Bytes bytes) {
  if (bytes.count < 0) return std::nullopt;
  Bytes top;
  for (const MemoryItem item : stacking_order) {
    top += parts[item];
    if (bytes < top) return item;
  }
  return std::nullopt;
}

Stack::Stack(const DeviceItems& items) : items_(&items) {
  for (std::size_t i = 0; i < items.points.size(); ++i) {
    if (i % points_per_block == 0) blocks_.push_back(static_cast<std::uint32_t>(i));
    blocks_.back() = static_cast<std::uint32_t>(better(blocks_.back(), i));
  }
}

std::size_t Stack::better(std::size_t a, std::size_t b) const {
  return items_->points[b].changing() > items_->points[a].changing() ? b : a;
}

std::size_t Stack::at(double time) const {
  const auto& points = items_->points;
  const auto after = std::partition_point(points.begin(), points.end(), [time](const ItemPoint& point) {
    return static_cast<double>(point.time.count) <= time;
  });
  return after == points.begin() ? 0 : static_cast<std::size_t>(after - points.begin()) - 1;
}

std::size_t Stack::highest(double begin, double end) const { return highest_from(at(begin), end); }

std::size_t Stack::highest_from(std::size_t first, double end) const {
  const auto& points = items_->points;
  const auto begins = [&](std::size_t i) {
    return i < points.size() && static_cast<double>(points[i].time.count) < end;
  };
  std::size_t best = first;
  for (std::size_t i = first + 1; begins(i);) {
    // A block that ends before the end of the range is covered by its own maximum.
    if (i % points_per_block == 0 && begins(i + points_per_block - 1)) {
      best = better(best, blocks_[i / points_per_block]);
      i += points_per_block;
    } else {
      best = better(best, i++);
    }
  }
  return best;
}

const Stack* Stacks::of(DeviceId device) const {
  const auto found = std::ranges::find(stacks, device, [](const Stack& stack) { return stack.items().device; });
  return found == stacks.end() ? nullptr : &*found;
}

std::vector<MemoryItem> Stacks::kinds() const {
  MemoryBreakdown seen;
  for (const Stack& stack : stacks) {
    for (std::size_t i = 0; i < seen.bytes.size(); ++i) seen.bytes[i] += stack.items().held.bytes[i];
    for (const ItemPoint& point : stack.items().points) {
      seen[MemoryItem::activations] = std::max(seen[MemoryItem::activations], point.activations);
      seen[MemoryItem::boundary] = std::max(seen[MemoryItem::boundary], point.boundary);
      seen[MemoryItem::workspace] = std::max(seen[MemoryItem::workspace], point.workspace);
    }
  }
  std::vector<MemoryItem> kinds;
  for (const MemoryItem item : stacking_order)
    if (seen[item].count > 0) kinds.push_back(item);
  return kinds;
}

std::shared_ptr<const Stacks> make_memory_stacks(std::shared_ptr<const std::vector<DeviceItems>> items) {
  if (!items) return nullptr;
  auto stacks = std::make_shared<Stacks>();
  for (const DeviceItems& device : *items)
    if (!device.points.empty()) stacks->stacks.emplace_back(device);
  stacks->items = std::move(items);
  return stacks;
}

int Strips::strip_height() const { return count <= 4 ? 62 : count <= 8 ? 46 : count <= 16 ? 34 : 22; }

int Strips::height() const { return top_space + std::max(1, count) * (strip_height() + gap) - gap + bottom_space; }

double Strips::y_of(int strip, Bytes bytes) const {
  return bottom(strip) - static_cast<double>(bytes.count) / full * strip_height();
}

Bytes Strips::bytes_at(int strip, double y) const {
  return Bytes(static_cast<std::int64_t>(std::floor((bottom(strip) - y) / strip_height() * full)));
}

std::optional<int> Strips::strip_at(double y) const {
  const int strip = static_cast<int>(std::floor((y - top_space) / (strip_height() + gap)));
  if (strip < 0 || strip >= count || y >= bottom(strip)) return std::nullopt;
  return strip;
}

}  // namespace pipedeck::models::memory
