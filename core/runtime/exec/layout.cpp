// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/exec/layout.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "core/model/layer_kinds.hpp"
#include "core/plan/run_prediction.hpp"
#include "core/plan/validate.hpp"
#include "core/runtime/exec/lane_check.hpp"
#include "core/runtime/exec/plan_features.hpp"
#include "core/runtime/layers/adapters.hpp"
#include "core/runtime/layers/layer_kernel.hpp"

namespace pipedeck::runtime::exec {
namespace {

tl::unexpected<Error> bad(std::string message, std::string place) {
  return fail(ErrorCode::bad_input, std::move(message), std::move(place));
}

/// Returns the seat of the worker at position `index` of `holders` with the same weights, in groups of `ranks`.
StateSeat seat_of(const Sharding& sharding, int index, int holders, int ranks) {
  return {sharding, index % ranks, ranks, index / ranks, holders / ranks};
}

int position_of(std::size_t worker, const std::vector<std::size_t>& holders) {
  return static_cast<int>(std::ranges::find(holders, worker) - holders.begin());
}

/// Returns the seats of a worker in a stage. The copies of sharded states are the same for experts (parallelism.md).
Result<StateSeats> seats_of(Sharding sharding, std::size_t worker, const Layout& layout, const LocalStage& chunk) {
  const std::vector<std::size_t> dense = layout.data_parallel_group(chunk), experts = layout.expert_data_group(chunk);
  const int holders = static_cast<int>(dense.size()), expert_holders = static_cast<int>(experts.size());
  const int group = sharding.level == 0 ? 1 : sharding.group == 0 ? holders : sharding.group;
  if (holders % group != 0)
    return bad(fmt::format("found a group of {} ranks, expected a divisor of the {} devices that hold the weights of "
                           "stage {}",
                           group, holders, chunk.stage.value),
               "/sharding/group");
  StateSeats seats;
  seats.dense = seat_of(sharding, position_of(worker, dense), holders, group);
  seats.experts = seats.dense;
  int expert_group = group;
  if (chunk.expert_ranks > 1) {
    const int copies = sharding.level == 0 ? expert_holders : seats.dense.copies;
    if (expert_holders % copies != 0)
      return bad(fmt::format("found {} copies of the sharded states, expected a divisor of the {} devices that hold an "
                             "expert of stage {}",
                             copies, expert_holders, chunk.stage.value),
                 "/sharding/group");
    expert_group = expert_holders / copies;
    seats.experts = seat_of(sharding, position_of(worker, experts), expert_holders, expert_group);
  }
  // Groups of one rank shard nothing; copies that divide the optimizer's states still do.
  if (group == 1 && expert_group == 1)
    seats.dense.sharding.level = seats.experts.sharding.level = seats.dense.divides_copies() ? 1 : 0;
  return seats;
}

/// Returns the operations of a worker's list.
std::vector<Operation> operations_of(const DeviceAssignment& placement) {
  std::vector<Operation> all;
  for (int i = 0; i < operation_count(placement.order); ++i) all.push_back(operation_at(placement.order, i));
  return all;
}

/// Checks that devices that meet in each pass run the same list.
Result<void> check_equal_lanes(const Layout& layout) {
  const auto check = [&](const DeviceAssignment& placement, const LocalStage& chunk, std::size_t other,
                         const std::string& why) -> Result<void> {
    const DeviceAssignment& first = layout.placements[other];
    if (operations_of(first) == operations_of(placement)) return {};
    return bad(fmt::format("devices {} and {} of stage {} have other lists, expected equal ones: with {} they meet in "
                           "each pass",
                           first.device.value, placement.device.value, chunk.stage.value, why),
               "/operations");
  };
  for (const DeviceAssignment& placement : layout.placements)
    for (const LocalStage& chunk : placement.chunks) {
      if (const int level = chunk.states.dense.sharding.level; level >= 2)
        TRY_VOID(check(placement, chunk, layout.data_parallel_group(chunk).front(),
                       fmt::format("sharding level {}", level)));
      if (chunk.expert_ranks > 1)
        TRY_VOID(check(placement, chunk, layout.expert_group(chunk).front(),
                       fmt::format("{} expert ranks", chunk.expert_ranks)));
    }
  return {};
}

Result<void> check_schedule(const Plan& plan, const Schedule& schedule) {
  if (schedule.copies != num_stage_copies(plan))
    return bad(
        fmt::format("the schedule has {} copies of every stage, the plan {}", schedule.copies, num_stage_copies(plan)),
        "/chunks");
  if (schedule.synchronous && schedule.micro_batches != plan.micro_batches)
    return bad(
        fmt::format("the schedule has {} micro-batches, the plan {}", schedule.micro_batches, plan.micro_batches),
        "/micro_batches");
  return {};
}

/// Checks that the stages hold the model's layers in list order.
Result<void> check_layers(const Plan& plan, int layers) {
  if (plan.order)
    for (std::size_t i = 0; i < plan.order->size(); ++i)
      if ((*plan.order)[i] != LayerId(i)) return bad("the model is a chain: layers run in list order", "/order");
  if (const int end = plan.stages.back().last; end != layers)
    return bad(fmt::format("the stages end at layer {}, the model has {}", end, layers), "/stages");
  return {};
}

std::vector<plan::RecomputedSegment> recomputed_segments(const Stage& stage, const std::vector<bool>& starts) {
  std::vector<plan::RecomputedSegment> segments = plan::recomputed_segments(stage, starts);
  for (plan::RecomputedSegment& segment : segments) segment.first -= stage.first, segment.last -= stage.first;
  return segments;
}

/// Returns the number of `rank` in its group of the family.
int number_in(const plan::StageGroups& groups, plan::GroupFamily family, int rank) {
  const auto [stride, size] = groups.lane(family);
  return rank / stride % size;
}

LocalStage chunk_on(const Plan& plan, const StageCopy& chunk, const plan::StageGroups& groups, int rank) {
  const Stage& stage = plan.stages[chunk.stage.index()];
  LocalStage placed;
  placed.stage = chunk.stage;
  placed.copy = chunk.copy;
  placed.rank = rank;
  placed.replica = number_in(groups, plan::GroupFamily::data, rank);
  placed.context_rank = number_in(groups, plan::GroupFamily::context, rank);
  placed.context = groups.degrees().context;
  placed.tensor_rank = number_in(groups, plan::GroupFamily::tensor, rank);
  placed.tensor_parallel = groups.degrees().tensor;
  placed.heads_ranks = groups.size(plan::GroupFamily::context_heads);
  placed.expert_ranks = groups.size(plan::GroupFamily::expert_all);
  placed.samples = plan.micro_batch;
  if (!plan.synchronous()) return placed;
  const std::vector<int> samples = replica_samples(stage, plan.micro_batch);
  placed.samples = samples[static_cast<std::size_t>(placed.replica)];
  placed.first_sample = std::accumulate(samples.begin(), samples.begin() + placed.replica, 0);
  return placed;
}

/// Returns the groups of each copy of each stage.
Result<std::vector<std::vector<plan::StageGroups>>> groups_of(const Plan& plan) {
  std::vector<std::vector<plan::StageGroups>> groups(plan.stages.size());
  for (const StageCopy& chunk : stage_copies(plan)) {
    TRY(auto own, plan::StageGroups::of(chunk.devices, plan.stages[chunk.stage.index()].shard()));
    groups[chunk.stage.index()].push_back(std::move(own));
  }
  return groups;
}

/// Returns the workers in device order, each with its chunks.
std::vector<DeviceAssignment> placements_of(const Plan& plan, const Layout& layout) {
  std::map<DeviceId, DeviceAssignment> placements;
  for (const StageCopy& chunk : stage_copies(plan))
    for (std::size_t rank = 0; rank < chunk.devices.size(); ++rank) {
      DeviceAssignment& placement = placements[chunk.devices[rank]];
      placement.device = chunk.devices[rank];
      const auto& groups = layout.groups[chunk.stage.index()][static_cast<std::size_t>(chunk.copy)];
      LocalStage placed = chunk_on(plan, chunk, groups, static_cast<int>(rank));
      if (!placement.chunks.empty())
        placed.module = placement.chunks.back().module + (placement.chunks.back().stage == chunk.stage ? 0 : 1);
      placement.chunks.push_back(std::move(placed));
    }
  std::vector<DeviceAssignment> result;
  for (auto& [device, placement] : placements) result.push_back(std::move(placement));
  return result;
}

bool sends_to(const LocalStage& from, const LocalStage& to) {
  return from.tensor_rank == to.tensor_rank % from.tensor_parallel;
}

/// Returns the exchanges of `mine` with its copy of `stage`; none past either end of the model.
StageBoundary exchanges(const LocalStage& mine, const Layout& layout, std::size_t stage) {
  StageBoundary end;
  if (stage >= layout.groups.size()) return end;
  for (const std::size_t peer : layout.workers_of(StageId(stage), mine.copy)) {
    const LocalStage* other = layout.placements[peer].chunk(StageId(stage), mine.copy);
    if (other->context_rank != mine.context_rank) continue;
    const int first = std::max(mine.first_sample, other->first_sample);
    const int last = std::min(mine.first_sample + mine.samples, other->first_sample + other->samples);
    if (first >= last) continue;
    const PeerSlice exchange{peer, other->replica, first - mine.first_sample, last - first};
    if (sends_to(*other, mine)) end.from.push_back(exchange);
    if (sends_to(mine, *other)) end.to.push_back(exchange);
  }
  return end;
}

/// Extends a list to all global batches of the run. The schedule of an asynchronous plan shows only a part of them.
LaneOrder order_of_run(const LaneOrder& order, const Layout& layout) {
  const auto* turns = std::get_if<AlternatingOrder>(&order);
  if (layout.synchronous() || turns == nullptr) return order;
  AlternatingOrder all = *turns;
  all.count = std::max(0, (layout.all_micro_batches - turns->first + turns->stride - 1) / turns->stride);
  return all;
}

Result<void> load_lane(DeviceAssignment& placement, const Layout& layout, const Plan& plan, const Schedule& schedule,
                       const std::vector<std::string_view>& names) {
  const std::vector<bool> block_starts = plan::block_starts(names);
  const auto lane = std::find_if(schedule.lanes.begin(), schedule.lanes.end(),
                                 [&](const DeviceLane& l) { return l.device == placement.device; });
  if (lane == schedule.lanes.end())
    return bad(fmt::format("the schedule has no lane for device {}", placement.device.value), "/stages");
  placement.order = order_of_run(lane->order, layout);
  for (LocalStage& chunk : placement.chunks) {
    Stage stage = plan.stages[chunk.stage.index()];
    stage.recompute = plan::recompute_by_layers(stage, names);
    chunk.by_block = stage.recompute.each == RecomputeUnit::block;
    TRY(chunk.discarded, layers::parts_of_modules(stage.recompute.modules));
    if (has_recompute(lane->order, chunk.stage)) chunk.recompute = recomputed_segments(stage, block_starts);
  }
  return layout.synchronous() ? check_lane(placement, layout) : check_turns(placement, layout);
}

Staleness staleness_of(const Plan& plan, const Schedule& schedule) {
  Staleness staleness;
  if (plan.schedule == ScheduleKind::pipedream_vertical) staleness.kind = Staleness::Kind::vertical_sync;
  if (plan.schedule == ScheduleKind::pipedream_2bw) staleness.kind = Staleness::Kind::double_buffered;
  staleness.batch = plan.micro_batches;
  for (const Stage& stage : plan.stages) {
    staleness.replicas.push_back(stage.replicas());
    const auto lane = std::find_if(schedule.lanes.begin(), schedule.lanes.end(),
                                   [&](const DeviceLane& l) { return l.device == stage.devices.front(); });
    const auto* turns = lane == schedule.lanes.end() ? nullptr : std::get_if<AlternatingOrder>(&lane->order);
    staleness.warmups.push_back(turns == nullptr ? 1 : turns->warmup);
  }
  return staleness;
}

Result<void> check_length(const Plan& plan, int steps) {
  constexpr std::int64_t most = std::int64_t{1} << 29;  // operations are counted in 31 bits
  if (plan.synchronous() || std::int64_t{steps} * plan.micro_batches <= most) return {};
  return bad(fmt::format("{} steps of {} mini-batches, expected {} mini-batches at most in an asynchronous run", steps,
                         plan.micro_batches, most),
             "/micro_batches");
}

}  // namespace

const LocalStage* DeviceAssignment::chunk(StageId stage, int copy) const {
  const auto found = std::find_if(chunks.begin(), chunks.end(),
                                  [&](const LocalStage& c) { return c.stage == stage && c.copy == copy; });
  return found == chunks.end() ? nullptr : &*found;
}

const LocalStage& DeviceAssignment::chunk_of_module(std::size_t module) const {
  return *std::find_if(chunks.begin(), chunks.end(), [&](const LocalStage& c) { return c.module == module; });
}

std::vector<std::size_t> Layout::workers(const plan::RankGroup& devices) const {
  std::vector<std::size_t> found;
  for (const DeviceId device : devices)
    found.push_back(static_cast<std::size_t>(
        std::ranges::lower_bound(placements, device, {}, &DeviceAssignment::device) - placements.begin()));
  return found;
}

std::vector<std::size_t> Layout::workers_of(StageId stage, int copy) const {
  return workers(groups[stage.index()][static_cast<std::size_t>(copy)].devices());
}

std::vector<std::size_t> Layout::group(plan::GroupFamily family, const LocalStage& chunk) const {
  return workers(groups[chunk.stage.index()][static_cast<std::size_t>(chunk.copy)].group_of(family, chunk.rank));
}

std::vector<std::size_t> Layout::holders(plan::GroupFamily family, const LocalStage& chunk) const {
  std::vector<std::size_t> all;
  for (const plan::StageGroups& copy : groups[chunk.stage.index()])
    for (const std::size_t worker : workers(copy.group_of(family, chunk.rank)))
      if (std::ranges::find(all, worker) == all.end()) all.push_back(worker);
  return all;
}

std::vector<std::size_t> Layout::table_group(const LocalStage& chunk) const {
  std::vector<std::size_t> all;
  for (const StageId stage : {StageId(0), StageId(groups.size() - 1)})
    for (int copy = 0; copy < std::ssize(groups[stage.index()]); ++copy)
      for (const std::size_t worker : workers_of(stage, copy)) {
        const LocalStage& other = *placements[worker].chunk(stage, copy);
        if (other.tensor_rank == chunk.tensor_rank && std::ranges::find(all, worker) == all.end())
          all.push_back(worker);
      }
  return all;
}

std::vector<std::size_t> sharding_group(const std::vector<std::size_t>& holders, const StateSeat& seat) {
  const auto first = holders.begin() + std::ptrdiff_t{seat.copy} * seat.ranks;
  return {first, first + seat.ranks};
}

std::vector<std::size_t> state_copies(const std::vector<std::size_t>& holders, const StateSeat& seat) {
  std::vector<std::size_t> copies;
  for (int copy = 0; copy < seat.copies; ++copy)
    copies.push_back(holders[static_cast<std::size_t>(copy * seat.ranks + seat.rank)]);
  return copies;
}

namespace {

StateMembers members_of(const std::vector<std::size_t>& holders, const StateSeat& seat) {
  StateMembers members{sharding_group(holders, seat), state_copies(holders, seat), {}};
  if (seat.shards_weights()) members.gathers = members.ranks;
  return members;
}

}  // namespace

StateMembers dense_members(const Layout& layout, const LocalStage& chunk) {
  return members_of(layout.data_parallel_group(chunk), chunk.states.dense);
}

StateMembers table_members(const Layout& layout, const LocalStage& chunk) {
  return chunk.states.table ? members_of(layout.table_group(chunk), *chunk.states.table) : StateMembers{};
}

StateMembers expert_members(const Layout& layout, const LocalStage& chunk) {
  if (chunk.expert_ranks == 1) return {};
  return members_of(layout.expert_data_group(chunk), chunk.states.experts);
}

namespace {

/// Checks that a device has the same part of the table at both ends. The parts are those of the tensor-parallel ranks.
Result<void> check_table(const Layout& layout, const Plan& plan) {
  const Stage &first = plan.stages.front(), &last = plan.stages.back();
  const std::string place = fmt::format("/stages/{}", plan.stages.size() - 1);
  if (first.tensor_parallel != last.tensor_parallel || first.shard_fractions != last.shard_fractions)
    return bad(
        fmt::format("found {} tensor-parallel ranks, expected {} with the first stage's shards: both ends of the "
                    "model share a table",
                    last.tensor_parallel, first.tensor_parallel),
        place + "/tensor_parallel");
  for (const DeviceAssignment& placement : layout.placements)
    for (const LocalStage& chunk : placement.chunks) {
      const LocalStage& own = placement.chunks.front();
      if (own.stage == StageId(0) && chunk.stage.index() + 1 == plan.stages.size() &&
          own.tensor_rank != chunk.tensor_rank)
        return bad(
            fmt::format("found device {} as tensor-parallel rank {}, expected rank {} as in the first stage: both "
                        "ends of the model share a table",
                        placement.device.value, chunk.tensor_rank, own.tensor_rank),
            place + "/devices");
    }
  return {};
}

/// Returns the seat of the worker among those with its part of the table. The ranks of the sharding are the stage's;
/// the other end's are further copies, which sum gradients once a step.
Result<StateSeat> table_seat(const Layout& layout, const LocalStage& chunk, std::size_t worker) {
  const std::vector<std::size_t> holders = layout.table_group(chunk);
  StateSeat seat = chunk.states.dense;
  seat.sharding.copies = CopySync::each_step;
  const auto of_stage = layout.data_parallel_group(chunk);
  const bool fits = std::ssize(holders) % std::ssize(of_stage) == 0 && std::ssize(holders) <= 2 * std::ssize(of_stage);
  if (seat.shards_optimizer() && !fits)
    return bad(fmt::format("found sharding level {}, expected 0: {} devices have the first or the last stage, whose "
                           "table is shared, and {} of them this one",
                           seat.sharding.level, holders.size(), of_stage.size()),
               "/sharding/level");
  const int ranks = seat.shards_optimizer() ? seat.ranks : 1;
  return seat_of(seat.sharding, position_of(worker, holders), static_cast<int>(holders.size()), ranks);
}

/// Marks the chunks at the model's ends, and seats the devices that share its table. A model of one stage has the table
/// once on each device. A `frozen` table has no gradients to sum.
Result<void> seat_tables(Layout& layout, const Plan& plan, bool apart, bool frozen) {
  TRY_VOID(check_table(layout, plan));
  const std::size_t last = plan.stages.size() - 1;
  for (std::size_t worker = 0; worker < layout.placements.size(); ++worker) {
    std::vector<LocalStage>& chunks = layout.placements[worker].chunks;
    const bool has_first = chunks.front().stage == StageId(0);
    for (LocalStage& chunk : chunks) {
      const bool is_last = chunk.stage.index() == last;
      chunk.has_head = is_last, chunk.borrows = is_last && has_first && !apart;
      const bool holds = chunk.stage == StageId(0) || (is_last && !has_first);
      if (last == 0 || !holds || frozen) continue;
      TRY(chunk.states.table, table_seat(layout, chunk, worker));
    }
  }
  return {};
}

}  // namespace

Result<Layout> lay_out(const ModelSpec& model, const Plan& plan, const Schedule& schedule, int steps, bool ends_apart) {
  TRY_VOID(plan::validate(plan));
  TRY_VOID(check_features(plan, schedule));
  TRY_VOID(check_schedule(plan, schedule));
  TRY_VOID(check_layers(plan, layers::plannable_layers(model)));
  TRY_VOID(check_length(plan, steps));

  Layout layout;
  layout.copies = num_stage_copies(plan);
  layout.freezes = layers::has_adapters(model);
  layout.micro_batches = layout.all_micro_batches = plan.micro_batches;
  if (!plan.synchronous()) {
    layout.staleness = staleness_of(plan, schedule);
    layout.all_micro_batches = plan.micro_batches * steps;
  }
  TRY(layout.groups, groups_of(plan));
  layout.placements = placements_of(plan, layout);
  std::vector<std::string_view> names;
  for (const ModelLayer& layer : model.layers) names.emplace_back(layer.name);
  for (std::size_t worker = 0; worker < layout.placements.size(); ++worker) {
    DeviceAssignment& placement = layout.placements[worker];
    for (LocalStage& chunk : placement.chunks) {
      TRY(chunk.states, seats_of(sharding_of(plan), worker, layout, chunk));
      chunk.previous = exchanges(chunk, layout, chunk.stage.index() - 1);
      chunk.next = exchanges(chunk, layout, chunk.stage.index() + 1);
    }
    TRY_VOID(load_lane(placement, layout, plan, schedule, names));
  }
  TRY_VOID(check_equal_lanes(layout));
  if (has_tied_ends(model)) TRY_VOID(seat_tables(layout, plan, ends_apart, layers::has_adapters(model)));
  return layout;
}

}  // namespace pipedeck::runtime::exec
