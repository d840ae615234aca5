// SPDX-License-Identifier: Apache-2.0
// What is said of each tensor before NCCL carries it: NCCL has no tags, so that both ends have to know the order.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "core/runtime/cuda/library.hpp"
#include "core/runtime/transport/transport.hpp"

namespace pipedeck::cuda {

struct NcclNote {
  MessageKey key;
  int samples = 0;
  std::int64_t width = 0;
  ncclUniqueId id{};  ///< of the channel's communicator
};

/// Notes come in the order in which they were told, channel by channel. Safe to use from several threads.
class NcclNotes {
 public:
  virtual ~NcclNotes() = default;
  virtual void tell(std::size_t from, std::size_t to, const NcclNote& note) = 0;
  /// The next one; empty where none has come within `patience`.
  virtual std::optional<NcclNote> take(std::size_t from, std::size_t to, std::chrono::milliseconds patience) = 0;
};

/// Between threads of one process.
class NotesOfThreads final : public NcclNotes {
 public:
  void tell(std::size_t from, std::size_t to, const NcclNote& note) override {
    {
      const std::lock_guard lock(mutex_);
      told_[{from, to}].push_back(note);
    }
    changed_.notify_all();
  }
  std::optional<NcclNote> take(std::size_t from, std::size_t to, std::chrono::milliseconds patience) override {
    std::unique_lock lock(mutex_);
    auto& notes = told_[{from, to}];
    if (!changed_.wait_for(lock, patience, [&] { return !notes.empty(); })) return std::nullopt;
    const NcclNote note = notes.front();
    notes.pop_front();
    return note;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<std::size_t, std::size_t>, std::deque<NcclNote>> told_;
};

}  // namespace pipedeck::cuda
