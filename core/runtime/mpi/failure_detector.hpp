// SPDX-License-Identifier: Apache-2.0
// A failure detector for the other processes. A process on this machine is checked by its process number. A process
// elsewhere is lost when it was silent for too long. Not thread-safe.
#pragma once

#include <optional>
#include <vector>

#include "core/runtime/mpi/heartbeat.hpp"

namespace pipedeck::runtime::mpi {

class FailureDetector {
 public:
  using Time = tensor::RunClock::time_point;
  FailureDetector(int rank, int size, Time now);

  void introduce(int peer, ProcessIdentity identity);
  void record_message(int peer, Time now) { peers_[index(peer)].heard = now; }
  /// Stops watching the process.
  void dismiss(int peer) { peers_[index(peer)].watched = false; }
  bool dismissed(int peer) const { return !peers_[index(peer)].watched; }
  const ProcessIdentity& identity(int peer) const { return peers_[index(peer)].identity; }

  struct Loss {
    int peer = 0;
    bool ended = false;  ///< the process no longer exists; otherwise it is silent
    tensor::RunClock::duration silent{};
  };
  /// Returns the first process that has ended or was silent for longer than `longest`. It must be called often: after a
  /// long gap this process itself was suspended, and no other process is blamed for the silence.
  std::optional<Loss> check(Time now, tensor::RunClock::duration longest);
  /// Returns the process with the longest silence, if that is `least` or more.
  std::optional<Loss> longest_silent_peer(Time now, tensor::RunClock::duration least) const;

 private:
  struct Peer {
    ProcessIdentity identity;
    Time heard;
    bool watched = true;
  };
  static std::size_t index(int peer) { return static_cast<std::size_t>(peer); }
  bool ended(const Peer& peer) const;

  int rank_;
  Time looked_;
  std::vector<Peer> peers_;
};

}  // namespace pipedeck::runtime::mpi
