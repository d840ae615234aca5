// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/recorded/layers.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace pipedeck::analytic::recorded {
namespace {

/// Returns "Bottleneck_#" for "Bottleneck_12" and "layer#.#" for "layer1.0": repeated modules have the same class.
std::string class_of(const std::string& name) {
  std::string text;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) text += c;
    if (digit && (text.empty() || text.back() != '#')) text += '#';
  }
  return text;
}

bool is_container(std::string_view name) { return name.starts_with("Sequential") || name.starts_with("ModuleList"); }

class LayerSelector {
 public:
  LayerSelector(const Pass& pass, const std::vector<std::string>& names, std::optional<int> depth)
      : pass_(pass), names_(names), depth_(depth), leads_(pass.calls.size()) {}

  std::vector<std::size_t> choose() {
    std::vector<std::size_t> outer;
    std::int64_t all = 0;
    for (std::size_t at = 0; at < pass_.calls.size(); at = pass_.calls[at].next) {
      outer.push_back(at);
      all += duration(at);
    }
    const std::set<std::string> alike = find_blocks(outer);
    for (const std::size_t at : outer) {
      const bool repeated = alike.contains(class_of(name(at)));
      visit(at, !repeated && duration(at) >= all / 2, repeated);  // the model; a loss may be next to it
    }
    return std::move(layers_);
  }

 private:
  /// `whole`: this module is the model, or the only module in it; `repeated`: its siblings have the same class.
  void visit(std::size_t at, bool whole, bool repeated) {
    const std::vector<std::size_t> children = children_of(at);
    if (!taken_apart(at, children, whole, repeated)) return layers_.push_back(at);
    const std::set<std::string> alike = find_blocks(children);
    for (const std::size_t child : children)
      visit(child, whole && children.size() == 1, alike.contains(class_of(name(child))));
  }

  bool taken_apart(std::size_t at, const std::vector<std::size_t>& children, bool whole, bool repeated) {
    if (children.empty()) return false;
    if (depth_) return pass_.calls[at].depth < *depth_;
    if (whole || is_container(name(at))) return true;
    if (repeated) return false;
    if (children.size() == 1) return pass_.calls[children.front()].has_children(children.front());
    return contains_blocks(at);
  }

  /// Returns true if the module contains blocks, directly or in a module that is no block itself: an encoder in a
  /// model.
  bool contains_blocks(std::size_t at) {
    if (!leads_[at]) {
      const std::vector<std::size_t> children = children_of(at);
      leads_[at] = !find_blocks(children).empty() ||
                   std::ranges::any_of(children, [&](std::size_t child) { return contains_blocks(child); });
    }
    return *leads_[at];
  }

  /// Returns the classes of blocks: at least three modules of one class that contain modules, or two if there are no
  /// others. Containers are not blocks.
  std::set<std::string> find_blocks(const std::vector<std::size_t>& children) const {
    std::map<std::string, std::size_t> times;
    std::size_t all = 0;
    for (const std::size_t child : children)
      if (pass_.calls[child].has_children(child) && !is_container(name(child))) ++all, ++times[class_of(name(child))];
    std::set<std::string> blocks;
    for (const auto& [one, count] : times)
      if (count >= 3 || (count == 2 && all == 2)) blocks.insert(one);
    return blocks;
  }

  std::vector<std::size_t> children_of(std::size_t at) const {
    std::vector<std::size_t> children;
    for (std::size_t child = at + 1; child < pass_.calls[at].next; child = pass_.calls[child].next)
      children.push_back(child);
    return children;
  }

  std::int64_t duration(std::size_t at) const { return pass_.calls[at].end - pass_.calls[at].start; }
  const std::string& name(std::size_t at) const { return names_[pass_.calls[at].name]; }

  const Pass& pass_;
  const std::vector<std::string>& names_;
  std::optional<int> depth_;
  std::vector<std::optional<bool>> leads_;  ///< cached contains_blocks of each call
  std::vector<std::size_t> layers_;
};

}  // namespace

std::vector<std::size_t> layers_of(const Pass& pass, const std::vector<std::string>& names, std::optional<int> depth) {
  return LayerSelector(pass, names, depth).choose();
}

std::vector<Region> regions_of(const Calls& calls, const std::vector<std::size_t>& layers,
                               const std::vector<RecordedSpan>& evaluations) {
  std::vector<std::int64_t> backward;
  for (const RecordedSpan& span : evaluations) backward.push_back(span.start);
  std::ranges::sort(backward);
  std::vector<Region> regions;
  for (std::size_t p = 0; p < calls.passes.size(); ++p) {
    const Pass& pass = calls.passes[p];
    std::size_t layer = 0;
    for (std::size_t outer = 0; outer < pass.calls.size(); outer = pass.calls[outer].next) {
      const std::size_t first = regions.size();
      for (; layer < layers.size() && layers[layer] < pass.calls[outer].next; ++layer) {
        const Call& call = pass.calls[layers[layer]];
        if (regions.size() > first) regions.back().end = call.start;
        const std::int64_t begin = regions.size() > first ? call.start : pass.calls[outer].start;
        regions.push_back({begin, call.end, call.end, p, layer, false});
      }
      regions.back().end = pass.calls[outer].end;
    }
    std::int64_t until = pass.end;
    const auto next = std::ranges::lower_bound(backward, pass.end);
    if (next != backward.end()) until = *next;
    if (p + 1 < calls.passes.size()) until = std::min(until, calls.passes[p + 1].start());
    regions.push_back({pass.end, until, until, p, layers.size() - 1, true});
  }
  return regions;
}

std::vector<std::string> layer_names(const Pass& pass, const std::vector<std::size_t>& layers,
                                     const std::vector<std::string>& names) {
  std::set<std::string> taken;
  std::map<std::string, int> times;
  std::vector<std::string> unique;
  for (const std::size_t at : layers) {
    const std::string& name = names[pass.calls[at].name];
    std::string one = name.empty() ? "layer" : name;
    while (!taken.insert(one).second) one = fmt::format("{} ({})", name, ++times[name] + 1);
    unique.push_back(std::move(one));
  }
  return unique;
}

std::string kind_of_module(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 24> parts{
      {{"embedding", "embedding"},    {"layernorm", "layer_norm"},
       {"layer_norm", "layer_norm"},  {"rmsnorm", "layer_norm"},
       {"batchnorm", "batch_norm"},   {"maxpool", "max_pool"},
       {"avgpool", "average_pool"},   {"dropout", "dropout"},
       {"softmax", "softmax"},        {"loss", "loss"},
       {"bottleneck", "convolution"}, {"basicblock", "convolution"},
       {"conv", "convolution"},       {"lstm", "lstm"},
       {"relu", "activation"},        {"gelu", "activation"},
       {"silu", "activation"},        {"tanh", "activation"},
       {"sigmoid", "activation"},     {"linear", "linear"},
       {"lm_head", "linear"},         {"classifier", "linear"},
       {"block", "transformer"},      {"layer", "transformer"}}};
  std::string lower;
  for (const char c : name) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const auto& [part, kind] : parts)
    if (lower.find(part) != lower.npos) return std::string(kind);
  return "other";
}

}  // namespace pipedeck::analytic::recorded
