// SPDX-License-Identifier: Apache-2.0
#include "core/io/simulators/galvatron.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/huggingface/config.hpp"
#include "core/io/jobs/yaml.hpp"
#include "core/io/json/reader.hpp"
#include "core/io/text/decimal.hpp"
#include "core/io/text/lines.hpp"
#include "core/io/text/printable.hpp"

namespace pipedeck::io::simulators {
namespace {

using json::ErrorCollector;
using json::Value;

constexpr int max_group = 65'536, max_nodes_named = 4096;
constexpr std::int64_t max_mebibytes = 1 << 20;

/// A member's name: "allreduce_size_8_consec_1", "all2all_size_8_64MB_time".
struct Measure {
  CollectiveKind kind = CollectiveKind::all_reduce;
  int ranks = 0;
  std::int64_t mebibytes = 0;  ///< of a time; 0: it is a bandwidth
  bool consecutive = true;
};

std::optional<int> whole(std::string_view text, std::int64_t most) {
  const auto number = io::text::decimal_to_integer(text);
  return number && *number > 0 && *number <= most ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

std::optional<Measure> measure_of(std::string_view name) {
  const auto words = io::text::words_between(name, "_");
  if (words.size() != 5 || words[1] != "size") return std::nullopt;
  Measure measure;
  if (words[0] == "all2all")
    measure.kind = CollectiveKind::all_to_all;
  else if (words[0] != "allreduce")
    return std::nullopt;
  const auto ranks = whole(words[2], max_group);
  if (!ranks) return std::nullopt;
  measure.ranks = *ranks;
  if (words[3] == "consec") {
    measure.consecutive = words[4] == "1";
    return words[4] == "1" || words[4] == "0" ? std::optional(measure) : std::nullopt;
  }
  if (words[4] != "time" || !words[3].ends_with("MB")) return std::nullopt;
  const auto size = whole(words[3].substr(0, words[3].size() - 2), max_mebibytes);
  if (!size) return std::nullopt;
  measure.mebibytes = *size;
  return measure;
}

/// Returns the nodes and the GPUs of each from "..._2nodes_8gpus_per_node.json"; zeros: the name has none.
std::pair<int, int> nodes_in(const std::string& path) {
  const std::string name = path.substr(path.find_last_of('/') + 1);
  std::pair<int, int> found;
  for (const std::string_view word : io::text::words_between(name, "_."))
    for (auto& [ending, count] :
         std::array<std::pair<std::string_view, int*>, 2>{{{"nodes", &found.first}, {"gpus", &found.second}}})
      if (word.ends_with(ending))
        *count = whole(word.substr(0, word.size() - ending.size()), max_nodes_named).value_or(0);
  return found;
}

class HardwareReader {
 public:
  Result<FoundMachines> read(const Value& document, const std::string& path) {
    share_.unit = "value";
    for (const auto& [key, value] : *document.as<json::Members>()) take(key, value);
    if (problems_) return tl::unexpected(*std::move(problems_.first));
    if (largest_ < 2)
      return fail(ErrorCode::bad_input, "found no group of several GPUs, expected allreduce_size_8_...");
    auto [nodes, gpus] = nodes_in(path);
    if (nodes == 0 || gpus == 0) nodes = 1, gpus = largest_;
    if (nodes * gpus > static_cast<int>(limits::devices) || gpus > 1024)
      return fail(ErrorCode::bad_input, fmt::format("found {} GPUs of {} nodes, expected fewer", gpus, nodes));
    for (int n = 0; n < nodes; ++n) add_machine(n, gpus, nodes);
    for (MeasuredCollective& test : tests_) {
      std::ranges::stable_sort(test.points, {}, &MeasuredCollective::Point::bytes);
      for (const DetectedMachine& machine : found_.machines) test.machines.push_back(machine.name);
      if (test.ranks == nodes * gpus) found_.collectives.push_back(std::move(test));
    }
    found_.shares.push_back(std::move(share_));
    return std::move(found_);
  }

 private:
  void take(const std::string& key, const Value& value) {
    const auto measure = measure_of(key);
    if (!measure) return share_.leave_out(text::printable(key));
    const std::string place = json::step(key);
    const double figure = json::read_number(value, json::Unit::plain, 1e-9, 1e9, place, problems_);
    if (problems_) return;
    largest_ = std::max(largest_, measure->ranks);
    ++share_.understood;
    if (measure->mebibytes == 0) {
      if (measure->consecutive) rates_.emplace_back(measure->ranks, gigabytes_per_second(figure));
      return;
    }
    const auto same = std::ranges::find_if(tests_, [&](const MeasuredCollective& test) {
      return test.kind == measure->kind && test.ranks == measure->ranks;
    });
    MeasuredCollective& test = same == tests_.end() ? tests_.emplace_back() : *same;
    test.kind = measure->kind, test.ranks = measure->ranks;
    test.test = measure->kind == CollectiveKind::all_reduce ? "allreduce" : "all2all";
    const double bytes = static_cast<double>(measure->mebibytes << 20);
    const Seconds time(figure / 1e3);
    test.points.push_back({bytes, time, BytesPerSecond(bytes_sent(measure->kind, measure->ranks, bytes) / time.count)});
  }

  void add_machine(int number, int gpus, int nodes) {
    DetectedMachine& machine = found_.machines.emplace_back();
    machine.name = fmt::format("node-{}", number + 1);
    machine.source = "Galvatron";
    machine.shows_links = false;
    for (int i = 0; i < gpus; ++i) machine.gpus.emplace_back().label = fmt::format("GPU{}", i);
    const auto n = static_cast<std::size_t>(gpus);
    Interconnect joint{InterconnectKind::unknown, 0, {}};
    for (const auto& [ranks, rate] : rates_) {
      if (ranks == gpus) joint.measured = Link{rate, {}, true};
      if (ranks == gpus * nodes && nodes > 1) machine.fabric = Link{rate, {}, true};
    }
    machine.joints.assign(n, std::vector<Interconnect>(n, joint));
    for (std::size_t i = 0; i < n; ++i) machine.joints[i][i] = Interconnect{};
  }

  ErrorCollector problems_;
  int largest_ = 0;
  std::vector<std::pair<int, BytesPerSecond>> rates_;
  std::vector<MeasuredCollective> tests_;
  ImportShare share_;
  FoundMachines found_;
};

/// Returns the truth value, number or null that a scalar of YAML is; else the text.
Value typed(const std::string& scalar) {
  if (scalar == "true" || scalar == "false") return {scalar == "true"};
  if (scalar == "null" || scalar == "~") return {};
  return io::text::decimal_to_double(scalar) ? Value(json::Number{scalar}) : Value(scalar);
}

}  // namespace

bool looks_like_galvatron_hardware(const Value& document) {
  const auto* members = document.as<json::Members>();
  return members &&
         std::ranges::any_of(*members, [](const auto& member) { return measure_of(member.first).has_value(); });
}

Result<FoundMachines> machines_from_galvatron(const Value& document, const std::string& path) {
  return HardwareReader().read(document, path);
}

bool looks_like_galvatron_model(const std::string& text) {
  return std::ranges::all_of(std::array{"hidden_size", "num_layers", "num_attention_heads"}, [&](const char* key) {
    const std::string member = std::string(key) + ":";
    return text.starts_with(member) || text.find("\n" + member) != text.npos;
  });
}

Result<ParsedTransformer> model_from_galvatron(const std::string& text, const std::string& name) {
  TRY(Value tree, jobs::tree_from_yaml(text));
  if (auto* members = tree.as<json::Members>())
    for (auto& [key, value] : *members)
      if (const auto* scalar = value.as<std::string>()) value = typed(*scalar);
  return huggingface::transformer_from_document(tree, name);
}

}  // namespace pipedeck::io::simulators
