// SPDX-License-Identifier: Apache-2.0
// The configuration of each block of a transformer.
#pragma once

#include <vector>

#include "core/model/transformer_config.hpp"

namespace pipedeck::analytic::transformer {

/// The configurations of a model's single blocks: without lists, with the sizes of their kind, and without experts
/// where the block has none.
class BlockConfigs {
 public:
  explicit BlockConfigs(const TransformerConfig& model);
  /// `block` counts those of the encoder, or of the model if it has no decoder; others have the model's own sizes.
  const TransformerConfig& of(int block) const;

 private:
  std::vector<TransformerConfig> configs_;  ///< two for each kind: without experts, and with
  std::vector<int> index_;                  ///< in these, by block; the last one is of all others
};

}  // namespace pipedeck::analytic::transformer
