// SPDX-License-Identifier: Apache-2.0
#include "core/plan/validate.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "core/base/checks.hpp"
#include "core/model/layer_kinds.hpp"

namespace pipedeck::plan {
namespace {

using checks::bad;

std::string at(std::string_view list, std::size_t index, std::string_view key = {}) {
  return fmt::format("/{}/{}{}{}", list, index, key.empty() ? "" : "/", key);
}

// ---- profile

Result<void> check_quartiles(const std::string& place, const Quartiles& quartiles) {
  TRY_VOID(checks::duration(place + "/0", quartiles.lower));
  TRY_VOID(checks::duration(place + "/1", quartiles.upper));
  if (quartiles.lower <= quartiles.upper) return {};
  return checks::bad(place, fmt::format("found a lower quartile of {} ms above the upper one, {} ms",
                                        in_milliseconds(quartiles.lower), in_milliseconds(quartiles.upper)));
}

Result<void> check_spread(const std::string& place, const std::optional<TimeSpread>& spread) {
  if (!spread) return {};
  TRY_VOID(checks::integer(place + "/spread/repetitions", spread->repetitions, 1, limits::samples));
  TRY_VOID(check_quartiles(place + "/spread/forward_ms", spread->forward));
  return check_quartiles(place + "/spread/backward_ms", spread->backward);
}

Result<void> check_weight_part(const std::string& place, Seconds weight, Seconds backward) {
  TRY_VOID(checks::duration(place + "/backward_weight_ms", weight));
  if (weight <= backward) return {};
  return checks::bad(place + "/backward_weight_ms", fmt::format("found {} ms, expected at most backward_ms, {} ms",
                                                                in_milliseconds(weight), in_milliseconds(backward)));
}

Result<void> check_details(const std::string& place, const PointDetails& details, Seconds backward) {
  if (details.backward_weight) TRY_VOID(check_weight_part(place, *details.backward_weight, backward));
  if (details.saved) TRY_VOID(checks::bytes(place + "/saved_bytes", *details.saved));
  if (details.workspace) TRY_VOID(checks::bytes(place + "/workspace_bytes", *details.workspace));
  if (details.input) TRY_VOID(checks::bytes(place + "/input_bytes", *details.input));
  return check_spread(place, details.spread);
}

Result<void> check_points(const Profile& profile, const Layer& layer, std::size_t index) {
  bool base = layer.at.empty();
  for (std::size_t i = 0; i < layer.at.size(); ++i) {
    const LayerPoint& point = layer.at[i];
    const std::string place = at("layers", index, fmt::format("at/{}", i));
    TRY_VOID(checks::integer(place + "/micro_batch", point.micro_batch, 1, limits::samples));
    TRY_VOID(checks::duration(place + "/forward_ms", point.forward));
    TRY_VOID(checks::duration(place + "/backward_ms", point.backward));
    TRY_VOID(check_details(place, point.details, point.backward));
    if (i > 0 && point.micro_batch <= layer.at[i - 1].micro_batch)
      return checks::bad(place + "/micro_batch",
                         fmt::format("found a second point at {} samples, expected one each", point.micro_batch));
    if (point.micro_batch != profile.micro_batch) continue;
    base = true;
    if (point.forward != layer.forward || point.backward != layer.backward)
      return checks::bad(
          place, fmt::format("found other times than the layer's own at its micro-batch of {}, expected the same",
                             profile.micro_batch));
  }
  if (!base)
    return checks::bad(
        at("layers", index, "at"),
        fmt::format("found no point at the profile's micro-batch of {}, expected the base point among them",
                    profile.micro_batch));
  return {};
}

/// Checks LayerMemory. `whole`: the saved bytes that include the input.
Result<void> check_memory(const std::string& in, const LayerMemory& memory, Bytes whole) {
  const auto place = [&](const char* name) { return fmt::format("{}/memory/{}", in, name); };
  TRY_VOID(checks::bytes(place("forward_bytes"), memory.forward));
  TRY_VOID(checks::bytes(place("backward_bytes"), memory.backward));
  TRY_VOID(checks::bytes(place("weight_saved_bytes"), memory.weight_saved));
  TRY_VOID(checks::bytes(place("recompute_saved_bytes"), memory.recompute_saved));
  TRY_VOID(checks::bytes(place("weight_copy_bytes"), memory.weight_copy));
  const auto part = [&](const char* name, Bytes bytes, Bytes all) -> Result<void> {
    if (bytes >= Bytes() && bytes <= all) return {};
    return checks::bad(place(name),
                       fmt::format("found {}, expected 0 to {}, of which it is a part", bytes.count, all.count));
  };
  TRY_VOID(part("input_bytes", memory.input, whole));
  TRY_VOID(part("forward_fixed_bytes", memory.forward_fixed, memory.forward));
  return part("backward_fixed_bytes", memory.backward_fixed, memory.backward);
}

Result<void> check_way(const std::string& place, const ShardingCost& way, const Layer& layer) {
  TRY_VOID(checks::bytes(place + "/moved_values", Bytes(way.step.moved)));
  TRY_VOID(checks::bytes(place + "/whole_parameter_bytes", way.replicated_parameters));
  if (way.replicated_parameters > layer.parameters)
    return checks::bad(place + "/whole_parameter_bytes",
                       fmt::format("found {}, expected at most parameter_bytes, {}", way.replicated_parameters.count,
                                   layer.parameters.count));
  TRY_VOID(checks::bytes(place + "/saved_bytes", way.saved));
  TRY_VOID(checks::bytes(place + "/workspace_bytes", way.workspace));
  return check_memory(place, way.memory, way.saved);
}

Result<void> check_tensor_parallel(const Layer& layer, std::size_t index) {
  for (std::size_t i = 0; i < layer.tensor_parallel.size(); ++i) {
    const TensorParallelPoint& point = layer.tensor_parallel[i];
    const std::string place = at("layers", index, fmt::format("tensor_parallel/{}", i));
    TRY_VOID(checks::integer(place + "/degree", point.degree, 2, limits::devices));
    TRY_VOID(checks::duration(place + "/forward_ms", point.forward));
    TRY_VOID(checks::duration(place + "/backward_ms", point.backward));
    TRY_VOID(checks::bytes(place + "/forward_allreduce_bytes", point.forward_allreduce));
    TRY_VOID(checks::bytes(place + "/backward_allreduce_bytes", point.backward_allreduce));
    TRY_VOID(check_details(place, point.details, point.backward));
    if (i > 0 && point.degree <= layer.tensor_parallel[i - 1].degree)
      return checks::bad(place + "/degree",
                         fmt::format("found degree {} a second time, expected one point each", point.degree));
    for (std::size_t w = 0; w < point.ways.size(); ++w)
      TRY_VOID(check_way(fmt::format("{}/ways/{}", place, w), point.ways[w], layer));
  }
  return {};
}

Result<void> check_outputs(const Layer& layer, std::size_t index) {
  Bytes sum;
  for (std::size_t i = 0; i < layer.outputs.size(); ++i) {
    TRY_VOID(checks::bytes(at("layers", index, fmt::format("outputs_bytes/{}", i)), layer.outputs[i]));
    sum += layer.outputs[i];
  }
  if (!layer.outputs.empty() && sum != layer.output)
    return checks::bad(
        at("layers", index, "outputs_bytes"),
        fmt::format("found outputs of {} bytes in all, expected output_bytes, {}", sum.count, layer.output.count));
  return {};
}

Result<void> check_states(const RankStates& states, std::size_t index) {
  for (const auto& [key, bytes] : {std::pair{"weight_bytes", states.weights},
                                   {"gradient_bytes", states.gradients},
                                   {"updated_bytes", states.updated},
                                   {"reduced_bytes", states.reduced}})
    TRY_VOID(checks::bytes(at("layers", index, fmt::format("states/{}", key)), bytes));
  return {};
}

Result<void> check_layer(const Profile& profile, std::size_t index) {
  const Layer& layer = profile.layers[index];
  if (layer.name.empty()) return checks::bad(at("layers", index, "name"), "found an empty name, expected one");
  TRY_VOID(checks::duration(at("layers", index, "forward_ms"), layer.forward));
  TRY_VOID(checks::duration(at("layers", index, "backward_ms"), layer.backward));
  TRY_VOID(check_weight_part(fmt::format("/layers/{}", index), layer.backward_weight, layer.backward));
  TRY_VOID(check_spread(fmt::format("/layers/{}", index), layer.spread));
  TRY_VOID(checks::bytes(at("layers", index, "output_bytes"), layer.output));
  TRY_VOID(checks::bytes(at("layers", index, "saved_bytes"), layer.saved));
  TRY_VOID(checks::bytes(at("layers", index, "parameter_bytes"), layer.parameters));
  TRY_VOID(checks::bytes(at("layers", index, "whole_parameter_bytes"), layer.replicated_parameters));
  if (layer.replicated_parameters > layer.parameters)
    return checks::bad(at("layers", index, "whole_parameter_bytes"),
                       fmt::format("found {}, expected at most parameter_bytes, {}", layer.replicated_parameters.count,
                                   layer.parameters.count));
  TRY_VOID(checks::bytes(at("layers", index, "workspace_bytes"), layer.workspace));
  if (layer.memory) TRY_VOID(check_memory(fmt::format("/layers/{}", index), *layer.memory, layer.saved));
  if (layer.states.has_value() != profile.ranks.has_value())
    return checks::bad(at("layers", index, "states"),
                       layer.states ? "found states of a rank, expected none in a profile without ranks"
                                    : "found no states, expected those of a rank");
  if (layer.states) TRY_VOID(check_states(*layer.states, index));
  TRY_VOID(check_outputs(layer, index));
  TRY_VOID(check_points(profile, layer, index));
  TRY_VOID(check_tensor_parallel(layer, index));
  for (const auto& [type, point] : layer.on) {
    TRY_VOID(checks::duration(at("layers", index, "on/" + type + "/forward_ms"), point.forward));
    TRY_VOID(checks::duration(at("layers", index, "on/" + type + "/backward_ms"), point.backward));
  }
  return {};
}

Result<void> check_edges(const Profile& profile) {
  const auto count = static_cast<std::int32_t>(profile.layers.size());
  std::set<std::pair<std::pair<LayerId, LayerId>, int>> seen;
  for (std::size_t i = 0; i < profile.edges.size(); ++i) {
    const Edge& edge = profile.edges[i];
    TRY_VOID(checks::integer(at("edges", i, "0"), edge.from.value, 0, count - 1));
    TRY_VOID(checks::integer(at("edges", i, "1"), edge.to.value, 0, count - 1));
    const Layer& from = profile.layers[edge.from.index()];
    if (edge.from == edge.to)
      return checks::bad(at("edges", i),
                         fmt::format("found an edge from '{}' to itself, expected two layers", from.name));
    if (edge.output)
      TRY_VOID(
          checks::integer(at("edges", i, "2"), *edge.output, 0, static_cast<std::int64_t>(from.outputs.size()) - 1));
    if (!seen.insert({{edge.from, edge.to}, edge.output.value_or(-1)}).second)
      return checks::bad(at("edges", i), fmt::format("found the edge from '{}' to '{}' a second time, expected it once",
                                                     from.name, profile.layers[edge.to.index()].name));
  }
  return {};
}

/// A topological order omits layers that depend on themselves.
Result<void> check_acyclic(const Profile& profile) {
  const std::vector<LayerId> order = topological_order(profile);
  if (order.size() == profile.layers.size()) return {};
  std::vector<bool> placed(profile.layers.size(), false);
  for (const LayerId layer : order) placed[layer.index()] = true;
  std::size_t first = 0;
  while (placed[first]) ++first;
  return checks::bad("/edges", fmt::format("found a cycle that reaches layer '{}', expected a graph without cycles",
                                           profile.layers[first].name));
}

Result<void> check_connected(const Profile& profile) {
  std::vector<std::size_t> root(profile.layers.size());
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto find = [&](std::size_t layer) {
    while (root[layer] != layer) layer = root[layer] = root[root[layer]];
    return layer;
  };
  for (const Edge& edge : edges_of(profile)) root[find(edge.from.index())] = find(edge.to.index());
  for (std::size_t i = 1; i < root.size(); ++i)
    if (find(i) != find(0))
      return checks::bad("/edges", fmt::format("found no path between layers '{}' and '{}', expected a connected graph",
                                               profile.layers[0].name, profile.layers[i].name));
  return {};
}

}  // namespace

Result<void> validate(const Profile& profile) {
  TRY_VOID(checks::integer("/micro_batch", profile.micro_batch, 1, limits::samples));
  if (profile.layers.empty()) return checks::bad("/layers", "found no layers, expected at least one");
  TRY_VOID(checks::integer("/layers", static_cast<std::int64_t>(profile.layers.size()), 1, limits::layers));
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < profile.layers.size(); ++i) {
    TRY_VOID(check_layer(profile, i));
    if (!names.insert(profile.layers[i].name).second)
      return checks::bad(at("layers", i, "name"),
                         fmt::format("found a second layer named '{}', expected unique names", profile.layers[i].name));
  }
  TRY_VOID(check_edges(profile));
  TRY_VOID(check_acyclic(profile));
  return check_connected(profile);
}

// ---- amounts

namespace {

/// The longest time of a pass of a layer and the most bytes of a sample, over all points of a profile.
struct LayerAmounts {
  double seconds = 0, sample_bytes = 0;

  void add(Seconds forward, Seconds backward) { seconds = std::max(seconds, forward.count + backward.count); }
  void add(Bytes bytes, int samples) {
    sample_bytes = std::max(sample_bytes, static_cast<double>(bytes.count) / samples);
  }
};

void add_memory(LayerAmounts& amounts, const LayerMemory& memory, int samples) {
  amounts.add(memory.forward + memory.backward + memory.weight_saved + memory.recompute_saved, samples);
}

void add_details(LayerAmounts& amounts, const PointDetails& details, int samples) {
  amounts.add(details.saved.value_or(Bytes()) + details.workspace.value_or(Bytes()), samples);
}

LayerAmounts amounts_of(const Profile& profile, const Layer& layer) {
  LayerAmounts amounts;
  amounts.add(layer.forward, layer.backward);
  amounts.add(layer.saved + layer.output + layer.workspace, profile.micro_batch);
  if (layer.memory) add_memory(amounts, *layer.memory, profile.micro_batch);
  for (const LayerPoint& point : layer.at) {
    amounts.add(point.forward, point.backward);
    add_details(amounts, point.details, point.micro_batch);
  }
  for (const TensorParallelPoint& point : layer.tensor_parallel) {
    amounts.add(point.forward, point.backward);
    amounts.add(point.forward_allreduce + point.backward_allreduce, profile.micro_batch);
    add_details(amounts, point.details, profile.micro_batch);
    for (const ShardingCost& way : point.ways) {
      amounts.add(way.saved + way.workspace, profile.micro_batch);
      add_memory(amounts, way.memory, profile.micro_batch);
    }
  }
  for (const auto& [type, point] : layer.on) amounts.add(point.forward, point.backward);
  return amounts;
}

/// Returns the most bytes of a copy of the layer's weights.
Bytes largest_copy(const Layer& layer) {
  Bytes most = layer.memory ? layer.memory->weight_copy : Bytes();
  for (const TensorParallelPoint& point : layer.tensor_parallel)
    for (const ShardingCost& way : point.ways) most = std::max(most, way.memory.weight_copy);
  return most;
}

/// Names the layer that contributes most.
Result<void> check_amount(const Profile& profile, const std::vector<double>& of_layers, double scale, double most,
                          std::string_view unit, int global_batch) {
  const double sum = scale * std::accumulate(of_layers.begin(), of_layers.end(), 0.0);
  if (sum <= most) return {};
  const auto largest = std::ranges::max_element(of_layers);
  const Layer& layer = profile.layers[static_cast<std::size_t>(largest - of_layers.begin())];
  return fail(ErrorCode::bad_input,
              fmt::format("found a global batch of {} that takes {:.3g} {} in profile '{}', most of it in layer '{}'; "
                          "expected at most {:.3g} {}",
                          global_batch, sum, unit, profile.name, layer.name, most, unit));
}

}  // namespace

Result<void> validate_amounts(const Profile& profile, const Cluster& cluster, int global_batch) {
  constexpr double states = 16;  // bytes of model states per byte of parameters, at most
  double slowest = 1;
  for (const DeviceType& type : cluster.device_types) slowest = std::max(slowest, 1 / type.relative_speed);
  std::vector<double> seconds, bytes;
  for (const Layer& layer : profile.layers) {
    const LayerAmounts amounts = amounts_of(profile, layer);
    seconds.push_back(amounts.seconds);
    const double of_weights =
        states * static_cast<double>(layer.parameters.count) + static_cast<double>(largest_copy(layer).count);
    bytes.push_back(amounts.sample_bytes + of_weights / global_batch);
  }
  TRY_VOID(check_amount(profile, seconds, slowest * global_batch, limits::iteration_seconds, "s", global_batch));
  return check_amount(profile, bytes, global_batch, limits::iteration_bytes, "bytes", global_batch);
}

// ---- cluster

namespace {

Result<void> check_link(const std::string& place, const Link& link) {
  TRY_VOID(checks::bandwidth(place + "/gb_per_s", link.bandwidth));
  if (!(link.latency.count >= 0 && link.latency.count <= limits::seconds))
    return checks::bad(place + "/latency_us", fmt::format("found {}, expected a finite number from 0 to {}",
                                                          in_microseconds(link.latency), limits::seconds * 1e6));
  return {};
}

Result<void> check_device_type(const DeviceType& type, std::size_t index) {
  if (type.name.empty()) return checks::bad(at("device_types", index, "name"), "found an empty name, expected one");
  TRY_VOID(checks::integer(at("device_types", index, "memory_bytes"), type.memory.count, 1, limits::bytes));
  TRY_VOID(checks::positive(at("device_types", index, "relative_speed"), type.relative_speed, 1e9));
  for (const auto& [precision, peak] : type.peak_tflops)
    TRY_VOID(checks::positive(at("device_types", index, "peak_tflops/" + precision), peak, 1e12));
  if (type.memory_bandwidth)
    TRY_VOID(checks::bandwidth(at("device_types", index, "memory_gb_per_s"), *type.memory_bandwidth));
  if (type.host_bandwidth)
    TRY_VOID(checks::bandwidth(at("device_types", index, "host_gb_per_s"), *type.host_bandwidth));
  if (type.price_per_hour)
    TRY_VOID(checks::number(at("device_types", index, "price_per_hour"), *type.price_per_hour, 0, 1e12));
  return {};
}

Result<void> check_node(const Cluster& cluster, std::size_t index) {
  const Node& node = cluster.nodes[index];
  if (node.name.empty()) return checks::bad(at("nodes", index, "name"), "found an empty name, expected one");
  if (node.devices.empty())
    return checks::bad(at("nodes", index, "devices"), "found no devices, expected at least one");
  for (std::size_t g = 0; g < node.devices.size(); ++g) {
    const std::string place = at("nodes", index, fmt::format("devices/{}", g));
    if (!find_device_type(cluster, node.devices[g].type))
      return checks::bad(place + "/type",
                         fmt::format("found the device type '{}', expected one of device_types", node.devices[g].type));
    TRY_VOID(checks::integer(place + "/count", node.devices[g].count, 1, limits::devices));
  }
  if (node.nic) {
    if (cluster.bandwidth_matrix)
      return checks::bad(at("nodes", index, "nic_gb_per_s"),
                         "found nic_gb_per_s and bandwidth_matrix_gb_per_s, expected one of the two");
    TRY_VOID(checks::bandwidth(at("nodes", index, "nic_gb_per_s"), *node.nic));
  }
  if (node.memory) TRY_VOID(checks::integer(at("nodes", index, "memory_bytes"), node.memory->count, 1, limits::bytes));
  if (node.memory_bandwidth) TRY_VOID(checks::bandwidth(at("nodes", index, "memory_gb_per_s"), *node.memory_bandwidth));
  if (!node.domain.empty() && (cluster.bandwidth_matrix || node.bus || !node.link))
    return checks::bad(at("nodes", index, "domain"),
                       "found a domain, expected it with a link that is no bus, and without a bandwidth matrix");
  return node.link ? check_link(at("nodes", index, "link"), *node.link) : checks::fine();
}

Result<void> check_matrix(const Cluster& cluster, std::size_t devices) {
  const auto& matrix = *cluster.bandwidth_matrix;
  const std::string place = "/bandwidth_matrix_gb_per_s";
  if (!cluster.links.empty())
    return checks::bad("/links", "found links and bandwidth_matrix_gb_per_s, expected one of the two");
  if (matrix.size() != devices)
    return checks::bad(place,
                       fmt::format("found {} rows, expected one for each of the {} devices", matrix.size(), devices));
  for (std::size_t i = 0; i < devices; ++i)
    if (matrix[i].size() != devices)
      return checks::bad(fmt::format("{}/{}", place, i),
                         fmt::format("found a row of {}, expected {}", matrix[i].size(), devices));
  for (std::size_t i = 0; i < devices; ++i)
    for (std::size_t j = 0; j < devices; ++j) {
      const std::string cell = fmt::format("{}/{}/{}", place, i, j);
      const double found = in_gigabytes_per_second(matrix[i][j]);
      TRY_VOID(i == j ? checks::number(cell, found, 0, limits::bytes_per_second / 1e9)
                      : checks::bandwidth(cell, matrix[i][j]));
      if (matrix[i][j] != matrix[j][i])
        return checks::bad(cell, fmt::format("found {} but {} the other way, expected a symmetric matrix", found,
                                             in_gigabytes_per_second(matrix[j][i])));
    }
  return {};
}

Result<std::set<std::string>> check_places(const Cluster& cluster) {
  std::set<std::string> places;
  const auto add = [&](const std::string& name, const std::string& place) -> Result<void> {
    if (!places.insert(name).second)
      return checks::bad(place, fmt::format("found a second node or switch named '{}', expected unique names", name));
    return {};
  };
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    TRY_VOID(check_node(cluster, i));
    TRY_VOID(add(cluster.nodes[i].name, at("nodes", i, "name")));
  }
  for (std::size_t i = 0; i < cluster.switches.size(); ++i) {
    if (cluster.switches[i].name.empty())
      return checks::bad(at("switches", i, "name"), "found an empty name, expected one");
    TRY_VOID(add(cluster.switches[i].name, at("switches", i, "name")));
  }
  return places;
}

Result<void> check_network_link(const NetworkLink& link, std::size_t index, const std::set<std::string>& places) {
  for (const auto& [end, key] : {std::pair{&link.from, "from"}, std::pair{&link.to, "to"}})
    if (!places.contains(*end))
      return checks::bad(at("links", index, key),
                         fmt::format("found '{}', expected the name of a node or switch", *end));
  if (link.from == link.to)
    return checks::bad(at("links", index),
                       fmt::format("found a link from '{}' to itself, expected two ends", link.from));
  return check_link(at("links", index), link.link);
}

}  // namespace

Result<void> validate(const Cluster& cluster) {
  std::set<std::string_view> types;
  for (std::size_t i = 0; i < cluster.device_types.size(); ++i) {
    TRY_VOID(check_device_type(cluster.device_types[i], i));
    if (!types.insert(cluster.device_types[i].name).second)
      return checks::bad(
          at("device_types", i, "name"),
          fmt::format("found a second device type named '{}', expected unique names", cluster.device_types[i].name));
  }
  if (cluster.nodes.empty()) return checks::bad("/nodes", "found no nodes, expected at least one");
  const Result<std::set<std::string>> places = check_places(cluster);
  if (!places) return tl::unexpected(places.error());
  for (std::size_t i = 0; i < cluster.links.size(); ++i) TRY_VOID(check_network_link(cluster.links[i], i, *places));
  std::int64_t devices = 0;
  for (const Node& node : cluster.nodes)
    for (const DeviceGroup& group : node.devices) devices += group.count;
  if (devices > limits::devices)
    return checks::bad("/nodes", fmt::format("found {} devices, expected at most {}", devices, limits::devices));
  return cluster.bandwidth_matrix ? check_matrix(cluster, static_cast<std::size_t>(devices)) : checks::fine();
}

// ---- model

namespace {

Result<void> check_sizes(const ModelLayer& layer, std::size_t index, const LayerKind& kind) {
  for (const SizeRule& rule : kind.sizes) {
    const std::string place = at("layers", index, rule.name);
    const std::optional<std::int64_t> found = find_size(layer, std::string(rule.name));
    if (!found)
      return checks::bad(place, fmt::format("found no {}, expected it in a layer of kind '{}'", rule.name, kind.name));
    TRY_VOID(checks::integer(place, *found, rule.least, rule.most));
  }
  for (const auto& [name, value] : layer.sizes)
    if (!kind.rule(name))
      return checks::bad(
          at("layers", index, name),
          fmt::format("found the size '{}', which a layer of kind '{}' has not; expected {}", name, kind.name, [&] {
            std::string names;
            for (const SizeRule& rule : kind.sizes) names += (names.empty() ? "" : ", ") + std::string(rule.name);
            return names;
          }()));
  if (const auto problem = check_heads(layer)) return checks::bad(at("layers", index, problem->key), problem->text);
  return {};
}

/// Refuses a window larger than its input.
Result<void> check_window(const ModelLayer& layer, std::size_t index) {
  if (!layer.sizes.contains("kernel")) return {};
  const std::int64_t least = std::min(layer.size("height"), layer.size("width")) + 2 * layer.size("padding");
  if (layer.size("kernel") > least)
    return checks::bad(at("layers", index, "kernel"),
                       fmt::format("found {}, expected at most the padded input's {}", layer.size("kernel"), least));
  return {};
}

/// Checks that tied layers are the first and the last one before the loss, and that the table fits both.
Result<void> check_tied_ends(const ModelSpec& model) {
  if (!has_tied_ends(model)) return {};
  const std::size_t last = model.layers.size() - 2;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const bool end = (i == 0 && model.layers[i].kind == "embedding") || (i == last && model.layers[i].kind == "linear");
    if (is_tied(model.layers[i]) && !end)
      return checks::bad(at("layers", i, "tied"),
                         "found 1, expected 0: only a model's first layer, an embedding, and the last one before the "
                         "loss, a linear layer, may share a table");
  }
  for (const auto& [index, other] : {std::pair(std::size_t{0}, last), std::pair(last, std::size_t{0})})
    if (!is_tied(model.layers[index]))
      return checks::bad(at("layers", index, "tied"),
                         fmt::format("found 0, expected 1 as in layer '{}', which shares its table with this layer",
                                     model.layers[other].name));
  const ModelLayer &words = model.layers.front(), &head = model.layers[last];
  for (const auto& [size, expected] :
       {std::pair("in", words.size("hidden")), std::pair("out", words.size("vocabulary")),
        std::pair("bias", std::int64_t{0}), std::pair("activation", std::int64_t{0})})
    if (head.size(size) != expected)
      return checks::bad(at("layers", last, size), fmt::format("found {}, expected {} in a head with the table of '{}'",
                                                               head.size(size), expected, words.name));
  return {};
}

Result<void> check_model_layer(const ModelSpec& model, std::size_t index) {
  const ModelLayer& layer = model.layers[index];
  if (layer.name.empty()) return checks::bad(at("layers", index, "name"), "found an empty name, expected one");
  const LayerKind* kind = parse_layer_kind(layer.kind);
  if (!kind) {
    std::string names;
    for (const LayerKind& known : layer_kinds()) names += (names.empty() ? "" : ", ") + std::string(known.name);
    return checks::bad(at("layers", index, "kind"),
                       fmt::format("found the kind '{}', expected one of {}", layer.kind, names));
  }
  TRY_VOID(check_sizes(layer, index, *kind));
  TRY_VOID(check_window(layer, index));
  const bool last = index + 1 == model.layers.size();
  if (layer.kind == "softmax_cross_entropy" && !last)
    return checks::bad(at("layers", index, "kind"), "found the loss before the end, expected it as the last layer");
  if (last && layer.kind != "softmax_cross_entropy")
    return checks::bad(
        at("layers", index, "kind"),
        fmt::format("found '{}' as the last layer, expected the loss, softmax_cross_entropy", layer.kind));
  return {};
}

}  // namespace

Result<void> validate(const ModelSpec& model) {
  if (model.layers.size() < 2)
    return checks::bad("/layers",
                       fmt::format("found {} layers, expected at least one and the loss", model.layers.size()));
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    TRY_VOID(check_model_layer(model, i));
    if (!names.insert(model.layers[i].name).second)
      return checks::bad(at("layers", i, "name"),
                         fmt::format("found a second layer named '{}', expected unique names", model.layers[i].name));
  }
  TRY_VOID(check_tied_ends(model));
  static constexpr std::array<std::string_view, 4> data_kinds{"synthetic", "text", "idx", "images"};
  if (std::find(data_kinds.begin(), data_kinds.end(), model.data.kind) == data_kinds.end())
    return checks::bad("/data/kind",
                       fmt::format("found '{}', expected one of synthetic, text, idx, images", model.data.kind));
  if (model.data.kind != "synthetic" && model.data.path.empty())
    return checks::bad("/data/path", fmt::format("found no path, expected that of the {}", model.data.kind));
  return checks::positive("/learning_rate", model.learning_rate, 1e3);
}

}  // namespace pipedeck::plan
