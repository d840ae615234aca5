// SPDX-License-Identifier: Apache-2.0
// The rules for degrees of parallelism: those that every plan keeps, and those of single engines, each with its source
// (parallelism.md, "Rules").
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/schedule_kind.hpp"
#include "core/model/shard.hpp"
#include "core/model/transformer_config.hpp"

namespace pipedeck::plan {

/// A training run's degrees and sizes, as far as rules ask for them.
struct MeshQuestion {
  const TransformerConfig* model = nullptr;  ///< null: its rules are not checked
  Shard shard;                               ///< of every stage
  Sharding sharding;
  int devices = 1;                                    ///< W, of all pipeline ranks
  int pipeline = 1;                                   ///< P, ranks
  int virtual_stages = 1;                             ///< v, stages on each rank
  ScheduleKind schedule = ScheduleKind::one_f_one_b;  ///< on ranks with several stages 1F1B is interleaved
  int group = 0;                                      ///< N, consecutive micro-batches of a virtual stage; 0: P
  int sequence = 0;                                   ///< s, tokens per sample; 0: unknown
  int micro_batch = 1;                                ///< b, samples on each data rank
  int micro_batches = 1;                              ///< M
  int global_batch = 0;                               ///< 0: b D M
  bool even_blocks = true;                            ///< every stage has as many blocks; false: a layout is given
  int ends_counted_as_blocks = 0;  ///< 0 to 2: embedding and loss (`--account-for-*-in-pipeline-split`)
  bool hides_reductions = false;   ///< of gradients, behind the backward
  bool hides_gathers = false;      ///< of weights, behind the forward
  bool hides_tensor = false;       ///< tensor-parallel communication behind products
  bool hides_pipeline = true;      ///< sends between stages, behind passes
};

/// A rule. `engine` is empty where every plan has to keep it.
struct MeshRule {
  std::string_view engine;  ///< "Megatron-LM"
  std::string_view name;    ///< "experts"
  std::string_view source;  ///< file and line of the engine, or a paper
  /// Returns the numbers found and expected; nothing if the rule is kept.
  std::optional<std::string> (*broken)(const MeshQuestion&);
};
std::span<const MeshRule> mesh_rules();

/// Returns the rules with this engine's name that the question breaks, a sentence each: "found ..., expected ...
/// (Megatron-LM: moe_layer.py:186)". Without a name: those of every plan.
std::vector<std::string> broken_rules(const MeshQuestion& question, std::string_view engine = {});

/// Returns bad_input with the first rule broken that every plan has to keep.
Result<void> check_mesh(const MeshQuestion& question);

/// Returns the vocabulary that engines pad to a multiple of `multiple` T (Megatron-LM: make-vocab-size-divisible-by,
/// 128). 0: not padded.
std::int64_t padded_vocabulary(std::int64_t vocabulary, int tensor, int multiple);
/// Returns 128, or 0 if each of T ranks has whole vectors of 8 words without padding.
int usual_vocabulary_multiple(std::int64_t vocabulary, int tensor);

}  // namespace pipedeck::plan
