// SPDX-License-Identifier: Apache-2.0
#include "core/io/jobs/launcher.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "core/base/limits.hpp"
#include "core/io/text/decimal.hpp"
#include "core/io/text/lines.hpp"

namespace pipedeck::io::jobs {
namespace {

/// Returns the value of the first option with one of these names, "--nnodes 4" or "--nnodes=4"; of "gpu:h100:8" the
/// last part. 0: there is none.
std::int64_t value_of(const std::vector<std::string>& words, std::initializer_list<std::string_view> names) {
  for (std::size_t w = 0; w < words.size(); ++w)
    for (const std::string_view name : names) {
      std::string_view value;
      if (words[w] == name && w + 1 < words.size()) value = words[w + 1];
      if (words[w].starts_with(std::string(name) + "=")) value = std::string_view(words[w]).substr(name.size() + 1);
      if (const std::size_t colon = value.rfind(':'); colon != value.npos) value.remove_prefix(colon + 1);
      const auto number = text::decimal_to_integer(value);
      if (number && *number > 0 && *number <= limits::devices) return *number;
    }
  return 0;
}

}  // namespace

int devices_of_launch(std::span<const std::string> words, std::string_view script) {
  std::vector<std::string> all(words.begin(), words.end());
  for (std::string& word : all)
    if (word.starts_with("--")) std::ranges::replace(word, '_', '-');
  const bool torch = std::ranges::any_of(all, [](const std::string& word) {
    return word.find("torchrun") != word.npos || word.find("torch.distributed") != word.npos;
  });
  text::for_lines(script, [&](std::string_view line, int) {
    if (line.starts_with("#SBATCH"))
      for (const std::string_view word : text::words_between(line.substr(7))) all.emplace_back(word);
    return true;
  });
  std::int64_t nodes = value_of(all, {"--nnodes", "--nodes", "-N", "--num-nodes"});
  const std::int64_t each = value_of(
      all, {"--nproc-per-node", "--ntasks-per-node", "--gpus-per-node", "--gres", "--gpus-per-task", "--num-gpus"});
  if (nodes == 0 && torch) nodes = 1;
  if (nodes == 0 || each == 0) return static_cast<int>(value_of(all, {"--ntasks", "-n", "--num-processes"}));
  return nodes * each <= limits::devices ? static_cast<int>(nodes * each) : 0;
}

}  // namespace pipedeck::io::jobs
