// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/graph/profile.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analytic/counted_profile.hpp"
#include "core/analytic/graph/fused_operators.hpp"
#include "core/analytic/graph/layers.hpp"
#include "core/base/checks.hpp"

namespace pipedeck::analytic::graph {
namespace {

class ProfileBuilder {
 public:
  /// `operators`: their number in the file.
  ProfileBuilder(OperatorGraph graph, std::size_t operators, const DeviceModel& device, const times::DeviceRate& rate,
                 const Options& options, const ResolvedDimensions& sizes)
      : graph_(std::move(graph)),
        operators_(operators),
        device_(device),
        rate_(rate),
        options_(options),
        sizes_(sizes) {}

  Result<AnalyticProfile> make() {
    TRY(const auto shaped_graph, shaped(graph_, sizes_.sizes, sizes_.batch));
    TRY(const auto counted, layers_of(shaped_graph, rate_.element, options_.dropout));
    if (std::cmp_greater(counted.layers.size(), limits::layers))
      return fail(ErrorCode::bad_input,
                  fmt::format("found {} layers, expected at most {}", counted.layers.size(), limits::layers));
    Profile& profile = made_.profile;
    profile.name = graph_.name;
    profile.device = device_.type.name;
    profile.micro_batch = sizes_.samples;
    profile.edges = counted.edges;
    profile.source = fmt::format("computed from {} operators of {} for {} in {}", operators_, written_by(),
                                 device_.type.name, options_.precision);
    for (const GraphLayer& layer : counted.layers) add(layer);
    note(shaped_graph, counted);
    made_.share = share_of(shaped_graph);
    TRY_VOID(within_limits(profile));
    return std::move(made_);
  }

 private:
  std::string written_by() const { return graph_.source.empty() ? "an ONNX file" : graph_.source; }

  void add(const GraphLayer& counted) {
    const times::LayerSeconds times = times::layer_time(counted.count, rate_);
    Layer layer = make_layer(counted.count, times, rate_.element);
    LayerExplanation told = explain(counted.count, times, rate_);
    for (std::size_t i = 0; i < counted.outputs.size(); ++i)
      told.figures.push_back(
          fmt::format("to later layers, {}: {} bytes", counted.given[i], group_digits(counted.outputs[i])));
    if (counted.outputs.size() > 1) {
      layer.output = {};
      for (const double bytes : counted.outputs) layer.output += layer.outputs.emplace_back(whole_bytes(bytes));
    }
    multiply_adds_ += times::forward_operations(counted.count) / 2;
    made_.explanation_of.push_back(made_.explanations.size());
    made_.explanations.push_back(std::move(told));
    made_.profile.layers.push_back(std::move(layer));
  }

  std::ptrdiff_t frozen_weights() const {
    std::set<std::string_view> fixed;
    for (const Initializer& one : graph_.fixed) fixed.insert(one.name);
    return std::ranges::count_if(graph_.operators, [&](const Operator& op) {
      const bool few_bits = op.type == "MatMulNBits" && op.inputs.size() > 1 && fixed.contains(op.inputs[1]);
      return few_bits || (op.type == "DequantizeLinear" && !op.inputs.empty() && fixed.contains(op.inputs[0]));
    });
  }

  /// Returns the number of matmuls of 8-bit numbers, through which gradients of weights can't be computed.
  std::ptrdiff_t quantised_products() const {
    static constexpr std::array types{"QLinearConv",          "QLinearMatMul",        "QGemm",
                                      "QAttention",           "ConvInteger",          "MatMulInteger",
                                      "MatMulIntegerToFloat", "DynamicQuantizeMatMul"};
    return std::ranges::count_if(graph_.operators,
                                 [](const Operator& op) { return std::ranges::find(types, op.type) != types.end(); });
  }

  /// Counts the operators with a formula. Loops and branches have none.
  ImportShare share_of(const ShapedGraph& shaped_graph) const {
    ImportShare share = graph_.share;
    int without = static_cast<int>(shaped_graph.unopened.size());
    for (const auto& [type, count] : shaped_graph.unknown) {
      share.leave_out(fmt::format("a formula for {}", type.substr(0, 80)));
      share.unlisted += count - 1;
      without += count;
    }
    for (const std::string& part : shaped_graph.unopened) share.leave_out("the inside of " + part);
    share.understood = std::max(0, static_cast<int>(operators_) - without);
    share.assumed.insert(share.assumed.end(), sizes_.notes.begin(), sizes_.notes.end());
    return share;
  }

  void note(const ShapedGraph& shaped_graph, const Layers& counted) {
    auto& notes = made_.notes;
    const auto say = [&](std::string text) { notes.push_back(std::move(text)); };
    say(fmt::format("{}: {} parameters, {:.4g} G multiply-adds forward a micro-batch of {}", graph_.name,
                    group_digits(counted.parameters), multiply_adds_ / 1e9, sizes_.samples));
    say(fmt::format("{} operators (ONNX {}, {}) in {} layers: {}", operators_, graph_.version, written_by(),
                    counted.layers.size(),
                    counted.edges.empty() ? "a chain, cut where one tensor crosses"
                                          : "a graph, for more than one tensor crosses some cuts"));
    for (const std::string& note : sizes_.notes) say(note);
    if (!shaped_graph.unknown.empty()) {
      std::vector<std::string> types;
      for (const auto& [type, count] : shaped_graph.unknown)
        types.push_back(fmt::format("{} ({})", type.substr(0, 80), count));
      if (types.size() > 20) types.resize(20), types.push_back("...");
      say(fmt::format("Without a formula, counted as the bytes that go in and out: {}", fmt::join(types, ", ")));
    }
    if (!shaped_graph.unopened.empty()) {
      std::vector<std::string> first = shaped_graph.unopened;
      if (first.size() > 20) first.resize(20), first.push_back("...");
      say(fmt::format("Loops and branches count only with the bytes of their inputs and outputs: {}",
                      fmt::join(first, ", ")));
    }
    if (const auto products = quantised_products(); products > 0)
      say(
          fmt::format("Products of 8-bit numbers: {}; the graph is for inference and can't be trained, and these "
                      "products count as bytes alone; take the model as it was before it was quantised",
                      products));
    if (const auto frozen = frozen_weights(); frozen > 0)
      say(frozen == 1
              ? std::string("1 operator has weights of few bits: these are not trained, and no parameters")
              : fmt::format("{} operators have weights of few bits: these are not trained, and no parameters", frozen));
    if (counted.fused > 0)
      say(
          fmt::format("Runs of element-wise operators that follow from one tensor (normalisations, activations spelled "
                      "out), each taken as one kernel: {}",
                      counted.fused));
    if (counted.shared_weights > 0)
      say(counted.shared_weights == 1
              ? std::string("1 weight is used by several layers: each holds a copy, so each counts it")
              : fmt::format("{} weights are used by several layers: each holds a copy, so each counts them",
                            counted.shared_weights));
    const auto has_loss = [](const Operator& op) { return op.type.ends_with("Loss"); };
    if (std::ranges::none_of(graph_.operators, has_loss)) say("The file has no loss: none is counted");
    for (const std::string& note : graph_.notes) say(note);
    say(
        fmt::format("Trained in {}, whatever the file's numbers are stored in; degrees of tensor parallelism are not "
                    "computed from a graph",
                    options_.precision));
    say(fmt::format("Large products reach {:.0f} % of the peak, the rest of a layer {:.0f} % of the memory's bandwidth",
                    100 * rate_.reached.gemms, 100 * rate_.reached.memory));
  }

  OperatorGraph graph_;
  std::size_t operators_;
  const DeviceModel& device_;
  const times::DeviceRate& rate_;
  const Options& options_;
  const ResolvedDimensions& sizes_;
  AnalyticProfile made_;
  double multiply_adds_ = 0;
};

Result<void> check(const Options& options) {
  if (options.sizes.sequence < 0 || options.sizes.sequence > (1 << 24))
    return fail(ErrorCode::bad_usage,
                fmt::format("found a sequence of {} tokens, expected 1 to {}", options.sizes.sequence, 1 << 24));
  if (const auto samples = options.sizes.samples; samples && (*samples < 1 || *samples > limits::samples))
    return fail(ErrorCode::bad_usage,
                fmt::format("found a micro-batch of {}, expected 1 to {}", *samples, limits::samples));
  for (const double part : {options.reached.gemms, options.reached.memory})
    if (!(part > 0 && part <= 1))
      return fail(ErrorCode::bad_usage,
                  fmt::format("found {} of what the data sheet promises, expected above 0 and at most 1", part));
  return {};
}

}  // namespace

Result<AnalyticProfile> graph_profile(const OperatorGraph& graph, const DeviceModel& device, const Options& options) {
  TRY_VOID(check(options));
  TRY(auto rate, times::rate_of(device, options.precision));
  rate.reached = options.reached;
  TRY(const auto sizes, resolve_dimensions(graph, options.sizes));
  return ProfileBuilder(split_skip_layer_norm(graph), graph.operators.size(), device, rate, options, sizes).make();
}

}  // namespace pipedeck::analytic::graph
