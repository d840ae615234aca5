// SPDX-License-Identifier: Apache-2.0
// parallelism.md, section 2: tensor and sequence parallelism (Megatron-LM, arXiv 1909.08053; 2205.05198, section 4.2).
#include <utility>

#include "core/analytic/transformer/shards/collectives.hpp"

namespace pipedeck::analytic::transformer::shards {
namespace {

class TensorCollectives {
 public:
  TensorCollectives(const TransformerConfig& config, const ShardOptions& options, const ShardSizes& sizes)
      : config_(config),
        options_(options),
        ranks_(options.shard.tensor),
        by_tokens_(options.shard.divides_tokens()),
        pass_(sizes.element * sizes.tokens),
        tokens_(sizes.tokens) {}

  std::vector<LayerCollective> of(const times::LayerCount& layer) {
    if (ranks_ == 1) return {};
    if (layer.kind == "embedding") embedding();
    if (layer.kind == "softmax_cross_entropy") loss();
    for (const times::GemmCount& product : layer.gemms) {
      if (product.name == "scores") before_attention();
      if (!product.weights || times::is_routed(product.part)) continue;
      if (product.cut == times::Cut::columns) before(product);
      if (product.cut == times::Cut::rows) behind(product);
    }
    return std::move(found_);
  }

 private:
  void add(Pass pass, CollectiveKind kind, std::string name, double whole, times::Part part,
           Behind hidden = Behind::nothing, std::string product = {}) {
    found_.push_back({std::move(name), plan::GroupFamily::tensor, kind, pass, ranks_,
                      pipedeck::bytes_sent(kind, ranks_, whole), 0, hidden, std::move(product), part});
  }

  /// Adds what the input of a product cut by columns takes: with sequence parallelism it is gathered, and gathered
  /// again for the weight gradient (2205.05198, section 4.2.2; Megatron-LM, layers.py:637-790).
  void before(const times::GemmCount& product) {
    const std::string name = "input of " + product.name;
    const double whole = pass_ * product.k;  // w n h; behind a latent attention's narrow vectors w n r
    if (!by_tokens_) {
      add(Pass::backward, CollectiveKind::all_reduce, "gradient of the " + name, whole, product.part,
          Behind::weight_gradient, product.name);
      return;
    }
    add(Pass::forward, CollectiveKind::all_gather, name, whole, product.part, Behind::nothing, product.name);
    if (!options_.keeps_gathered)
      add(Pass::backward, CollectiveKind::all_gather, name + ", again", whole, product.part, Behind::input_gradient,
          product.name);
    add(Pass::backward, CollectiveKind::reduce_scatter, "gradient of the " + name, whole, product.part,
        Behind::weight_gradient, product.name);
  }

  /// Adds the sum of the output of a product cut by rows. Its gradient is gathered, exposed.
  void behind(const times::GemmCount& product) {
    const std::string name = "output of " + product.name;
    const double whole = pass_ * product.n;
    add(Pass::forward, by_tokens_ ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce, name, whole,
        product.part, Behind::nothing, product.name);
    if (by_tokens_)
      add(Pass::backward, CollectiveKind::all_gather, "gradient of the " + name, whole, product.part, Behind::nothing,
          product.name);
  }

  /// Adds what queries, keys and values take beyond the products that make them.
  void before_attention() {
    if (config_.latent) {  // all heads share the rotary part of the keys, made of each rank's own tokens
      const double whole = pass_ * config_.latent->rotary_width;
      if (by_tokens_) add(Pass::forward, CollectiveKind::all_gather, "rotary keys", whole, times::Part::rest);
      add(Pass::backward, by_tokens_ ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce,
          "gradient of rotary keys", whole, times::Part::rest);
      return;
    }
    if (ranks_ <= config_.key_value_heads) return;
    // T > g: columns of keys and values are cut inside a head, so all of them are gathered (attention.py:1851).
    const double whole = pass_ * (config_.heads + 2.0 * config_.key_value_heads) * config_.head_width;
    add(Pass::forward, CollectiveKind::all_gather, "queries, keys, values", whole, times::Part::rest);
    add(Pass::backward, CollectiveKind::reduce_scatter, "gradient of queries, keys, values", whole, times::Part::rest);
  }

  void embedding() {
    const double whole = pass_ * config_.hidden;
    add(Pass::forward, by_tokens_ ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce, "embedded words",
        whole, times::Part::rest);
    if (by_tokens_)
      add(Pass::backward, CollectiveKind::all_gather, "gradient of embedded words", whole, times::Part::rest);
  }

  /// Adds the maximum, the target's score and the sum of exponentials of each token, in fp32 (cross_entropy.py). A
  /// fused loss sends the last two together.
  void loss() {
    add(Pass::forward, CollectiveKind::all_reduce, "largest scores", 4 * tokens_, times::Part::rest);
    if (options_.fused_loss) {
      add(Pass::forward, CollectiveKind::all_reduce, "targets' scores and sums", 8 * tokens_, times::Part::rest);
      return;
    }
    add(Pass::forward, CollectiveKind::all_reduce, "targets' scores", 4 * tokens_, times::Part::rest);
    add(Pass::forward, CollectiveKind::all_reduce, "sums", 4 * tokens_, times::Part::rest);
  }

  const TransformerConfig& config_;
  const ShardOptions& options_;
  int ranks_;
  bool by_tokens_;
  double pass_, tokens_;
  std::vector<LayerCollective> found_;
};

}  // namespace

std::vector<LayerCollective> tensor_collectives(const TransformerConfig& config, const times::LayerCount& layer,
                                                const ShardOptions& options, const ShardSizes& sizes) {
  return TensorCollectives(config, options, sizes).of(layer);
}

}  // namespace pipedeck::analytic::transformer::shards
