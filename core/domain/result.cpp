// SPDX-License-Identifier: Apache-2.0
#include "core/domain/result.hpp"

namespace pipedeck {

std::string Error::text() const {
  std::string out;
  for (const std::string* part : {&file, &place})
    if (!part->empty()) out += *part + ": ";
  return out + message;
}

int exit_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_usage:
    case ErrorCode::bad_input:
      return 2;
    case ErrorCode::infeasible:
      return 3;
    case ErrorCode::run_failed:
      return 4;
    case ErrorCode::cancelled:
      return 130;
    case ErrorCode::io:
    case ErrorCode::internal:
      return 1;
  }
  return 1;
}

}  // namespace pipedeck
