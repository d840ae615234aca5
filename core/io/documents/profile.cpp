// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "core/io/documents/degrees.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/documents/layer_memory.hpp"
#include "core/io/json/reader.hpp"
#include "core/io/json/writer.hpp"
#include "core/plan/validate.hpp"

namespace pipedeck::io::documents {
namespace {

using json::ObjectReader;
using json::ObjectWriter;
using json::Value;

Quartiles parse_quartiles(ObjectReader& in, std::string_view key) {
  std::vector<Seconds> ends;
  in.values(key, [&](const Value& value, const std::string& place) {
    ends.push_back(
        Seconds(json::read_number(value, json::Unit::milliseconds, 0, limits::seconds, place, in.problems())));
  });
  if (ends.size() == 2) return {ends[0], ends[1]};
  in.fail(key, fmt::format("found {} values, expected two: the lower and the upper quartile", ends.size()));
  return {};
}

std::optional<TimeSpread> parse_spread(ObjectReader& in) {
  if (!in.has("spread")) return std::nullopt;
  TimeSpread spread;
  in.object("spread", [&](ObjectReader& member) {
    spread.repetitions = member.count("repetitions");
    spread.forward = parse_quartiles(member, "forward_ms");
    spread.backward = parse_quartiles(member, "backward_ms");
  });
  return spread;
}

PointDetails parse_details(ObjectReader& in) {
  PointDetails details;
  if (in.has("backward_weight_ms")) details.backward_weight = in.time("backward_weight_ms");
  if (in.has("saved_bytes")) details.saved = in.bytes("saved_bytes");
  if (in.has("workspace_bytes")) details.workspace = in.bytes("workspace_bytes");
  if (in.has("input_bytes")) details.input = in.bytes("input_bytes");
  details.spread = parse_spread(in);
  return details;
}

LayerPoint parse_layer_point(ObjectReader& in) {
  LayerPoint point;
  point.micro_batch = in.count("micro_batch");
  point.forward = in.time("forward_ms");
  point.backward = in.time("backward_ms");
  point.details = parse_details(in);
  return point;
}

/// The layer's own values for its own micro-batch size, without assumed shares.
PointDetails base_details(const Layer& layer) {
  const auto told = [](const LayerPoint& point) { return point.details.backward_weight.has_value(); };
  if (!std::all_of(layer.at.begin(), layer.at.end(), told)) return {};
  return {layer.backward_weight, layer.saved, layer.workspace, {}, layer.spread};
}

/// `at` of the file lists the other points; the layer's own is put among them (formats.md: "`at` includes the base").
void read_points(ObjectReader& in, int micro_batch, Layer& layer) {
  if (!in.has("at")) return;
  in.objects("at", [&](ObjectReader& point) { layer.at.push_back(parse_layer_point(point)); });
  if (layer.at.empty()) return;
  const auto is_base = [&](const LayerPoint& point) { return point.micro_batch == micro_batch; };
  if (std::none_of(layer.at.begin(), layer.at.end(), is_base))
    layer.at.push_back({micro_batch, layer.forward, layer.backward, base_details(layer)});
  std::stable_sort(layer.at.begin(), layer.at.end(),
                   [](const LayerPoint& a, const LayerPoint& b) { return a.micro_batch < b.micro_batch; });
}

void read_tensor_parallel(ObjectReader& in, Layer& layer) {
  if (!in.has("tensor_parallel")) return;
  in.objects("tensor_parallel", [&](ObjectReader& member) {
    TensorParallelPoint point;
    point.degree = member.count("degree", 2, limits::devices);
    point.forward = member.time("forward_ms");
    point.backward = member.time("backward_ms");
    point.forward_allreduce = member.bytes("forward_allreduce_bytes");
    point.backward_allreduce = member.bytes("backward_allreduce_bytes");
    point.details = parse_details(member);
    if (member.has("ways"))
      member.objects("ways", [&](ObjectReader& way) { point.ways.push_back(parse_cut_way(way)); });
    layer.tensor_parallel.push_back(point);
  });
  std::stable_sort(layer.tensor_parallel.begin(), layer.tensor_parallel.end(),
                   [](const TensorParallelPoint& a, const TensorParallelPoint& b) { return a.degree < b.degree; });
}

void read_on(ObjectReader& in, Layer& layer) {
  if (!in.has("on")) return;
  in.object("on", [&](ObjectReader& types) {
    for (const std::string& type : types.names())
      types.object(type, [&](ObjectReader& member) {
        layer.on[type] = {member.time("forward_ms"), member.time("backward_ms")};
      });
  });
}

RankStates parse_rank_states(ObjectReader& in) {
  return {in.bytes("weight_bytes"), in.bytes("gradient_bytes"), in.bytes("updated_bytes"), in.bytes("reduced_bytes")};
}

ProfiledRanks parse_profiled_ranks(ObjectReader& in) {
  ProfiledRanks ranks;
  ranks.shard.tensor = in.count_or("tensor_parallel", 1, 1, limits::devices);
  read_degrees(in, ranks.shard);
  ranks.data = in.count_or("data_parallel", 1, 1, limits::devices);
  if (in.has("sharding")) in.object("sharding", [&](ObjectReader& s) { ranks.sharding = parse_sharding(s); });
  if (in.has("recomputed"))
    in.values("recomputed", [&](const Value& value, const std::string& place) {
      ranks.recomputed.push_back(json::read_text(value, place, in.problems()));
    });
  return ranks;
}

Layer parse_layer(ObjectReader& in, int micro_batch) {
  Layer layer;
  layer.name = in.text("name");
  layer.kind = in.text_or("kind", "");
  layer.forward = in.time("forward_ms");
  layer.backward = in.time("backward_ms");
  layer.output = in.bytes("output_bytes");
  if (in.has("outputs_bytes"))
    in.values("outputs_bytes", [&](const Value& value, const std::string& place) {
      layer.outputs.push_back(Bytes(json::read_integer(value, 0, limits::bytes, place, in.problems())));
    });
  layer.saved = in.bytes_or("saved_bytes", layer.output);
  layer.parameters = in.bytes("parameter_bytes");
  if (in.has("whole_parameter_bytes")) layer.replicated_parameters = in.bytes("whole_parameter_bytes");
  layer.backward_weight = in.has("backward_weight_ms") ? in.time("backward_weight_ms")
                          : layer.parameters > Bytes() ? layer.backward / 2
                                                       : Seconds();
  layer.workspace = in.bytes_or("workspace_bytes", {});
  if (in.has("memory")) in.object("memory", [&](ObjectReader& memory) { layer.memory = parse_layer_memory(memory); });
  if (in.has("states")) in.object("states", [&](ObjectReader& states) { layer.states = parse_rank_states(states); });
  layer.spread = parse_spread(in);
  read_points(in, micro_batch, layer);
  read_tensor_parallel(in, layer);
  read_on(in, layer);
  layer.extra = in.preserve_unknown_members();
  return layer;
}

class EdgeReader {
 public:
  /// A repeated name is reported here: an edge could not identify its layer.
  EdgeReader(const Profile& profile, json::ErrorCollector& problems) {
    for (std::size_t i = 0; i < profile.layers.size(); ++i)
      if (!ids_.emplace(profile.layers[i].name, LayerId(i)).second)
        problems.add(fmt::format("/layers/{}/name", i),
                     fmt::format("found a second layer named '{}', expected unique names", profile.layers[i].name));
  }

  Edge read(const Value& value, const std::string& place, json::ErrorCollector& problems) const {
    const json::List* ends = json::read_list(value, place, problems);
    if (!ends) return {};
    if (ends->size() != 2 && ends->size() != 3) {
      problems.add(place,
                   fmt::format("found {}, expected two layer names, and the output's number where there are several",
                               json::describe(value)));
      return {};
    }
    Edge edge{end((*ends)[0], place + "/0", problems), end((*ends)[1], place + "/1", problems), {}};
    if (ends->size() == 3)
      edge.output = static_cast<int>(json::read_integer((*ends)[2], 0, limits::layers, place + "/2", problems));
    return edge;
  }

 private:
  LayerId end(const Value& value, const std::string& place, json::ErrorCollector& problems) const {
    const std::string name = json::read_text(value, place, problems);
    const auto found = ids_.find(name);
    if (found == ids_.end()) {
      problems.add(place, fmt::format("found {}, expected the name of a layer", json::describe(value)));
      return {};
    }
    return found->second;
  }

  std::map<std::string, LayerId> ids_;
};

void read_edges(ObjectReader& in, Profile& profile) {
  if (!in.has("edges")) return;
  const EdgeReader reader(profile, in.problems());
  in.values("edges", [&](const Value& value, const std::string& place) {
    profile.edges.push_back(reader.read(value, place, in.problems()));
  });
  // Without edges the rest of the program assumes a chain: an empty list must not become one.
  if (profile.edges.empty() && profile.layers.size() > 1)
    in.fail("edges", "found no edges, expected a connected graph, or no 'edges' for a chain");
}

Value quartiles_to_json(const Quartiles& quartiles) {
  return Value(
      json::List{Value(json::milliseconds_of(quartiles.lower)), Value(json::milliseconds_of(quartiles.upper))});
}

void add_spread(ObjectWriter& out, const std::optional<TimeSpread>& spread) {
  if (!spread) return;
  out.add("spread", ObjectWriter()
                        .add("repetitions", spread->repetitions)
                        .add("forward_ms", quartiles_to_json(spread->forward))
                        .add("backward_ms", quartiles_to_json(spread->backward))
                        .finish());
}

void add_details(ObjectWriter& out, const PointDetails& details) {
  if (details.backward_weight) out.add("backward_weight_ms", json::milliseconds_of(*details.backward_weight));
  if (details.saved) out.add("saved_bytes", *details.saved);
  if (details.workspace) out.add("workspace_bytes", *details.workspace);
  if (details.input) out.add("input_bytes", *details.input);
  add_spread(out, details.spread);
}

Value point_to_json(const LayerPoint& point) {
  ObjectWriter out;
  out.add("micro_batch", point.micro_batch);
  out.add("forward_ms", json::milliseconds_of(point.forward));
  out.add("backward_ms", json::milliseconds_of(point.backward));
  add_details(out, point.details);
  return out.finish();
}

Value tensor_parallel_to_json(const TensorParallelPoint& point) {
  ObjectWriter out;
  out.add("degree", point.degree);
  out.add("forward_ms", json::milliseconds_of(point.forward));
  out.add("backward_ms", json::milliseconds_of(point.backward));
  out.add("forward_allreduce_bytes", point.forward_allreduce);
  out.add("backward_allreduce_bytes", point.backward_allreduce);
  add_details(out, point.details);
  if (!point.ways.empty()) out.add("ways", json::list_of(point.ways, cut_way_to_json));
  return out.finish();
}

Value on_to_json(const Layer& layer) {
  ObjectWriter out;
  for (const auto& [type, point] : layer.on)
    out.add(type, ObjectWriter()
                      .add("forward_ms", json::milliseconds_of(point.forward))
                      .add("backward_ms", json::milliseconds_of(point.backward))
                      .finish());
  return out.finish();
}

Value rank_states_to_json(const RankStates& states) {
  ObjectWriter out;
  out.add("weight_bytes", states.weights).add("gradient_bytes", states.gradients);
  out.add("updated_bytes", states.updated).add("reduced_bytes", states.reduced);
  return out.finish();
}

Value profiled_ranks_to_json(const ProfiledRanks& ranks) {
  ObjectWriter out;
  out.add("tensor_parallel", ranks.shard.tensor);
  write_degrees(out, ranks.shard);
  out.add("data_parallel", ranks.data);
  if (ranks.sharding != Sharding{}) out.add("sharding", sharding_to_json(ranks.sharding));
  if (!ranks.recomputed.empty())
    out.add("recomputed", json::list_of(ranks.recomputed, [](const std::string& name) { return Value(name); }));
  return out.finish();
}

Value layer_json(const Layer& layer) {
  ObjectWriter out;
  out.add("name", layer.name).add("kind", layer.kind);
  out.add("forward_ms", json::milliseconds_of(layer.forward));
  out.add("backward_ms", json::milliseconds_of(layer.backward));
  out.add("backward_weight_ms", json::milliseconds_of(layer.backward_weight));
  out.add("output_bytes", layer.output);
  if (!layer.outputs.empty()) out.add("outputs_bytes", json::bytes_of(layer.outputs));
  out.add("saved_bytes", layer.saved).add("parameter_bytes", layer.parameters);
  if (layer.replicated_parameters > Bytes()) out.add("whole_parameter_bytes", layer.replicated_parameters);
  out.add("workspace_bytes", layer.workspace);
  if (layer.memory) out.add("memory", layer_memory_to_json(*layer.memory));
  if (layer.states) out.add("states", rank_states_to_json(*layer.states));
  add_spread(out, layer.spread);
  if (!layer.at.empty()) out.add("at", json::list_of(layer.at, point_to_json));
  if (!layer.tensor_parallel.empty())
    out.add("tensor_parallel", json::list_of(layer.tensor_parallel, tensor_parallel_to_json));
  if (!layer.on.empty()) out.add("on", on_to_json(layer));
  return out.finish(layer.extra);
}

Value edge_to_json(const Profile& profile, const Edge& edge) {
  json::List ends{Value(profile.layers[edge.from.index()].name), Value(profile.layers[edge.to.index()].name)};
  if (edge.output) ends.push_back(Value(json::integer(*edge.output)));
  return Value(std::move(ends));
}

}  // namespace

Result<Profile> profile_from_json(const std::string& text) {
  Profile profile;
  const Result<void> read = json::read_document(text, "pipedeck.profile", [&](ObjectReader& in) {
    profile.name = in.text_or("name", "");
    profile.source = in.text_or("source", "");
    profile.device = in.text_or("device", "");
    profile.micro_batch = in.count("micro_batch");
    if (in.has("ranks")) in.object("ranks", [&](ObjectReader& ranks) { profile.ranks = parse_profiled_ranks(ranks); });
    in.objects("layers",
               [&](ObjectReader& layer) { profile.layers.push_back(parse_layer(layer, profile.micro_batch)); });
    if (in.ok()) read_edges(in, profile);
    profile.extra = in.preserve_unknown_members();
  });
  if (!read) return tl::unexpected(read.error());
  if (const Result<void> valid = plan::validate(profile); !valid) return tl::unexpected(valid.error());
  return profile;
}

std::string profile_to_json(const Profile& profile) {
  ObjectWriter out = ObjectWriter::document("pipedeck.profile");
  out.add("name", profile.name).add("source", profile.source).add("device", profile.device);
  out.add("micro_batch", profile.micro_batch);
  if (profile.ranks) out.add("ranks", profiled_ranks_to_json(*profile.ranks));
  out.add("layers", json::list_of(profile.layers, layer_json));
  if (!profile.edges.empty())
    out.add("edges", json::list_of(profile.edges, [&](const Edge& edge) { return edge_to_json(profile, edge); }));
  return json::pretty(out.finish(profile.extra));
}

}  // namespace pipedeck::io::documents
