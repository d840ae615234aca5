// SPDX-License-Identifier: Apache-2.0
#include "core/io/profiles/partitioning.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

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

class WorkloadReader {
 public:
  WorkloadReader(const Value& document, const std::string& name) : in_(document, {}, problems_), name_(name) {}

  Result<Profile> read() {
    const bool piper = in_.has("maxDevices");
    in_.objects("nodes", [&](ObjectReader& node) {
      if (!in_.ok()) return;
      piper ? read_piper(node) : read_partitioning(node);
    });
    if (problems_) return tl::unexpected(*problems_.first);
    TRY_VOID(piper ? Result<void>() : join_backward());
    make_layers();
    in_.objects("edges", [&](ObjectReader& edge) {
      if (in_.ok()) read_edge(edge, piper ? "communicationCost" : "size");
    });
    if (problems_) return tl::unexpected(*problems_.first);
    for (std::size_t i = 0; i < profile_.layers.size(); ++i)
      if (!saved_told_[i]) profile_.layers[i].saved = profile_.layers[i].output;
    profile_.name = name_;
    profile_.micro_batch = 1;
    profile_.source = piper ? "a workload of Piper; a third of the time is taken for the forward pass, and tensor "
                              "parallelism and recomputation are left out"
                            : partitioning_source();
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

  void read_partitioning(ObjectReader& in) {
    PartitioningNode& node = add_node(in);
    const bool accelerated = bool_in(in, "supportedOnFpga");
    on_processors_ |= !accelerated;
    const double time = in.number(accelerated ? "fpgaLatency" : "cpuLatency", 0, limits::seconds * 1e3);
    node.is_backward = bool_in(in, "isBackwardNode");
    (node.is_backward ? node.backward : node.forward) = Seconds(time / 1e3);
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
        const double time = variant.number("timePerSample", 0, limits::seconds);
        const Bytes parameters = bytes_in(variant, "parameterSize"), kept = bytes_in(variant, "memoryUsageA");
        if (recomputes || read) return;
        read = true;
        node.forward = Seconds(time / 3);
        node.backward = Seconds(time) - node.forward;
        node.parameters = parameters;
        node.saved = kept;
      });
      if (!read && degrees.ok())
        degrees.fail("1", "found no variant that recomputes nothing, expected one of a single device");
    });
  }

  /// Backward nodes are the other half of the first forward node of their colour.
  Result<void> join_backward() {
    std::map<std::int64_t, std::size_t> forward_of_colour;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (!nodes_[i].is_backward && nodes_[i].colour) forward_of_colour.emplace(*nodes_[i].colour, i);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!nodes_[i].is_backward) {
        if (!trains_) nodes_[i].backward = nodes_[i].forward * 2.0;
        continue;
      }
      const auto forward = nodes_[i].colour ? forward_of_colour.find(*nodes_[i].colour) : forward_of_colour.end();
      if (forward == forward_of_colour.end())
        return fail(ErrorCode::bad_input,
                    fmt::format("found the backward node {} without a forward node of its colorClass, expected one",
                                nodes_[i].id),
                    fmt::format("/nodes/{}", i));
      nodes_[forward->second].backward += nodes_[i].backward;
    }
    return {};
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

  /// Each edge of a layer has the size of its own output; the largest is taken.
  void read_edge(ObjectReader& in, std::string_view size_key) {
    const std::int64_t from = in.count("sourceId", 0, limits::samples), to = in.count("destId", 0, limits::samples);
    for (const auto& [key, id] : {std::pair("sourceId", from), std::pair("destId", to)})
      if (in.ok() && !position_.contains(id))
        return in.fail(key, fmt::format("found the node {}, expected one of nodes", id));
    if (!in.ok() || !layer_.contains(from) || !layer_.contains(to)) return;  // between backward nodes
    const Bytes size = in.has(size_key) ? bytes_in(in, size_key) : size_without(in, size_key);
    Layer& layer = profile_.layers[static_cast<std::size_t>(layer_[from])];
    layer.output = std::max(layer.output, size);
    if (pairs_.insert({from, to}).second) profile_.edges.push_back({LayerId(layer_[from]), LayerId(layer_[to]), {}});
  }

  /// A cost alone is a time on some machine: its bytes are unknown, unless there are none.
  static Bytes size_without(ObjectReader& in, std::string_view size_key) {
    if (in.number("cost", 0, 1e18) > 0)
      in.fail(size_key, "found only a cost (a time), expected the size in bytes as well");
    return {};
  }

  std::string partitioning_source() const {
    std::string text = "a workload of dnn-partitioning; a node's memory is taken for its parameters";
    if (!trains_) text += ", and the backward pass for twice the forward one";
    if (on_processors_) text += "; nodes that accelerators can't run have a processor's times";
    return text;
  }

  ErrorCollector problems_;
  ObjectReader in_;
  const std::string& name_;
  std::vector<PartitioningNode> nodes_;
  std::map<std::int64_t, std::size_t> position_;
  std::map<std::int64_t, int> layer_;
  std::set<std::pair<std::int64_t, std::int64_t>> pairs_;
  std::vector<bool> saved_told_;
  Profile profile_;
  bool trains_ = false, on_processors_ = false;
};

}  // namespace

bool looks_like_partitioning_json(const std::string& text) {
  const std::string start = text.substr(0, partitioning_head);
  if (start.find("\"format\"") != start.npos) return false;
  return start.find("\"maxFPGAs\"") != start.npos || start.find("\"maxDevices\"") != start.npos;
}

Result<Profile> profile_from_partitioning_json(const std::string& text, const std::string& name) {
  TRY(const auto document, json::parse(text));
  return WorkloadReader(document, name).read();
}

}  // namespace pipedeck::io::profiles
