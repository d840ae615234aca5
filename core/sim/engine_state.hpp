// SPDX-License-Identifier: Apache-2.0
// What the engine knows of everything that moves at one moment; for engine.cpp alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/domain/schedule.hpp"
#include "core/sim/plan_costs.hpp"

namespace pipedeck::engine {

constexpr std::int64_t no_gradient = -1;

struct Event {
  std::int64_t time = 0;
  int who = 0;  // lane, lanes + resource, or lanes + resources + a stage whose all-reduce is due
  bool operator>(const Event& other) const { return time != other.time ? time > other.time : who > other.who; }
};

struct Waiting {
  std::int64_t ready = 0;
  int channel = 0, micro_batch = 0;
};

/// One replica of a rank of the pipeline on its way through its list.
struct Lane {
  const LaneOrder* order = nullptr;
  int next = 0, count = 0;
  bool running = false;
  bool asleep = false;         // `running` until its begin
  bool joined = false;         // what runs is two operations, `first` and `operation`
  Operation first, operation;  // that run, or ran last
  std::int64_t free = 0;       // end of its last operation
  std::vector<int> worker_of;  // by stage and copy, from the lane's first stage on; -1: not here
  int first_stage = 0;
};

/// One replica of a chunk.
struct Worker {
  const WorkerCosts* costs = nullptr;
  int stage = 0;
  int stride = 1;  // micro-batches between two of its own
  std::size_t first_slot = 0;
  std::int64_t last_start = no_gradient, last_duration = 0;  // of the last gradient operation
  OpKind last_kind = OpKind::backward;
  int backwards = 0, updates = 0;  // asynchronous: gradient rounds done here in full, and applied here
};

struct Line {  // of a resource
  bool busy = false;
  Waiting current;
  std::vector<Waiting> queue;
  std::size_t head = 0;
  std::size_t fresh = 0;  // of the queue, those that became ready at this instant
};

/// Rounds of gradients of an asynchronous stage, an update each; a synchronous one has a single round.
struct Rounds {
  int size = 1;                    // micro-batches of a round: one a replica, or a global batch
  std::vector<int> missing;        // micro-batches that the round still waits for
  std::vector<std::int64_t> done;  // end of the round's all-reduce; -1: not known
  std::int64_t free = 0;
};

/// All-reduces of a stage in the `shared` network, one at a time.
struct Reducing {
  int gradients_left = 0;  // operations of its workers
  std::size_t next = 0;    // of its all-reduces, or of its rounds
  bool running = false;
  std::int64_t start = 0;           // of the running one
  std::vector<std::int64_t> ready;  // of each, when it may start
};

}  // namespace pipedeck::engine
