// SPDX-License-Identifier: Apache-2.0
// Options of Megatron-LM as fields of configurations that call it: Megatron-Bridge's ConfigContainer (0.5), NeMo 1.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/jobs/options.hpp"
#include "core/io/json/value.hpp"

namespace pipedeck::io::jobs {

/// A way in which a field states an option.
enum class FieldKind {
  value,    ///< its value
  values,   ///< a list of its values
  pattern,  ///< a list of numbers that is one word, "[0,1,1]"
  flag,     ///< true if the option is given
  refusal,  ///< false if the option is given: "--no-...", "--disable-..."
  type,     ///< a type of PyTorch for a name: "torch.bfloat16" for bf16
};

/// A field that is an option of Megatron-LM.
struct MegatronField {
  std::string_view path;    ///< "model.tensor_model_parallel_size"
  std::string_view option;  ///< "tensor-model-parallel-size", without dashes
  FieldKind kind = FieldKind::value;
  std::string_view absent{};  ///< value of a field whose option is not given: "1", "null"; empty: no field
  bool assumed = false;       ///< of flags and refusals: the value of a field that the file does not have
};

std::span<const MegatronField> bridge_fields();
std::span<const MegatronField> nemo_fields();

/// Returns the options of Megatron-LM, "--name value ...", that the fields of a configuration state. An option of
/// several fields is taken from the first one that the file has.
std::vector<std::string> words_of_fields(Options& options, std::span<const MegatronField> fields);

/// A configuration with the options that it has no field for.
struct FieldTree {
  json::Members members;
  std::vector<std::string> without_field;  ///< "--name value"
};
/// Returns the configuration of Megatron-LM's words. Scalars are text, as of tree_from_yaml().
FieldTree tree_of_words(std::span<const std::string> words, std::span<const MegatronField> fields);

/// Adds a scalar at a path of a tree, "model.fp8": members that it does not have are made.
void set_at(json::Members& tree, std::string_view path, json::Value value);

}  // namespace pipedeck::io::jobs
