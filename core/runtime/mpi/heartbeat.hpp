// SPDX-License-Identifier: Apache-2.0
// The heartbeat that a process sends ten times per second, and the identity that it sends once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/runtime/transport/control.hpp"

namespace pipedeck::runtime::mpi {

/// A worker's activity and its duration so far: durations are sent because the clocks of machines differ.
struct WorkerHeartbeat {
  std::size_t worker = 0;
  transport::Activity activity;
  tensor::RunClock::duration lasted{};
};
struct Heartbeat {
  tensor::RunClock::duration since_progress{};  ///< by its own workers
  std::vector<WorkerHeartbeat> workers;
};
std::string encode_heartbeat(const Heartbeat& beat);
Heartbeat beat_of(std::string_view bytes);

struct ProcessIdentity {
  std::string host;
  std::string machine;  ///< equal for processes that can see each other's process numbers: one boot, one PID namespace
  int pid = 0;
  /// "process 4242 on node-b"
  std::string text() const;
};
ProcessIdentity local_identity();
std::string identity_text(const ProcessIdentity& identity);
ProcessIdentity decode_identity(std::string_view bytes);

std::string error_text(const Error& error);
Error error_of(std::string_view bytes);

}  // namespace pipedeck::runtime::mpi
