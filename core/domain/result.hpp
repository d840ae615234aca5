// SPDX-License-Identifier: Apache-2.0
// Errors are values. Bad input, an impossible plan and a failed run come back through Result<T>; only a broken
// invariant (ensure) throws, and whoever started the job turns that into an internal error of this job alone.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace pipedeck {

enum class ErrorCode {
  bad_usage,   ///< a wrong option or call (exit 2)
  bad_input,   ///< a file or value that breaks its contract (exit 2)
  infeasible,  ///< no plan fits (exit 3)
  run_failed,  ///< the runtime gave up (exit 4)
  cancelled,   ///< stopped on request (exit 130)
  io,          ///< the file system or a child process failed (exit 1)
  internal,    ///< a broken invariant, reported (exit 1)
};

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;  ///< what was found and what is expected, without the place
  std::string file;     ///< path as the user gave it; empty when there is no file
  std::string place;    ///< JSON pointer ("/layers/3/forward_ms") or "line 12"; empty when the whole file is meant

  bool operator==(const Error&) const = default;
  /// "file: place: message", leaving out what is empty.
  std::string text() const;
};

/// The exit status of the command line for an error of this code (formats.md, "Command line").
int exit_status(ErrorCode code);

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string message, std::string place = {}, std::string file = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(file), std::move(place)});
}

/// Thrown by ensure(); caught where a job was started, never inside core.
struct BrokenInvariant : std::logic_error {
  using std::logic_error::logic_error;
};

/// A check that stays in every build. `what` says which rule of the program (not of its input) is broken.
inline void ensure(bool holds, std::string_view what) {
  if (!holds) throw BrokenInvariant(std::string(what));
}

}  // namespace pipedeck
