// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/topology/routes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <queue>
#include <utility>

namespace pipedeck::models::topology {

namespace {

constexpr double clearance = 2;       ///< between a line and a box
constexpr double narrowest = 6;       ///< smallest gap that a line passes
constexpr double column_gutter = 28;  ///< width of the lanes at the sides of a box without neighbours
constexpr double row_gutter = 40;     ///< height of the lanes between two boxes
constexpr double one_row = 2 * row_gutter + Router::label_room + 30;  ///< a wider gap has lanes at both boxes
constexpr double bend_cost = 24;                                      ///< a line takes this detour to save a bend
constexpr char closed = 0, frame_cost = 3;                            ///< factors of an edge's length
constexpr std::size_t max_lanes = 9;
constexpr double fan_step = 12;   ///< between the ends of lines at one side of a box
constexpr double max_work = 4e7;  ///< points of all grids together; beyond it lines take seconds

/// Returns a lane's distance from a box in a gap.
double lane(double width, double share) {
  const double edge = std::min(width / 2, 3.0);
  return std::clamp(width * share, edge, width - edge);
}

/// An end of lines: a box's top or bottom.
using Side = std::pair<std::size_t, bool>;  ///< true: the bottom

}  // namespace

/// A grid of the lanes of one source. Edges over boxes and labels are closed.
class LaneGrid {
 public:
  LaneGrid(const Router& router, double share, const std::vector<double>& ends) : router_(router), share_(share) {
    xs_ = ends;
    for (std::size_t i = 0; i < router.solids_.size(); ++i) add_lanes(i);
    for (auto* lines : {&xs_, &ys_}) {
      std::ranges::sort(*lines);
      lines->erase(std::unique(lines->begin(), lines->end(), [](double a, double b) { return b - a < 1e-6; }),
                   lines->end());
    }
    across_.assign(points(), 1);
    down_.assign(points(), 1);
    for (const QRectF& frame : router.frames_) mark(frame, frame_cost);
    for (const QRectF& solid : router.solids_)
      mark(solid.adjusted(-clearance, -clearance, clearance, clearance), closed);
    for (const QRectF& label : router.labels_) mark(label, closed);
  }

  std::size_t points() const { return xs_.size() * ys_.size(); }

  /// Returns the height of the lane above or below a box.
  double lane_at(Side side) const {
    const QRectF& box = router_.solids_[side.first];
    const Router::Gaps& gaps = router_.gaps_[side.first];
    return side.second ? box.bottom() + below(gaps.below) : box.top() - above(gaps.above);
  }

  struct Target {
    double x = 0, y = 0;
  };
  /// Returns the shortest lines from one point to others; empty where there is none.
  std::vector<Path> search(Target from, const std::vector<Target>& targets);

 private:
  struct Step {
    double cost = 0;
    std::size_t state = 0;
    auto operator<=>(const Step&) const = default;
  };

  /// Returns the distance from the top of a box to the lane above it, which is over the room for a label.
  double above(double gap) const {
    const double label = gap >= Router::least_gap_with_label ? Router::label_room : 0;
    const double band = std::min(gap - label, row_gutter);
    return label + band - lane(band, share_);
  }
  /// Returns the distance from the bottom of a box to the lane below it. In one row of gutters that is the lane above
  /// the neighbour.
  double below(double gap) const { return gap < one_row ? gap - above(gap) : lane(row_gutter, share_); }

  void add_lanes(std::size_t i) {
    const QRectF& box = router_.solids_[i];
    const Router::Gaps& gaps = router_.gaps_[i];
    const auto width = [](double gap) { return gap < 3 * column_gutter ? gap : column_gutter; };
    if (gaps.right >= narrowest) xs_.push_back(box.right() + lane(width(gaps.right), share_));
    if (gaps.left >= narrowest) xs_.push_back(box.left() - width(gaps.left) + lane(width(gaps.left), share_));
    if (gaps.below >= narrowest) ys_.push_back(lane_at({i, true}));
    if (gaps.above >= narrowest) ys_.push_back(lane_at({i, false}));
  }

  static std::size_t find(const std::vector<double>& lines, double at) {
    return static_cast<std::size_t>(std::ranges::lower_bound(lines, at - 1e-6) - lines.begin());
  }
  /// Returns the point of the grid at this place; none where there is no lane.
  std::optional<std::size_t> point_at(Target at) const {
    const std::size_t x = find(xs_, at.x), y = find(ys_, at.y);
    if (x == xs_.size() || y == ys_.size() || ys_[y] > at.y + 1e-6) return std::nullopt;
    return y * xs_.size() + x;
  }

  /// Gives a factor to all edges that touch the inside of a rectangle.
  void mark(const QRectF& rect, char factor) {
    const std::size_t left = find(xs_, rect.left()), right = find(xs_, rect.right());
    const std::size_t top = find(ys_, rect.top()), bottom = find(ys_, rect.bottom());
    const auto inside = [](double at, double from, double to) { return at > from + 1e-6 && at < to - 1e-6; };
    // Edge i leads from line i to line i + 1, and so the edge before the first line inside is closed, too.
    const auto edges_from = [](std::size_t first) { return first > 0 ? first - 1 : 0; };
    for (std::size_t y = top; y < std::min(bottom + 1, ys_.size()); ++y)
      for (std::size_t x = edges_from(left);
           inside(ys_[y], rect.top(), rect.bottom()) && x < std::min(right, xs_.size()); ++x)
        across_[y * xs_.size() + x] = factor;
    for (std::size_t x = left; x < std::min(right + 1, xs_.size()); ++x)
      for (std::size_t y = edges_from(top);
           inside(xs_[x], rect.left(), rect.right()) && y < std::min(bottom, ys_.size()); ++y)
        down_[y * xs_.size() + x] = factor;
  }

  void relax(std::size_t from, std::size_t to, double cost) {
    if (cost >= cost_[to] - 1e-9) return;
    cost_[to] = cost;
    came_[to] = from;
    open_.push({cost, to});
  }

  /// Extends the line by one edge in each open direction. A state is a point and the direction of arrival.
  void extend(std::size_t state) {
    const std::size_t point = state / 2, wide = xs_.size(), x = point % wide, y = point / wide;
    const bool vertical = state % 2 == 1;
    const double across = cost_[state] + (vertical ? bend_cost : 0), down = cost_[state] + (vertical ? 0 : bend_cost);
    if (x + 1 < wide && across_[point]) relax(state, 2 * (point + 1), across + across_[point] * (xs_[x + 1] - xs_[x]));
    if (x > 0 && across_[point - 1]) relax(state, 2 * (point - 1), across + across_[point - 1] * (xs_[x] - xs_[x - 1]));
    if (y + 1 < ys_.size() && down_[point])
      relax(state, 2 * (point + wide) + 1, down + down_[point] * (ys_[y + 1] - ys_[y]));
    if (y > 0 && down_[point - wide])
      relax(state, 2 * (point - wide) + 1, down + down_[point - wide] * (ys_[y] - ys_[y - 1]));
  }

  Path path_to(std::size_t point) const {
    std::size_t state = cost_[2 * point] + bend_cost < cost_[2 * point + 1] ? 2 * point : 2 * point + 1;
    if (cost_[state] >= unreached) return {};
    Path path;
    for (;; state = came_[state]) {
      path.emplace_back(xs_[state / 2 % xs_.size()], ys_[state / 2 / xs_.size()]);
      if (came_[state] == state) break;
    }
    std::ranges::reverse(path);
    return path;
  }

  static constexpr double unreached = 1e18;
  const Router& router_;
  double share_;
  std::vector<double> xs_, ys_;
  std::vector<char> across_, down_;  ///< cost factors of the edge to the right and of that downwards; or closed
  std::vector<double> cost_;
  std::vector<std::size_t> came_;
  std::priority_queue<Step, std::vector<Step>, std::greater<>> open_;
};

std::vector<Path> LaneGrid::search(Target from, const std::vector<Target>& targets) {
  std::vector<std::optional<std::size_t>> wanted;
  for (const Target& target : targets) wanted.push_back(point_at(target));
  std::vector<char> waited(points(), false);
  std::size_t missing = 0;
  for (const auto& point : wanted)
    if (point && !std::exchange(waited[*point], true)) missing += 2;
  cost_.assign(2 * points(), unreached);
  came_.assign(2 * points(), 0);
  open_ = {};
  if (const auto start = point_at(from)) relax(2 * *start + 1, 2 * *start + 1, 0);
  while (!open_.empty() && missing > 0) {
    const auto [cost, state] = open_.top();
    open_.pop();
    if (cost > cost_[state]) continue;
    if (waited[state / 2]) --missing;
    extend(state);
  }
  std::vector<Path> paths;
  for (const auto& point : wanted) paths.push_back(point ? path_to(*point) : Path());
  return paths;
}

Router::Router(std::vector<QRectF> boxes, const std::vector<QRectF>& walls)
    : boxes_(boxes.size()), solids_(std::move(boxes)) {
  solids_.insert(solids_.end(), walls.begin(), walls.end());
  measure();
}

void Router::measure() {
  gaps_.assign(solids_.size(), {});
  for (std::size_t i = 0; i < solids_.size(); ++i) {
    const QRectF& a = solids_[i];
    for (std::size_t j = 0; j < i; ++j) {
      const QRectF& b = solids_[j];
      const bool beside = a.top() < b.bottom() + clearance && b.top() < a.bottom() + clearance;
      const bool stacked = a.left() < b.right() + clearance && b.left() < a.right() + clearance;
      const auto take = [&](double Gaps::*one, double Gaps::*other, double gap) {
        if (gap < 0) return;
        gaps_[i].*one = std::min(gaps_[i].*one, gap);
        gaps_[j].*other = std::min(gaps_[j].*other, gap);
      };
      if (beside) take(&Gaps::right, &Gaps::left, b.left() - a.right());
      if (beside) take(&Gaps::left, &Gaps::right, a.left() - b.right());
      if (stacked) take(&Gaps::below, &Gaps::above, b.top() - a.bottom());
      if (stacked) take(&Gaps::above, &Gaps::below, a.top() - b.bottom());
    }
  }
}

bool Router::has_label_room(std::size_t box) const { return gaps_[box].above >= least_gap_with_label; }

namespace {

/// The lines of one source, and where they end.
struct Bundle {
  Side source;
  std::vector<std::size_t> connections;
  std::vector<Side> ends;
};

/// Joins each connection to the side of a box with more lines, so that most lines share trunks.
std::vector<Bundle> bundles_of(const std::vector<Connection>& connections) {
  std::map<Side, int> lines;
  for (const Connection& c : connections) ++lines[{c.from, c.from_bottom}], ++lines[{c.to, c.to_bottom}];
  std::map<Side, Bundle> bundles;
  for (std::size_t i = 0; i < connections.size(); ++i) {
    const Connection& c = connections[i];
    const Side from{c.from, c.from_bottom}, to{c.to, c.to_bottom};
    const bool turned = lines[to] > lines[from];
    Bundle& bundle = bundles[turned ? to : from];
    bundle.source = turned ? to : from;
    bundle.connections.push_back(i);
    bundle.ends.push_back(turned ? from : to);
  }
  std::vector<Bundle> all;
  for (auto& [side, bundle] : bundles) all.push_back(std::move(bundle));
  return all;
}

/// Places where lines end at the sides of boxes: one for each source, in the order of the sources from left to right.
class Fan {
 public:
  Fan(const std::vector<QRectF>& boxes, const std::vector<Bundle>& bundles) : boxes_(boxes) {
    for (const Bundle& bundle : bundles) {
      add(bundle.source, bundle.source);
      for (const Side& end : bundle.ends) add(end, bundle.source);
    }
    for (auto& [side, sources] : sources_) {
      std::ranges::sort(sources, {}, [&](const Side& s) { return std::pair(boxes[s.first].center().x(), s); });
      sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
    }
  }

  double x(const Side& side, const Side& source) const {
    const std::vector<Side>& all = sources_.at(side);
    const auto at = static_cast<double>(std::ranges::find(all, source) - all.begin());
    const auto last = static_cast<double>(all.size() - 1);
    const QRectF& box = boxes_[side.first];
    const double step = last > 0 ? std::min(fan_step, box.width() * 0.7 / last) : 0;
    return box.center().x() + (at - last / 2) * step;
  }

 private:
  void add(const Side& side, const Side& source) { sources_[side].push_back(source); }

  const std::vector<QRectF>& boxes_;
  std::map<Side, std::vector<Side>> sources_;
};

/// Numbers the bundles so that those which may meet have different numbers, at most `max_lanes` of them.
std::vector<std::size_t> lanes_of(const std::vector<Bundle>& bundles, const std::vector<QRectF>& boxes) {
  std::vector<QRectF> areas;
  std::vector<std::size_t> lanes;
  for (const Bundle& bundle : bundles) {
    const auto port = [&](const Side& side) {
      const QRectF& box = boxes[side.first];
      return QRectF(box.center().x() - 1, side.second ? box.bottom() : box.top() - 1, 2, 1);
    };
    QRectF area = port(bundle.source);
    for (const Side& end : bundle.ends) area = area.united(port(end));
    std::vector<bool> taken(max_lanes);
    for (std::size_t i = 0; i < areas.size(); ++i)
      if (areas[i].intersects(area)) taken[lanes[i]] = true;
    const auto free = std::ranges::find(taken, false);
    lanes.push_back(free == taken.end() ? lanes.size() % max_lanes : static_cast<std::size_t>(free - taken.begin()));
    areas.push_back(area);
  }
  return lanes;
}

void append(Path& path, QPointF point) {
  const auto along = [](QPointF a, QPointF b, QPointF c) {
    return (std::abs(a.x() - b.x()) < 1e-6 && std::abs(b.x() - c.x()) < 1e-6) ||
           (std::abs(a.y() - b.y()) < 1e-6 && std::abs(b.y() - c.y()) < 1e-6);
  };
  if (!path.empty() && (path.back() - point).manhattanLength() < 1e-6) return;
  if (path.size() > 1 && along(path[path.size() - 2], path.back(), point)) path.pop_back();
  path.push_back(point);
}

}  // namespace

std::vector<Path> Router::routes(const std::vector<Connection>& connections) const {
  std::vector<Path> paths(connections.size());
  const std::vector<Bundle> bundles = bundles_of(connections);
  const Fan fan(solids_, bundles);
  const std::vector<std::size_t> lanes = lanes_of(bundles, solids_);
  const double shares = lanes.empty() ? 1 : static_cast<double>(*std::ranges::max_element(lanes) + 2);
  const auto edge = [&](const Side& side) {
    return side.second ? solids_[side.first].bottom() : solids_[side.first].top();
  };
  double work = 0;
  for (std::size_t b = 0; b < bundles.size(); ++b) {
    const Bundle& bundle = bundles[b];
    const double start = fan.x(bundle.source, bundle.source);
    std::vector<double> xs{start};
    for (const Side& end : bundle.ends) xs.push_back(fan.x(end, bundle.source));
    if (const double end = fan.x(bundle.ends.front(), bundle.source); bundle.ends.size() == 1 && end == start) {
      const Side &top = bundle.source.second ? bundle.source : bundle.ends.front(),
                 &bottom = bundle.source.second ? bundle.ends.front() : bundle.source;
      if (top.second && !bottom.second && edge(bottom) - edge(top) == gaps_[top.first].below) {
        paths[bundle.connections.front()] = {{start, edge(top)}, {start, edge(bottom)}};  // nothing is between them
        continue;
      }
    }
    LaneGrid grid(*this, static_cast<double>(lanes[b] + 1) / shares, xs);
    work += static_cast<double>(grid.points());
    if (work > max_work) break;
    std::vector<LaneGrid::Target> targets;
    for (std::size_t i = 0; i < bundle.ends.size(); ++i) targets.push_back({xs[i + 1], grid.lane_at(bundle.ends[i])});
    const std::vector<Path> found = grid.search({start, grid.lane_at(bundle.source)}, targets);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i].empty()) continue;
      Path path;
      append(path, {start, edge(bundle.source)});
      for (const QPointF& point : found[i]) append(path, point);
      append(path, {xs[i + 1], edge(bundle.ends[i])});
      const Connection& connection = connections[bundle.connections[i]];
      if (bundle.source != Side{connection.from, connection.from_bottom}) std::ranges::reverse(path);
      paths[bundle.connections[i]] = std::move(path);
    }
  }
  return paths;
}

}  // namespace pipedeck::models::topology
