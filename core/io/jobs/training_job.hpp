// SPDX-License-Identifier: Apache-2.0
// A training job as an engine's arguments or configuration state it, before it is a plan for a cluster.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/import_share.hpp"
#include "core/model/plan.hpp"
#include "core/model/shard.hpp"
#include "core/model/training.hpp"
#include "core/model/transformer_config.hpp"
#include "core/model/transformer_origin.hpp"
#include "core/model/workload.hpp"

namespace pipedeck::io::jobs {

/// A rule of an engine for its own options, broken by a file.
struct BrokenOption {
  std::string name;     ///< "recompute method"
  std::string source;   ///< file of the engine
  std::string message;  ///< "found ..., expected ..."
  bool operator==(const BrokenOption&) const = default;
};

/// A split of blocks over stages in which the ends count as blocks: embedding and head (torchtitan).
struct WeighedEnds {
  int first = 1, last = 1;
  bool operator==(const WeighedEnds&) const = default;
};

/// A number of 0 is one that the file does not state.
struct TrainingJob {
  std::string name;
  std::string engine;                        ///< as of plan::mesh_rules(): "Megatron-LM"
  std::string version;                       ///< of the engine, whose options are read
  std::optional<TransformerConfig> model{};  ///< absent: the file has no shape
  std::string model_name;                    ///< of a model that the file only names
  int devices = 0;                           ///< W
  Shard shard{};
  int pipeline = 1, virtual_stages = 1;            ///< P, v
  ScheduleKind order = ScheduleKind::one_f_one_b;  ///< on ranks with several stages 1F1B is interleaved
  int group = 0;                                   ///< N, consecutive micro-batches of a virtual stage; 0: P
  std::vector<int> blocks{};                       ///< of each of the P v stages; empty: even
  int ends_counted_as_blocks = 0;                  ///< 0 to 2: embedding, loss
  std::optional<WeighedEnds> ends{};               ///< by which `blocks` follow from the model's
  Sharding sharding{};                             ///< `group` follows from `copies`
  int copies = 1;                                  ///< R, of sharded states
  int sequence = 0, micro_batch = 0, micro_batches = 0, global_batch = 0;
  AttentionMemory attention = AttentionMemory::fused;
  Recompute recompute{};
  Optimizer optimizer = Optimizer::adam;
  Precision precision = Precision::mixed_18;
  StepChoices choices{};
  ImportShare share{};
  std::vector<BrokenOption> broken{};
  bool operator==(const TrainingJob&) const = default;
};

/// Returns what was assumed and left out, a clause each, and last the share of the file that was understood.
std::vector<std::string> notes_of(const TrainingJob& job);

}  // namespace pipedeck::io::jobs
