// SPDX-License-Identifier: Apache-2.0
#include "core/io/topology/rocm_smi.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/text/decimal.hpp"
#include "core/io/text/line_tally.hpp"
#include "core/io/text/lines.hpp"
#include "core/io/text/printable.hpp"

namespace pipedeck::io::topology {
namespace {

constexpr std::string_view links_title = "Link Type between two GPUs";
constexpr std::size_t most_gpus = 1024;  // of one machine
constexpr std::size_t most_text = std::size_t{16} << 20;

/// A fact about a GPU: "GPU[3] : (Topology) Numa Node: 1".
struct GpuFact {
  std::size_t gpu = 0;
  std::string_view key, value;
};

std::optional<GpuFact> fact_in(std::string_view line) {
  line = text::trimmed(line);
  if (!line.starts_with("GPU[")) return std::nullopt;
  const std::size_t end = line.find(']'), colon = line.find(':'), last = line.rfind(':');
  if (end == line.npos || colon == line.npos || colon < end || last == colon) return std::nullopt;
  const auto number = text::decimal_to_integer(line.substr(4, end - 4));
  if (!number || *number < 0 || std::cmp_greater_equal(*number, most_gpus)) return std::nullopt;
  return GpuFact{static_cast<std::size_t>(*number), text::trimmed(line.substr(colon + 1, last - colon - 1)),
                 text::trimmed(line.substr(last + 1))};
}

class RocmReader {
 public:
  explicit RocmReader(const std::string& name) : name_(name) {}

  Result<void> read(std::string_view line, int number) {
    if (line.find(links_title) != line.npos) {
      TRY_VOID(close());
      title_ = number;
      tally_.understand();
      return {};
    }
    if (line.find("====") != line.npos) in_matrix_ = false;
    if (const auto fact = fact_in(line)) {
      const bool read = fact->key.ends_with("Numa Node") || fact->key == "Card series" || fact->key == "Card Series";
      read ? tally_.understand() : tally_.ignore();
      if (fact->key.ends_with("Numa Node"))
        nodes_[fact->gpu] = static_cast<int>(text::decimal_to_integer(fact->value).value_or(-1));
      if (fact->key == "Card series" || fact->key == "Card Series") names_[fact->gpu] = fact->value;
      return {};
    }
    const auto words = text::words_between(line);
    if (words.empty()) return {};
    if (title_ == 0 || (gpus_ > 0 && !in_matrix_) || (gpus_ == 0 && words[0] != "GPU0")) {
      tally_.leave_out(line, number);
      return {};
    }
    tally_.understand();
    if (gpus_ == 0) {
      gpus_ = words.size(), in_matrix_ = true;
      if (gpus_ > most_gpus)
        return bad(fmt::format("found {} GPUs, expected at most {} in a machine", gpus_, most_gpus), number);
      return {};
    }
    return row(words, number);
  }

  Result<FoundMachines> finish() {
    TRY_VOID(close());
    if (found_.machines.empty())
      return fail(ErrorCode::bad_input, "found no matrix of links, expected the output of rocm-smi --showtopo");
    found_.shares.push_back(tally_.share());
    return std::move(found_);
  }

 private:
  static tl::unexpected<Error> bad(std::string message, int line) {
    return fail(ErrorCode::bad_input, std::move(message), fmt::format("line {}", line));
  }

  Result<void> row(const std::vector<std::string_view>& words, int line) {
    const std::size_t own = links_.size();
    if (own == gpus_) return {};
    if (words[0] != fmt::format("GPU{}", own) || words.size() != gpus_ + 1)
      return bad(fmt::format("found a row of {} with {} links, expected GPU{} with {}", text::printable(words[0]),
                             words.size() - 1, own, gpus_),
                 line);
    std::vector<bool> links;
    for (std::size_t i = 0; i < gpus_; ++i) {
      const std::string_view link = words[i + 1];
      if (link != "XGMI" && link != "PCIE" && i != own)
        return bad(
            fmt::format("found {} between GPU{} and GPU{}, expected XGMI or PCIE", text::printable(link), own, i),
            line);
      links.push_back(link == "XGMI");
      if (i < own && links_[i][own] != links[i])
        return bad(fmt::format("found {} between GPU{} and GPU{}, expected what the other's row has",
                               text::printable(link), own, i),
                   line);
    }
    links_.push_back(std::move(links));
    return {};
  }

  /// NUMA nodes follow the matrix: a machine ends with the next one, or with the text.
  Result<void> close() {
    if (title_ == 0) return {};
    if (gpus_ == 0 || links_.size() != gpus_)
      return bad(fmt::format("found {} rows under the title, expected one for each of {} GPUs", links_.size(), gpus_),
                 title_);
    if (found_.machines.size() >= static_cast<std::size_t>(limits::devices))
      return bad("found more machines than there may be devices", title_);
    DetectedMachine& machine = found_.machines.emplace_back();
    machine.name = name_;
    machine.source = "rocm-smi --showtopo";
    for (std::size_t g = 0; g < gpus_; ++g) {
      FoundGpu& gpu = machine.gpus.emplace_back();
      gpu.label = fmt::format("GPU{}", g);
      if (const auto name = names_.find(g); name != names_.end()) gpu.name = name->second;
      if (const auto node = nodes_.find(g); node != nodes_.end() && node->second >= 0) gpu.numa = node->second;
      std::vector<Interconnect>& joints = machine.joints.emplace_back();
      for (std::size_t other = 0; other < gpus_; ++other)
        joints.push_back({g == other ? InterconnectKind::self : kind_of(g, other), 0, {}});
    }
    title_ = 0, gpus_ = 0, in_matrix_ = false;
    links_.clear(), nodes_.clear(), names_.clear();
    return {};
  }

  InterconnectKind kind_of(std::size_t a, std::size_t b) const {
    if (links_[a][b]) return InterconnectKind::unknown;  // the usual one
    const auto first = nodes_.find(a), second = nodes_.find(b);
    const bool known = first != nodes_.end() && second != nodes_.end();
    return known && first->second == second->second ? InterconnectKind::numa_node : InterconnectKind::system;
  }

  const std::string& name_;
  int title_ = 0;  ///< line of the matrix that is being read; 0: none
  std::size_t gpus_ = 0;
  bool in_matrix_ = false;
  std::vector<std::vector<bool>> links_;  ///< GPU x GPU: xGMI
  std::map<std::size_t, int> nodes_;
  std::map<std::size_t, std::string> names_;
  text::LineTally tally_;
  FoundMachines found_;
};

}  // namespace

bool looks_like_rocm_smi_topology(const std::string& text) { return text.find(links_title) != text.npos; }

Result<FoundMachines> machines_from_rocm_smi(const std::string& text, const std::string& name) {
  if (text.size() > most_text)
    return fail(ErrorCode::bad_input,
                fmt::format("found {} bytes, expected at most {} of a topology", text.size(), most_text));
  RocmReader reader(name);
  Result<void> read;
  text::for_lines(text,
                  [&](std::string_view line, int number) { return (read = reader.read(line, number)).has_value(); });
  if (!read) return tl::unexpected(std::move(read.error()));
  return reader.finish();
}

}  // namespace pipedeck::io::topology
