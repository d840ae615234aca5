// SPDX-License-Identifier: Apache-2.0
// The families of configurations, as presets/architectures.json describes them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/huggingface/expression.hpp"

namespace pipedeck::io::huggingface {

/// A text with expressions in braces, for files to which a condition applies.
struct Remark {
  Expression when;
  std::vector<Expression> pieces;  ///< literals and what stands in braces
};

/// A family: what it does not define, it has from the one that it is like.
struct Family {
  std::string name;
  const Family* like = nullptr;
  std::vector<std::string> architectures;  ///< names of classes without their ending: "Llama" of "LlamaForCausalLM"
  std::vector<std::string> keys;           ///< of a file that names neither a family nor a class; empty: none is
  std::map<std::string, Expression, std::less<>> definitions;
  std::vector<Remark> notes, refusals;
  std::string inside;  ///< of a file with several models: the member that holds the one that is read
  std::string as;      ///< the family of that member, if it names none

  const Expression* find(std::string_view definition) const;
};

/// By "model_type"; null: unknown.
const Family* find_family(std::string_view model_type);
/// By an architecture's name without its ending, whatever its case.
const Family* family_of_class(std::string_view name);
/// Returns the family with the most keys of those whose keys the file all has; null: none.
const Family* family_of_keys(const json::Value& file);
/// All names of "model_type" that are known.
std::vector<std::string> family_names();

/// Returns whether a key has no influence on sizes: tokens' numbers, rotary angles, generation.
bool is_harmless(std::string_view key);

/// A part behind an architecture's name: "ForCausalLM".
struct Ending {
  std::string name;
  std::string head;  ///< "own": the family's; else as OutputHead
  bool encoder_only = false;
};
const std::vector<Ending>& endings();

}  // namespace pipedeck::io::huggingface
