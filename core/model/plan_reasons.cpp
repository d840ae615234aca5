// SPDX-License-Identifier: Apache-2.0
#include "core/model/plan_reasons.hpp"

#include <fmt/format.h>

namespace pipedeck {

std::string text_of(const FittingChange& change) {
  switch (change.kind) {
    case FittingKind::recompute:
      return "recompute all stages";
    case FittingKind::zero:
      return fmt::format("ZeRO {}", change.value);
    case FittingKind::tensor_parallel:
      return fmt::format("tensor parallelism {}", change.value);
    case FittingKind::micro_batch:
      return fmt::format("micro-batch {}", change.value);
  }
  return {};
}

}  // namespace pipedeck
