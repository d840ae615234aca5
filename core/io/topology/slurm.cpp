// SPDX-License-Identifier: Apache-2.0
#include "core/io/topology/slurm.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/json/value.hpp"
#include "core/io/text/lines.hpp"
#include "core/io/text/utf8.hpp"
#include "core/io/topology/host_list.hpp"

namespace pipedeck::io::topology {
namespace {

constexpr std::size_t max_slurm_text = std::size_t{64} << 20;  // a node takes about a kilobyte
constexpr std::size_t max_nodes = static_cast<std::size_t>(limits::devices);
constexpr int max_gpus_per_node = 256;  // of a node
constexpr std::size_t slurm_head = std::size_t{1} << 18;

std::string lower(std::string_view text) {
  std::string made(text);
  std::ranges::transform(made, made.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
  return made;
}

/// "NodeName=n1 Arch=x86_64 ..." over as many lines as it takes; keys in small letters, for Slurm does not tell them
/// apart.
struct Record {
  int line = 0;
  std::map<std::string, std::string, std::less<>> values;
  std::string_view value(std::string_view key) const {
    const auto found = values.find(key);
    return found == values.end() ? std::string_view() : std::string_view(found->second);
  }
};

bool begins_record(std::string_view key) { return key == "nodename" || key == "switchname" || key == "blockname"; }

/// Returns true for a key that begins a section about something other than nodes, switches and blocks.
bool ends_record(std::string_view key) {
  return key == "partitionname" || key == "downnodes" || key == "frontendname" || key == "aggregatedblock";
}

constexpr std::array<std::string_view, 6> asked_of_records{"gres", "state", "partitions", "nodes", "switches", "level"};

/// At commas that are not inside of brackets or parentheses: "gpu:a100:4(S:0,1),gpu:v100:2".
std::vector<std::string_view> resources(std::string_view text) {
  std::vector<std::string_view> made;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (text[i] == '(' || text[i] == '[')) ++depth;
    if (i < text.size() && (text[i] == ')' || text[i] == ']')) --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    if (i > begin) made.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  return made;
}

/// States, joined with '+' by `scontrol`, in which nothing runs on a node. UNKNOWN is not one: slurm.conf uses it for
/// nodes that return to their state.
bool is_out(std::string_view state) {
  const std::string words = lower(state);
  for (std::string_view word : text::words_between(words, "+")) {
    while (!word.empty() && word.find_first_of("*~#!%$@^-") == word.size() - 1) word.remove_suffix(1);
    if (word == "down" || word == "drain" || word == "drained" || word == "draining" || word == "fail" ||
        word == "failing" || word == "future" || word == "inval" || word == "not_responding")
      return true;
  }
  return false;
}

tl::unexpected<Error> bad(std::string message, int line) {
  return fail(ErrorCode::bad_input, std::move(message), fmt::format("line {}", line));
}

class SlurmReader {
 public:
  Result<FoundMachines> read(const std::string& text) {
    TRY_VOID(split_records(text));
    fold_spines();
    for (Record& record : records_) {
      auto taken = record.values.contains("nodename") ? add_nodes(record) : add_switches(record);
      if (!taken) {
        if (taken.error().place.empty()) taken.error().place = fmt::format("line {}", record.line);
        return tl::unexpected(taken.error());
      }
    }
    join_blocks();
    TRY_VOID(check_forest());
    if (found_.machines.empty() && found_.switches.empty()) return fail(ErrorCode::bad_input, explain_empty());
    add_notes();
    return std::move(found_);
  }

 private:
  std::string explain_empty() const {
    if (out_ == 0)
      return fmt::format("found {} nodes and no GPU among them, expected Gres=gpu:TYPE:COUNT of some", without_gpus_);
    return fmt::format("found {} nodes with GPUs, all of them down or drained, expected one that is up", out_);
  }

  Result<void> split_records(const std::string& text) {
    int line = 0;
    for (std::string_view rest = text; !rest.empty();) {
      ++line;
      const std::size_t end = rest.find('\n');
      std::string_view one = rest.substr(0, end);
      rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
      if (!text::is_utf8(one)) return bad("found bytes that are not UTF-8, expected text", line);
      // A user's text about a node may hold anything.
      if (const std::size_t reason = one.find(" Reason="); reason != one.npos) one = one.substr(0, reason);
      if (const std::size_t comment = one.find(" Comment="); comment != one.npos) one = one.substr(0, comment);
      TRY_VOID(keep_words(one, line));
    }
    return {};
  }

  Result<void> keep_words(std::string_view one, int line) {
    bool of_system = false;  // "" continues to the next key, and begins no comment
    for (const std::string_view word : text::words_between(one, " \t\r\\")) {
      if (word[0] == '#' && !of_system) break;
      const std::size_t equal = word.find('=');
      if (equal == word.npos) continue;
      const std::string key = lower(word.substr(0, equal));
      of_system = key == "os";
      TRY_VOID(keep(key, word.substr(equal + 1), line));
    }
    return {};
  }

  Result<void> keep(const std::string& key, std::string_view value, int line) {
    if (begins_record(key)) {
      if (records_.size() >= max_nodes)
        return bad(fmt::format("found more than {} nodes, expected at most that", max_nodes), line);
      records_.push_back({line, {}});
    }
    // Text before the first node is about something else, too.
    if (ends_record(key)) in_record_ = false;
    if (begins_record(key)) in_record_ = true;
    const bool asked = begins_record(key) || std::ranges::find(asked_of_records, key) != asked_of_records.end();
    if (asked && in_record_ && !records_.empty()) records_.back().values.insert_or_assign(key, std::string(value));
    return {};
  }

  // -- nodes
  Result<void> add_nodes(Record& record) {
    const std::string_view names = record.value("nodename");
    if (lower(names) == "default") {
      for (const auto& [key, value] : record.values) defaults_.insert_or_assign(key, value);
      return {};
    }
    record.values.insert(defaults_.begin(), defaults_.end());  // the line's own values stay
    TRY(auto expanded, expand_hostlist(names, max_nodes));
    if (expanded.empty()) return bad("found a node without a name, expected NodeName=NAME", record.line);
    TRY(const auto gpus, gpus_of(record));
    for (std::string& name : expanded) {
      if (!node_names_.insert(name).second)
        return bad(fmt::format("found the node {} twice, expected each once", name), record.line);
      if (node_names_.size() > max_nodes)
        return bad(fmt::format("found more than {} nodes, expected at most that", max_nodes), record.line);
      if (gpus.empty()) {
        ++without_gpus_;
        continue;
      }
      if (is_out(record.value("state"))) {
        ++out_;
        share_.leave_out(name + ", down or drained");
        continue;
      }
      told_ += gpus.size();
      if (told_ > static_cast<std::size_t>(limits::devices))
        return bad(fmt::format("found more than {} GPUs, expected at most that", limits::devices), record.line);
      found_.machines.push_back(machine_of(std::move(name), gpus, record));
    }
    return {};
  }

  static DetectedMachine machine_of(std::string name, const std::vector<FoundGpu>& gpus, const Record& record) {
    DetectedMachine machine;
    machine.name = std::move(name);
    machine.source = "Slurm";
    machine.gpus = gpus;
    machine.joints.assign(gpus.size(),
                          std::vector<Interconnect>(gpus.size(), Interconnect{InterconnectKind::unknown, 0, {}}));
    for (std::size_t i = 0; i < gpus.size(); ++i) machine.joints[i][i] = Interconnect{};
    for (const std::string_view partition : text::words_between(record.value("partitions"), ","))
      machine.partitions.emplace_back(partition);
    return machine;
  }

  /// Reads Gres=gpu:a100:8(S:0-1),gpu:v100:2,shard:4; nothing for (null).
  Result<std::vector<FoundGpu>> gpus_of(const Record& record) {
    std::vector<FoundGpu> gpus;
    for (std::string_view resource : resources(record.value("gres"))) {
      resource = resource.substr(0, resource.find('('));
      const std::size_t colon = resource.find(':');
      if (resource.substr(0, colon) != "gpu") continue;
      const std::string_view rest = colon == resource.npos ? std::string_view() : resource.substr(colon + 1);
      TRY_VOID(add_gpus(gpus, rest, record.line));
    }
    return gpus;
  }

  /// "a100:8", "8", "a100", or nothing at all, which is one.
  static Result<void> add_gpus(std::vector<FoundGpu>& gpus, std::string_view text, int line) {
    const std::size_t colon = text.rfind(':');
    const std::string_view last = colon == text.npos ? text : text.substr(colon + 1);
    const bool counted = colon != text.npos || (!text.empty() && last.find_first_not_of("0123456789") == last.npos);
    int count = 1;
    if (counted) {
      const auto [end, problem] = std::from_chars(last.data(), last.data() + last.size(), count);
      if (problem != std::errc{} || end != last.data() + last.size() || count < 0 ||
          count > max_gpus_per_node - static_cast<int>(gpus.size()))
        return bad(fmt::format("found {} GPUs of a node, expected a whole number from 0 to {}",
                               json::describe(json::Value(last)), max_gpus_per_node),
                   line);
    }
    const std::string_view type = !counted ? text : colon == text.npos ? std::string_view() : text.substr(0, colon);
    for (int i = 0; i < count; ++i) {
      FoundGpu& gpu = gpus.emplace_back();
      gpu.label = fmt::format("GPU{}", gpus.size() - 1);
      gpu.name = type == "(null)" ? std::string_view() : type;
    }
    return {};
  }

  // -- switches
  /// Takes switches above the same switches for one: a fat tree has several.
  void fold_spines() {
    std::map<std::set<std::string>, std::string> first_above;
    std::string folded;
    std::erase_if(records_, [&](const Record& record) {
      const auto below = expand_hostlist(record.value("switches"), max_nodes);
      const std::string name(record.value("switchname"));
      if (name.empty() || !below || below->empty() || record.values.contains("level")) return false;
      const auto [at, first] = first_above.try_emplace({below->begin(), below->end()}, name);
      if (first || at->second == name) return false;
      spines_.insert_or_assign(name, at->second);
      folded += fmt::format("{}{} with {}", folded.empty() ? "" : ", ", name, at->second);
      return true;
    });
    if (!folded.empty())
      found_.notes.push_back(fmt::format("Switches above the same switches are taken for one: {}", folded));
  }

  /// A block of the plugin topology/block is taken for the switch of its nodes.
  Result<void> add_switches(const Record& record) {
    const bool block = record.values.contains("blockname");
    auto names = expand_hostlist(record.value(block ? "blockname" : "switchname"), max_nodes);
    auto below = expand_hostlist(record.value("switches"), max_nodes);
    // "scontrol show topology" lists for an upper switch also all nodes anywhere below it.
    const bool repeated = record.values.contains("level") && below && !below->empty();
    auto nodes = expand_hostlist(repeated ? std::string_view() : record.value("nodes"), max_nodes);
    for (const auto* list : {&names, &nodes, &below})
      if (!*list) return tl::unexpected(list->error());
    if (names->size() != 1)
      return bad("found no single name of a switch or block, expected SwitchName=NAME or BlockName=NAME", record.line);
    if (nodes->empty() == below->empty())
      return bad(fmt::format("found {} of {}, expected either Nodes or Switches", nodes->empty() ? "neither" : "both",
                             names->front()),
                 record.line);
    FoundSwitch made{names->front(), *std::move(nodes), {}};
    for (std::string& name : *below) {
      const auto spine = spines_.find(name);
      if (spine != spines_.end()) name = spine->second;
      if (spine == spines_.end() || std::ranges::find(made.switches, name) == made.switches.end())
        made.switches.push_back(std::move(name));
    }
    if (!positions_.emplace(made.name, found_.switches.size()).second)
      return bad(fmt::format("found the switch {} twice, expected each once", made.name), record.line);
    for (const auto* list : {&made.machines, &made.switches})
      for (const std::string& name : *list) {
        auto& above = list == &made.machines ? above_machine_ : above_switch_;
        if (const auto [at, added] = above.emplace(name, made.name); !added)
          return bad(
              fmt::format("found {} below {} and below {}, expected one switch above it", name, at->second, made.name),
              record.line);
      }
    blocks_ += block;
    ++share_.understood;
    switch_lines_.push_back(record.line);
    found_.switches.push_back(std::move(made));
    return {};
  }

  /// Blocks come without their interconnect, and yet jobs span several.
  void join_blocks() {
    if (blocks_ < 2 || blocks_ < found_.switches.size()) return;
    FoundSwitch above{"blocks", {}, {}};
    while (positions_.contains(above.name)) above.name += " 2";
    for (const FoundSwitch& block : found_.switches) {
      above.switches.push_back(block.name);
      above_switch_.emplace(block.name, above.name);
    }
    switch_lines_.push_back(switch_lines_.back());
    positions_.emplace(above.name, found_.switches.size());
    found_.notes.push_back(fmt::format("The {} blocks are assumed to be below one switch", blocks_));
    found_.switches.push_back(std::move(above));
  }

  /// Every switch that is named is there, and none is above itself.
  Result<void> check_forest() const {
    for (std::size_t i = 0; i < found_.switches.size(); ++i)
      for (const std::string& name : found_.switches[i].switches)
        if (!positions_.contains(name))
          return bad(fmt::format("found the switch {} below {}, expected a line SwitchName={}", name,
                                 found_.switches[i].name, name),
                     switch_lines_[i]);
    for (std::size_t i = 0; i < found_.switches.size(); ++i) {
      std::size_t steps = 0;
      for (auto above = above_switch_.find(found_.switches[i].name); above != above_switch_.end();
           above = above_switch_.find(above->second))
        if (++steps > max_levels)
          return bad(fmt::format("found the switch {} above itself or below more than {} others, expected a tree",
                                 found_.switches[i].name, max_levels),
                     switch_lines_[i]);
    }
    return {};
  }

  void add_notes() {
    if (without_gpus_ > 0) found_.notes.push_back(fmt::format("Nodes without GPUs were left out: {}", without_gpus_));
    if (out_ > 0) found_.notes.push_back(fmt::format("Nodes that are down or drained were left out: {}", out_));
    share_.understood += static_cast<int>(found_.machines.size() + spines_.size());
    share_.without_effect = static_cast<int>(without_gpus_);
    found_.shares.push_back(std::move(share_));
  }

  static constexpr std::size_t max_levels = 32;
  std::vector<Record> records_;
  bool in_record_ = false;
  std::map<std::string, std::string, std::less<>> defaults_;  ///< of the lines NodeName=DEFAULT so far
  FoundMachines found_;
  ImportShare share_{.unit = "name"};
  std::set<std::string> node_names_;
  std::map<std::string, std::size_t> positions_;                     ///< of switches
  std::map<std::string, std::string> above_machine_, above_switch_;  ///< the switch above each
  std::map<std::string, std::string> spines_;                        ///< switches that were taken for another one
  std::vector<int> switch_lines_;
  std::size_t without_gpus_ = 0, out_ = 0, told_ = 0, blocks_ = 0;
};

}  // namespace

bool looks_like_slurm(const std::string& text) {
  std::string_view rest = std::string_view(text).substr(0, slurm_head);
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == line.npos || line[first] == '#') continue;
    const std::size_t equal = line.find('=', first);
    if (equal != line.npos && begins_record(lower(line.substr(first, equal - first)))) return true;
  }
  return false;
}

Result<FoundMachines> machines_from_slurm(const std::string& text) {
  if (text.size() > max_slurm_text)
    return fail(ErrorCode::bad_input,
                fmt::format("found {} bytes, expected at most {} of a topology", text.size(), max_slurm_text));
  return SlurmReader().read(text);
}

}  // namespace pipedeck::io::topology
