// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/topology/arrange.hpp"

#include <algorithm>
#include <cmath>

namespace pipedeck::models::topology {

namespace {

constexpr double margin = 2 * topology_grid;
constexpr double gap = 2 * topology_grid;        ///< between the boxes of a row
constexpr double row_gap = 5 * topology_grid;    ///< between rows of boxes, for links and their labels
constexpr double level_gap = 6 * topology_grid;  ///< between switches and the boxes below them
constexpr double wanted_aspect = 1.7;            ///< width / height of a block of many boxes

/// Returns each switch's hops from the nearest node: 0 for leaf switches, more for spines.
std::map<std::string, int> switch_levels(const Cluster& cluster) {
  std::map<std::string, int> levels;
  for (const Switch& s : cluster.switches) levels[s.name] = -1;
  const auto lower = [&](const std::string& at, const std::string& other) {
    const auto mine = levels.find(at);
    if (mine == levels.end()) return false;
    const auto beyond = levels.find(other);
    if (beyond != levels.end() && beyond->second < 0) return false;
    const int level = beyond == levels.end() ? 0 : beyond->second + 1;
    if (mine->second >= 0 && mine->second <= level) return false;
    mine->second = level;
    return true;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const NetworkLink& link : cluster.links)
      changed = lower(link.from, link.to) | lower(link.to, link.from) | changed;
  }
  for (auto& [name, level] : levels) level = std::max(level, 0);
  return levels;
}

/// A block of boxes with places relative to its corner.
struct Block {
  Places places;
  QSizeF size;
};

void add(Places& to, const Places& from, QPointF offset) {
  for (const auto& [name, place] : from) to[name] = {place.x + offset.x(), place.y + offset.y()};
}

Block in_rows_of(const std::vector<Block>& blocks, std::size_t per_row) {
  std::vector<double> widths;
  for (std::size_t begin = 0; begin < blocks.size(); begin += per_row) {
    double width = -gap;
    for (std::size_t i = begin; i < std::min(begin + per_row, blocks.size()); ++i)
      width += blocks[i].size.width() + gap;
    widths.push_back(width);
  }
  Block result;
  const double full = *std::ranges::max_element(widths);
  double y = 0;
  for (std::size_t row = 0; row < widths.size(); ++row) {
    double x = std::floor((full - widths[row]) / 2 / topology_grid) * topology_grid, tallest = 0;
    for (std::size_t i = row * per_row; i < std::min((row + 1) * per_row, blocks.size()); ++i) {
      add(result.places, blocks[i].places, {x, y});
      x += blocks[i].size.width() + gap;
      tallest = std::max(tallest, blocks[i].size.height());
    }
    y += tallest + (row + 1 < widths.size() ? row_gap : 0);
  }
  result.size = {full, y};
  return result;
}

/// Arranges blocks in rows with the aspect ratio nearest to the wanted one; up to four form one row. Rows are balanced:
/// 5 boxes at 4 per row become 3 and 2.
Block in_rows(const std::vector<Block>& blocks) {
  constexpr std::size_t one_row = 4, max_per_row = 128;
  const std::size_t count = blocks.size();
  if (count == 0) return {};
  if (count <= one_row) return in_rows_of(blocks, count);
  double width = 0, height = 0;
  for (const Block& block : blocks) {
    width += (block.size.width() + gap) / static_cast<double>(count);
    height += (block.size.height() + row_gap) / static_cast<double>(count);
  }
  std::size_t best = 1;
  double least = 1e300;
  for (std::size_t per_row = 1; per_row <= std::min(count, max_per_row); ++per_row) {
    const std::size_t rows = (count + per_row - 1) / per_row, even = (count + rows - 1) / rows;
    const double aspect = static_cast<double>(even) * width / (static_cast<double>(rows) * height);
    const double off = std::abs(std::log(aspect / wanted_aspect));
    if (off < least - 1e-9) least = off, best = even;
  }
  return in_rows_of(blocks, best);
}

/// A stack of switch levels above a block. Each switch is centred over its neighbours.
class SwitchLevels {
 public:
  SwitchLevels(const Cluster& cluster, const Places& below, double width) : width_(width) {
    for (const NetworkLink& link : cluster.links) {
      joined_[link.from].push_back(link.to);
      joined_[link.to].push_back(link.from);
    }
    for (const Node& node : cluster.nodes)
      if (const auto at = below.find(node.name); at != below.end())
        centres_[node.name] = at->second.x + topology_size(node).width() / 2;
    for (const Switch& s : cluster.switches)
      if (const auto at = below.find(s.name); at != below.end())
        centres_[s.name] = at->second.x + switch_size().width() / 2;
  }

  /// Returns the left edges of a level's switches.
  std::vector<std::pair<double, std::string>> row(const std::vector<std::string>& names) {
    std::vector<std::pair<double, std::string>> row;
    const double half = switch_size().width() / 2, step = 2 * half + gap;
    for (const std::string& name : names) row.emplace_back(wanted(name) - half, name);
    std::ranges::stable_sort(row, {}, &std::pair<double, std::string>::first);
    double wished = 0, got = 0;
    for (const auto& [x, name] : row) wished += x;
    for (std::size_t i = 1; i < row.size(); ++i) row[i].first = std::max(row[i].first, row[i - 1].first + step);
    for (const auto& [x, name] : row) got += x;
    // Overlaps were resolved to the right. Shift the row back, so that it stays centred over its neighbours.
    const double back = row.empty() ? 0 : (got - wished) / static_cast<double>(row.size());
    for (auto& [x, name] : row) {
      x = std::round((x - back) / topology_grid) * topology_grid;
      centres_[name] = x + half;
    }
    return row;
  }

 private:
  double wanted(const std::string& name) const {
    double sum = 0;
    int count = 0;
    if (const auto joined = joined_.find(name); joined != joined_.end())
      for (const std::string& other : joined->second)
        if (const auto centre = centres_.find(other); centre != centres_.end()) sum += centre->second, ++count;
    return count > 0 ? sum / count : width_ / 2;
  }

  double width_;
  std::map<std::string, std::vector<std::string>> joined_;
  std::map<std::string, double> centres_;
};

class Arranger {
 public:
  Arranger(const Cluster& cluster, const ClusterLayout& layout)
      : cluster_(cluster), layout_(layout), levels_(switch_levels(cluster)) {}

  Places all() {
    std::vector<Block> blocks;
    std::set<std::string> done;
    for (const Node& node : cluster_.nodes) {
      const std::string rack = rack_of(node.name);
      if (rack.empty()) {
        blocks.push_back(box(node));
      } else if (done.insert(rack).second) {
        blocks.push_back(rack_block(rack));
      }
    }
    for (const auto& [member, rack] : layout_.racks)  // racks with switches only
      if (done.insert(rack).second && levels_.contains(member)) blocks.push_back(rack_block(rack));
    const Block whole = with_switches(in_rows(blocks), "");
    Places places;
    add(places, whole.places, {margin, margin});
    return places;
  }

 private:
  std::string rack_of(const std::string& name) const {
    const auto rack = layout_.racks.find(name);
    return rack == layout_.racks.end() ? std::string() : rack->second;
  }

  static Block box(const Node& node) { return {{{node.name, {0, 0}}}, topology_size(node)}; }

  /// Returns the rack with its frame. A collapsed rack has the size of its box; its members keep their places.
  Block rack_block(const std::string& rack) {
    std::vector<Block> nodes;
    for (const Node& node : cluster_.nodes)
      if (rack_of(node.name) == rack) nodes.push_back(box(node));
    const Block inner = with_switches(in_rows(nodes), rack);
    Block block;
    add(block.places, inner.places, {RackRoom::side, RackRoom::top});
    block.size = layout_.collapsed.contains(rack) ? rack_size()
                                                  : QSizeF(inner.size.width() + 2 * RackRoom::side,
                                                           inner.size.height() + RackRoom::top + RackRoom::bottom);
    return block;
  }

  /// Places the switches of this rack above the block; "" means those outside racks.
  Block with_switches(const Block& block, const std::string& rack) {
    std::map<int, std::vector<std::string>> levels;
    for (const Switch& s : cluster_.switches)
      if (rack_of(s.name) == rack) levels[levels_.at(s.name)].push_back(s.name);
    if (levels.empty()) return block;
    SwitchLevels hood(cluster_, block.places, block.size.width());
    const double step = switch_size().height() + level_gap;
    Block result;
    double left = 0, right = block.size.width(), y = static_cast<double>(levels.size()) * step;
    const double top = block.places.empty() ? y - level_gap : y;
    add(result.places, block.places, {0, y});
    for (const auto& [level, names] : levels) {
      y -= step;
      for (const auto& [x, name] : hood.row(names)) {
        result.places[name] = {x, y};
        left = std::min(left, x);
        right = std::max(right, x + switch_size().width());
      }
    }
    for (auto& [name, place] : result.places) place.x -= left;
    result.size = {right - left, top + block.size.height()};
    return result;
  }

  const Cluster& cluster_;
  const ClusterLayout& layout_;
  std::map<std::string, int> levels_;
};

}  // namespace

Places arranged(const Cluster& cluster, const ClusterLayout& layout) { return Arranger(cluster, layout).all(); }

Places completed(const Cluster& cluster, const ClusterLayout& layout) {
  Places places;
  double left = margin, right = margin, bottom = -1;
  std::vector<std::pair<std::string, QSizeF>> without;
  const auto look = [&](const std::string& name, QSizeF size) {
    const auto place = layout.places.find(name);
    if (place == layout.places.end()) return without.emplace_back(name, size), void();
    places[name] = place->second;
    left = bottom < 0 ? place->second.x : std::min(left, place->second.x);
    right = std::max(right, place->second.x + size.width());
    bottom = std::max(bottom, place->second.y + size.height());
  };
  for (const Node& node : cluster.nodes) look(node.name, topology_size(node));
  for (const Switch& s : cluster.switches) look(s.name, switch_size());
  if (places.empty()) return arranged(cluster, layout);
  double x = left, y = std::ceil((bottom + row_gap) / topology_grid) * topology_grid, tallest = 0;
  for (const auto& [name, size] : without) {
    if (x > left && x + size.width() > std::max(right, left + 1200)) x = left, y += tallest + row_gap, tallest = 0;
    places[name] = {x, y};
    x += size.width() + gap;
    tallest = std::max(tallest, size.height());
  }
  return places;
}

}  // namespace pipedeck::models::topology
