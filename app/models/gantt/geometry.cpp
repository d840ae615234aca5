// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/gantt/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <QCoreApplication>

#include "app/models/format.hpp"

namespace pipedeck::models::gantt {

namespace {

const Timeline& timeline_of(const Content& content) { return *content.timeline; }

/// Returns the operation of a lane nearest to `time` and its distance in ns (0 if `time` is inside it).
std::optional<std::pair<std::size_t, double>> nearest(const Content& content, std::size_t lane_index, double time) {
  const Timeline& timeline = timeline_of(content);
  const TimelineLane& lane = timeline.lanes[lane_index];
  if (lane.size() == 0) return std::nullopt;
  const auto distance = [&](std::size_t i) {
    const auto start = static_cast<double>(timeline.start[i]);
    const double end = start + static_cast<double>(timeline.duration[i]);
    return time < start ? start - time : time >= end ? time - end : 0.0;
  };
  const std::size_t after = first_ending_after(timeline, lane, time);
  if (after == lane.end) return std::pair(lane.end - 1, distance(lane.end - 1));
  if (after == lane.begin || distance(after) <= distance(after - 1)) return std::pair(after, distance(after));
  return std::pair(after - 1, distance(after - 1));
}

/// Returns the lanes of a row, topmost first.
std::vector<std::size_t> lanes_of(const Content& content, const Row& row) {
  std::vector<std::size_t> lanes;
  if (const auto lane = main_lane(content, row)) lanes.push_back(*lane);
  if (const auto lane = collective_lane(content, row)) lanes.push_back(*lane);
  return lanes;
}

double middle_of(const Timeline& timeline, std::size_t operation) {
  return static_cast<double>(timeline.start[operation]) + static_cast<double>(timeline.duration[operation]) / 2;
}

Hit step_in_lane(const Content& content, const Row& row, const Hit& from, int by) {
  for (const std::size_t index : lanes_of(content, row)) {
    const TimelineLane& lane = timeline_of(content).lanes[index];
    if (from.operation < lane.begin || from.operation >= lane.end) continue;
    if (by < 0 && from.operation == lane.begin) return from;
    if (by > 0 && from.operation + 1 == lane.end) return from;
    return {from.row, by < 0 ? from.operation - 1 : from.operation + 1};
  }
  return from;
}

Hit step_over_lanes(const Content& content, const Geometry& geometry, const Hit& from, int by) {
  const double time = middle_of(timeline_of(content), from.operation);
  const auto rows = static_cast<std::ptrdiff_t>(geometry.rows.size());
  for (auto row = static_cast<std::ptrdiff_t>(from.row) + by; row >= 0 && row < rows; row += by) {
    const auto lane = main_lane(content, geometry.rows[static_cast<std::size_t>(row)]);
    if (!lane) continue;
    if (const auto found = nearest(content, *lane, time)) return {static_cast<std::size_t>(row), found->first};
  }
  return from;
}

std::vector<Row> device_rows(const Content& content, const std::set<DeviceId>& opened) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < content.groups.size(); ++i) {
    const Group& group = content.groups[i];
    const bool stage_open = opened.contains(content.groups[group.leader].devices.front());
    if (group.leader != i && !stage_open) continue;
    const bool several = content.represented_devices(group.leader) > 0;
    if (!stage_open || (!several && group.devices.size() == 1)) {
      rows.push_back({several ? Row::Kind::stage : Row::Kind::group, i});
      continue;
    }
    for (std::size_t device = 0; device < group.devices.size(); ++device)
      rows.push_back({Row::Kind::device, i, device});
  }
  return rows;
}

/// Orders the rows by their blocks; the rows of a block stay in order.
void sort_rows(std::vector<Row>& rows, const Content& content, const std::vector<DeviceId>& order) {
  if (order.empty()) return;
  const auto rank = [&](const Row& row) { return std::ranges::find(order, fold_key(content, row)) - order.begin(); };
  std::ranges::stable_sort(rows, {}, rank);
}

}  // namespace

std::size_t lane_count(const Content& content, const std::set<DeviceId>& opened) {
  return device_rows(content, opened).size();
}

bool divides(const Content& content, const Row& row) {
  if (row.kind == Row::Kind::link || row.kind == Row::Kind::part || content.preview) return false;
  const Group& group = content.groups[row.group];
  const bool exposes = group.compute && *group.compute < content.tensor_parallel.size() &&
                       !content.tensor_parallel[*group.compute].empty();
  return exposes || group.collective ||
         std::ranges::find(content.links, row.group, &TransferLane::from) != content.links.end();
}

bool folds(const Content& content, const Row& row) {
  if (row.kind == Row::Kind::link || row.kind == Row::Kind::part) return false;
  const std::size_t leader = content.groups[row.group].leader;
  return content.groups[leader].devices.size() > 1 || content.represented_devices(leader) > 0;
}

DeviceId fold_key(const Content& content, const Row& row) {
  return content.groups[content.groups[row.group].leader].devices.front();
}

Metrics metrics_for(std::size_t lanes) {
  Metrics metrics;
  metrics.lane = lanes <= 8 ? 24 : lanes <= 24 ? 19 : 14;
  metrics.strip = lanes <= 8 ? 5 : lanes <= 24 ? 4 : 3;
  metrics.gap = lanes <= 8 ? 4 : lanes <= 24 ? 3 : 2;
  metrics.link = lanes <= 24 ? 10 : 8;
  metrics.part = lanes <= 8 ? 16 : 12;
  metrics.secondary = 0;
  return metrics;
}

std::optional<std::size_t> Geometry::row_at(double y) const {
  if (rows.empty() || y < rows.front().top || y >= height) return std::nullopt;
  const auto after = std::partition_point(rows.begin(), rows.end(), [y](const Row& row) { return row.top <= y; });
  return static_cast<std::size_t>(after - rows.begin()) - 1;
}

DeviceId lane_key(const Content& content, const Row& row) {
  if (row.kind == Row::Kind::link) return DeviceId(-1);
  return content.groups[row.group].devices[row.device];
}

std::vector<DeviceId> lane_blocks(const Content& content, const LaneChoice& choice) {
  std::vector<Row> rows = device_rows(content, {});
  sort_rows(rows, content, choice.order);
  std::vector<DeviceId> blocks;
  for (const Row& row : rows) blocks.push_back(fold_key(content, row));
  return blocks;
}

std::vector<DeviceId> with_block_moved(const Content& content, const LaneChoice& choice, DeviceId block,
                                       std::size_t position) {
  std::vector<DeviceId> blocks = lane_blocks(content, choice);
  const auto from = std::ranges::find(blocks, block);
  if (from == blocks.end()) return choice.order;
  if (from - blocks.begin() < static_cast<std::ptrdiff_t>(position)) --position;
  blocks.erase(from);
  blocks.insert(blocks.begin() + static_cast<std::ptrdiff_t>(std::min(position, blocks.size())), block);
  return blocks;
}

Geometry lay_out(const Content& content, const std::set<DeviceId>& opened, const Metrics& metrics,
                 const LaneChoice& choice, const DividedLanes& divided) {
  Geometry geometry;
  int y = metrics.margin;
  const auto add = [&](Row row, int height, int pale) {
    row.top = y;
    row.height = height;
    row.pale_top = y + height + (pale > 0 ? 2 : 0);
    row.pale_height = pale;
    y = row.pale_top + pale + metrics.gap;
    geometry.rows.push_back(row);
  };
  std::vector<Row> rows = device_rows(content, opened);
  sort_rows(rows, content, choice.order);
  for (const Row& row : rows) {
    const DeviceId key = lane_key(content, row);
    if (choice.only && !choice.only->contains(key)) continue;
    add(row, metrics.lane, metrics.secondary);
    const auto parts = divided.find(key);
    if (parts == divided.end()) continue;
    for (std::size_t part = 0; part < parts->second->lanes.size(); ++part)
      add({Row::Kind::part, row.group, row.device, part}, metrics.part, 0);
  }
  if (metrics.link > 0 && !choice.only)
    for (std::size_t i = 0; i < content.links.size(); ++i) add({Row::Kind::link, i}, metrics.link, 0);
  geometry.height = geometry.rows.empty() ? 0 : y - metrics.gap + metrics.margin;
  return geometry;
}

QString chunks_text(const Group& group) {
  constexpr qsizetype most = 4;
  if (group.stages.size() < 2) return {};
  QStringList numbers;
  for (const int stage : group.stages) numbers << QString::number(stage);
  const qsizetype more = numbers.size() - most;
  if (more > 1) numbers = numbers.mid(0, most) << QStringLiteral("+%1").arg(more);
  return QCoreApplication::translate("gantt::View", "stages %1").arg(numbers.join(QStringLiteral(", ")));
}

QString chunk_letter(int chunk) {
  constexpr int letters = 26;
  return chunk < letters ? QString(QLatin1Char(static_cast<char>('a' + chunk))) : QStringLiteral("·%1").arg(chunk);
}

QString row_name(const Content& content, const Row& row, const QStringList& device_names) {
  const auto group = [&](std::size_t i) { return devices_text(content.groups[i].devices, device_names); };
  const auto with_chunks = [&](const QString& name) {
    const QString chunks = chunks_text(content.groups[row.group]);
    return chunks.isEmpty() ? name : name + QStringLiteral(" · ") + chunks;
  };
  switch (row.kind) {
    case Row::Kind::group:
      return with_chunks(group(row.group));
    case Row::Kind::stage:
      return QStringLiteral("%1 + %2").arg(group(row.group)).arg(content.represented_devices(row.group));
    case Row::Kind::device:
      return with_chunks(device_name(content.groups[row.group].devices[row.device], device_names));
    case Row::Kind::part:
      return {};
    case Row::Kind::link:
      break;
  }
  const TransferLane& link = content.links[row.group];
  return group(link.from) + QStringLiteral(" → ") + group(link.to);
}

QString stage_badge(const Content& content, const Row& row) {
  if (row.kind != Row::Kind::group && row.kind != Row::Kind::stage) return {};
  const Group& group = content.groups[row.group];
  const bool several = std::ranges::any_of(content.groups, [&](const Group& g) { return g.stage != group.stage; });
  return several && group.stages.size() == 1 ? QStringLiteral("S%1").arg(group.stage) : QString();
}

std::optional<std::size_t> main_lane(const Content& content, const Row& row) {
  if (row.kind == Row::Kind::link) return content.links[row.group].lane;
  if (row.kind == Row::Kind::part) return std::nullopt;
  return content.groups[row.group].compute;
}

std::optional<std::size_t> collective_lane(const Content& content, const Row& row) {
  if (row.kind == Row::Kind::link || row.kind == Row::Kind::part) return std::nullopt;
  return content.groups[row.group].collective;
}

std::optional<Hit> hit_test(const Content& content, const Geometry& geometry, const TimeAxis& axis, double plot_width,
                            QPointF point, double slack) {
  const auto row_index = geometry.row_at(point.y());
  if (!row_index || point.x() < 0 || point.x() > plot_width) return std::nullopt;
  const Row& row = geometry.rows[*row_index];
  if (point.y() >= row.bottom()) return std::nullopt;
  const double time = axis.to_time(point.x(), plot_width);
  const double reach = slack * axis.span() / plot_width;
  std::vector<std::size_t> lanes = lanes_of(content, row);
  // The strip below the computations belongs to the all-reduces.
  if (lanes.size() == 2 && point.y() >= row.bottom() - std::max(3, row.height / 5)) std::swap(lanes[0], lanes[1]);
  std::optional<Hit> best;
  double best_distance = std::numeric_limits<double>::infinity();
  for (const std::size_t lane : lanes) {
    const auto found = nearest(content, lane, time);
    if (!found || found->second > reach || found->second >= best_distance) continue;
    best = Hit{*row_index, found->first};
    best_distance = found->second;
  }
  return best;
}

Hit step_from(const Content& content, const Geometry& geometry, const Hit& from, Step step) {
  switch (step) {
    case Step::previous:
      return step_in_lane(content, geometry.rows[from.row], from, -1);
    case Step::next:
      return step_in_lane(content, geometry.rows[from.row], from, 1);
    case Step::up:
      return step_over_lanes(content, geometry, from, -1);
    case Step::down:
      return step_over_lanes(content, geometry, from, 1);
  }
  return from;
}

std::optional<Hit> find_operation(const Content& content, const Geometry& geometry, const Operation& operation) {
  const Timeline& timeline = timeline_of(content);
  for (std::size_t row = 0; row < geometry.rows.size(); ++row)
    for (const std::size_t index : lanes_of(content, geometry.rows[row])) {
      const TimelineLane& lane = timeline.lanes[index];
      for (std::size_t i = lane.begin; i < lane.end; ++i)
        if (timeline.micro_batch[i] == operation.micro_batch && timeline.kind[i] == operation.kind &&
            timeline.stage[i] == operation.stage.value)
          return Hit{row, i};
    }
  return std::nullopt;
}

}  // namespace pipedeck::models::gantt
