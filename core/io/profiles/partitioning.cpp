// SPDX-License-Identifier: Apache-2.0
#include "core/io/profiles/partitioning.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/io/json/reader.hpp"
#include "core/io/profiles/layer_kind_guess.hpp"
#include "core/plan/validate.hpp"

namespace pipedeck::io::profiles {
namespace {

using json::ErrorCollector;
using json::ObjectReader;
using json::Value;

constexpr double max_bytes = static_cast<double>(limits::bytes);
constexpr std::size_t partitioning_head = 4096;

/// Both write whole numbers as floating-point ones.
Bytes bytes_in(ObjectReader& in, std::string_view key) { return Bytes(std::llround(in.number(key, 0, max_bytes))); }

bool bool_in(ObjectReader& in, std::string_view key) {
  const Value* value = in.get(key);
  if (!value) return false;
  if (const bool* truth = value->as<bool>()) return *truth;
  return in.count(key, 0, 1) == 1;
}

/// A node of either format.
struct PartitioningNode {
  std::int64_t id = 0;
  std::string name;
  Seconds forward, backward;
  Bytes parameters;
  std::optional<Bytes> saved;
  bool is_backward = false;
  std::optional<std::int64_t> colour;
};

/// An edge of either format, between positions of nodes.
struct PartitioningEdge {
  std::size_t from = 0, to = 0;
  std::optional<Bytes> size;  ///< absent: the file has its time alone
};

class WorkloadReader {
 public:
  WorkloadReader(const Value& document, const std::string& name, const WorkloadOptions& options)
      : in_(document, {}, problems_), name_(name), options_(options) {}

  Result<Profile> read() {
    const bool piper = in_.has("maxDevices");
    unit_ = options_.time_unit.value_or(Seconds(piper ? 1 : 1e-3));
    in_.objects("nodes", [&](ObjectReader& node) {
      if (!in_.ok()) return;
      piper ? read_piper(node) : read_partitioning(node);
    });
    if (problems_) return tl::unexpected(*problems_.first);
    in_.objects("edges", [&](ObjectReader& edge) {
      if (in_.ok()) read_edge(edge, piper ? "communicationCost" : "size");
    });
    if (problems_) return tl::unexpected(*problems_.first);
    if (!piper) TRY_VOID(join_backward());
    make_layers();
    for (const PartitioningEdge& edge : edges_) add_edge(edge);
    for (std::size_t i = 0; i < profile_.layers.size(); ++i)
      if (!saved_told_[i]) profile_.layers[i].saved = profile_.layers[i].output;
    profile_.name = name_;
    profile_.micro_batch = 1;
    note_assumptions(piper);
    TRY_VOID(plan::validate(profile_));
    return std::move(profile_);
  }

 private:
  PartitioningNode& add_node(ObjectReader& in) {
    if (nodes_.size() >= static_cast<std::size_t>(limits::layers))
      in.fail("id", fmt::format("found more than {} nodes, expected at most that", limits::layers));
    PartitioningNode& node = nodes_.emplace_back();
    node.id = in.count("id", 0, limits::samples);
    node.name = in.text_or("name", {});
    if (!position_.emplace(node.id, nodes_.size() - 1).second)
      in.fail("id", fmt::format("found the node {} twice, expected each once", node.id));
    return node;
  }

  Seconds time_in(ObjectReader& in, std::string_view key) {
    return Seconds(in.number(key, 0, limits::seconds / unit_.count) * unit_.count);
  }

  void read_partitioning(ObjectReader& in) {
    PartitioningNode& node = add_node(in);
    const bool accelerated = bool_in(in, "supportedOnFpga");
    on_processors_ |= !accelerated;
    const Seconds time = time_in(in, accelerated ? "fpgaLatency" : "cpuLatency");
    node.is_backward = bool_in(in, "isBackwardNode");
    (node.is_backward ? node.backward : node.forward) = time;
    trains_ |= node.is_backward;
    if (in.has("colorClass")) node.colour = in.count("colorClass", 0, limits::samples);
    node.parameters = bytes_in(in, "size");
  }

  void read_piper(ObjectReader& in) {
    PartitioningNode& node = add_node(in);
    in.object("TMPCs", [&](ObjectReader& degrees) {
      bool read = false;
      degrees.objects("1", [&](ObjectReader& variant) {
        const bool recomputes = variant.text("id").find("recomp") != std::string::npos;
        const Seconds time = time_in(variant, "timePerSample");
        const Bytes parameters = bytes_in(variant, "parameterSize"), kept = bytes_in(variant, "memoryUsageA");
        if (recomputes || read) {
          variants_ = true;
          return;
        }
        read = true;
        node.forward = time / 3;
        node.backward = time - node.forward;
        node.parameters = parameters;
        node.saved = kept;
      });
      variants_ = variants_ || degrees.names().size() > 1;
      if (!read && degrees.ok())
        degrees.fail("1", "found no variant that recomputes nothing, expected one of a single device");
    });
  }

  /// Adds each backward node to the first forward node of its colour. The others (a loss's gradient, identities) go
  /// with the nearest node before them, else with the last layer.
  Result<void> join_backward() {
    std::map<std::int64_t, std::size_t> forward_of_colour;
    std::vector<std::optional<std::size_t>> owners(nodes_.size());
    std::size_t last = nodes_.size();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].is_backward) continue;
      owners[i] = last = i;
      if (!trains_) nodes_[i].backward = nodes_[i].forward * 2.0;
      if (nodes_[i].colour) forward_of_colour.emplace(*nodes_[i].colour, i);
    }
    if (last == nodes_.size() && !nodes_.empty())
      return fail(ErrorCode::bad_input, "found backward nodes alone, expected forward nodes", "/nodes");
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (nodes_[i].is_backward && nodes_[i].colour)
        if (const auto forward = forward_of_colour.find(*nodes_[i].colour); forward != forward_of_colour.end())
          owners[i] = forward->second;
    const std::vector<bool> coloured = owned(owners);
    spread_owners(owners);
    Seconds all, without_colour;
    std::size_t orphans = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      all += nodes_[i].forward;
      if (!nodes_[i].is_backward) continue;
      all += nodes_[i].backward;
      nodes_[owners[i].value_or(last)].backward += nodes_[i].backward;
      if (coloured[i]) continue;
      ++orphans;
      without_colour += nodes_[i].backward;
    }
    if (orphans > 0)
      note(
          fmt::format("{} backward nodes without a forward node of their colorClass, {:.1f} % of the time, count to "
                      "the nearest node before them",
                      orphans, all.count > 0 ? 100 * without_colour.count / all.count : 0));
    return {};
  }

  static std::vector<bool> owned(const std::vector<std::optional<std::size_t>>& owners) {
    std::vector<bool> result;
    for (const auto& owner : owners) result.push_back(owner.has_value());
    return result;
  }

  /// Gives every node that edges reach the owner of the node before it, the nearest first.
  void spread_owners(std::vector<std::optional<std::size_t>>& owners) const {
    std::vector<std::vector<std::size_t>> next(nodes_.size());
    for (const PartitioningEdge& edge : edges_) next[edge.from].push_back(edge.to);
    std::vector<std::size_t> queue;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (owners[i]) queue.push_back(i);
    for (std::size_t at = 0; at < queue.size(); ++at)
      for (const std::size_t to : next[queue[at]])
        if (!owners[to]) {
          owners[to] = owners[queue[at]];
          queue.push_back(to);
        }
  }

  void make_layers() {
    std::set<std::string> names;
    for (const PartitioningNode& node : nodes_) {
      if (node.is_backward) continue;
      layer_[node.id] = static_cast<int>(profile_.layers.size());
      Layer& layer = profile_.layers.emplace_back();
      layer.name = node.name.empty() ? fmt::format("node {}", node.id) : node.name;
      while (!names.insert(layer.name).second) layer.name += fmt::format(" {}", node.id);
      layer.kind = infer_layer_kind(node.name);
      layer.forward = node.forward;
      layer.backward = node.backward;
      layer.parameters = node.parameters;
      layer.backward_weight = node.parameters.count > 0 ? node.backward * 0.5 : Seconds();
      layer.saved = node.saved.value_or(Bytes());
      saved_told_.push_back(node.saved.has_value());
    }
  }

  void read_edge(ObjectReader& in, std::string_view size_key) {
    const std::int64_t from = in.count("sourceId", 0, limits::samples), to = in.count("destId", 0, limits::samples);
    for (const auto& [key, id] : {std::pair("sourceId", from), std::pair("destId", to)})
      if (in.ok() && !position_.contains(id))
        return in.fail(key, fmt::format("found the node {}, expected one of nodes", id));
    if (!in.ok()) return;
    PartitioningEdge& edge = edges_.emplace_back(position_[from], position_[to]);
    if (nodes_[edge.from].is_backward || nodes_[edge.to].is_backward) return;
    edge.size = in.has(size_key) ? bytes_in(in, size_key) : size_without(in, size_key);
  }

  /// Each edge of a layer has the size of its own output; the largest is taken.
  void add_edge(const PartitioningEdge& edge) {
    if (!edge.size) return;  // of the backward pass
    const int from = layer_[nodes_[edge.from].id], to = layer_[nodes_[edge.to].id];
    Layer& layer = profile_.layers[static_cast<std::size_t>(from)];
    layer.output = std::max(layer.output, *edge.size);
    if (pairs_.insert({from, to}).second) profile_.edges.push_back({LayerId(from), LayerId(to), {}});
  }

  /// A cost alone is a time on some machine: its bytes are unknown, unless there are none.
  static Bytes size_without(ObjectReader& in, std::string_view size_key) {
    if (in.number("cost", 0, 1e18) > 0)
      in.fail(size_key, "found only a cost (a time), expected the size in bytes as well");
    return {};
  }

  void count_share(ImportShare& share) const {
    share.unit = "node";
    share.understood = static_cast<int>(nodes_.size());
    share.assumed = notes_;
    if (variants_) share.leave_out("variants of nodes: tensor parallelism and recomputation");
  }

  void note(std::string text) { notes_.push_back(std::move(text)); }

  /// Files have no unit. A layer of seconds is a sign of milliseconds: Piper's own files have both.
  void note_assumptions(bool piper) {
    constexpr double long_layer = 0.5;
    note(piper ? "A third of Piper's time is taken for the forward pass; tensor parallelism and recomputation are left "
                 "out"
               : "A node's memory is taken for its parameters");
    if (!piper && !trains_) note("The backward pass is taken for twice the forward one");
    if (on_processors_) note("Nodes that accelerators can't run have a processor's times");
    Seconds longest;
    for (const Layer& layer : profile_.layers) longest = std::max(longest, layer.forward + layer.backward);
    if (longest.count > long_layer && !options_.time_unit)
      note(fmt::format("The longest layer takes {:.3g} s a sample, in {}: is that the file's unit? (--time-unit ms)",
                       longest.count, piper ? "seconds" : "milliseconds"));
    profile_.source =
        fmt::format("a workload of {}. {}", piper ? "Piper" : "dnn-partitioning", fmt::join(notes_, ". "));
    if (options_.share) count_share(*options_.share);
    if (options_.notes) std::ranges::move(notes_, std::back_inserter(*options_.notes));
  }

  ErrorCollector problems_;
  ObjectReader in_;
  const std::string& name_;
  const WorkloadOptions& options_;
  Seconds unit_;
  std::vector<std::string> notes_;
  std::vector<PartitioningNode> nodes_;
  std::vector<PartitioningEdge> edges_;
  std::map<std::int64_t, std::size_t> position_;
  std::map<std::int64_t, int> layer_;
  std::set<std::pair<int, int>> pairs_;
  std::vector<bool> saved_told_;
  Profile profile_;
  bool trains_ = false, on_processors_ = false, variants_ = false;
};

}  // namespace

bool looks_like_partitioning_json(const std::string& text) {
  const std::string start = text.substr(0, partitioning_head);
  if (start.find("\"format\"") != start.npos) return false;
  return start.find("\"maxFPGAs\"") != start.npos || start.find("\"maxDevices\"") != start.npos;
}

Result<Profile> profile_from_partitioning_json(const std::string& text, const std::string& name,
                                               const WorkloadOptions& options) {
  TRY(const auto document, json::parse(text));
  return WorkloadReader(document, name, options).read();
}

}  // namespace pipedeck::io::profiles
