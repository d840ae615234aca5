// SPDX-License-Identifier: Apache-2.0
// The sizes of a model, a sequence or a batch that "the largest that fits" goes through.
#pragma once

#include "core/study/capacity/largest.hpp"
#include "core/study/capacity/question.hpp"
#include "core/study/capacity/resized.hpp"

namespace pipedeck::study::capacity {

/// Sizes that are looked at: every `step` up to `most`. 0: layers by 1, hidden by hidden_step(), sequences by 128,
/// batches by the micro-batch that is fixed or the smallest measured, up to 1024 of them.
/// A micro-batch takes what divides the global batch and is not smaller than what was measured, whatever the step.
struct SizeSteps {
  std::int64_t step = 0, most = 0;
};

/// bad_usage where the question has no such size (a measured profile has no hidden size), or `step` is none it can go
/// by.
Result<SizeCandidates> size_candidates(const Request& question, const CapacityPoint& point, SizeKind kind,
                                       const SizeSteps& steps, const whatif::DeviceCatalogue& catalogue);

}  // namespace pipedeck::study::capacity
