// SPDX-License-Identifier: Apache-2.0
#include "core/io/topology/nvidia_smi.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/json/value.hpp"
#include "core/io/text/line_tally.hpp"
#include "core/io/text/lines.hpp"
#include "core/io/text/utf8.hpp"
#include "core/io/topology/gpu_name_lines.hpp"

namespace pipedeck::io::topology {
namespace {

constexpr int max_listed_gpus = 1024;  // of one machine; the largest ones have 72
constexpr int max_pair_lanes = 1024;   // of one pair
constexpr std::size_t max_smi_text = std::size_t{16} << 20;
constexpr std::size_t nvidia_smi_head = std::size_t{1} << 18;

using Words = std::vector<std::string_view>;

/// Newer drivers underline the heading; a copy of it may have lost the escape byte alone.
std::string without_escapes(std::string_view line) {
  std::string plain;
  for (std::size_t i = 0; i < line.size(); ++i) {
    std::size_t end = i + (line[i] == '\x1b' ? 1 : 0);
    if (end < line.size() && line[end] == '[') {
      ++end;
      while (end < line.size() && (line[end] == ';' || (line[end] >= '0' && line[end] <= '9'))) ++end;
      if (end < line.size() && line[end] == 'm') {
        i = end;
        continue;
      }
    }
    if (line[i] != '\x1b') plain += line[i];
  }
  return plain;
}

std::optional<int> number_of(std::string_view text, int most) {
  int value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size() || value < 0 || value > most) return std::nullopt;
  return value;
}

bool is_numbered(std::string_view word, std::string_view stem) {
  return word.starts_with(stem) && word.size() > stem.size() &&
         word.find_first_not_of("0123456789", stem.size()) == word.npos;
}
bool is_gpu(std::string_view word) { return is_numbered(word, "GPU"); }

/// "X", "NV12" and so on; nothing for words that are none of them.
std::optional<Interconnect> parse_interconnect(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, InterconnectKind>, 7> kinds{{{"X", InterconnectKind::self},
                                                                                {"PIX", InterconnectKind::pcie_switch},
                                                                                {"PXB", InterconnectKind::pcie_bridges},
                                                                                {"PHB", InterconnectKind::host_bridge},
                                                                                {"NODE", InterconnectKind::numa_node},
                                                                                {"SYS", InterconnectKind::system},
                                                                                {"SOC", InterconnectKind::system}}};
  for (const auto& [name, kind] : kinds)
    if (word == name) return Interconnect{kind, 0, {}};
  if (!is_numbered(word, "NV")) return std::nullopt;
  const std::optional<int> lanes = number_of(word.substr(2), max_pair_lanes);
  if (!lanes || *lanes == 0) return std::nullopt;
  return Interconnect{InterconnectKind::nvlink, *lanes, {}};
}

/// NIC3, or by its own name: mlx5_3.
bool is_nic(std::string_view word) {
  return is_numbered(word, "NIC") || (word.find('_') != word.npos && word.find_first_of("0123456789") != word.npos);
}

/// GPU0 GPU1 ... NIC0 ... CPU Affinity ...; the row of GPU0 has an X in the second place. Before the processors cards
/// may have any name of their own (rocep1s0f0).
bool is_heading(const Words& words) {
  if (words.size() < 2 || words[0] != "GPU0") return false;
  const auto end = std::ranges::find(words, "CPU");
  if (end != words.end() && std::next(end) != words.end() && *std::next(end) == "Affinity")
    return !parse_interconnect(words[1]);
  return std::all_of(words.begin(), end, [](std::string_view word) { return is_gpu(word) || is_nic(word); });
}

/// A row of what nvidia-smi topo -p2p prints below the same heading: whether pairs reach each other, not over what.
bool is_row_of_statuses(const Words& words) {
  constexpr std::array<std::string_view, 7> statuses{"OK", "CNS", "GNS", "TNS", "NS", "DR", "U"};
  const auto is_status = [&](std::string_view word) { return std::ranges::find(statuses, word) != statuses.end(); };
  return std::any_of(words.begin() + 1, words.end(), is_status) &&
         std::all_of(words.begin() + 1, words.end(),
                     [&](std::string_view word) { return word == "X" || is_status(word); });
}

/// The heading of a table of figures between GPUs: "D\D 0 1 2 3", or the numbers alone.
bool is_heading_of_figures(const Words& words) {
  const std::size_t first = words[0] == "D\\D" ? 1 : 0;
  if (words.size() < first + 2) return false;
  for (std::size_t i = first; i < words.size(); ++i)
    if (number_of(words[i], max_listed_gpus) != static_cast<int>(i - first)) return false;
  return true;
}

/// A line that explains the matrix: "Legend:", "  SYS  = Connection traversing PCIe ...".
bool is_legend(const Words& words) { return words.back() == "Legend:" || (words.size() > 2 && words[1] == "="); }

/// One matrix, from its heading on.
class LinkMatrixReader {
 public:
  LinkMatrixReader(const Words& heading, int line, const std::string& name) : line_(line) {
    machine_.name = name;
    machine_.source = "nvidia-smi topo -m";
    for (const std::string_view word : heading) {
      if (word == "CPU") break;
      if (is_gpu(word))
        columns_.emplace_back(word);
      else
        nics_.emplace_back(word);
    }
  }

  Result<void> check_heading() const {
    if (columns_.size() > max_listed_gpus)
      return bad(fmt::format("found {} GPUs, expected at most {} in a machine", columns_.size(), max_listed_gpus),
                 line_);
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (columns_[i] != fmt::format("GPU{}", i))
        return bad(fmt::format("found the column {}, expected GPU{}", columns_[i], i), line_);
    return {};
  }

  /// A row of a GPU; other lines are nothing to it.
  Result<void> read_row(const Words& words, int line) {
    const std::size_t row = machine_.gpus.size();
    const auto n = columns_.size();
    if (row == n && !parse_interconnect(words[1])) return {};  // of something else that follows
    if (row == n || std::ranges::find(columns_, words[0]) != columns_.begin() + static_cast<std::ptrdiff_t>(row))
      return bad(fmt::format("found a row of {}, expected {}", words[0],
                             row < n ? fmt::format("that of {}", columns_[row]) : "as many rows as columns"),
                 line);
    if (words.size() < n + 1)
      return bad(
          fmt::format("found {} entries of {}, expected one for each of the {} GPUs", words.size() - 1, words[0], n),
          line);
    std::vector<Interconnect> joints;
    for (std::size_t i = 0; i < n; ++i) {
      const std::optional<Interconnect> joint = parse_interconnect(words[i + 1]);
      if (!joint)
        return bad(fmt::format("found {} between {} and {}, expected X, NV#, PIX, PXB, PHB, NODE or SYS",
                               json::describe(json::Value(words[i + 1])), words[0], columns_[i]),
                   line);
      if ((joint->kind == InterconnectKind::self) != (i == row))
        return bad(fmt::format("found {} between {} and {}, expected X for a GPU and itself alone", words[i + 1],
                               words[0], columns_[i]),
                   line);
      if (i < row && machine_.joints[i][row] != *joint)
        return bad(fmt::format("found {} between {} and {}, expected what the other's row has", words[i + 1], words[0],
                               columns_[i]),
                   line);
      joints.push_back(*joint);
    }
    machine_.joints.push_back(std::move(joints));
    FoundGpu gpu;
    gpu.label = words[0];
    gpu.numa = numa_in(words);
    machine_.gpus.push_back(std::move(gpu));
    return {};
  }

  void name_gpu(std::size_t number, std::string_view name) { names_[number] = name; }
  void name_nic(std::string_view label, std::string_view name) {
    for (std::string& nic : nics_)
      if (nic == label) nic = name;
  }

  bool complete() const { return machine_.gpus.size() == columns_.size(); }

  Result<DetectedMachine> finish() {
    if (!complete())
      return bad(fmt::format("found {} rows under the heading, expected one for each of the {} GPUs",
                             machine_.gpus.size(), columns_.size()),
                 line_);
    for (const auto& [number, name] : names_)
      if (number < machine_.gpus.size()) machine_.gpus[number].name = name;
    for (std::string& nic : nics_) machine_.nics.push_back({std::move(nic), {}});
    return std::move(machine_);
  }

 private:
  static tl::unexpected<Error> bad(std::string message, int line) {
    return fail(ErrorCode::bad_input, std::move(message), fmt::format("line {}", line));
  }

  /// The CPUs, "0-23,48-71", and the NUMA node follow the matrix. Columns of network cards may have run into each
  /// other, so their text identifies them.
  std::optional<int> numa_in(const Words& words) const {
    for (std::size_t i = columns_.size() + 1; i + 1 < words.size(); ++i)
      if (words[i].find_first_not_of("0123456789,-") == words[i].npos) return number_of(words[i + 1], 1 << 20);
    return std::nullopt;
  }

  int line_;
  DetectedMachine machine_;
  std::vector<std::string> columns_, nics_;
  std::map<std::size_t, std::string> names_;
};

/// Takes a whole text line by line; the first error stays.
class TextReader {
 public:
  explicit TextReader(const std::string& name) : name_(name) {}

  bool take(std::string_view raw, int line) {
    const std::string plain = without_escapes(raw);
    const Words words = text::words_between(plain);
    if (words.empty()) return true;
    if (!text::is_utf8(raw))
      return keep(
          fail(ErrorCode::bad_input, "found bytes that are not UTF-8, expected text", fmt::format("line {}", line)));
    if (const auto named = gpu_names_in(plain, max_listed_gpus)) {
      // Before the matrix or after it: names belong to the matrix that follows until one stands there.
      for (const std::size_t number : named->numbers)
        matrix_ ? matrix_->name_gpu(number, named->name)
                : static_cast<void>(early_.insert_or_assign(number, std::string(named->name)));
      tally_.understand();
      return true;
    }
    if (is_heading(words)) {
      tally_.understand();
      return remember(plain, line);
    }
    if (is_heading_of_figures(words)) tables_.push_back(line);
    const bool row = is_gpu(words[0]) && words.size() > 1;
    if (row && heading_ && is_row_of_statuses(words)) {
      heading_.reset();
      tally_.ignore();
      return true;
    }
    if (row && heading_ && !start()) return false;
    const bool named_card = matrix_ && words.size() == 2 && words[0].ends_with(":");
    count(plain, line, matrix_ && (row || named_card), matrix_ && is_legend(words));
    if (!matrix_) return true;
    if (row) return keep(matrix_->read_row(words, line));
    if (named_card) matrix_->name_nic(words[0].substr(0, words[0].size() - 1), words[1]);
    return true;
  }

  Result<FoundMachines> finish() {
    if (!error_ && heading_) start();
    if (!error_) close();
    if (error_) return tl::unexpected(std::move(*error_));
    if (found_.machines.empty())
      return fail(ErrorCode::bad_input, "found no matrix of GPUs, expected what nvidia-smi topo -m prints");
    if (!tables_.empty())
      found_.notes.push_back(
          fmt::format("{} of figures between GPUs, the first in line {}, {} passed over: expected "
                      "the titles of p2pBandwidthLatencyTest above them",
                      tables_.size() == 1 ? "A table" : fmt::format("{} tables", tables_.size()), tables_.front(),
                      tables_.size() == 1 ? "was" : "were"));
    found_.shares.push_back(tally_.share());
    return std::move(found_);
  }

 private:
  void count(std::string_view line, int number, bool understood, bool explains) {
    if (understood) return tally_.understand();
    explains ? tally_.ignore() : tally_.leave_out(line, number);
  }

  bool keep(const Result<void>& result) {
    if (!result && !error_) error_ = result.error();
    return !error_;
  }

  /// The first row shows the meaning of the heading.
  bool remember(const std::string& heading, int line) {
    if (heading_ && !start()) return false;
    heading_.emplace(heading, line);
    return true;
  }

  bool start() {
    close();
    if (found_.machines.size() >= static_cast<std::size_t>(limits::devices))
      return keep(fail(ErrorCode::bad_input, "found more machines than there may be devices"));
    matrix_.emplace(text::words_between(heading_->first), heading_->second, name_);
    heading_.reset();
    for (const auto& [number, name] : early_) matrix_->name_gpu(number, name);
    early_.clear();
    return !error_ && keep(matrix_->check_heading());
  }

  void close() {
    if (!matrix_ || error_) return;
    Result<DetectedMachine> machine = matrix_->finish();
    matrix_.reset();
    if (machine)
      found_.machines.push_back(*std::move(machine));
    else
      error_ = std::move(machine.error());
  }

  const std::string& name_;
  std::optional<std::pair<std::string, int>> heading_;  ///< without a row so far, and its line
  std::optional<LinkMatrixReader> matrix_;
  std::map<std::size_t, std::string> early_;
  std::vector<int> tables_;  ///< lines of headings of figures
  text::LineTally tally_;
  FoundMachines found_;
  std::optional<Error> error_;
};

}  // namespace

bool looks_like_nvidia_smi_topology(const std::string& text) {
  const std::string_view start = std::string_view(text).substr(0, nvidia_smi_head);
  if (start.find("GPU0") == start.npos) return false;
  bool found = false;
  text::for_lines(start, [&](std::string_view line, int) {
    if (line.find("GPU0") == line.npos) return true;
    const std::string plain = without_escapes(line);
    found = is_heading(text::words_between(plain));
    return !found;
  });
  return found;
}

Result<FoundMachines> machines_from_nvidia_smi(const std::string& text, const std::string& name) {
  if (text.size() > max_smi_text)
    return fail(ErrorCode::bad_input,
                fmt::format("found {} bytes, expected at most {} of a topology", text.size(), max_smi_text));
  TextReader reader(name);
  text::for_lines(text, [&](std::string_view line, int number) { return reader.take(line, number); });
  return reader.finish();
}

}  // namespace pipedeck::io::topology
