// SPDX-License-Identifier: Apache-2.0
// `config.json` of a transformer as Hugging Face's models have it. Keys and their defaults are those of the
// configuration classes of the library "transformers", each family's own: GPT-2, BERT, T5, Llama, Mistral, Mixtral,
// Qwen 1 to 3 with and without experts, DeepSeek-MoE, V2 and V3; mT5.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/io/json/value.hpp"
#include "core/model/transformer_config.hpp"

namespace pipedeck::io::huggingface {

/// Returns true if it has a "model_type" and is no file of ours.
bool looks_like_hugging_face(const json::Value& document);

/// The config is valid: sizes are positive, heads divide by heads of keys, experts a token are no more than there are.
/// `name` is used where the file has no "_name_or_path". Errors carry the place.
Result<ParsedTransformer> transformer_from_hugging_face(const std::string& text, const std::string& name);

/// The families that are known, as "model_type" has them.
std::vector<std::string> families();

}  // namespace pipedeck::io::huggingface
