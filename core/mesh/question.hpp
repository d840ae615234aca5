// SPDX-License-Identifier: Apache-2.0
// A training step in several dimensions of parallelism, with equal degrees on every pipeline rank (parallelism.md).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/analytic/transformer/shards/layer_shard.hpp"
#include "core/cost/data_traffic.hpp"
#include "core/cost/pass_walk.hpp"
#include "core/cost/state_bytes.hpp"
#include "core/model/cluster.hpp"
#include "core/model/shard.hpp"
#include "core/model/transformer_config.hpp"

namespace pipedeck::mesh {

/// A way of computing the loss from the last block's output (parallelism.md, "Ends").
enum class LossKind {
  plain,     ///< logits in 16 bits and, for the loss, in fp32 (Megatron-LM)
  fused,     ///< the loss reads 16-bit logits: only they and their gradients are held
  in_place,  ///< gradients take the place of 16-bit logits (TransformerEngine)
  chunked,   ///< a part of the tokens at a time
  separate,  ///< logits, log-softmax and both gradients as tensors of their own (PyTorch's cross_entropy)
};

/// A set of kernels that CUDA graphs launch; the host launches the others one by one.
enum class Graphs {
  none,
  dense,  ///< layers without routed experts, whose sizes are known (TransformerEngine)
  all,    ///< a whole step
};

/// A set of communication that engines hide behind compute.
struct Hidden {
  bool gradients = true;  ///< their reduction, behind the last backward
  bool weights = true;    ///< their gathers: behind the next forwards, or one unit ahead (level 3)
  bool tensor = false;    ///< in pieces, behind products (tp-comm-overlap, async TP)
  bool expert = false;    ///< all-to-all of one micro-batch, behind another's passes
  bool pipeline = true;   ///< sends between stages, behind passes
  bool operator==(const Hidden&) const = default;
};

/// A selection of trained weights.
struct Adapters {
  int rank = 0;  ///< of low-rank adapters next to frozen weights (LoRA, arXiv 2106.09685); 0: all weights are trained
  bool operator==(const Adapters&) const = default;
};

/// A set of choices of engine and run in addition to degrees.
struct Training {
  std::string products = "bf16";  ///< precision of large products: bf16, fp16, fp8, mxfp8, nvfp4
  std::string attention{};        ///< its kernels, if not the best of the device type: "flash-2" (arXiv 2307.08691)
  std::string recipe{};           ///< scaling of fp8: "delayed", "current", "tensorwise", "rowwise", "blockwise"
  cost::StateBytes states{};      ///< per weight
  cost::WireBytes wire{};
  Hidden hidden{};
  Graphs graphs = Graphs::none;
  LossKind loss = LossKind::plain;
  int loss_chunks = 8;                 ///< with LossKind::chunked
  int recomputed_blocks = -1;          ///< of each stage, with Recomputed::blocks; -1: all
  bool recomputes_operations = false;  ///< all but attention and every second product of a block (torchtitan)
  int multi_token_blocks = 0;  ///< that predict further tokens, on the last stage (arXiv 2412.19437, section 2.2)
  Adapters adapters{};
  cost::GatherAhead forward_ahead = cost::GatherAhead::one;  ///< of sharded weights, in the forward
  // Memory alone asks for these.
  bool fused_weight_gradients = true;  ///< products add to the gradients themselves (Megatron-LM)
  bool narrow_weights = false;         ///< weights are held as products use them (fp8-param-gather), without copies
  bool keeps_stage_outputs = false;    ///< until the backward (DeepSpeed), though only the next stage uses them
  int offloaded_blocks = 0;            ///< of each stage: what they keep is on the host (cpu_offloading_num_layers)
  double bucket = 0;                   ///< weights whose gradients are copied to be reduced (DeepSpeed: 5e8)
  double cached = 0;                   ///< share of a pass's bytes that the allocator holds free in addition
};

struct Question {
  TransformerConfig config;
  /// `shard`, `count.micro_batch` b, `count.sequence` s, recomputation and dispatcher. `domains` is set by the cluster.
  analytic::transformer::shards::ShardOptions layer;
  Sharding sharding;
  std::shared_ptr<const Cluster> cluster;  ///< with T C D P devices, in rank order, all of one type
  int data = 1;                            ///< D
  int pipeline = 1, virtual_stages = 1;    ///< P, v
  int micro_batches = 1;                   ///< M
  std::vector<int> blocks{};               ///< of each of the P v stages, in the order of the model; empty: even
  Training training{};

  const Shard& shard() const { return layer.shard; }
  int devices() const { return shard().replica_devices() * data * pipeline; }
  int global_batch() const { return layer.count.micro_batch * data * micro_batches; }
};

}  // namespace pipedeck::mesh
