// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/topology/arrange.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace pipedeck::models::topology {

namespace {

constexpr double margin = 2 * topology_grid;
constexpr double gap = 2 * topology_grid;        ///< between the boxes of a row
constexpr double row_gap = 5 * topology_grid;    ///< between rows of boxes, for links and their labels
constexpr double level_gap = 6 * topology_grid;  ///< between switches and the boxes below them
constexpr double wanted_aspect = 2.2;            ///< width / height of a block of many boxes
constexpr double half_grid = topology_grid / 2;  ///< on it the centres of boxes are

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

/// Returns the places of a group's nodes, for a box at `corner`.
Places group_places(const Cluster& cluster, const AlikeNodes& group, QPointF corner) {
  Places places;
  for (std::size_t n = 0; n < group.nodes.size(); ++n) {
    const QPointF at = corner + group.corner(cluster, n);
    places[cluster.nodes[group.nodes[n]].name] = {at.x(), at.y()};
  }
  return places;
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

/// Arranges blocks in rows with the aspect ratio nearest to the wanted one; up to four form one row if they are narrow.
/// Rows are balanced: 5 boxes at 4 per row become 3 and 2.
Block in_rows(const std::vector<Block>& blocks) {
  constexpr std::size_t one_row = 4, max_per_row = 128;
  constexpr double widest_single = 1400;
  const std::size_t count = blocks.size();
  if (count == 0) return {};
  double width = 0, height = 0;
  for (const Block& block : blocks) {
    width += (block.size.width() + gap) / static_cast<double>(count);
    height += (block.size.height() + row_gap) / static_cast<double>(count);
  }
  if (count <= one_row && width * static_cast<double>(count) < widest_single) return in_rows_of(blocks, count);
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
  SwitchLevels(const Cluster& cluster, const Places& below, double width, const std::vector<AlikeNodes>& groups)
      : width_(width) {
    for (const NetworkLink& link : cluster.links) {
      joined_[link.from].push_back(link.to);
      joined_[link.to].push_back(link.from);
    }
    for (const Node& node : cluster.nodes)
      if (const auto at = below.find(node.name); at != below.end())
        centres_[node.name] = at->second.x + topology_size(node).width() / 2;
    for (const AlikeNodes& group : groups)
      for (std::size_t n = 0; n < group.nodes.size(); ++n)
        if (const auto at = centres_.find(cluster.nodes[group.nodes[n]].name); at != centres_.end())
          at->second = below.at(at->first).x - group.corner(cluster, n).x() + group.size(cluster).width() / 2;
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
      x = std::round((x - back) / half_grid) * half_grid;
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
  Arranger(const Cluster& cluster, const ClusterLayout& layout, const std::vector<AlikeNodes>& groups)
      : cluster_(cluster), layout_(layout), groups_(groups), levels_(switch_levels(cluster)) {
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (const std::size_t n : groups[g].nodes) group_of_[n] = g;
    find_leaves();
  }

  Places all() {
    std::vector<Block> blocks;
    std::set<std::string> done;
    for (std::size_t n = 0; n < cluster_.nodes.size(); ++n) {
      const std::string& name = cluster_.nodes[n].name;
      const std::string rack = rack_of(name);
      if (const auto leaf = leaf_of_.find(name); leaf != leaf_of_.end()) {
        if (leaves_done_.insert(leaf->second).second) blocks.push_back(leaf_block(leaf->second));
      } else if (rack.empty()) {
        if (is_first(n)) blocks.push_back(box(n));
      } else if (done.insert(rack).second) {
        blocks.push_back(rack_block(rack));
      }
    }
    for (const auto& [member, rack] : layout_.racks)  // racks with switches only
      if (done.insert(rack).second && levels_.contains(member)) blocks.push_back(rack_block(rack));
    const Block whole = with_switches(in_rows(blocks), other_switches(""));
    Places places;
    add(places, whole.places, {margin, margin});
    return places;
  }

 private:
  /// Finds the switches that have nodes of their own: nodes outside racks that are linked to no other switch. If there
  /// are several, each is placed above its nodes.
  void find_leaves() {
    std::map<std::string, std::set<std::string>> ends;
    for (const NetworkLink& link : cluster_.links) ends[link.from].insert(link.to), ends[link.to].insert(link.from);
    std::set<std::string> leaves;
    for (const Node& node : cluster_.nodes) {
      const auto linked = ends.find(node.name);
      if (!rack_of(node.name).empty() || linked == ends.end() || linked->second.size() != 1) continue;
      const std::string& leaf = *linked->second.begin();
      if (!levels_.contains(leaf) || !rack_of(leaf).empty()) continue;
      leaf_of_[node.name] = leaf;
      leaves.insert(leaf);
    }
    if (leaves.size() < 2) leaf_of_.clear();
  }

  Block leaf_block(const std::string& leaf) {
    std::vector<Block> nodes;
    for (std::size_t n = 0; n < cluster_.nodes.size(); ++n) {
      const auto mine = leaf_of_.find(cluster_.nodes[n].name);
      if (mine != leaf_of_.end() && mine->second == leaf && is_first(n)) nodes.push_back(box(n));
    }
    return with_switches(in_rows(nodes), {leaf});
  }

  /// Returns false for all nodes of a group but the first, which stands for it.
  bool is_first(std::size_t n) const {
    const auto group = group_of_.find(n);
    return group == group_of_.end() || groups_[group->second].nodes.front() == n;
  }

  std::string rack_of(const std::string& name) const {
    const auto rack = layout_.racks.find(name);
    return rack == layout_.racks.end() ? std::string() : rack->second;
  }

  /// Returns the node, or the group that it stands for.
  Block box(std::size_t n) const {
    const auto group = group_of_.find(n);
    if (group == group_of_.end()) return {{{cluster_.nodes[n].name, {0, 0}}}, topology_size(cluster_.nodes[n])};
    Block block{group_places(cluster_, groups_[group->second], {}), groups_[group->second].size(cluster_)};
    return block;
  }

  /// Returns the rack with its frame. A collapsed rack has the size of its box; its members keep their places.
  Block rack_block(const std::string& rack) {
    std::vector<Block> nodes;
    for (std::size_t n = 0; n < cluster_.nodes.size(); ++n)
      if (rack_of(cluster_.nodes[n].name) == rack) nodes.push_back(box(n));
    const Block inner = with_switches(in_rows(nodes), other_switches(rack));
    Block block;
    add(block.places, inner.places, {RackRoom::side, RackRoom::top});
    block.size = layout_.collapsed.contains(rack) ? rack_size()
                                                  : QSizeF(inner.size.width() + 2 * RackRoom::side,
                                                           inner.size.height() + RackRoom::top + RackRoom::bottom);
    return block;
  }

  /// Returns the switches of this rack that have no block of their own; "" means those outside racks.
  std::vector<std::string> other_switches(const std::string& rack) const {
    std::vector<std::string> names;
    for (const Switch& s : cluster_.switches)
      if (rack_of(s.name) == rack && !leaves_done_.contains(s.name)) names.push_back(s.name);
    return names;
  }

  /// Places the switches above the block.
  Block with_switches(const Block& block, const std::vector<std::string>& switches) {
    std::map<int, std::vector<std::string>> levels;
    for (const std::string& name : switches) levels[levels_.at(name)].push_back(name);
    if (levels.empty()) return block;
    SwitchLevels hood(cluster_, block.places, block.size.width(), groups_);
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
  const std::vector<AlikeNodes>& groups_;
  std::map<std::size_t, std::size_t> group_of_;
  std::map<std::string, int> levels_;
  std::map<std::string, std::string> leaf_of_;  ///< node -> the switch above it
  std::set<std::string> leaves_done_;
};

/// A box or group to be placed.
struct PlacedUnit {
  std::string name;                   ///< of the box; of a group its first node
  const AlikeNodes* group = nullptr;  ///< null: a single box
  QSizeF size;
};

std::vector<PlacedUnit> units_to_place(const Cluster& cluster, const std::vector<AlikeNodes>& groups) {
  std::vector<PlacedUnit> units;
  std::set<std::size_t> grouped;
  for (const AlikeNodes& group : groups) {
    units.push_back({cluster.nodes[group.nodes.front()].name, &group, group.size(cluster)});
    grouped.insert(group.nodes.begin(), group.nodes.end());
  }
  for (std::size_t n = 0; n < cluster.nodes.size(); ++n)
    if (!grouped.contains(n)) units.push_back({cluster.nodes[n].name, nullptr, topology_size(cluster.nodes[n])});
  for (const Switch& s : cluster.switches) units.push_back({s.name, nullptr, switch_size()});
  return units;
}

/// Returns the stored corner of a box. That of a group is the corner of the stored places of its nodes.
std::optional<QPointF> stored_corner(const Cluster& cluster, const ClusterLayout& layout, const PlacedUnit& unit) {
  std::optional<QPointF> corner;
  const auto take = [&](const std::string& name) {
    const auto place = layout.places.find(name);
    if (place == layout.places.end()) return;
    const QPointF at(place->second.x, place->second.y);
    corner = corner ? QPointF(std::min(corner->x(), at.x()), std::min(corner->y(), at.y())) : at;
  };
  if (!unit.group) return take(unit.name), corner;
  for (const std::size_t n : unit.group->nodes) take(cluster.nodes[n].name);
  if (corner) *corner -= unit.group->corner(cluster, 0);
  return corner;
}

}  // namespace

Places arranged(const Cluster& cluster, const ClusterLayout& layout, const std::vector<AlikeNodes>& groups) {
  return Arranger(cluster, layout, groups).all();
}

Places completed(const Cluster& cluster, const ClusterLayout& layout, const std::vector<AlikeNodes>& groups) {
  if (layout.places.empty()) return arranged(cluster, layout, groups);
  Places places;
  double left = margin, right = margin, bottom = -1;
  std::vector<PlacedUnit> without;
  const auto place = [&](const PlacedUnit& unit, QPointF corner) {
    unit.group ? add(places, group_places(cluster, *unit.group, corner), {})
               : void(places[unit.name] = {corner.x(), corner.y()});
  };
  for (const PlacedUnit& unit : units_to_place(cluster, groups)) {
    const auto corner = stored_corner(cluster, layout, unit);
    if (!corner) {
      without.push_back(unit);
      continue;
    }
    place(unit, *corner);
    left = bottom < 0 ? corner->x() : std::min(left, corner->x());
    right = std::max(right, corner->x() + unit.size.width());
    bottom = std::max(bottom, corner->y() + unit.size.height());
  }
  if (places.empty()) return arranged(cluster, layout, groups);
  double x = left, y = std::ceil((bottom + row_gap) / topology_grid) * topology_grid, tallest = 0;
  for (const PlacedUnit& unit : without) {
    if (x > left && x + unit.size.width() > std::max(right, left + 1200)) x = left, y += tallest + row_gap, tallest = 0;
    place(unit, {x, y});
    x += unit.size.width() + gap;
    tallest = std::max(tallest, unit.size.height());
  }
  return places;
}

}  // namespace pipedeck::models::topology
