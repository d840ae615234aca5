// SPDX-License-Identifier: Apache-2.0
// Common parts of several families' configurations: sizes within their limits, heads, windows, experts.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/huggingface/config.hpp"
#include "core/io/json/reader.hpp"
#include "core/model/transformer_config.hpp"

namespace pipedeck::io::huggingface {

class Parts {
 public:
  /// All outlive this.
  Parts(const json::Value& file, json::ObjectReader& in, ParsedTransformer& out)
      : file_(file), in_(in), c_(out.config), notes_(out.notes) {}

 protected:
  static constexpr std::int64_t max_width = 1 << 24, max_blocks = 100'000, most_words = std::int64_t{1} << 31;
  static constexpr int max_experts = 100'000;

  int width(std::string_view key, int otherwise) { return in_.count_or(key, otherwise, 1, max_width); }
  int blocks(std::string_view key, int otherwise) { return in_.count_or(key, otherwise, 1, max_blocks); }
  int words(int otherwise) { return in_.count_or("vocab_size", otherwise, 1, most_words - 1); }
  double probability(std::string_view key, double otherwise) { return in_.number_or(key, otherwise, 0, 1); }
  /// Null means none; a missing key has its class's default.
  bool has_key(std::string_view key) const { return file_.find(key) != nullptr; }

  void heads(std::string_view key, int otherwise, bool width_is_told = false);
  void window_from(int first) { window_in(c_.layers - std::min(first, c_.layers)); }
  /// Number of blocks with a window, unless the file lists them. If only some have one, all count without it: too slow
  /// rather than too fast.
  void window_in(int blocks_with);
  void latent_attention();
  /// Which blocks have no experts, of Qwen's families.
  Experts sparse_blocks();
  /// Blocks that the file lists, else every `step`th.
  Experts blocks_with_experts(std::string_view key, int step);
  struct ExpertDefaults {
    int first_dense, experts, per_token, shared, width;
  };
  void deepseek_experts(const ExpertDefaults& otherwise);

  const json::Value& file_;
  json::ObjectReader& in_;
  TransformerConfig& c_;
  std::vector<std::string>& notes_;
};

}  // namespace pipedeck::io::huggingface
