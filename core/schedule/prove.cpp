// SPDX-License-Identifier: Apache-2.0
// The deadlock proof: list order and data dependence together have no cycle (Kahn's algorithm, linear in operations).
// Each replica receives in the order in which the other one sends. Replicas of a stage are followed separately; all
// devices of a replica run the same list.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "core/base/checks.hpp"
#include "core/schedule/build.hpp"

namespace pipedeck::schedule {
namespace {

constexpr int none = -1;

/// An output of an operation.
enum Role : std::size_t { activation, recomputed, gradient, weight_gradient, roles };

Role role_of(OpKind kind) {
  switch (kind) {
    case OpKind::forward:
      return activation;
    case OpKind::recompute:
      return recomputed;
    case OpKind::backward_weight:
      return weight_gradient;
    default:
      return gradient;
  }
}

/// A replica of a pipeline rank, with one list, represented by its first device.
struct Lane {
  const DeviceLane* lane = nullptr;
  int begin = 0, end = 0;  // range of its operations in the graph's numbering
  std::vector<std::size_t> workers;
};

/// A replica of a chunk.
struct Worker {
  std::size_t stage = 0;
  int copy = 0;
  std::size_t lane = 0;
  int low = 0, high = 0;                        // its samples of a micro-batch
  std::vector<std::array<int, roles>> made_by;  // operation that produces each role of each micro-batch
};

class Proof {
 public:
  Proof(const Schedule& schedule, const Plan& plan) : schedule_(schedule), plan_(plan) {}

  Result<void> run() {
    if (Result<void> ready = add_workers(); !ready) return ready;
    if (Result<void> ready = add_dependences(); !ready) return ready;
    if (Result<void> ready = check_pairs(); !ready) return ready;
    return check_acyclic();
  }

 private:
  Result<void> add_workers() {
    std::map<DeviceId, std::size_t> lane_of;
    for (const StageCopy& chunk : stage_copies(plan_)) {
      if (chunk.copy == 0) stage_begin_.push_back(workers_.size());
      const Stage& stage = plan_.stages[chunk.stage.index()];
      const std::vector<int> samples = replica_samples(stage, plan_.micro_batch);
      int low = 0;
      for (int r = 0; r < stage.replicas(); ++r) {
        const DeviceId lead = chunk.devices[static_cast<std::size_t>(r * stage.tensor_parallel)];
        const auto [known, fresh] = lane_of.try_emplace(lead, lanes_.size());
        if (fresh) TRY_VOID(add_lane(lead));
        const int high = low + samples[static_cast<std::size_t>(r)];
        lanes_[known->second].workers.push_back(workers_.size());
        workers_.push_back({chunk.stage.index(), chunk.copy, known->second, low, high, {}});
        low = high;
      }
    }
    stage_begin_.push_back(workers_.size());
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) TRY_VOID(add_operations(lane));
    predecessors_.resize(static_cast<std::size_t>(count_));
    return {};
  }

  Result<void> add_lane(DeviceId lead) {
    const auto lane = std::find_if(schedule_.lanes.begin(), schedule_.lanes.end(),
                                   [&](const DeviceLane& candidate) { return candidate.device == lead; });
    if (lane == schedule_.lanes.end())
      return fail(ErrorCode::bad_input, fmt::format("found no list for device {}, expected one", lead.value));
    lanes_.push_back({&*lane, 0, 0, {}});
    return {};
  }

  Result<void> add_operations(std::size_t l) {
    Lane& lane = lanes_[l];
    lane.begin = count_;
    lane.end = count_ = lane.begin + operation_count(lane.lane->order);
    std::array<int, roles> nothing;
    nothing.fill(none);
    for (const std::size_t w : lane.workers)
      workers_[w].made_by.assign(static_cast<std::size_t>(schedule_.micro_batches), nothing);
    for (int id = lane.begin; id < lane.end; ++id) {
      const Operation operation = operation_of(lane, id);
      if (operation.micro_batch < 0 || operation.micro_batch >= schedule_.micro_batches)
        return fail(ErrorCode::bad_input, fmt::format("found {}, expected micro-batches 0 to {}", text(lane, operation),
                                                      schedule_.micro_batches - 1));
      const std::optional<std::size_t> worker = worker_of(lane, operation);
      if (!worker)
        return fail(
            ErrorCode::bad_input,
            fmt::format("found {}, expected a stage that the device runs for that micro-batch", text(lane, operation)));
      if (operation.overlapped_with_next && id + 1 == lane.end)
        return fail(ErrorCode::bad_input,
                    fmt::format("found {} joined with the next, expected one behind it", text(lane, operation)));
      int& slot = workers_[*worker].made_by[static_cast<std::size_t>(operation.micro_batch)][role_of(operation.kind)];
      if (slot != none)
        return fail(ErrorCode::bad_input, fmt::format("found {} twice, expected once", text(lane, operation)));
      slot = operation.overlapped_with_next ? id + 1 : id;  // an overlapped pair delivers together
    }
    return {};
  }

  static Operation operation_of(const Lane& lane, int id) { return operation_at(lane.lane->order, id - lane.begin); }

  std::optional<std::size_t> worker_of(const Lane& lane, const Operation& operation) const {
    for (const std::size_t w : lane.workers)
      if (workers_[w].stage == operation.stage.index() &&
          (plan_.synchronous() ? workers_[w].copy == schedule_.copy_of(operation.micro_batch) : true))
        return w;
    return std::nullopt;
  }

  Result<void> add_dependences() {
    for (const Lane& lane : lanes_)
      for (int id = lane.begin; id < lane.end; ++id) {
        const Operation operation = operation_of(lane, id);
        if (id > lane.begin) need(id, id - 1);
        TRY_VOID(add_data(lane, id, operation));
        // No operation of an overlapped pair starts before both can.
        if (operation.overlapped_with_next) TRY_VOID(add_data(lane, id, operation_of(lane, id + 1)));
      }
    return {};
  }

  /// Adds the inputs of `operation` as dependences of the operation `id`: itself, or the first one of its pair.
  Result<void> add_data(const Lane& lane, int id, const Operation& operation) {
    const std::size_t w = *worker_of(lane, operation);
    const Worker& worker = workers_[w];
    const auto& own = worker.made_by[static_cast<std::size_t>(operation.micro_batch)];
    if (operation.kind == OpKind::forward) return need_of_stage(w, id, operation, worker.stage - 1, activation);
    if (operation.kind == OpKind::backward_weight) return need_own(w, id, operation, own[gradient]);
    TRY_VOID(need_own(w, id, operation, own[activation]));
    if (operation.kind == OpKind::recompute) return {};
    if (own[recomputed] != none) need(id, own[recomputed]);
    return need_of_stage(w, id, operation, worker.stage + 1, gradient);
  }

  Result<void> need_own(std::size_t w, int id, const Operation& operation, int before) {
    if (before == none)
      return fail(
          ErrorCode::bad_input,
          fmt::format("found {} without what it needs of its own device, expected the operation before it in the list",
                      text(lanes_[workers_[w].lane], operation)));
    need(id, before);
    return {};
  }

  /// Adds dependences on every replica of the other stage that shares samples of the micro-batch; none if `stage` is
  /// past either end.
  Result<void> need_of_stage(std::size_t w, int id, const Operation& operation, std::size_t stage, Role role) {
    if (stage >= plan_.stages.size()) return {};
    for (std::size_t other = stage_begin_[stage]; other < stage_begin_[stage + 1]; ++other) {
      if (!share(w, other, operation.micro_batch)) continue;
      const int sender = workers_[other].made_by[static_cast<std::size_t>(operation.micro_batch)][role];
      if (sender == none)
        return fail(ErrorCode::bad_input,
                    fmt::format("found {} waiting for what device {} never sends, expected a send for every receive",
                                text(lanes_[workers_[w].lane], operation), device_of(other).value));
      need(id, sender);
    }
    return {};
  }

  DeviceId device_of(std::size_t w) const { return lanes_[workers_[w].lane].lane->device; }

  /// Returns true if the two replicas share samples. Synchronous replicas process contiguous samples; asynchronous ones
  /// take whole mini-batches in turn.
  bool share(std::size_t a, std::size_t b, int micro_batch) const {
    if (schedule_.synchronous)
      return workers_[a].copy == workers_[b].copy && workers_[a].low < workers_[b].high &&
             workers_[b].low < workers_[a].high;
    return turn(a, micro_batch) && turn(b, micro_batch);
  }
  bool turn(std::size_t w, int micro_batch) const {
    const std::size_t first = stage_begin_[workers_[w].stage];
    return static_cast<std::size_t>(micro_batch) % (stage_begin_[workers_[w].stage + 1] - first) == w - first;
  }

  void need(int id, int before) { predecessors_[static_cast<std::size_t>(id)].push_back(before); }

  /// Returns the next operation with this role in the worker's list among those that both sides have.
  std::optional<Operation> next_shared(std::size_t w, std::size_t with, Role role, int& at) const {
    const Lane& lane = lanes_[workers_[w].lane];
    for (; at < lane.end; ++at) {
      const Operation operation = operation_of(lane, at);
      if (role_of(operation.kind) == role && worker_of(lane, operation) == w && share(w, with, operation.micro_batch))
        return ++at, operation;
    }
    return std::nullopt;
  }

  /// Checks that on each pair of replicas, operations of one role have the same micro-batch order on both sides.
  Result<void> check_pairs() const {
    for (std::size_t a = 0; a < workers_.size(); ++a) {
      const std::size_t next = workers_[a].stage + 1;
      if (next == plan_.stages.size()) break;
      for (std::size_t b = stage_begin_[next]; b < stage_begin_[next + 1]; ++b)
        for (const Role role : {activation, gradient})
          if (Result<void> same = check_pair(a, b, role); !same) return same;
    }
    return {};
  }

  Result<void> check_pair(std::size_t a, std::size_t b, Role role) const {
    // Data that stays on one device is not sent.
    if ((schedule_.synchronous && !share(a, b, 0)) || workers_[a].lane == workers_[b].lane) return {};
    int index = lanes_[workers_[b].lane].begin;
    for (int at = lanes_[workers_[a].lane].begin; const auto mine = next_shared(a, b, role, at);) {
      const auto theirs = next_shared(b, a, role, index);
      if (theirs && theirs->micro_batch == mine->micro_batch) continue;
      return fail(ErrorCode::bad_input, fmt::format("found {} where device {} has micro-batch {} in turn, expected the "
                                                    "same order on both sides of a transfer",
                                                    text(lanes_[workers_[a].lane], *mine), device_of(b).value,
                                                    theirs ? theirs->micro_batch : none));
    }
    return {};
  }

  Result<void> check_acyclic() const {
    std::vector<int> missing(predecessors_.size());
    std::vector<int> begin(predecessors_.size() + 1, 0);  // successors, as one array
    for (std::size_t id = 0; id < predecessors_.size(); ++id) {
      missing[id] = static_cast<int>(predecessors_[id].size());
      for (const int before : predecessors_[id]) ++begin[static_cast<std::size_t>(before) + 1];
    }
    for (std::size_t id = 0; id < predecessors_.size(); ++id) begin[id + 1] += begin[id];
    std::vector<int> successors(static_cast<std::size_t>(begin.back()));
    std::vector<int> fill(begin.begin(), begin.end() - 1);
    for (std::size_t id = 0; id < predecessors_.size(); ++id)
      for (const int before : predecessors_[id])
        successors[static_cast<std::size_t>(fill[static_cast<std::size_t>(before)]++)] = static_cast<int>(id);

    std::vector<int> ready;
    for (std::size_t id = 0; id < missing.size(); ++id)
      if (missing[id] == 0) ready.push_back(static_cast<int>(id));
    for (std::size_t head = 0; head < ready.size(); ++head) {
      const auto id = static_cast<std::size_t>(ready[head]);
      for (int k = begin[id]; k < begin[id + 1]; ++k) {
        const int next = successors[static_cast<std::size_t>(k)];
        if (--missing[static_cast<std::size_t>(next)] == 0) ready.push_back(next);
      }
    }
    if (ready.size() == missing.size()) return {};
    return fail(ErrorCode::bad_input, "found a deadlock: " + cycle(missing));
  }

  /// Walks back along unfinished operations until one repeats.
  std::string cycle(const std::vector<int>& missing) const {
    int at = 0;
    while (missing[static_cast<std::size_t>(at)] == 0) ++at;
    std::vector<int> seen_at(missing.size(), none);
    std::vector<int> path;
    while (seen_at[static_cast<std::size_t>(at)] == none) {
      seen_at[static_cast<std::size_t>(at)] = static_cast<int>(path.size());
      path.push_back(at);
      const std::vector<int>& before = predecessors_[static_cast<std::size_t>(at)];
      at = *std::find_if(before.begin(), before.end(),
                         [&](int id) { return missing[static_cast<std::size_t>(id)] > 0; });
    }
    path.erase(path.begin(), path.begin() + seen_at[static_cast<std::size_t>(at)]);
    path.push_back(path.front());
    std::string text;
    for (const int id : path) text += (text.empty() ? "" : " waits for ") + text_of(id);
    return text;
  }

  std::string text_of(int id) const {
    const auto lane = std::find_if(lanes_.begin(), lanes_.end(), [&](const Lane& l) { return id < l.end; });
    return text(*lane, operation_of(*lane, id));
  }
  static std::string text(const Lane& lane, const Operation& operation) {
    return fmt::format("device {} {}(stage {}, micro-batch {})", lane.lane->device.value, name_of(operation.kind),
                       operation.stage.value, operation.micro_batch);
  }

  const Schedule& schedule_;
  const Plan& plan_;
  std::vector<Lane> lanes_;
  std::vector<Worker> workers_;
  std::vector<std::size_t> stage_begin_;  // workers of stage s: [stage_begin_[s], stage_begin_[s + 1])
  std::vector<std::vector<int>> predecessors_;
  int count_ = 0;
};

}  // namespace

Result<void> check_deadlock_free(const Schedule& schedule, const Plan& plan) { return Proof(schedule, plan).run(); }

}  // namespace pipedeck::schedule
