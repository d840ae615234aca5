// SPDX-License-Identifier: Apache-2.0
// parallelism.md, section 4: tokens on their way to experts and back.
#include <algorithm>
#include <utility>

#include "core/analytic/transformer/shards/collectives.hpp"

namespace pipedeck::analytic::transformer::shards {
namespace {

class ExpertCollectives {
 public:
  ExpertCollectives(const TransformerConfig& config, const ShardOptions& options, const ShardSizes& sizes)
      : options_(options),
        ranks_(options.shard.expert),
        per_token_(config.experts->per_token),
        token_(sizes.own_tokens * config.hidden),
        load_(options.capacity > 0 ? options.capacity : options.imbalance),
        element_(sizes.element),
        dispatched_(options.dispatch_element > 0 ? options.dispatch_element : sizes.element) {}

  std::vector<LayerCollective> all() {
    if (options_.dispatcher == Dispatcher::all_gather) {
      gathered();
      return std::move(found_);
    }
    const int cut = options_.shard.expert_tensor;
    const double rows = load_ * per_token_ * token_ * element_;  // k r h w
    to_experts(Pass::forward, "tokens to experts", dispatched_);
    add(Pass::forward, plan::GroupFamily::expert_tensor, CollectiveKind::all_gather, cut, "tokens of an expert",
        cut * rows);
    add(Pass::forward, plan::GroupFamily::expert_tensor, CollectiveKind::reduce_scatter, cut, "output of an expert",
        cut * rows);
    to_experts(Pass::forward, "tokens from experts", element_);
    // The backward has these four in reverse. Gradients are sent in the activations' type.
    to_experts(Pass::backward, "gradients to experts", element_);
    add(Pass::backward, plan::GroupFamily::expert_tensor, CollectiveKind::all_gather, cut,
        "gradient of an expert's output", cut * rows);
    add(Pass::backward, plan::GroupFamily::expert_tensor, CollectiveKind::reduce_scatter, cut,
        "gradient of an expert's tokens", cut * rows);
    to_experts(Pass::backward, "gradients from experts", element_);
    return std::move(found_);
  }

 private:
  void add(Pass pass, plan::GroupFamily group, CollectiveKind kind, int ranks, std::string name, double whole) {
    if (ranks > 1)
      found_.push_back({std::move(name),
                        group,
                        kind,
                        pass,
                        ranks,
                        pipedeck::bytes_sent(kind, ranks, whole),
                        0,
                        Behind::nothing,
                        {},
                        times::Part::experts});
  }

  void to_experts(Pass pass, const char* name, double element) {
    if (ranks_ == 1) return;
    const bool flex = options_.dispatcher == Dispatcher::flex;
    const double rows = load_ * per_token_ * token_ * element, m = options_.domains;
    LayerCollective sent{name, plan::GroupFamily::expert, CollectiveKind::all_to_all, pass, ranks_};
    sent.part = times::Part::experts;
    sent.bytes = pipedeck::bytes_sent(CollectiveKind::all_to_all, ranks_, rows);  // (e-1)/e k r h w
    sent.leaving = (m - 1) / m * rows;
    if (flex) {
      const double token = load_ * token_ * element;
      sent.leaving = token * domains_of_token(options_.domains, per_token_, options_.most_domains) * (m - 1) / m;
      // Derived: inside a domain of l ranks, a copy goes to each rank with an expert of the token but the one on which
      // it arrived.
      const double inside = ranks_ / m;
      sent.bytes = sent.leaving + token * domains_of_token(ranks_, per_token_) * (inside - 1) / inside;
    }
    if (options_.hides_behind_shared_experts) sent.behind = Behind::shared_experts;
    found_.push_back(std::move(sent));
  }

  /// Adds all-gathers before and reduce-scatters behind the experts, over all x e ranks: (x e - 1) r h w each.
  void gathered() {
    const int ranks = options_.shard.expert * options_.shard.expert_tensor;
    const double whole = ranks * token_ * element_;
    const auto send = [&](Pass pass, CollectiveKind kind, const char* name) {
      add(pass, plan::GroupFamily::expert_all, kind, ranks, name, whole);
      if (ranks > 1) found_.back().leaving = (options_.domains - 1) * token_ * element_;
    };
    send(Pass::forward, CollectiveKind::all_gather, "tokens to experts");
    send(Pass::forward, CollectiveKind::reduce_scatter, "tokens from experts");
    send(Pass::backward, CollectiveKind::all_gather, "gradients to experts");
    send(Pass::backward, CollectiveKind::reduce_scatter, "gradients from experts");
  }

  const ShardOptions& options_;
  int ranks_, per_token_;
  double token_;  ///< r h
  double load_;   ///< of the fullest rank over the mean: it receives as much more as it computes
  double element_, dispatched_;
  std::vector<LayerCollective> found_;
};

}  // namespace

std::vector<LayerCollective> expert_collectives(const TransformerConfig& config, const times::LayerCount& layer,
                                                const ShardOptions& options, const ShardSizes& sizes) {
  if (!config.experts || layer.kind != "experts") return {};
  return ExpertCollectives(config, options, sizes).all();
}

}  // namespace pipedeck::analytic::transformer::shards
