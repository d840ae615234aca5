// SPDX-License-Identifier: Apache-2.0
#include "core/sim/engine/row_index.hpp"

#include <algorithm>

namespace pipedeck::sim::engine {
namespace {

std::uint64_t key_of(std::size_t what, int micro_batch) {
  return static_cast<std::uint64_t>(what) << 32 | static_cast<std::uint32_t>(micro_batch);
}

bool sends_gradient(OpKind kind) { return kind == OpKind::backward || kind == OpKind::backward_input; }

}  // namespace

RowIndex::RowIndex(const EngineInput& run, const Trace& trace) : run_(run), trace_(trace) {
  add_passes();
  add_transfers();
  activations_.resize(run.costs.workers.size());
  gradients_.resize(run.costs.workers.size());
  for (std::size_t c = 0; c < run.channels.all.size(); ++c)
    for (const int target : run.channels.all[c].targets)
      (run.channels.all[c].gradient ? gradients_ : activations_)[static_cast<std::size_t>(target)].push_back(
          static_cast<int>(c));
}

std::size_t RowIndex::worker_of(std::size_t lane, const Operation& operation) const {
  const std::vector<std::size_t>& workers = run_.costs.lanes[lane].workers;
  if (workers.size() == 1) return workers.front();
  const int copy = run_.schedule.copy_of(operation.micro_batch);
  return *std::find_if(workers.begin(), workers.end(), [&](std::size_t w) {
    return run_.costs.workers[w].stage == operation.stage.value && run_.costs.workers[w].copy == copy;
  });
}

void RowIndex::add_passes() {
  last_gradient_.resize(run_.costs.workers.size());
  for (std::size_t lane = 0; lane < trace_.operations.size(); ++lane) {
    const std::vector<TimelineRow>& rows = trace_.operations[lane];
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const Operation& operation = rows[row].operation;
      const bool gradient = sends_gradient(operation.kind);
      if (!gradient && operation.kind != OpKind::forward && operation.kind != OpKind::backward_weight) continue;
      const std::size_t worker = worker_of(lane, operation);
      if (operation.kind != OpKind::forward) last_gradient_[worker] = row;
      if (operation.kind == OpKind::backward_weight) continue;
      passes_.push_back({key_of(2 * worker + (gradient ? 1 : 0), operation.micro_batch),
                         static_cast<std::uint32_t>(lane), static_cast<std::uint32_t>(row)});
    }
  }
  sort(passes_);
}

void RowIndex::add_transfers() {
  for (std::size_t resource = 0; resource < trace_.transfers.size(); ++resource)
    for (std::size_t row = 0; row < trace_.transfers[resource].size(); ++row) {
      const TransferRow& transfer = trace_.transfers[resource][row];
      transfers_.push_back({key_of(static_cast<std::size_t>(transfer.channel), transfer.micro_batch),
                            static_cast<std::uint32_t>(resource), static_cast<std::uint32_t>(row)});
    }
  sort(transfers_);
}

std::optional<RowPlace> RowIndex::pass(std::size_t worker, bool gradient, int micro_batch) const {
  return find(passes_, key_of(2 * worker + (gradient ? 1 : 0), micro_batch));
}

std::optional<RowPlace> RowIndex::transfer(int channel, int micro_batch) const {
  return find(transfers_, key_of(static_cast<std::size_t>(channel), micro_batch));
}

std::int64_t RowIndex::transfer_end(std::size_t resource, std::size_t row) const {
  const TransferRow& transfer = trace_.transfers[resource][row];
  return transfer.start + transfer.duration;
}

void RowIndex::sort(std::vector<Entry>& entries) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
}

std::optional<RowPlace> RowIndex::find(const std::vector<Entry>& entries, std::uint64_t key) {
  const auto entry =
      std::lower_bound(entries.begin(), entries.end(), key,
                       [](const Entry& candidate, std::uint64_t wanted) { return candidate.key < wanted; });
  if (entry == entries.end() || entry->key != key) return std::nullopt;
  return RowPlace{entry->group, entry->row};
}

}  // namespace pipedeck::sim::engine
