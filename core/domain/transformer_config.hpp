// SPDX-License-Identifier: Apache-2.0
// The shape of a transformer as its published configuration has it: what analytic profiles are computed from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pipedeck {

/// Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1): keys and values come out of one narrow
/// vector a token.
struct LatentAttention {
  int query_rank = 0;      ///< of the queries' narrow vector; 0: queries are made from the token directly
  int key_value_rank = 0;  ///< of the keys' and values' narrow vector
  int plain_width = 0;     ///< of a head's query and key without rotary positions
  int rotary_width = 0;    ///< of the part with them: the key's is shared by all heads
  int value_width = 0;     ///< of a head
  bool operator==(const LatentAttention&) const = default;
};

/// A feed-forward layer of many, of which a router picks a few for each token.
struct Experts {
  int count = 0;
  int per_token = 0;
  int feed_forward = 0;         ///< of one expert
  int shared_feed_forward = 0;  ///< of what every token passes besides, in all; 0: none
  bool shared_gate = false;     ///< a weight a hidden number decides how much of the shared part is added
  bool score_bias = false;      ///< one number an expert beside the router's weights
  std::vector<int> dense;       ///< blocks, ascending, that have a plain feed-forward layer instead
  bool operator==(const Experts&) const = default;
};

enum class NormKind { layer, rms };  ///< with gain and shift, or with a gain alone

/// What stands behind the last block and gives a score a word.
enum class OutputHead {
  linear,           ///< one product
  masked_language,  ///< BERT's: a product of hidden by hidden with activation and norm, then one with a bias a word
};

struct TransformerConfig {
  std::string name, family;  ///< "gpt2", as the file says
  int hidden = 0;
  int layers = 0;          ///< blocks; of the encoder where there is a decoder besides
  int decoder_layers = 0;  ///< blocks with a second attention, to what the encoder gives; 0: no decoder
  int heads = 0, key_value_heads = 0, head_width = 0;
  int feed_forward = 0;
  bool gated = false;  ///< two products into the feed-forward layer, one of which gates the other
  std::int64_t vocabulary = 0;
  int positions = 0;         ///< learned, a row each; 0: rotary or relative ones, without a table
  int token_types = 0;       ///< BERT's segments; 0: none
  int relative_buckets = 0;  ///< T5's, a number a bucket and head in each stack's first block; 0: none
  int longest = 0;           ///< sequence that it was made for
  int window = 0;            ///< positions that a token sees at most; 0: all
  NormKind norm = NormKind::layer;
  bool norm_embedding = false;  ///< behind the embedding
  bool norm_last = true;        ///< behind the last block
  bool norm_heads = false;      ///< each head's query and key (Qwen3)
  bool bias_query_key_value = false, bias_output = false, bias_feed_forward = false;
  bool tied = false;  ///< the head's weights are the embedding's
  OutputHead head = OutputHead::linear;
  bool causal = true;
  double dropout = 0;            ///< of what a sub-layer adds
  double attention_dropout = 0;  ///< of attention's weights
  std::optional<LatentAttention> latent;
  std::optional<Experts> experts;
  bool operator==(const TransformerConfig&) const = default;
};

/// A configuration as it was read, with what it left open and how that was taken.
struct ReadTransformer {
  TransformerConfig config;
  std::vector<std::string> notes;
  bool operator==(const ReadTransformer&) const = default;
};

}  // namespace pipedeck
