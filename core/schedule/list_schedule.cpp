// SPDX-License-Identifier: Apache-2.0
// A simulated clock that advances to the next time at which some device can start an operation. An idle device takes
// the first operation by the rule, among those that are ready and fit. Memory is granted as in the banker's algorithm:
// a device starts an operation only if its micro-batches can then finish in sequence with the remaining memory, the
// oldest first. So the oldest of all can always continue, whatever waits for memory on any device, and after it the
// next one. No order ends in a deadlock.
#include "core/schedule/list_schedule.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

#include "core/schedule/builders.hpp"

namespace pipedeck::schedule {
namespace {

constexpr std::size_t stop_interval = 1 << 14;  // events between checks of the stop token
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

struct ChunkState {
  std::size_t rank = 0;
  int next_forward = 0, next_backward = 0;
  std::vector<std::int64_t> activation_at, gradient_at;  // time of arrival, by micro-batch
};

struct RankState {
  std::vector<std::size_t> stages;
  std::int64_t free_at = 0;
  std::int64_t used = 0, room = 0;  // bytes
  std::deque<Operation> weights;    // deferred
  bool last_was_forward = false;
  int oldest = 0, newest = -1;     // micro-batches started and not finished here
  std::int64_t each = 0;           // bytes per micro-batch of all stages here
  std::vector<int> missing;        // remaining operations by micro-batch
  std::vector<std::int64_t> owed;  // bytes that a micro-batch will still allocate here
  std::vector<std::int64_t> held;  // bytes that it holds
  std::vector<Operation> list;
};

class Scheduler {
 public:
  Scheduler(const Plan& plan, std::span<const StageEstimates> figures, const ListRule& rule,
            std::span<const Bytes> rooms)
      : plan_(plan), figures_(figures), rule_(rule), count_(static_cast<std::size_t>(plan.micro_batches)) {
    chunks_.resize(plan.stages.size());
    const std::vector<PipelineRank> ranks = pipeline_ranks(plan);
    for (std::size_t r = 0; r < ranks.size(); ++r) add_rank(ranks[r].chunks, rooms[r].count);
    for (ChunkState& chunk : chunks_) {
      chunk.activation_at.assign(count_, &chunk == &chunks_.front() ? 0 : never);
      chunk.gradient_at.assign(count_, &chunk == &chunks_.back() ? 0 : never);
    }
  }

  std::optional<ListSchedule> run(const std::stop_token& stop) {
    for (std::size_t r = 0; r < ranks_.size(); ++r) wake_.emplace(0, r);
    for (std::size_t seen = 1; !wake_.empty(); ++seen) {
      if (seen % stop_interval == 0 && stop.stop_requested()) return std::nullopt;
      const auto [now, rank] = wake_.top();
      wake_.pop();
      if (ranks_[rank].free_at <= now) choose(ranks_[rank], rank, now);
    }
    return answer();
  }

 private:
  void add_rank(const std::vector<std::size_t>& stages, std::int64_t room) {
    RankState rank;
    rank.stages = stages;
    rank.room = room;
    for (const std::size_t s : stages) {
      chunks_[s].rank = ranks_.size();
      rank.each += figures_[s].saved_bytes.count + figures_[s].recomputed_bytes.count;
    }
    const int operations = split() ? 3 : 2;
    rank.missing.assign(count_, operations * static_cast<int>(stages.size()));
    rank.owed.assign(count_, rank.each);
    rank.held.assign(count_, 0);
    ranks_.push_back(std::move(rank));
  }

  bool split() const { return rule_.weights != ListRule::Weights::fused; }

  // --- what is ready

  struct Choice {
    Operation operation;
    std::tuple<int, int, int> key;  // smallest first
  };

  void choose(RankState& rank, std::size_t r, std::int64_t now) {
    std::optional<Choice> best;
    std::int64_t soon = never;  // when another operation that fits is known to become ready
    for (const std::size_t s : rank.stages)
      for (const bool forward : {false, true}) {
        const std::optional<Operation> next = next_of(s, forward);
        if (!next || !fits(rank, *next)) continue;
        const std::int64_t ready = ready_at(*next);
        if (ready > now) {
          soon = std::min(soon, ready);
          continue;
        }
        const Choice choice{*next, key_of(rank, *next, forward)};
        if (!best || choice.key < best->key) best = choice;
      }
    if (best) return start(rank, r, best->operation, now);
    if (rank.weights.empty() || should_wait(rank, now, soon)) return;
    const Operation weight = rank.weights.front();
    rank.weights.pop_front();
    start(rank, r, weight, now);
  }

  bool should_wait(const RankState& rank, std::int64_t now, std::int64_t soon) const {
    return rule_.weights == ListRule::Weights::delay_weight_gradients && soon != never &&
           soon - now < figures_[rank.weights.front().stage.index()].backward_weight / 2;
  }

  /// Returns the next forward or backward of a stage, ready or not.
  std::optional<Operation> next_of(std::size_t s, bool forward) const {
    const ChunkState& chunk = chunks_[s];
    if (!forward) {
      if (chunk.next_backward == chunk.next_forward) return std::nullopt;
      return Operation{split() ? OpKind::backward_input : OpKind::backward, StageId(s), chunk.next_backward};
    }
    if (chunk.next_forward == plan_.micro_batches) return std::nullopt;
    if (s == 0 && rule_.in_flight > 0 && chunk.next_forward - chunk.next_backward >= rule_.in_flight)
      return std::nullopt;
    return Operation{OpKind::forward, StageId(s), chunk.next_forward};
  }

  std::int64_t ready_at(const Operation& operation) const {
    const ChunkState& chunk = chunks_[operation.stage.index()];
    const auto m = static_cast<std::size_t>(operation.micro_batch);
    return operation.kind == OpKind::forward ? chunk.activation_at[m] : chunk.gradient_at[m];
  }

  std::tuple<int, int, int> key_of(const RankState& rank, const Operation& operation, bool forward) const {
    const bool preferred = rule_.order == ListRule::Order::alternate
                               ? forward != rank.last_was_forward
                               : forward == (rule_.order == ListRule::Order::forward_first);
    const int place = forward ? operation.stage.value : -operation.stage.value;
    if (rule_.deep_first) return {!preferred, operation.micro_batch, -operation.stage.value};
    return {!preferred, place, operation.micro_batch};
  }

  // --- memory

  /// Returns the bytes that an operation allocates until the end of its micro-batch's last operation on this stage.
  std::int64_t bytes_of(const Operation& operation) const {
    const StageEstimates& own = figures_[operation.stage.index()];
    if (operation.kind == OpKind::forward) return own.saved_bytes.count;
    return operation.kind == OpKind::backward_weight ? 0 : own.recomputed_bytes.count;
  }

  bool fits(const RankState& rank, const Operation& operation) const {
    const std::int64_t bytes = bytes_of(operation);
    std::int64_t left = rank.room - rank.used - bytes;
    if (left >= rank.each) return true;  // enough for any micro-batch
    for (int m = rank.oldest; m <= std::max(rank.newest, operation.micro_batch); ++m) {
      const std::int64_t more = m == operation.micro_batch ? bytes : 0;
      const auto i = static_cast<std::size_t>(m);
      if (left < rank.owed[i] - more) return false;
      left += rank.held[i] + more;  // all of its own bytes are freed
    }
    return true;
  }

  // --- running

  std::int64_t duration_of(const Operation& operation) const {
    const StageEstimates& own = figures_[operation.stage.index()];
    switch (operation.kind) {
      case OpKind::forward:
        return own.forward;
      case OpKind::backward_input:
        return own.recompute + own.backward_input;
      case OpKind::backward_weight:
        return own.backward_weight;
      default:
        return own.recompute + own.backward();
    }
  }

  void start(RankState& rank, std::size_t r, const Operation& operation, std::int64_t now) {
    const std::size_t s = operation.stage.index();
    const std::int64_t end = now + duration_of(operation);
    rank.list.push_back(operation);
    rank.free_at = end;
    end_ = std::max(end_, end);
    wake_.emplace(end, r);
    take(rank, operation);
    if (operation.kind == OpKind::forward) {
      rank.last_was_forward = true;
      ++chunks_[s].next_forward;
      if (s + 1 < chunks_.size())
        deliver(chunks_[s + 1].activation_at, s + 1, operation.micro_batch, end + figures_[s].activation_transfer);
    } else if (operation.kind != OpKind::backward_weight) {
      rank.last_was_forward = false;
      ++chunks_[s].next_backward;
      if (split()) rank.weights.push_back({OpKind::backward_weight, operation.stage, operation.micro_batch});
      if (s > 0) deliver(chunks_[s - 1].gradient_at, s - 1, operation.micro_batch, end + figures_[s].gradient_transfer);
    }
  }

  /// Allocates and frees the operation's bytes. A device runs one operation at a time, so bytes freed at its end are
  /// available when the next one is chosen.
  void take(RankState& rank, const Operation& operation) {
    const auto m = static_cast<std::size_t>(operation.micro_batch);
    const std::int64_t bytes = bytes_of(operation);
    rank.used += bytes;
    rank.owed[m] -= bytes;
    rank.held[m] += bytes;
    rank.newest = std::max(rank.newest, operation.micro_batch);
    --rank.missing[m];
    const StageEstimates& own = figures_[operation.stage.index()];
    if (operation.kind == (split() ? OpKind::backward_weight : OpKind::backward)) {
      rank.used -= own.saved_bytes.count + own.recomputed_bytes.count;
      rank.held[m] -= own.saved_bytes.count + own.recomputed_bytes.count;
    }
    while (rank.oldest + 1 < plan_.micro_batches && rank.missing[static_cast<std::size_t>(rank.oldest)] == 0)
      ++rank.oldest;
  }

  void deliver(std::vector<std::int64_t>& at, std::size_t stage, int micro_batch, std::int64_t time) {
    at[static_cast<std::size_t>(micro_batch)] = time;
    wake_.emplace(time, chunks_[stage].rank);
  }

  std::optional<ListSchedule> answer() {
    std::vector<std::vector<Operation>> lists;
    for (RankState& rank : ranks_) {
      if (std::any_of(rank.missing.begin(), rank.missing.end(), [](int missing) { return missing > 0; }))
        return std::nullopt;
      lists.push_back(std::move(rank.list));
    }
    return ListSchedule{{plan_.micro_batches, true, lanes_of_ranks(plan_, std::move(lists))}, end_};
  }

  using Wake = std::pair<std::int64_t, std::size_t>;

  const Plan& plan_;
  std::span<const StageEstimates> figures_;
  ListRule rule_;
  std::size_t count_;  // micro-batches
  std::vector<ChunkState> chunks_;
  std::vector<RankState> ranks_;
  std::priority_queue<Wake, std::vector<Wake>, std::greater<>> wake_;
  std::int64_t end_ = 0;
};

}  // namespace

std::optional<ListSchedule> list_schedule(const Plan& plan, std::span<const StageEstimates> figures,
                                          const ListRule& rule, std::span<const Bytes> rooms,
                                          const std::stop_token& stop) {
  return Scheduler(plan, figures, rule, rooms).run(stop);
}

}  // namespace pipedeck::schedule
