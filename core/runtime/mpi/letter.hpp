// SPDX-License-Identifier: Apache-2.0
// What goes from process to process: a header, and behind it on another channel its body, if it has one. The header
// says all there is to know of the body, so that no tag has to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace pipedeck {

enum class LetterKind : std::uint32_t {
  tensor,     ///< to a worker's mailbox; body: samples x width floats
  piece,      ///< of a collective, to a worker; body: floats
  text,       ///< from process to process; body: bytes
  beat,       ///< a process is alive; body: what its workers do
  failed,     ///< the run has failed; body: the error
  stop,       ///< somebody asks the first process to stop
  dropped,    ///< the first process has dropped the step
  commit,     ///< may weights change from now on? `number` is a commit_...
  clock,      ///< `number` 0: which time is it there? 1: `sent` says so
  admission,  ///< of an asynchronous run; `samples`: an AdmissionNote::What, `number`: its count
  parting,    ///< the sender needs nobody any more
};

inline constexpr std::uint64_t commit_unanswered = 0, commit_granted = 1, commit_refused = 2;

struct Header {
  LetterKind kind = LetterKind::text;
  std::int32_t from = 0, to = 0;  ///< workers; processes where a kind is between processes
  std::int32_t samples = 0;
  std::int64_t width = 0;
  std::uint64_t channel = 0;  ///< of a collective: its group
  std::uint64_t number = 0;   ///< which of all letters with the same fields above
  std::int64_t sent = 0;      ///< ns of the sender's clock
  std::uint64_t bytes = 0;    ///< of the body
};
static_assert(std::is_trivially_copyable_v<Header>);

}  // namespace pipedeck
