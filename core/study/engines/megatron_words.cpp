// SPDX-License-Identifier: Apache-2.0
#include "core/study/engines/megatron_words.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/study/engines/megatron.hpp"
#include "core/study/engines/ranks.hpp"

namespace pipedeck::study::engines {

MegatronWords::MegatronWords(const EngineRequest& request) {
  for (const std::string& word : megatron_words(request))
    if (word.starts_with("--"))
      arguments_.push_back({word.substr(2), {}});
    else
      arguments_.back().values.push_back(word);
  std::erase_if(arguments_, [](const Argument& one) { return one.option == "num-layers-per-virtual-pipeline-stage"; });
  if (const int chunks = grid_of(request.plan).chunks; chunks > 1)
    arguments_.push_back({"num-virtual-stages-per-pipeline-rank", {fmt::format("{}", chunks)}});
}

const MegatronWords::Argument* MegatronWords::find(std::string_view option) const {
  const auto found = std::ranges::find(arguments_, option, &Argument::option);
  return found == arguments_.end() ? nullptr : &*found;
}

bool MegatronWords::has(std::string_view option) const { return find(option) != nullptr; }

std::string_view MegatronWords::value_of(std::string_view option) const {
  const Argument* found = find(option);
  return found && !found->values.empty() ? std::string_view(found->values.front()) : std::string_view();
}

std::vector<std::string> MegatronWords::values_of(std::string_view option) const {
  const Argument* found = find(option);
  return found ? found->values : std::vector<std::string>();
}

void MegatronWords::hide(std::string_view option) {
  for (Argument& one : arguments_) one.hidden = one.hidden || one.option == option;
}

std::vector<std::string> MegatronWords::visible() const {
  std::vector<std::string> words;
  for (const Argument& one : arguments_) {
    if (one.hidden) continue;
    words.push_back("--" + one.option);
    words.insert(words.end(), one.values.begin(), one.values.end());
  }
  return words;
}

}  // namespace pipedeck::study::engines
