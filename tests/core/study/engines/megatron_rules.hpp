// SPDX-License-Identifier: Apache-2.0
// Megatron-LM's interpretation of arguments, by its own rules without our code: megatron/training/arguments.py
// (validate_args, at commit 000c4ac), megatron/core/transformer/pipeline_parallel_layer_layout.py (00caa53),
// get_num_layers_to_build of transformer_block.py, transformer_config.py, num_microbatches_calculator.py.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace pipedeck::test {

/// A pipeline process: its blocks, and the parts before and after them.
struct MegatronPart {
  int blocks = 0;
  bool embedding = false, loss = false;
  bool operator==(const MegatronPart&) const = default;
};

struct MegatronRun {
  std::string broken;               ///< the assertion that fails; empty: none
  std::vector<MegatronPart> parts;  ///< in the model's order: the first chunk of every rank, then the second
  int ranks = 0;                    ///< of the pipeline
  int replicas = 0;
  int micro_batches = 0;
};

/// `--name value`, the value empty for flags.
using MegatronArguments = std::map<std::string, std::string>;

/// `connections`: the environment's CUDA_DEVICE_MAX_CONNECTIONS.
MegatronRun megatron_run(const MegatronArguments& arguments, int processes, const std::string& connections);

}  // namespace pipedeck::test
