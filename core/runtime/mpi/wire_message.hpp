// SPDX-License-Identifier: Apache-2.0
// Messages between processes: a header, followed on another channel by its body, if it has one. The header describes
// the body completely, so that no MPI tags are needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace pipedeck::runtime::mpi {

enum class WireMessageKind : std::uint32_t {
  tensor,        ///< to a worker's mailbox; body: samples x width floats
  chunk,         ///< chunk of a collective, to a worker; body: floats
  text,          ///< from process to process; body: bytes
  heartbeat,     ///< heartbeat; body: activity of the sender's workers
  failed,        ///< the run has failed; body: the error
  stop,          ///< a process asks the first process to stop
  step_dropped,  ///< the first process has dropped the step
  commit,        ///< may weights change from now on? `number` is a commit_...
  clock,         ///< `number` 0: requests the time; 1: `sent` is the time
  admission,     ///< in an asynchronous run; `samples`: an AdmissionMessage::Type, `number`: its count
  disconnect,    ///< the sender disconnects
};

inline constexpr std::uint64_t commit_unanswered = 0, commit_granted = 1, commit_refused = 2;

struct WireHeader {
  WireMessageKind kind = WireMessageKind::text;
  std::int32_t from = 0, to = 0;  ///< workers, or processes if the kind is between processes
  std::int32_t samples = 0;
  std::int64_t width = 0;
  std::uint64_t channel = 0;  ///< group of a collective
  std::uint64_t number = 0;   ///< sequence number among the messages with equal fields above
  std::int64_t sent = 0;      ///< in ns of the sender's clock
  std::uint64_t bytes = 0;    ///< length of the body
};
static_assert(std::is_trivially_copyable_v<WireHeader>);

}  // namespace pipedeck::runtime::mpi
