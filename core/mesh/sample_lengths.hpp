// SPDX-License-Identifier: Apache-2.0
// Attention's work over samples of several lengths that are packed into sequences (parallelism.md, "Packed samples").
#pragma once

#include <span>

#include "core/base/result.hpp"
#include "core/mesh/question.hpp"

namespace pipedeck::mesh {

/// The work of attention in a packed sequence: pairs of tokens of the same sample.
struct PackedWork {
  double share = 1;      ///< mean, of the pairs of one sample as long as the sequence
  double deviation = 0;  ///< standard deviation over the mean
};

/// Returns the work in sequences of `sequence` tokens that are filled with whole samples in random order. With a
/// window, tokens see that many before them. The deviation is that of a renewal process with rewards: exact as
/// sequences have many samples, and 0 for samples of one length. bad_input for a sample that is longer than the
/// sequence.
Result<PackedWork> packed_work(std::span<const LengthShare> lengths, int sequence, int window = 0);
/// Returns the work of the question's samples; stored attention weights are computed for all pairs.
Result<PackedWork> packed_work(const Question& question);

/// Returns the mean of the largest of `count` independent standard normal values, to 1e-6.
double expected_maximum(int count);

/// Returns the time for which the mean data rank waits for the slowest in a step, over the time of attention in one
/// micro-batch of one rank. Ranks wait once a step; with sharded gradients or experts in each micro-batch.
double waiting_of(const Question& question, const PackedWork& work);

}  // namespace pipedeck::mesh
