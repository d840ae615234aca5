// SPDX-License-Identifier: Apache-2.0
// What is said of each tensor before NCCL carries it: NCCL has no tags, so that both ends have to know the order. Notes
// go through the transport of the host, between threads or processes.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "core/runtime/transport/transport.hpp"

namespace pipedeck::cuda {

struct NcclNote {
  MessageKey key;
  int samples = 0;
  std::int64_t width = 0;
};

/// One end of a path's notes, which come in the order in which they were told. Used by one thread.
class NcclNotes {
 public:
  /// `hosts` outlives it.
  NcclNotes(Transport& hosts, std::size_t from, std::size_t to) : hosts_(hosts), from_(from), to_(to) {}

  void tell(const NcclNote& note);
  /// The next one; empty where none has come within `patience`.
  std::optional<NcclNote> take(std::chrono::milliseconds patience);

 private:
  MessageKey next_key() const { return {false, StageId(0), counted_}; }

  Transport& hosts_;
  std::size_t from_, to_;
  int counted_ = 0;
  std::shared_ptr<DeviceMemory> memory_ = std::make_shared<DeviceMemory>();
};

}  // namespace pipedeck::cuda
