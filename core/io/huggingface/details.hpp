// SPDX-License-Identifier: Apache-2.0
// The members of a transformer's `config.json` that change what it computes, but not its sizes: a profile needs none of
// them, training does.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/base/result.hpp"

namespace pipedeck::io::huggingface {

/// Returns them as sizes of the runtime's layers (core/model/model.hpp), such as rotary_base, for the families whose
/// blocks the runtime computes: llama, mistral, mixtral, qwen2, qwen3, qwen3_moe, deepseek_v2, deepseek_v3. bad_input
/// names another family, and members that ask for something else: an activation, a scaling of rotary positions.
Result<std::map<std::string, std::int64_t>> details_from_hugging_face(const std::string& text);

}  // namespace pipedeck::io::huggingface
