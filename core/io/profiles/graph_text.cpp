// SPDX-License-Identifier: Apache-2.0
#include "core/io/profiles/graph_text.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/json/writer.hpp"
#include "core/io/profiles/graph_text_lines.hpp"
#include "core/io/profiles/layer_kind_guess.hpp"
#include "core/io/text/decimal.hpp"
#include "core/plan/validate.hpp"

namespace pipedeck::io::profiles {
namespace {

tl::unexpected<Error> bad_line(int line, std::string message) {
  return fail(ErrorCode::bad_input, std::move(message), fmt::format("line {}", line));
}

/// Edges of the whole graph, by positions of nodes.
Result<std::vector<std::pair<std::size_t, std::size_t>>> resolve(const Graph& graph) {
  std::map<std::string, std::size_t> positions;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (!positions.emplace(graph.nodes[i].id, i).second)
      return bad_line(graph.nodes[i].line,
                      fmt::format("found a second node '{}', expected unique ids", graph.nodes[i].id));
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  std::set<std::pair<std::size_t, std::size_t>> seen;
  for (const Arrow& arrow : graph.arrows) {
    for (const std::string* end : {&arrow.from, &arrow.to})
      if (!positions.contains(*end))
        return bad_line(arrow.line, fmt::format("found an edge of '{}', expected the id of a node", *end));
    const std::pair edge{positions[arrow.from], positions[arrow.to]};
    if (edge.first == edge.second)
      return bad_line(arrow.line, fmt::format("found an edge from '{}' to itself, expected two nodes", arrow.from));
    if (!seen.insert(edge).second)
      return bad_line(arrow.line,
                      fmt::format("found the edge {} -- {} a second time, expected it once", arrow.from, arrow.to));
    edges.push_back(edge);
  }
  return edges;
}

/// Sources called Input... are data loading: no layer.
std::vector<bool> data_loading(const Graph& graph, const std::vector<std::pair<std::size_t, std::size_t>>& edges) {
  std::vector<bool> loading(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) loading[i] = graph.nodes[i].description.starts_with("Input");
  for (const auto& edge : edges) loading[edge.second] = false;
  return loading;
}

/// k of "__getitem__(k)", or of its numbered name "__getitem__(k) #2": the layer takes output k of the one before it.
std::optional<int> taken_output(const std::string& description) {
  constexpr std::string_view prefix = "__getitem__(";
  const std::string_view call = std::string_view(description).substr(0, description.find(" #"));
  if (!call.starts_with(prefix) || !call.ends_with(')')) return std::nullopt;
  const std::optional<std::int64_t> output =
      text::decimal_to_integer(call.substr(prefix.size(), call.size() - prefix.size() - 1));
  if (!output || *output < 0 || *output > limits::layers) return std::nullopt;
  return static_cast<int>(*output);
}

Layer layer_of(const Node& node) {
  Layer layer;
  layer.name = node.description;
  layer.kind = infer_layer_kind(node.description);
  layer.forward = node.forward;
  layer.backward = node.backward;
  for (const Bytes output : node.outputs) layer.output += output;
  if (node.outputs.size() > 1) layer.outputs = node.outputs;
  layer.saved = layer.output;
  layer.parameters = node.parameters;
  if (layer.parameters > Bytes()) layer.backward_weight = layer.backward / 2;
  json::ObjectWriter extra;
  extra.add("node", node.id);
  if (node.stage) extra.add("stage_id", *node.stage);
  layer.extra = json::compact(extra.finish());
  return layer;
}

/// Descriptions repeat ("ReLU(inplace)"): the second and later ones are numbered, in the order that they are listed.
void make_names_unique(std::vector<Layer>& layers) {
  std::set<std::string> taken;
  for (const Layer& layer : layers) taken.insert(layer.name);
  std::map<std::string, int> count;
  for (Layer& layer : layers) {
    const std::string description = layer.name;
    if (++count[description] == 1) continue;
    do layer.name = fmt::format("{} #{}", description, count[description]);
    while (!taken.insert(layer.name).second && ++count[description]);
  }
}

bool is_list_chain(const Profile& profile) {
  if (profile.edges.size() + 1 != profile.layers.size()) return false;
  return std::all_of(profile.edges.begin(), profile.edges.end(),
                     [](const Edge& edge) { return edge.to.value == edge.from.value + 1 && !edge.output; });
}

/// Layers in topological order, edges by their new positions.
Profile in_topological_order(const Profile& given) {
  const std::vector<LayerId> order = topological_order(given);
  Profile sorted = given;
  sorted.layers.clear();
  std::vector<LayerId> position(given.layers.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    sorted.layers.push_back(given.layers[order[i].index()]);
    position[order[i].index()] = LayerId(i);
  }
  for (Edge& edge : sorted.edges) edge = {position[edge.from.index()], position[edge.to.index()], edge.output};
  std::sort(sorted.edges.begin(), sorted.edges.end(),
            [](const Edge& a, const Edge& b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); });
  return sorted;
}

/// Layers without parameters and backward that only such layers feed: masks and ids, made from the batch alone.
/// Layers are in topological order.
void mark_data_layers(Profile& profile) {
  std::vector<bool> data(profile.layers.size());
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = profile.layers[i].parameters == Bytes() && profile.layers[i].backward == Seconds();
  for (const Edge& edge : profile.edges)  // sorted by `from`: all that feeds it is settled before it feeds
    if (!data[edge.from.index()]) data[edge.to.index()] = false;
  for (std::size_t i = 0; i < data.size(); ++i)
    if (data[i]) profile.layers[i].kind = data_kind;
}

/// Graph errors are reported with the line of their node: JSON pointers mean nothing in this format.
Result<void> validate_graph(const Profile& profile, int last_line) {
  Result<void> valid = plan::validate(profile);
  if (valid || valid.error().place == "/micro_batch") return valid;
  return bad_line(last_line, valid.error().message);
}

}  // namespace

Result<Profile> profile_from_graph_text(const std::string& text, const std::string& name, int micro_batch) {
  const Result<Graph> graph = profiles::parse(text);
  if (!graph) return tl::unexpected(graph.error());
  TRY(const auto edges, resolve(*graph));
  const std::vector<bool> loading = data_loading(*graph, edges);

  Profile profile;
  profile.name = name;
  profile.source = "layer graph";
  profile.micro_batch = micro_batch;
  std::vector<LayerId> ids(graph->nodes.size());
  for (std::size_t i = 0; i < graph->nodes.size(); ++i) {
    ids[i] = LayerId(profile.layers.size());
    if (!loading[i]) profile.layers.push_back(layer_of(graph->nodes[i]));
  }
  if (profile.layers.empty())
    return bad_line(graph->nodes[0].line, "found data loading only, expected a layer at least");
  for (const auto& [from, to] : edges) {
    if (loading[from]) continue;
    const std::optional<int> output = taken_output(graph->nodes[to].description);
    const std::size_t outputs = graph->nodes[from].outputs.size();
    const bool several = outputs > 1;
    if (several && output && static_cast<std::size_t>(*output) >= outputs)
      return bad_line(graph->nodes[to].line, fmt::format("found {}, expected one of the {} outputs of '{}'",
                                                         graph->nodes[to].description, outputs, graph->nodes[from].id));
    profile.edges.push_back({ids[from], ids[to], several ? output : std::nullopt});
  }
  // A graph without its edges would pass for a chain.
  if (profile.edges.empty() && profile.layers.size() > 1)
    return bad_line(graph->lines, "found no edges between layers, expected a connected graph");
  make_names_unique(profile.layers);
  if (const Result<void> valid = validate_graph(profile, graph->lines); !valid) return tl::unexpected(valid.error());
  for (std::size_t i = 0, layer = 0; i < graph->nodes.size(); ++i)  // number repeated names in listed order
    if (!loading[i]) profile.layers[layer++].name = graph->nodes[i].description;
  profile = in_topological_order(profile);
  make_names_unique(profile.layers);
  mark_data_layers(profile);
  if (is_list_chain(profile)) profile.edges.clear();
  return profile;
}

namespace {

/// The ids that the layers had, where every layer has one and they differ; else node1, node2, ...
std::vector<std::string> node_ids(const Profile& profile) {
  std::vector<std::string> kept, fresh;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < profile.layers.size(); ++i) {
    fresh.push_back(fmt::format("node{}", i + 1));
    const Result<json::Value> extra =
        profile.layers[i].extra.empty() ? Result<json::Value>() : json::parse(profile.layers[i].extra);
    const json::Value* node = extra ? extra->find("node") : nullptr;
    const std::string* id = node ? node->as<std::string>() : nullptr;
    if (id && profiles::is_id(*id) && seen.insert(*id).second) kept.push_back(*id);
  }
  return kept.size() == fresh.size() ? kept : fresh;
}

/// One line, without the separator of the format's fields.
std::string description_of(const std::string& name) {
  std::string out = name;
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  for (std::size_t at = out.find(" -- "); at != out.npos; at = out.find(" -- ")) out.replace(at, 4, " - ");
  return out;
}

/// A stage id that the graph was read with.
std::string stage_of(const Layer& layer) {
  const Result<json::Value> extra = layer.extra.empty() ? Result<json::Value>() : json::parse(layer.extra);
  const json::Value* stage = extra ? extra->find("stage_id") : nullptr;
  const json::Number* number = stage ? stage->as<json::Number>() : nullptr;
  const std::optional<std::int64_t> id = number ? text::decimal_to_integer(number->token) : std::nullopt;
  return id && *id >= 0 && *id <= limits::layers ? fmt::format(" -- stage_id={}", *id) : std::string();
}

std::string activation_of(const Layer& layer) {
  if (layer.outputs.empty()) return fmt::format("{}", layer.output.count);
  std::string list;
  for (const Bytes output : layer.outputs) list += fmt::format("{}{}", list.empty() ? "" : "; ", output.count);
  return '[' + list + ']';
}

}  // namespace

std::string profile_to_graph_text(const Profile& profile) {
  const std::vector<std::string> ids = node_ids(profile);
  std::string text;
  for (std::size_t i = 0; i < profile.layers.size(); ++i) {
    const Layer& layer = profile.layers[i];
    text += fmt::format(
        "{} -- {} -- forward_compute_time={}, backward_compute_time={}, activation_size={}, parameter_size={}{}\n",
        ids[i], description_of(layer.name), text::double_to_decimal(layer.forward.count, 3),
        text::double_to_decimal(layer.backward.count, 3), activation_of(layer), layer.parameters.count,
        stage_of(layer));
  }
  std::set<std::pair<LayerId, LayerId>> written;
  for (const Edge& edge : edges_of(profile))
    if (written.insert({edge.from, edge.to}).second)
      text += fmt::format("\t{} -- {}\n", ids[edge.from.index()], ids[edge.to.index()]);
  return text;
}

std::optional<int> micro_batch_in_file_name(const std::string& path) {
  constexpr std::string_view mark = "-pbs-";
  const std::string name = std::filesystem::path(path).filename().string();
  const std::size_t at = name.rfind(mark);
  if (at == name.npos) return std::nullopt;
  int micro_batch = 0;
  const char* begin = name.data() + at + mark.size();
  const auto read = std::from_chars(begin, name.data() + name.size(), micro_batch);
  if (read.ec != std::errc() || micro_batch < 1 || micro_batch > limits::samples) return std::nullopt;
  return micro_batch;
}

}  // namespace pipedeck::io::profiles
