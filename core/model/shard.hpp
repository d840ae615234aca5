// SPDX-License-Identifier: Apache-2.0
// The degrees of parallelism inside a stage, and the sharding of its model states (parallelism.md).
// Letters: T tensor, C context, D data, e expert and x expert-tensor degree; D_e copies of each expert.
#pragma once

#include <optional>
#include <string_view>

namespace pipedeck {

/// An exchange by which context-parallel ranks, each with a part of every sample's tokens, compute attention.
enum class ContextKind {
  ring,        ///< keys and values pass from rank to rank (Liu et al., arXiv 2310.01889)
  gather,      ///< keys and values are all-gathered (Llama 3, arXiv 2407.21783, section 3.3.2)
  heads,       ///< all-to-all from tokens to heads and back (Ulysses, arXiv 2309.14509)
  heads_ring,  ///< heads inside groups of `context_heads` ranks, a ring across them
};

std::string_view name_of(ContextKind);  // "heads+ring"
std::optional<ContextKind> parse_context_kind(std::string_view);

/// A division of a stage's layers over its devices. Ranks are in the order tensor, context, data. The defaults are
/// data parallelism alone.
struct Shard {
  int tensor = 1;         ///< T: columns, rows and heads of products, vocabulary
  bool sequence = false;  ///< tensor-parallel ranks also share the tokens of norms, dropouts and residuals
  int context = 1;        ///< C: tokens of every sample
  ContextKind context_kind = ContextKind::ring;
  int context_heads = 1;  ///< with heads_ring: consecutive context ranks that exchange heads; divides `context`
  int expert = 1;         ///< e: experts of a layer
  int expert_tensor = 1;  ///< x: columns and rows of each expert
  bool operator==(const Shard&) const = default;

  /// Returns true if norms, dropouts and residuals are divided: without several tensor-parallel ranks there is no need.
  bool divides_tokens() const { return sequence && tensor > 1; }
  /// Returns the devices that compute the same samples.
  int replica_devices() const { return tensor * context; }
  /// Returns the context ranks that exchange heads, C1 of C = C1 C2.
  int heads_ranks() const {
    return context_kind == ContextKind::heads ? context : context_kind == ContextKind::heads_ring ? context_heads : 1;
  }
  /// Returns the context ranks that pass keys and values on or gather them, C2.
  int sequence_ranks() const { return context / heads_ranks(); }
};

/// A time at which a rank frees the weights that it gathered (sharding level 3).
enum class Reshard {
  after_forward,   ///< and gathers them again for the backward
  after_backward,  ///< of each micro-batch
  after_step,      ///< gradients stay whole until then, too
};
std::string_view name_of(Reshard);  // "after-forward"
std::optional<Reshard> parse_reshard(std::string_view);

/// A treatment of the copies of sharded states, where the sharding group is smaller than the data and context ranks.
enum class CopySync {
  each_step,         ///< gradients' shards are all-reduced after the last micro-batch
  each_micro_batch,  ///< after every one
  shard_optimizer,   ///< the optimizer's states are sharded over all ranks: reduce-scatter, then all-gather
};

std::string_view name_of(CopySync);  // "each-step"
std::optional<CopySync> parse_copy_sync(std::string_view);

/// A sharding of model states over the ranks that hold the same weights (ZeRO, arXiv 1910.02054). The default shards
/// nothing.
struct Sharding {
  int level = 0;  ///< 1: optimizer states, 2: and gradients, 3: and weights
  int group = 0;  ///< G: ranks that share one set of states, of the D C data and context ranks; 0: all of them
  Reshard reshard = Reshard::after_forward;
  CopySync copies = CopySync::each_step;
  bool operator==(const Sharding&) const = default;
};

enum class CollectiveKind { all_gather, reduce_scatter, all_reduce, all_to_all, ring_exchange };

std::string_view name_of(CollectiveKind);  // "all-gather"

/// Returns the bytes that each of `ranks` ranks sends, and receives. `bytes` is the size of the whole tensor;
/// all_to_all: of one rank's part; ring_exchange: of the block that each rank passes on to all others in turn.
constexpr double bytes_sent(CollectiveKind kind, int ranks, double bytes) {
  const double others = ranks - 1;
  switch (kind) {
    case CollectiveKind::all_reduce:
      return 2 * others / ranks * bytes;
    case CollectiveKind::ring_exchange:
      return others * bytes;
    default:
      return others / ranks * bytes;
  }
}

}  // namespace pipedeck
