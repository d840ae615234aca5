// SPDX-License-Identifier: Apache-2.0
#include "core/io/topology/gpu_name_lines.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace pipedeck::io::topology {
namespace {

/// "0" or "0,1,2,3"; empty where it is none.
std::vector<std::size_t> gpu_numbers(std::string_view list, std::size_t most) {
  std::vector<std::size_t> numbers;
  while (numbers.size() <= most) {
    const std::string_view one = list.substr(0, list.find(','));
    std::size_t number = 0;
    const auto [end, problem] = std::from_chars(one.data(), one.data() + one.size(), number);
    if (problem != std::errc{} || end != one.data() + one.size() || number > most) return {};
    numbers.push_back(number);
    if (one.size() == list.size()) return numbers;
    list.remove_prefix(one.size() + 1);
  }
  return {};
}

}  // namespace

std::optional<NamedGpus> gpu_names_in(std::string_view line, std::size_t most) {
  constexpr std::string_view begin = "GPU ", blanks = " \t\r";
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  if (!line.starts_with(begin)) return std::nullopt;
  const std::size_t colon = line.find(": "), uuid = line.find(" (UUID");
  if (colon == line.npos || uuid < colon + 2) return std::nullopt;
  std::string_view name = line.substr(colon + 2, uuid == line.npos ? uuid : uuid - colon - 2);
  if (uuid == line.npos && !name.starts_with("NVIDIA ") && !name.starts_with("Tesla ")) return std::nullopt;
  name = name.substr(0, name.find_last_not_of(blanks) + 1);
  std::vector<std::size_t> numbers = gpu_numbers(line.substr(begin.size(), colon - begin.size()), most);
  if (numbers.empty()) return std::nullopt;
  return NamedGpus{std::move(numbers), name};
}

}  // namespace pipedeck::io::topology
