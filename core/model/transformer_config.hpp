// SPDX-License-Identifier: Apache-2.0
// The shape of a transformer as in its published configuration, from which analytic profiles are computed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pipedeck {

/// A multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1): keys and values are computed from one
/// narrow vector per token.
struct LatentAttention {
  int query_rank = 0;      ///< width of the queries' narrow vector; 0: queries are computed from the token directly
  int key_value_rank = 0;  ///< width of the keys' and values' narrow vector
  int plain_width = 0;     ///< per head, of query and key without rotary positions
  int rotary_width = 0;    ///< of the part with rotary positions; all heads share the key's
  int value_width = 0;     ///< per head
  bool operator==(const LatentAttention&) const = default;
};

/// A mixture of experts: a router picks a few of many feed-forward layers for each token.
struct Experts {
  int count = 0;
  int per_token = 0;
  int feed_forward = 0;         ///< per expert
  int shared_feed_forward = 0;  ///< total width of the part that every token passes; 0: none
  bool shared_gate = false;     ///< one weight per hidden element gates the shared part
  bool score_bias = false;      ///< one value per expert in addition to the router's weights
  std::vector<int> dense;       ///< blocks, ascending, with a plain feed-forward layer instead
  bool operator==(const Experts&) const = default;
};

enum class NormKind { layer, rms };  ///< with gain and shift, or with gain only

/// An output layer after the last block, which computes one score per word.
enum class OutputHead {
  linear,           ///< one matmul
  masked_language,  ///< BERT's: a hidden x hidden matmul with activation and norm, then one with a bias per word
};

struct TransformerConfig {
  std::string name, family;  ///< "gpt2", as in the file
  int hidden = 0;
  int layers = 0;          ///< blocks; of the encoder if there is a decoder, too
  int decoder_layers = 0;  ///< blocks with cross-attention to the encoder's output; 0: no decoder
  int heads = 0, key_value_heads = 0, head_width = 0;
  int feed_forward = 0;
  bool gated = false;  ///< two matmuls into the feed-forward layer, one of which gates the other
  std::int64_t vocabulary = 0;
  int positions = 0;         ///< learned, one row each; 0: rotary or relative ones, without a table
  int token_types = 0;       ///< BERT's segments; 0: none
  int relative_buckets = 0;  ///< T5's, one value per bucket and head in the first block of each stack; 0: none
  int longest = 0;           ///< maximum sequence of the model
  int window = 0;            ///< maximum number of positions that a token attends to; 0: all
  NormKind norm = NormKind::layer;
  bool norm_embedding = false;  ///< after the embedding
  bool norm_last = true;        ///< after the last block
  bool norm_heads = false;      ///< each head's query and key (Qwen3)
  bool bias_query_key_value = false, bias_output = false, bias_feed_forward = false;
  bool tied = false;  ///< the head shares the embedding's weights
  OutputHead head = OutputHead::linear;
  bool causal = true;
  double dropout = 0;            ///< of each sub-layer's output
  double attention_dropout = 0;  ///< of the attention weights
  std::optional<LatentAttention> latent;
  std::optional<Experts> experts;
  bool operator==(const TransformerConfig&) const = default;
};

/// A configuration as read from a file, with notes on missing values and the assumptions made for them.
struct ParsedTransformer {
  TransformerConfig config;
  std::vector<std::string> notes;
  bool operator==(const ParsedTransformer&) const = default;
};

}  // namespace pipedeck
