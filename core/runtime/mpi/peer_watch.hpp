// SPDX-License-Identifier: Apache-2.0
// Which of the other processes still lives: one on this machine is looked up by its number, one elsewhere is lost when
// nothing was heard of it for too long. Not safe to use from several threads.
#pragma once

#include <optional>
#include <vector>

#include "core/runtime/mpi/beat.hpp"

namespace pipedeck {

class PeerWatch {
 public:
  using Time = RunClock::time_point;
  PeerWatch(int rank, int size, Time now);

  void introduce(int peer, ProcessIdentity identity);
  void heard(int peer, Time now) { peers_[index(peer)].heard = now; }
  /// It is no longer looked at.
  void dismiss(int peer) { peers_[index(peer)].watched = false; }
  bool dismissed(int peer) const { return !peers_[index(peer)].watched; }
  const ProcessIdentity& identity(int peer) const { return peers_[index(peer)].identity; }

  struct Loss {
    int peer = 0;
    bool ended = false;  ///< there is no such process any more; else it is silent
    RunClock::duration silent{};
  };
  /// The first process that is gone, or was silent for longer than `longest`. Called often: where it was not (this very
  /// process was stopped), nobody else is to blame for the silence.
  std::optional<Loss> look(Time now, RunClock::duration longest);
  /// Who was silent the longest, where that is `least` or more.
  std::optional<Loss> most_silent(Time now, RunClock::duration least) const;

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

}  // namespace pipedeck
