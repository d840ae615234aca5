// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/gantt/content.hpp"

#include <algorithm>
#include <map>
#include <thread>
#include <utility>

#include "core/base/parallel_for.hpp"

namespace pipedeck::models::gantt {

namespace {

struct DeviceLanes {
  DeviceId device;
  std::optional<std::size_t> compute, collective;
};

template <class Column>
bool equal_parts(const Column& column, const TimelineLane& a, const TimelineLane& b) {
  const auto at = [&column](std::size_t i) { return column.begin() + static_cast<std::ptrdiff_t>(i); };
  return std::equal(at(a.begin), at(a.end), at(b.begin), at(b.end));
}

bool same_lane(const Timeline& timeline, std::optional<std::size_t> a, std::optional<std::size_t> b) {
  if (a.has_value() != b.has_value()) return false;
  if (!a) return true;
  const TimelineLane &left = timeline.lanes[*a], &right = timeline.lanes[*b];
  return left.size() == right.size() && equal_parts(timeline.start, left, right) &&
         equal_parts(timeline.duration, left, right) && equal_parts(timeline.kind, left, right) &&
         equal_parts(timeline.micro_batch, left, right) && equal_parts(timeline.stage, left, right);
}

std::vector<DeviceLanes> lanes_by_device(const Timeline& timeline) {
  std::map<DeviceId, DeviceLanes> devices;
  for (std::size_t i = 0; i < timeline.lanes.size(); ++i) {
    const TimelineLane& lane = timeline.lanes[i];
    if (lane.role == LaneRole::link) continue;
    DeviceLanes& lanes = devices[lane.device];
    lanes.device = lane.device;
    (lane.role == LaneRole::compute ? lanes.compute : lanes.collective) = i;
  }
  std::vector<DeviceLanes> list;
  for (const auto& [device, lanes] : devices) list.push_back(lanes);
  return list;
}

/// Computes a hash of a few operations. It distinguishes most lanes, so that only likely twins are compared in full.
std::int64_t fingerprint(const Timeline& timeline, const DeviceLanes& lanes) {
  std::int64_t mix = 17;
  for (const std::optional<std::size_t>& index : {lanes.compute, lanes.collective}) {
    if (!index) continue;
    const TimelineLane& lane = timeline.lanes[*index];
    mix = mix * 31 + static_cast<std::int64_t>(lane.size() & 0xffffff);
    if (lane.size() > 0) mix = mix * 31 + (timeline.start[lane.begin + lane.size() / 2] & 0xffffffff);
    mix &= 0xffffffffffff;
  }
  return mix;
}

int stage_of(const Timeline& timeline, const DeviceLanes& lanes) {
  for (const std::optional<std::size_t>& lane : {lanes.compute, lanes.collective})
    if (lane && timeline.lanes[*lane].size() > 0) return timeline.stage[timeline.lanes[*lane].begin];
  return 0;
}

std::vector<int> stages_of(const Timeline& timeline, const DeviceLanes& lanes) {
  std::vector<int> stages;
  if (!lanes.compute) return stages;
  const TimelineLane& lane = timeline.lanes[*lanes.compute];
  for (std::size_t i = lane.begin; i < lane.end; ++i) {
    const int stage = timeline.stage[i];
    const auto place = std::lower_bound(stages.begin(), stages.end(), stage);
    if (place == stages.end() || *place != stage) stages.insert(place, stage);
  }
  return stages;
}

/// Replicas fed in turn differ in their micro-batches. Above this number of lanes, the first replica of a stage
/// represents all. This leaves room for the plans to compare with.
constexpr std::size_t max_lanes_unfolded = 8;

void set_representatives(std::vector<Group>& groups) {
  std::map<int, std::size_t> first_of_stage;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i].leader = i;
    // With several chunks, the stage of the first operation is ambiguous: both ends of a bidirectional pipeline start
    // with stage 0.
    if (groups.size() <= max_lanes_unfolded || groups[i].stages.size() > 1) continue;
    groups[i].leader = first_of_stage.emplace(groups[i].stage, i).first->second;
  }
}

std::vector<Group> fold(const Timeline& timeline, Folding folding) {
  std::vector<Group> groups;
  std::map<std::int64_t, std::vector<std::size_t>> alike;
  for (const DeviceLanes& lanes : lanes_by_device(timeline)) {
    std::vector<std::size_t>& candidates = alike[fingerprint(timeline, lanes)];
    const auto twin = std::find_if(candidates.begin(), candidates.end(), [&](std::size_t i) {
      return same_lane(timeline, groups[i].compute, lanes.compute) &&
             same_lane(timeline, groups[i].collective, lanes.collective);
    });
    if (twin != candidates.end() && folding != Folding::none) {
      groups[*twin].devices.push_back(lanes.device);
      continue;
    }
    candidates.push_back(groups.size());
    groups.push_back({{lanes.device},
                      lanes.compute,
                      lanes.collective,
                      stage_of(timeline, lanes),
                      stages_of(timeline, lanes),
                      groups.size()});
  }
  if (folding == Folding::stages) set_representatives(groups);
  return groups;
}

/// Adds the devices that were simulated by another one of their group.
void add_twins(std::vector<Group>& groups, const Simulation& simulation) {
  if (std::ranges::all_of(simulation.devices, &std::vector<DeviceId>::empty, &SimulatedDevice::twins)) return;
  for (Group& group : groups) {
    for (const SimulatedDevice& device : simulation.devices)
      if (std::ranges::binary_search(group.devices, device.device))
        group.devices.insert(group.devices.end(), device.twins.begin(), device.twins.end());
    std::ranges::sort(group.devices);
  }
}

std::vector<TransferLane> links_of(const Content& content) {
  std::vector<TransferLane> links;
  for (std::size_t i = 0; i < content.timeline->lanes.size(); ++i) {
    const TimelineLane& lane = content.timeline->lanes[i];
    if (lane.role != LaneRole::link) continue;
    const auto from = content.group_of(lane.device), to = content.group_of(lane.to);
    if (!from || !to) continue;
    // Links between two groups with equal transfers are drawn once, as are equal lanes.
    const bool known = std::any_of(links.begin(), links.end(), [&](const TransferLane& link) {
      return link.from == *from && link.to == *to && same_lane(*content.timeline, link.lane, i);
    });
    if (!known) links.push_back({i, *from, *to});
  }
  return links;
}

/// Returns one thread for few operations, since starting others would take longer.
int threads_for(std::size_t operations) {
  constexpr std::size_t worth_a_thread = 50'000;
  constexpr unsigned most = 4;
  if (operations < worth_a_thread) return 1;
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, most));
}

void build_pyramids(Content& content) {
  const Timeline& timeline = *content.timeline;
  content.pyramids.resize(timeline.lanes.size());
  content.sums.resize(timeline.lanes.size());
  const std::vector<std::size_t> lanes = drawn_lanes(content);
  parallel_for(lanes.size(), threads_for(timeline.size()), [&](std::size_t i) {
    const std::size_t lane = lanes[i];
    content.pyramids[lane] = build_pyramid(timeline, timeline.lanes[lane]);
    content.sums[lane] = sum_lane(timeline, timeline.lanes[lane]);
  });
  for (const std::size_t lane : lanes)
    for (std::size_t kind = 0; kind < content.kinds.size(); ++kind)
      content.kinds[kind] |= (content.sums[lane].kinds >> kind & 1) != 0;
}

std::shared_ptr<Content> build_content(std::shared_ptr<const Timeline> timeline, Folding folding) {
  auto content = std::make_shared<Content>();
  content->end = timeline->makespan().count;
  content->timeline = std::move(timeline);
  content->groups = fold(*content->timeline, folding);
  content->links = links_of(*content);
  build_pyramids(*content);
  return content;
}

/// Sharded weights have what is left inside the passes: the gather before the first one is none of them.
ExposedShares shares_of(const SimulatedDevice& device) {
  constexpr std::array<TimePart, exposed_part_count - 1> dimensions{
      TimePart::tensor_parallel, TimePart::context_parallel, TimePart::expert_parallel};
  const TimeBreakdown& parts = device.parts;
  const Nanoseconds exposed =
      device.busy - parts[TimePart::compute] - parts[TimePart::recompute] - parts[TimePart::optimizer];
  if (exposed <= Nanoseconds()) return {1};
  const auto all = static_cast<double>(exposed.count);
  ExposedShares shares{};
  double left = 1;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    shares[i] = static_cast<double>(parts[dimensions[i]].count) / all;
    left -= shares[i];
  }
  shares.back() = std::max(0.0, left);
  return shares;
}

}  // namespace

std::vector<std::size_t> drawn_lanes(const Content& content) {
  std::vector<std::size_t> lanes;
  for (const Group& group : content.groups)
    for (const std::optional<std::size_t>& lane : {group.compute, group.collective})
      if (lane) lanes.push_back(*lane);
  for (const TransferLane& link : content.links) lanes.push_back(link.lane);
  std::ranges::sort(lanes);
  return lanes;
}

std::optional<std::size_t> Content::group_of(DeviceId device) const {
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (std::binary_search(groups[i].devices.begin(), groups[i].devices.end(), device)) return i;
  return std::nullopt;
}

int Group::chunk_of(int of_stage) const {
  const auto place = std::lower_bound(stages.begin(), stages.end(), of_stage);
  return place == stages.end() ? 0 : static_cast<int>(place - stages.begin());
}

double Content::reduced_share(std::size_t lane, std::size_t operation) const {
  if (lane >= tensor_parallel.size()) return 0;
  const std::int64_t whole = timeline->duration[operation];
  for (const TensorParallelTimes& of : tensor_parallel[lane]) {
    if (of.stage.value != timeline->stage[operation] || whole <= 0) continue;
    const std::int64_t part = of.times[static_cast<std::size_t>(timeline->kind[operation])].count;
    return std::min(1.0, static_cast<double>(part) / static_cast<double>(whole));
  }
  return 0;
}

ExposedShares Content::exposed_shares_of(std::size_t lane) const {
  return lane < exposed_shares.size() ? exposed_shares[lane] : ExposedShares{1};
}

int Content::max_chunks() const {
  std::size_t most = 1;
  for (const Group& group : groups) most = std::max(most, group.stages.size());
  return static_cast<int>(most);
}

std::size_t Content::represented_devices(std::size_t group) const {
  std::size_t devices = 0;
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (i != group && groups[i].leader == group) devices += groups[i].devices.size();
  return devices;
}

std::shared_ptr<const Content> make_gantt_content(std::shared_ptr<const Timeline> timeline, Folding folding) {
  return timeline ? build_content(std::move(timeline), folding) : nullptr;
}

std::shared_ptr<const Content> make_gantt_content(const std::shared_ptr<const Simulation>& simulation) {
  if (!simulation) return nullptr;
  auto content = build_content(std::shared_ptr<const Timeline>(simulation, &simulation->timeline), Folding::stages);
  add_twins(content->groups, *simulation);
  if (std::ranges::all_of(simulation->devices, &std::vector<TensorParallelTimes>::empty,
                          &SimulatedDevice::tensor_parallel))
    return content;
  content->tensor_parallel.resize(content->timeline->lanes.size());
  content->exposed_shares.assign(content->timeline->lanes.size(), ExposedShares{1});
  for (const Group& group : content->groups) {
    const auto device =
        std::ranges::lower_bound(simulation->devices, group.devices.front(), {}, &SimulatedDevice::device);
    if (group.compute && device != simulation->devices.end() && device->device == group.devices.front())
      content->tensor_parallel[*group.compute] = device->tensor_parallel,
      content->exposed_shares[*group.compute] = shares_of(*device);
  }
  return content;
}

}  // namespace pipedeck::models::gantt
