// SPDX-License-Identifier: Apache-2.0
#include "core/io/profiles/graph_text_lines.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/json/value.hpp"
#include "core/io/text/decimal.hpp"
#include "core/io/text/lines.hpp"
#include "core/io/text/utf8.hpp"

namespace pipedeck::io::profiles {
namespace {

constexpr std::string_view separator = " -- ";
constexpr std::size_t max_nodes = 2 * limits::layers;  ///< layers, and what loads their data

std::vector<std::string_view> split(std::string_view text, std::string_view by) {
  std::vector<std::string_view> parts;
  for (std::size_t at = text.find(by); at != text.npos; at = text.find(by)) {
    parts.push_back(text::trimmed(text.substr(0, at)));
    text.remove_prefix(at + by.size());
  }
  parts.push_back(text::trimmed(text));
  return parts;
}

std::string shown(std::string_view text) { return json::describe(json::Value(text)); }

/// Reads one line; the first error stays.
class LineReader {
 public:
  LineReader(int line, Result<Graph>& graph) : line_(line), graph_(graph) {}

  void read(std::string_view text) {
    if (!text::is_utf8(text)) return bad("found bytes that are not UTF-8, expected text");
    const bool indented = text.front() == ' ' || text.front() == '\t';
    indented ? read_arrow(text::trimmed(text)) : read_node(text::trimmed(text));
  }

 private:
  void bad(std::string message) {
    if (graph_) graph_ = fail(ErrorCode::bad_input, std::move(message), fmt::format("line {}", line_));
  }

  void read_arrow(std::string_view text) {
    const std::vector<std::string_view> ends = split(text, separator);
    if (ends.size() != 2 || !is_id(ends[0]) || !is_id(ends[1]))
      return bad(fmt::format("found {}, expected an edge: id -- id", shown(text)));
    graph_->arrows.push_back({line_, std::string(ends[0]), std::string(ends[1])});
  }

  /// id -- description -- figures [-- stage_id=K]; the description itself may contain the separator.
  void read_node(std::string_view text) {
    std::vector<std::string_view> parts = split(text, separator);
    Node node;
    node.line = line_;
    if (parts.size() > 3 && parts.back().starts_with("stage_id=")) {
      node.stage = read_stage(parts.back().substr(9));
      parts.pop_back();
    }
    if (parts.size() < 3 || !is_id(parts[0]))
      return bad(
          fmt::format("found {}, expected a node: id -- description -- forward_compute_time=..., "
                      "backward_compute_time=..., activation_size=..., parameter_size=...",
                      shown(text)));
    node.id = parts[0];
    for (std::size_t i = 1; i + 1 < parts.size(); ++i)
      node.description += (i > 1 ? " -- " : "") + std::string(parts[i]);
    if (node.description.empty()) return bad("found an empty description, expected the layer's name");
    read_figures(parts.back(), node);
    if (graph_) graph_->nodes.push_back(std::move(node));
  }

  void read_figures(std::string_view text, Node& node) {
    constexpr std::array<std::string_view, 4> keys{"forward_compute_time", "backward_compute_time", "activation_size",
                                                   "parameter_size"};
    std::array<std::optional<std::string_view>, 4> found;
    for (const std::string_view part : split(text, ",")) {
      const std::size_t equals = part.find('=');
      const std::string_view key = text::trimmed(part.substr(0, equals));
      std::size_t k = 0;
      while (k < keys.size() && keys[k] != key) ++k;
      if (equals == part.npos || k == keys.size())
        return bad(fmt::format(
            "found {}, expected forward_compute_time=, backward_compute_time=, activation_size= or parameter_size=",
            shown(part)));
      if (found[k]) return bad(fmt::format("found {} a second time, expected it once", key));
      found[k] = text::trimmed(part.substr(equals + 1));
    }
    for (std::size_t k = 0; k < keys.size(); ++k)
      if (!found[k]) return bad(fmt::format("found no {}, expected it", keys[k]));
    node.forward = read_time(keys[0], *found[0]);
    node.backward = read_time(keys[1], *found[1]);
    node.outputs = read_outputs(*found[2]);
    node.parameters = read_bytes(keys[3], *found[3]);
  }

  Seconds read_time(std::string_view key, std::string_view text) {
    const std::optional<double> value = text::decimal_to_double(text, -3);
    if (value && *value >= 0 && *value <= limits::seconds) return Seconds(*value);
    bad(fmt::format("found {}={}, expected milliseconds from 0 to {}", key, shown(text), limits::seconds * 1e3));
    return {};
  }

  /// The files have bytes with a point ("9175040.0"), and some are computed and not whole.
  Bytes read_bytes(std::string_view key, std::string_view text) {
    const std::optional<double> value = text::decimal_to_double(text);
    if (value && *value >= 0 && *value <= static_cast<double>(limits::bytes)) return Bytes(std::llround(*value));
    bad(fmt::format("found {}={}, expected bytes from 0 to {}", key, shown(text), limits::bytes));
    return {};
  }

  std::vector<Bytes> read_outputs(std::string_view text) {
    if (!text.starts_with('[')) return {read_bytes("activation_size", text)};
    std::vector<Bytes> outputs;
    if (!text.ends_with(']')) {
      bad(fmt::format("found activation_size={}, expected a closing ]", shown(text)));
      return {Bytes()};
    }
    for (const std::string_view part : split(text.substr(1, text.size() - 2), ";"))
      outputs.push_back(read_bytes("activation_size", part));
    return outputs;
  }

  std::optional<int> read_stage(std::string_view text) {
    const std::optional<std::int64_t> stage = text::decimal_to_integer(text);
    if (stage && *stage >= 0 && *stage <= limits::layers) return static_cast<int>(*stage);
    bad(fmt::format("found stage_id={}, expected a whole number from 0 to {}", shown(text), limits::layers));
    return std::nullopt;
  }

  int line_;
  Result<Graph>& graph_;
};

}  // namespace

bool is_id(std::string_view text) {
  return !text.empty() && text.find_first_of(" \t\r\n") == text.npos && text != "--";
}

Result<Graph> parse(const std::string& text) {
  Result<Graph> graph;
  std::string_view rest = text;
  for (int line = 1; !rest.empty() && graph; ++line) {
    const std::size_t end = rest.find('\n');
    const std::string_view found = rest.substr(0, end);
    if (!text::trimmed(found).empty()) LineReader(line, graph).read(found);
    if (graph) graph->lines = line;
    if (graph && graph->nodes.size() > max_nodes)
      return fail(ErrorCode::bad_input, fmt::format("found more than {} nodes, expected at most that", max_nodes),
                  fmt::format("line {}", line));
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
  if (graph && graph->nodes.empty())
    return fail(ErrorCode::bad_input, "found no nodes, expected a layer graph", fmt::format("line {}", 1));
  return graph;
}

}  // namespace pipedeck::io::profiles
