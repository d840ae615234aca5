// SPDX-License-Identifier: Apache-2.0
// The deadlock proof: list order and data dependence together have no cycle (Kahn's algorithm, linear in operations),
// and what a replica sends another is received in the same order. Replicas of a stage are followed one by one; all
// devices of a replica run the same list.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/schedule/build.hpp"

namespace pipedeck {
namespace {

constexpr int none = -1;

/// What an operation delivers to others.
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

/// One replica of a stage, by its first device.
struct Worker {
  std::size_t stage = 0;
  const DeviceLane* lane = nullptr;
  int begin = 0, end = 0;                       // its operations in the graph's numbering
  int low = 0, high = 0;                        // its samples of a micro-batch
  std::vector<std::array<int, roles>> made_by;  // operation of each micro-batch and role
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
    stage_begin_.push_back(0);
    for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
      const Stage& stage = plan_.stages[s];
      const std::vector<int> samples = replica_samples(stage, plan_.micro_batch);
      int low = 0;
      for (int r = 0; r < stage.replicas(); ++r) {
        const DeviceId lead = stage.devices[static_cast<std::size_t>(r * stage.tensor_parallel)];
        const auto lane = std::find_if(schedule_.lanes.begin(), schedule_.lanes.end(),
                                       [&](const DeviceLane& candidate) { return candidate.device == lead; });
        if (lane == schedule_.lanes.end())
          return fail(ErrorCode::bad_input, fmt::format("found no list for device {}, expected one", lead.value));
        const int high = low + samples[static_cast<std::size_t>(r)];
        if (Result<void> added = add_operations({s, &*lane, count_, count_, low, high, {}}); !added) return added;
        low = high;
      }
      stage_begin_.push_back(workers_.size());
    }
    predecessors_.resize(static_cast<std::size_t>(count_));
    return {};
  }

  Result<void> add_operations(Worker worker) {
    std::array<int, roles> nothing;
    nothing.fill(none);
    worker.made_by.assign(static_cast<std::size_t>(schedule_.micro_batches), nothing);
    worker.end = worker.begin + operation_count(worker.lane->order);
    for (int i = 0; i < worker.end - worker.begin; ++i) {
      const Operation operation = operation_at(worker.lane->order, i);
      if (operation.micro_batch < 0 || operation.micro_batch >= schedule_.micro_batches)
        return fail(ErrorCode::bad_input, fmt::format("found {}, expected micro-batches 0 to {}",
                                                      text(worker, operation), schedule_.micro_batches - 1));
      int& slot = worker.made_by[static_cast<std::size_t>(operation.micro_batch)][role_of(operation.kind)];
      if (slot != none)
        return fail(ErrorCode::bad_input, fmt::format("found {} twice, expected once", text(worker, operation)));
      slot = worker.begin + i;
    }
    count_ = worker.end;
    workers_.push_back(std::move(worker));
    return {};
  }

  Result<void> add_dependences() {
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      const Worker& worker = workers_[w];
      for (int id = worker.begin; id < worker.end; ++id) {
        if (id > worker.begin) need(id, id - 1);
        if (Result<void> added = add_data(w, id); !added) return added;
      }
    }
    return {};
  }

  Result<void> add_data(std::size_t w, int id) {
    const Worker& worker = workers_[w];
    const Operation operation = operation_at(worker.lane->order, id - worker.begin);
    const auto& own = worker.made_by[static_cast<std::size_t>(operation.micro_batch)];
    if (operation.kind == OpKind::forward) return need_of_stage(w, id, operation, worker.stage - 1, activation);
    if (operation.kind == OpKind::backward_weight) return need_own(w, id, operation, own[gradient]);
    if (Result<void> added = need_own(w, id, operation, own[activation]); !added) return added;
    if (operation.kind == OpKind::recompute) return {};
    if (own[recomputed] != none) need(id, own[recomputed]);
    return need_of_stage(w, id, operation, worker.stage + 1, gradient);
  }

  Result<void> need_own(std::size_t w, int id, const Operation& operation, int before) {
    if (before == none)
      return fail(ErrorCode::bad_input, fmt::format("found {} without what it needs of its own device, expected the "
                                                    "operation before it in the list",
                                                    text(workers_[w], operation)));
    need(id, before);
    return {};
  }

  /// From every replica of the other stage that shares samples of the micro-batch (`stage` past either end: nothing).
  Result<void> need_of_stage(std::size_t w, int id, const Operation& operation, std::size_t stage, Role role) {
    if (stage >= plan_.stages.size()) return {};
    for (std::size_t other = stage_begin_[stage]; other < stage_begin_[stage + 1]; ++other) {
      if (!share(w, other, operation.micro_batch)) continue;
      const int sender = workers_[other].made_by[static_cast<std::size_t>(operation.micro_batch)][role];
      if (sender == none)
        return fail(ErrorCode::bad_input,
                    fmt::format("found {} waiting for what device {} never sends, expected a send for every receive",
                                text(workers_[w], operation), workers_[other].lane->device.value));
      need(id, sender);
    }
    return {};
  }

  /// Synchronous replicas hold contiguous samples; asynchronous ones whole mini-batches in turn.
  bool share(std::size_t a, std::size_t b, int micro_batch) const {
    if (schedule_.synchronous) return workers_[a].low < workers_[b].high && workers_[b].low < workers_[a].high;
    return turn(a, micro_batch) && turn(b, micro_batch);
  }
  bool turn(std::size_t w, int micro_batch) const {
    const std::size_t first = stage_begin_[workers_[w].stage];
    return static_cast<std::size_t>(micro_batch) % (stage_begin_[workers_[w].stage + 1] - first) == w - first;
  }

  void need(int id, int before) { predecessors_[static_cast<std::size_t>(id)].push_back(before); }

  /// On each pair of replicas, operations of one role run in the same micro-batch order on both sides.
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
    if (schedule_.synchronous && !share(a, b, 0)) return {};
    int index = workers_[b].begin;
    const auto next_shared = [&](std::size_t w, int& at) -> std::optional<Operation> {
      for (; at < workers_[w].end; ++at) {
        const Operation operation = operation_at(workers_[w].lane->order, at - workers_[w].begin);
        if (role_of(operation.kind) == role && share(a, b, operation.micro_batch)) return ++at, operation;
      }
      return std::nullopt;
    };
    for (int at = workers_[a].begin; const auto mine = next_shared(a, at);) {
      const auto theirs = next_shared(b, index);
      if (theirs && theirs->micro_batch == mine->micro_batch) continue;
      return fail(
          ErrorCode::bad_input,
          fmt::format("found {} where device {} has micro-batch {} in turn, expected the same order on both "
                      "sides of a transfer",
                      text(workers_[a], *mine), workers_[b].lane->device.value, theirs ? theirs->micro_batch : none));
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

  /// Walks back along what is still missing until an operation comes round again.
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
    const auto worker = std::find_if(workers_.begin(), workers_.end(), [&](const Worker& w) { return id < w.end; });
    return text(*worker, operation_at(worker->lane->order, id - worker->begin));
  }
  static std::string text(const Worker& worker, const Operation& operation) {
    return fmt::format("device {} {}(stage {}, micro-batch {})", worker.lane->device.value, name_of(operation.kind),
                       operation.stage.value, operation.micro_batch);
  }

  const Schedule& schedule_;
  const Plan& plan_;
  std::vector<Worker> workers_;
  std::vector<std::size_t> stage_begin_;  // workers of stage s: [stage_begin_[s], stage_begin_[s + 1])
  std::vector<std::vector<int>> predecessors_;
  int count_ = 0;
};

}  // namespace

Result<void> prove_deadlock_free(const Schedule& schedule, const Plan& plan) { return Proof(schedule, plan).run(); }

}  // namespace pipedeck
