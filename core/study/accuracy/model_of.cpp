// SPDX-License-Identifier: Apache-2.0
#include "core/study/accuracy/model_of.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "core/analytic/transformer/layers.hpp"

namespace pipedeck::study::accuracy {
namespace {

tl::unexpected<Error> no_model(std::string reason) { return fail(ErrorCode::bad_input, std::move(reason)); }

/// Reads "kv512" for the name "kv".
bool read_width(std::string_view word, std::string_view name, int& width) {
  if (!word.starts_with(name)) return false;
  word.remove_prefix(name.size());
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), width);
  return error == std::errc() && end == word.data() + word.size();
}

/// Reads "mla q1536 kv512 nope128 rope64 v128".
Result<LatentAttention> latent_attention(const std::string& text) {
  LatentAttention latent;
  std::istringstream words(text);
  std::string word;
  words >> word;
  while (words >> word)
    if (!read_width(word, "q", latent.query_rank) && !read_width(word, "kv", latent.key_value_rank) &&
        !read_width(word, "nope", latent.plain_width) && !read_width(word, "rope", latent.rotary_width) &&
        !read_width(word, "v", latent.value_width))
      return no_model(fmt::format("the attention '{}' is not known", text));
  if (latent.key_value_rank <= 0 || latent.plain_width <= 0 || latent.value_width <= 0)
    return no_model(fmt::format("the attention '{}' lacks a width", text));
  return latent;
}

/// Returns the window with which all blocks see as many pairs of tokens as with `window` in every second block.
int mean_window(int window, int sequence) {
  if (window >= sequence) return 0;
  const double share = double(window) / sequence;
  const double pairs = (0.5 + share - share * share / 2) / 2;
  return std::max(1, static_cast<int>(std::lround((1 - std::sqrt(1 - 2 * pairs)) * sequence)));
}

/// Sets the attention from "window128 every second block" and the like.
Result<void> set_attention(TransformerConfig& config, const PublishedRun& run, std::vector<std::string>& notes) {
  if (run.attention.empty()) return {};
  if (run.attention.starts_with("mla ")) {
    TRY(config.latent, latent_attention(run.attention));
    config.key_value_heads = config.heads;
    return {};
  }
  std::istringstream words(run.attention);
  std::string word, rest;
  words >> word;
  std::getline(words >> std::ws, rest);
  int window = 0;
  if (!read_width(word, "window", window) || window < 1 || (!rest.empty() && rest != "every second block"))
    return no_model(run.attention.starts_with("hybrid")
                        ? "the model is a hybrid whose shape is left open"
                        : fmt::format("the attention '{}' is not known", run.attention));
  if (rest.empty()) {
    config.window = window;
    return {};
  }
  config.window = mean_window(window, run.sequence.value_or(window));
  notes.push_back("windows of every second block are spread over all blocks");
  return {};
}

/// Sets what models of a name share: embeddings, norms, biases.
void set_family(TransformerConfig& config, std::string_view model) {
  config.norm = config.gated ? NormKind::rms : NormKind::layer;
  config.norm_heads = model.starts_with("qwen3");
  if (config.gated || model.starts_with("nemotron")) return;
  config.tied = true;
  config.positions = config.longest;
  if (model.starts_with("mpt")) return;
  config.bias_query_key_value = config.bias_output = config.bias_feed_forward = true;
}

/// Ties or separates embedding and head if only that gives the printed size.
void tie_as_printed(TransformerConfig& config, const PublishedRun& run, std::vector<std::string>& notes) {
  if (!run.parameters) return;
  const double printed = *run.parameters * 1e9;
  const auto error = [&](bool tied) {
    TransformerConfig other = config;
    other.tied = tied;
    return std::abs(analytic::transformer::parameters_of(other) - printed) / printed;
  };
  const double as_assumed = error(config.tied), otherwise = error(!config.tied);
  if (otherwise < 0.02 && as_assumed > 3 * otherwise && as_assumed > 0.04) {
    config.tied = !config.tied;
    notes.push_back(config.tied ? "the head shares the embedding's weights: the printed size asks for it"
                                : "the head has weights of its own: the printed size asks for it");
  }
}

}  // namespace

Result<TransformerConfig> model_of(const PublishedRun& run, std::vector<std::string>& notes) {
  if (run.attention.starts_with("hybrid")) return no_model("the model is a hybrid whose shape is left open");
  if (!run.has_shape() || !run.vocabulary) return no_model("the shape of the model is not printed");
  if (!run.feed_forward && !run.experts) return no_model("the width of the feed-forward layer is not printed");
  TransformerConfig config;
  config.name = config.family = run.model;
  config.layers = *run.layers;
  config.hidden = *run.hidden;
  config.heads = *run.heads;
  config.key_value_heads = run.key_value_heads.value_or(*run.heads);
  if (!run.head_width && config.hidden % config.heads != 0)
    return no_model(fmt::format("{} heads do not divide {} columns", config.heads, config.hidden));
  config.head_width = run.head_width.value_or(config.hidden / config.heads);
  config.vocabulary = *run.vocabulary;
  config.longest = run.sequence.value_or(0);
  config.gated = run.gated.value_or(0) != 0;
  if (!run.gated) notes.push_back("two products of a feed-forward layer are assumed, without a gate");
  if (run.experts) {
    if (!run.experts_per_token || !run.expert_feed_forward) return no_model("the shape of the experts is not printed");
    Experts experts;
    experts.count = *run.experts;
    experts.per_token = *run.experts_per_token;
    experts.feed_forward = *run.expert_feed_forward;
    experts.shared_feed_forward = run.shared_feed_forward.value_or(0);
    experts.dense.resize(static_cast<std::size_t>(std::min(run.dense_layers.value_or(0), config.layers)));
    std::iota(experts.dense.begin(), experts.dense.end(), 0);
    experts.score_bias = run.model.starts_with("deepseek");
    config.experts = std::move(experts);
  }
  config.feed_forward = run.feed_forward ? *run.feed_forward : *run.expert_feed_forward;
  TRY_VOID(set_attention(config, run, notes));
  set_family(config, run.model);
  tie_as_printed(config, run, notes);
  return config;
}

}  // namespace pipedeck::study::accuracy
