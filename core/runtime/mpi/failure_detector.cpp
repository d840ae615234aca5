// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/mpi/failure_detector.hpp"

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace pipedeck::runtime::mpi {

FailureDetector::FailureDetector(int rank, int size, Time now)
    : rank_(rank), looked_(now), peers_(static_cast<std::size_t>(size), Peer{{}, now, true}) {}

void FailureDetector::introduce(int peer, ProcessIdentity identity) {
  peers_[index(peer)].identity = std::move(identity);
}

bool FailureDetector::ended(const Peer& peer) const {
  const bool seen_from_here = peer.identity.pid > 0 && peer.identity.machine == identity(rank_).machine;
  return seen_from_here && kill(peer.identity.pid, 0) != 0 && errno == ESRCH;
}

std::optional<FailureDetector::Loss> FailureDetector::check(Time now, tensor::RunClock::duration longest) {
  const bool was_away = now - looked_ > longest / 2;
  looked_ = now;
  if (was_away)
    for (Peer& peer : peers_) peer.heard = std::max(peer.heard, now - longest / 2);
  for (int i = 0; i < static_cast<int>(peers_.size()); ++i) {
    const Peer& peer = peers_[index(i)];
    if (i == rank_ || !peer.watched) continue;
    const tensor::RunClock::duration silent = now - peer.heard;
    if (ended(peer)) return Loss{i, true, silent};
    if (silent > longest) return Loss{i, false, silent};
  }
  return std::nullopt;
}

std::optional<FailureDetector::Loss> FailureDetector::longest_silent_peer(Time now,
                                                                          tensor::RunClock::duration least) const {
  std::optional<Loss> most;
  for (int i = 0; i < static_cast<int>(peers_.size()); ++i) {
    const Peer& peer = peers_[index(i)];
    const tensor::RunClock::duration silent = now - peer.heard;
    if (i != rank_ && peer.watched && silent >= std::max(least, most ? most->silent : least))
      most = Loss{i, false, silent};
  }
  return most;
}

}  // namespace pipedeck::runtime::mpi
