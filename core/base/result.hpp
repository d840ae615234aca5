// SPDX-License-Identifier: Apache-2.0
// Errors are values. Bad input, an infeasible plan and a failed run are returned as Result<T>. Only a broken invariant
// (ensure) throws; the caller that started the job reports it as an internal error of this job alone.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

namespace pipedeck {

enum class ErrorCode {
  bad_usage,   ///< a wrong option or call (exit 2)
  bad_input,   ///< a file or value that breaks its contract (exit 2)
  infeasible,  ///< no plan fits (exit 3)
  run_failed,  ///< the runtime failed (exit 4)
  cancelled,   ///< stopped on request (exit 130)
  io,          ///< the file system or a child process failed (exit 1)
  internal,    ///< a broken invariant, reported (exit 1)
};

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;  ///< value found and value expected, without the place
  std::string file;     ///< path as the user gave it; empty when there is no file
  std::string place;    ///< JSON pointer ("/layers/3/forward_ms") or "line 12"; empty for the whole file

  bool operator==(const Error&) const = default;
  /// Returns "file: place: message" without empty parts.
  std::string text() const;
};

/// Returns the command line's exit status for an error of this code (formats.md, "Command line").
int exit_status(ErrorCode code);

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string message, std::string place = {}, std::string file = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(file), std::move(place)});
}

/// An exception thrown by ensure(). It is caught where a job was started, never inside core.
struct InvariantViolation : std::logic_error {
  using std::logic_error::logic_error;
};

/// Throws InvariantViolation unless `holds`, in every build. `what` names the broken rule of the program (not of its
/// input).
inline void ensure(bool holds, std::string_view what) {
  if (!holds) throw InvariantViolation(std::string(what));
}

}  // namespace pipedeck

#define PIPEDECK_JOINED_(a, b) a##b
#define PIPEDECK_JOINED(a, b) PIPEDECK_JOINED_(a, b)

/// Evaluates a Result. Returns its error from the enclosing function, or initialises the declared variable with its
/// value: TRY(const auto network, Network::of(cluster));
#define TRY(declaration, ...)                                                     \
  auto PIPEDECK_JOINED(result_, __LINE__) = __VA_ARGS__;                          \
  if (!PIPEDECK_JOINED(result_, __LINE__))                                        \
    return tl::unexpected(std::move(PIPEDECK_JOINED(result_, __LINE__)).error()); \
  declaration = *std::move(PIPEDECK_JOINED(result_, __LINE__))

/// Evaluates a Result. Returns its error from the enclosing function, or drops its value.
#define TRY_VOID(...) \
  if (auto result_ = __VA_ARGS__; !result_) return tl::unexpected(std::move(result_).error())
