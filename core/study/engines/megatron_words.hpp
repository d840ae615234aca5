// SPDX-License-Identifier: Apache-2.0
// Megatron-LM's arguments for a plan, for engines that state them under names of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/study/engines/engine.hpp"

namespace pipedeck::study::engines {

/// A list of arguments. Virtual stages are a number on each pipeline rank, instead of blocks of a stage.
class MegatronWords {
 public:
  explicit MegatronWords(const EngineRequest& request);

  bool has(std::string_view option) const;
  /// Returns the first value; empty if the option is not given.
  std::string_view value_of(std::string_view option) const;
  std::vector<std::string> values_of(std::string_view option) const;
  /// Leaves the option, which another field states, out of `visible`.
  void hide(std::string_view option);
  std::vector<std::string> visible() const;

 private:
  struct Argument {
    std::string option;
    std::vector<std::string> values;
    bool hidden = false;
  };
  const Argument* find(std::string_view option) const;

  std::vector<Argument> arguments_;
};

}  // namespace pipedeck::study::engines
