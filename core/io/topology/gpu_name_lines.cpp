// SPDX-License-Identifier: Apache-2.0
#include "core/io/topology/gpu_name_lines.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/io/text/lines.hpp"

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

bool is_gpu_name(std::string_view text) { return text.starts_with("NVIDIA ") || text.starts_with("Tesla "); }

std::optional<NamedGpus> one_gpu(std::string_view number, std::string_view name, std::size_t most) {
  std::vector<std::size_t> numbers = gpu_numbers(text::trimmed(number), most);
  name = text::trimmed(name);
  if (numbers.size() != 1 || !is_gpu_name(name) || name.ends_with("...")) return std::nullopt;
  return NamedGpus{std::move(numbers), name};
}

/// "#  Rank  0 Group  0 Pid 4758 on host-7 device  0 [0x8f] NVIDIA H200" of nccl-tests.
std::optional<NamedGpus> name_of_nccl_tests(std::string_view line, std::size_t most) {
  constexpr std::string_view device = " device ";
  const std::size_t at = line.find(device), bracket = line.find(" [", at), end = line.find("] ", bracket);
  if (!line.starts_with("#") || at == line.npos || bracket == line.npos || end == line.npos) return std::nullopt;
  return one_gpu(line.substr(at + device.size(), bracket - at - device.size()), line.substr(end + 2), most);
}

/// "1, NVIDIA A100-SXM4-80GB, 81920 MiB" of nvidia-smi --query-gpu=index,name,memory.total.
std::optional<NamedGpus> name_of_query(std::string_view line, std::size_t most) {
  const std::size_t comma = line.find(", ");
  if (comma == line.npos) return std::nullopt;
  const std::string_view rest = line.substr(comma + 2);
  return one_gpu(line.substr(0, comma), rest.substr(0, rest.find(',')), most);
}

/// "|   0  NVIDIA H100 80GB HBM3          On  | 00000000:07:00.0 Off |" of nvidia-smi.
std::optional<NamedGpus> name_of_table(std::string_view line, std::size_t most) {
  if (!line.starts_with("| ")) return std::nullopt;
  line = text::trimmed(line.substr(1));
  const std::size_t gap = line.find("  ");
  if (gap == line.npos) return std::nullopt;
  const std::string_view rest = text::trimmed(line.substr(gap));
  return one_gpu(line.substr(0, gap), rest.substr(0, rest.find("  ")), most);
}

}  // namespace

std::optional<NamedGpus> gpu_names_in(std::string_view line, std::size_t most) {
  constexpr std::string_view begin = "GPU ";
  line = text::trimmed(line);
  for (const auto& read : {name_of_nccl_tests, name_of_query, name_of_table})
    if (auto named = read(line, most)) return named;
  if (!line.starts_with(begin)) return std::nullopt;
  const std::size_t colon = line.find(": "), uuid = line.find(" (UUID");
  if (colon == line.npos || uuid < colon + 2) return std::nullopt;
  std::string_view name = line.substr(colon + 2, uuid == line.npos ? uuid : uuid - colon - 2);
  if (uuid == line.npos && !is_gpu_name(name)) return std::nullopt;
  name = text::trimmed(name);
  std::vector<std::size_t> numbers = gpu_numbers(line.substr(begin.size(), colon - begin.size()), most);
  if (numbers.empty()) return std::nullopt;
  return NamedGpus{std::move(numbers), name};
}

}  // namespace pipedeck::io::topology
