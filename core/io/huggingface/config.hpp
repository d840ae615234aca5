// SPDX-License-Identifier: Apache-2.0
// `config.json` of a transformer as Hugging Face's models have it. Keys and their defaults are those of the
// configuration classes of the library "transformers", each family's own (presets/architectures.json).
#pragma once

#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/io/json/value.hpp"
#include "core/model/transformer_config.hpp"

namespace pipedeck::io::huggingface {

struct ReadAs {
  bool llama = false;        ///< an unknown family is read as Llama's
  bool multi_token = false;  ///< blocks that predict further tokens are layers, too
};

/// Parses JSON as Python writes it: Infinity and NaN, which JSON lacks, are read as null in files with a "model_type".
Result<json::Value> parse(const std::string& text);

/// Returns true if it has a "model_type", "architectures", or the keys of a family, and is no file of ours.
bool looks_like_hugging_face(const json::Value& document);

/// The config is valid: sizes are positive, heads divide by heads of keys, experts a token are no more than there are.
/// `name` is used where the file has no "_name_or_path". Errors carry the place. The last note is what was understood,
/// assumed and left out.
Result<ParsedTransformer> transformer_from_hugging_face(const std::string& text, const std::string& name,
                                                        const ReadAs& as = {});

/// Reads a document that is parsed.
Result<ParsedTransformer> transformer_from_document(const json::Value& document, const std::string& name,
                                                    const ReadAs& as = {});

/// The families that are known, as "model_type" has them.
std::vector<std::string> families();

}  // namespace pipedeck::io::huggingface
