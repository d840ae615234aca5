// SPDX-License-Identifier: Apache-2.0
#include "core/io/dumps/flight_recorder.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/dumps/call_stacks.hpp"
#include "core/io/dumps/fields.hpp"
#include "core/io/text/utf8.hpp"

namespace pipedeck::io::dumps {
namespace {

constexpr std::int64_t most_count = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t most_sizes = 1000;     // numbers of an entry's tensors that are compared
constexpr std::size_t most_groups = 65'536;  // of a rank
constexpr std::size_t longest_name = 200;    // bytes
constexpr int any_rank = static_cast<int>(limits::devices);

std::string cut(const std::string& text) { return text.substr(0, longest_name); }

std::optional<CollectiveState> state_of(std::string_view word) {
  if (word == "scheduled") return CollectiveState::scheduled;
  if (word == "started") return CollectiveState::started;
  if (word == "completed") return CollectiveState::completed;
  return std::nullopt;
}

/// Returns the numbers in a text such as "[0, 1, 2]", ascending; nothing if it holds anything else.
std::optional<std::vector<int>> ranks_in(std::string_view text) {
  std::vector<int> ranks;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    if (*at == '[' || *at == ']' || *at == ',' || *at == ' ') {
      ++at;
      continue;
    }
    int rank = 0;
    const auto [next, problem] = std::from_chars(at, end, rank);
    if (problem != std::errc() || rank < 0 || rank >= any_rank) return std::nullopt;
    ranks.push_back(rank);
    at = next;
  }
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

/// Reads "send 0->1" and "recv 1<-0"; any other operation is a collective.
struct Called {
  std::string operation;
  int source = -1, target = -1;
};
std::optional<Called> called_in(std::string_view name) {
  const std::size_t colon = name.find(':');  // "nccl:all_reduce"
  if (colon != name.npos) name.remove_prefix(colon + 1);
  name = name.substr(0, longest_name);
  const std::size_t blank = name.find(' ');
  Called called{std::string(name.substr(0, blank))};
  if (blank == name.npos) return called;
  const std::string_view pair = name.substr(blank + 1);
  const bool sends = called.operation == "send", receives = called.operation == "recv";
  const std::size_t arrow = pair.find(sends ? "->" : "<-");
  if ((!sends && !receives) || arrow == pair.npos) return called;
  int left = -1, right = -1;
  std::from_chars(pair.data(), pair.data() + arrow, left);
  std::from_chars(pair.data() + arrow + 2, pair.data() + pair.size(), right);
  if (left < 0 || right < 0 || left >= any_rank || right >= any_rank) return std::nullopt;
  called.source = sends ? left : right;
  called.target = sends ? right : left;
  return called;
}

class FlightReader {
 public:
  FlightReader(const pickle::Tree& tree, int rank) : tree_(tree), stacks_(tree) {
    dump_.rank = rank;
    dump_.texts.emplace_back();
  }

  Result<FlightDump> read() {
    if (const auto* version = tree_.member<std::string>(tree_.root(), "version")) dump_.version = cut(*version);
    TRY_VOID(read_groups());
    const auto* entries = tree_.member<pickle::Items>(tree_.root(), "entries");
    if (entries && entries->size() > tree_.size())
      return fail(ErrorCode::bad_input, "found one call several times, expected calls of their own", "/entries");
    for (std::size_t i = 0; entries && i < entries->size(); ++i)
      TRY_VOID(read_entry(Entry{tree_, (*entries)[i], "/entries", i}));
    dump_.places = stacks_.take_places();
    read_status();
    return std::move(dump_);
  }

 private:
  Result<void> read_groups() {
    const auto* groups = tree_.member<pickle::Pairs>(tree_.root(), "pg_config");
    if (!groups) return {};
    if (groups->size() > most_groups)
      return fail(ErrorCode::bad_input,
                  fmt::format("found {} groups, expected at most {}", groups->size(), most_groups), "/pg_config");
    for (std::size_t i = 0; i < groups->size(); ++i) {
      const Entry entry{tree_, (*groups)[i].second, "/pg_config", i};
      TRY(const auto* name, entry.text("name"));
      FlightGroup group{cut(*name), {}, {}};
      if (const auto* description = tree_.member<std::string>(entry.node, "desc"))
        group.description = cut(*description);
      if (const auto* text = tree_.member<std::string>(entry.node, "ranks")) {
        auto ranks = ranks_in(*text);
        if (!ranks) return entry.refuse("ranks", "a list of ranks, \"[0, 1]\"");
        group.ranks = *std::move(ranks);
      }
      add_group(std::move(group));
    }
    return {};
  }

  std::size_t add_group(FlightGroup group) {
    const auto [found, added] = numbers_.try_emplace(group.name, dump_.groups.size());
    if (added) {
      dump_.groups.push_back(std::move(group));
      dump_.status.emplace_back();
    }
    return found->second;
  }

  /// Returns the group of an entry: its name and description. The default group is not always configured.
  Result<std::size_t> group_of(const Entry& entry) {
    const auto* pair = tree_.member<pickle::Items>(entry.node, "process_group");
    if (!pair || pair->size() != 2) return std::size_t{add_group({"0", "", {}})};  // before version 2.0
    const auto* name = tree_.as<std::string>((*pair)[0]);
    const auto* description = tree_.as<std::string>((*pair)[1]);
    if (!name || !description) return entry.refuse("process_group", "a name and a description");
    return add_group({cut(*name), cut(*description), {}});
  }

  Result<void> read_entry(const Entry& entry) {
    FlightEntry made;
    TRY(made.group, group_of(entry));
    const char* const sequence = tree_.find(entry.node, "collective_seq_id") ? "collective_seq_id" : "seq_id";
    TRY(made.sequence, entry.integer(sequence, 0, most_count));
    TRY(const auto* name, entry.text("profiling_name"));
    auto called = called_in(*name);
    if (!called) return entry.refuse("profiling_name", "a collective, or \"nccl:send 0->1\"");
    made.operation = std::move(called->operation);
    made.source = called->source, made.target = called->target;
    TRY(const auto* word, entry.text("state"));
    const auto state = state_of(*word);
    if (!state) return entry.refuse("state", "scheduled, started or completed");
    made.state = *state;
    TRY(made.created, entry.integer_or("time_created_ns", 0, 0, most_count));
    made.input_sizes = text_of(tree_.find(entry.node, "input_sizes"));
    made.output_sizes = text_of(tree_.find(entry.node, "output_sizes"));
    made.input_types = text_of(tree_.find(entry.node, "input_dtypes"));
    made.output_types = text_of(tree_.find(entry.node, "output_dtypes"));
    made.place = stacks_.meaning_of(tree_.find(entry.node, "frames")).place;
    if (const auto* id = tree_.member<std::int64_t>(entry.node, "pg_id")) ids_[*id] = made.group;
    dump_.entries.push_back(std::move(made));
    return {};
  }

  /// Returns a list of sizes or types as text, each list once: "[[3,4],[8]]", "Float".
  std::uint32_t text_of(const pickle::Node* node) {
    if (!node) return 0;
    const auto known = by_node_.find(*node);
    if (known != by_node_.end()) return known->second;
    std::size_t left = most_sizes;
    const auto [found, added] = by_text_.try_emplace(written(*node, 0, left), dump_.texts.size());
    if (added) dump_.texts.push_back(found->first);
    return by_node_[*node] = static_cast<std::uint32_t>(found->second);
  }
  std::string written(pickle::Node node, int depth, std::size_t& left) const {
    if (left == 0) return "…";
    --left;
    if (const auto* number = tree_.as<std::int64_t>(node)) return std::to_string(*number);
    if (const auto* text = tree_.as<std::string>(node)) return cut(*text);
    const auto* items = tree_.as<pickle::Items>(node);
    if (!items || depth > 2) return "?";
    const bool words = !items->empty() && tree_.as<std::string>(items->front());
    std::string all = words ? "" : "[";
    for (std::size_t i = 0; i < items->size() && left > 0; ++i)
      all += (i > 0 ? "," : "") + written((*items)[i], depth + 1, left);
    return words ? all : all + "]";
  }

  /// Reads the counters. They are by number of the group, which entries give a name; as JSON they are texts.
  void read_status() {
    const auto* all = tree_.member<pickle::Pairs>(tree_.root(), "pg_status");
    if (!all || all->size() > most_groups) return;
    for (const auto& [key, value] : *all) {
      const auto* name = tree_.as<std::string>(key);
      std::int64_t id = -1;
      if (name) std::from_chars(name->data(), name->data() + name->size(), id);
      const auto group = ids_.find(id);
      if (group == ids_.end()) continue;
      dump_.status[group->second] = {counter(value, "last_enqueued_collective"),
                                     counter(value, "last_started_collective"),
                                     counter(value, "last_completed_collective")};
    }
  }
  std::int64_t counter(pickle::Node node, std::string_view key) const {
    const pickle::Node* found = tree_.find(node, key);
    if (!found) return -1;
    if (const auto* whole = tree_.as<std::int64_t>(*found)) return *whole;
    std::int64_t value = -1;
    if (const auto* text = tree_.as<std::string>(*found))
      std::from_chars(text->data(), text->data() + text->size(), value);
    return value;
  }

  const pickle::Tree& tree_;
  CallStacks stacks_;
  FlightDump dump_;
  std::map<std::string, std::size_t> numbers_;  ///< of groups by name
  std::map<std::int64_t, std::size_t> ids_;     ///< of groups by PyTorch's number
  std::unordered_map<pickle::Node, std::uint32_t> by_node_;
  std::unordered_map<std::string, std::size_t> by_text_{{"", 0}};
};

}  // namespace

std::string_view name_of(CollectiveState state) {
  constexpr std::array<std::string_view, 3> names{"scheduled", "started", "completed"};
  return names[static_cast<std::size_t>(state)];
}

bool looks_like_flight_dump(const pickle::Tree& tree) {
  const pickle::Node root = tree.root();
  return tree.member<std::string>(root, "version") &&
         (tree.find(root, "entries") || tree.find(root, "pg_config") || tree.find(root, "pg_status"));
}

std::optional<int> rank_in_file_name(const std::string& path) {
  const std::string name = text::to_utf8(std::filesystem::path(path).filename().string());
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t end = name.size();
  for (const std::string_view ending : {".json", ".pickle", ".pkl", ".bin", ".dump"})
    if (name.ends_with(ending)) end = name.size() - ending.size();
  std::size_t first = end;
  while (first > 0 && is_digit(name[first - 1])) --first;
  int rank = 0;
  const auto [stop, problem] = std::from_chars(name.data() + first, name.data() + end, rank);
  if (first == end || problem != std::errc() || rank >= any_rank) return std::nullopt;
  return rank;
}

Result<FlightDump> flight_dump_of(const pickle::Tree& tree, int rank) { return FlightReader(tree, rank).read(); }

}  // namespace pipedeck::io::dumps
