// SPDX-License-Identifier: Apache-2.0
// The shape of a transformer as in its published configuration, from which analytic profiles are computed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/import_share.hpp"

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
  bool bias = false;            ///< of each expert's matmuls
  bool beside_dense = false;    ///< in addition to the plain layer; both, and the router, have norms (Gemma 4)
  std::vector<int> dense;       ///< blocks, ascending, with a plain feed-forward layer instead
  bool operator==(const Experts&) const = default;
};

/// A selection of the positions that attention sees (DeepSeek-V3.2): small heads score all of them, the best are kept.
struct Indexer {
  int heads = 0, head_width = 0;
  int positions = 0;  ///< kept for each token
  bool operator==(const Indexer&) const = default;
};

/// DeepSeek-V4's attention: one key per token, which is its value, too, from a window and from entries that stand for
/// several tokens each; BlockKind::compression is how many. Narrow vectors on the way in and out.
struct CompressedAttention {
  int query_rank = 0;
  int output_groups = 0, output_rank = 0;  ///< heads of a group share a matmul to a vector of this width
  bool operator==(const CompressedAttention&) const = default;
};

/// A state-space layer: Mamba (arXiv 2312.00752), or Mamba-2 (arXiv 2405.21060) if it has heads.
struct StateSpace {
  int inner = 0;        ///< channels
  int state = 0;        ///< numbers per channel
  int heads = 0;        ///< that share a decay; 0: Mamba, with a decay for each number of the state
  int groups = 0;       ///< of heads that share input and output matrices
  int convolution = 0;  ///< length
  int step_rank = 0;    ///< width of the narrow vector from which Mamba's step sizes are computed
  bool bias = false, bias_convolution = false;
  bool norms = false;  ///< of Mamba's step, input and output vectors (Jamba)
  bool operator==(const StateSpace&) const = default;
};

/// A decay of linear attention's state.
enum class Decay {
  fixed,    ///< a constant for each head (Lightning Attention, arXiv 2401.04658)
  head,     ///< one computed for each token and head (gated delta rule, arXiv 2412.06464)
  channel,  ///< one computed for each token, head and channel of the keys (Kimi Linear, arXiv 2510.26692)
};

/// A linear attention: each head keeps a matrix of key x value width instead of all positions.
struct LinearAttention {
  int key_heads = 0, value_heads = 0, key_width = 0, value_width = 0;
  int convolution = 0;  ///< length, of queries, keys and values; 0: none
  int gate_rank = 0;    ///< width of the narrow vector of the output's gate; 0: a matmul from the hidden size
  Decay decay = Decay::head;
  bool operator==(const LinearAttention&) const = default;
};

/// A part of a block that lets tokens see others.
enum class Mixer {
  attention,
  state_space,
  linear_attention,
  pictures,  ///< attention to a picture's parts, gated (Llama 3.2 Vision)
  none
};

/// The sizes of blocks that differ from the other ones of their model.
struct BlockKind {
  Mixer mixer = Mixer::attention;
  int heads = 0, key_value_heads = 0, head_width = 0, value_width = 0;
  int window = 0;
  int feed_forward = 0;          ///< 0: none
  bool makes_key_values = true;  ///< false: it attends to those of an earlier block
  bool values_are_keys = false;  ///< one matmul makes both (Gemma 4)
  int compression = 0;           ///< tokens of an entry that CompressedAttention makes; 0: it makes none
  bool makes_index = true;       ///< false: an earlier block's indexer picks the positions (GLM-5.2)
  bool operator==(const BlockKind&) const = default;
};

/// An input of pictures or sound: each token is a matmul of the numbers in its patch.
struct Patches {
  int numbers = 0;      ///< per patch: channels x height x width
  int convolution = 0;  ///< length of a second convolution, of hidden x hidden (Whisper); 0: none
  int marks = 0;        ///< learned tokens in addition to the patches
  bool bias = false;
  bool operator==(const Patches&) const = default;
};

/// A table and two small matmuls of each block, which add a vector per word to its output (Gemma 4).
struct WordsOfBlocks {
  int width = 0;
  std::int64_t vocabulary = 0;
  bool operator==(const WordsOfBlocks&) const = default;
};

enum class NormKind {
  layer,  ///< with gain and shift
  rms,    ///< with gain only
  gain,   ///< as `layer`, without a shift
  plain,  ///< without weights
};

enum class NormPlace {
  before,    ///< of each sub-layer
  after,     ///< of each sub-layer (OLMo 2); BERT's, after the sum with the residual, counts as `before`
  around,    ///< before and after each sub-layer (Gemma 2)
  shared,    ///< one before both sub-layers, which read the same (GPT-J)
  parallel,  ///< each sub-layer has one of the block's input (GPT-NeoX)
};

/// An output layer after the last block.
enum class OutputHead {
  linear,           ///< one matmul, one score per word
  masked_language,  ///< BERT's: a hidden x hidden matmul with activation and norm, then one with a bias per word
  classes,          ///< one matmul, one score per class and sample
  none,             ///< of models whose hidden vectors are their output
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

  // Members that few models have. Files hold them only where they differ from the defaults.
  NormPlace norm_place = NormPlace::before;
  bool norm_all_heads = false;       ///< queries and keys, over the columns of all heads (OLMo 2)
  bool no_key_bias = false;          ///< keys have none where queries and values have one (Whisper)
  bool gated_attention = false;      ///< a matmul as wide as the queries gates attention's output (Qwen3-Next)
  bool sinks = false;                ///< one value per head in the sum of attention's weights (gpt-oss)
  bool head_bias = false;            ///< one value per word or class
  bool pooler = false;               ///< a hidden x hidden matmul of the first token (BERT)
  bool relative_everywhere = false;  ///< each block has relative positions of its own (UMT5)
  int value_width = 0;               ///< of a head; 0: head_width
  int embedding_width = 0;           ///< of the words' table, with a matmul to the hidden size; 0: hidden
  int decoder_positions = 0;         ///< learned, of the decoder
  int classes = 0;                   ///< of OutputHead::classes
  int streams = 0;                   ///< residuals from block to block, mixed by weights of each token; 0: one
  int multi_token = 0;  ///< blocks that predict further tokens, each with two norms and a 2h x h matmul more
  std::optional<Indexer> indexer;
  std::optional<CompressedAttention> compressed;
  std::optional<StateSpace> state_space;
  std::optional<LinearAttention> linear_attention;
  std::optional<Patches> patches;
  std::optional<WordsOfBlocks> words_of_blocks;
  Mixer mixer = Mixer::attention;
  bool makes_key_values = true, values_are_keys = false, makes_index = true;
  int compression = 0;
  std::vector<BlockKind> kinds;  ///< empty: all blocks have the sizes above
  std::vector<int> kind_of;      ///< index in `kinds`, for each block
  bool operator==(const TransformerConfig&) const = default;
};

/// A configuration as read from a file, with notes on missing values and the assumptions made for them.
struct ParsedTransformer {
  TransformerConfig config;
  std::vector<std::string> notes;
  ImportShare share{};  ///< of the keys that may bear on sizes; without parts: the configuration is from no file
  bool operator==(const ParsedTransformer&) const = default;
};

}  // namespace pipedeck
