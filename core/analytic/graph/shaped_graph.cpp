// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/graph/shaped_graph.hpp"

#include <algorithm>
#include <queue>
#include <set>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analytic/graph/fused_operators.hpp"
#include "core/analytic/graph/shape_rules.hpp"
#include "core/base/checks.hpp"

namespace pipedeck::analytic::graph {
namespace {

/// Returns true if the result has the same elements in another shape or order.
bool is_view(const Operator& op, const SizedTensor& from, const SizedTensor& to) {
  static const std::set<std::string_view> views{"Reshape",   "Flatten",  "Squeeze", "Unsqueeze",
                                                "Transpose", "Identity", "Cast"};
  return views.contains(op.type) && from.element == to.element;
}

std::string place_of(const OperatorNode& node) { return fmt::format("/graph/node/{}", node.place); }

class ShapeInference {
 public:
  ShapeInference(const OperatorGraph& graph, const DimensionSizes& sizes, std::optional<std::int64_t> batch)
      : graph_(graph), sizes_(sizes), batch_(batch) {}

  Result<ShapedGraph> shape() {
    for (const Initializer& fixed : graph_.fixed) add_fixed(fixed);
    TRY_VOID(add_inputs());
    add_nodes();
    TRY_VOID(in_order());
    for (const ValueInfo& stated : graph_.inner) stated_.emplace(stated.name, &stated);
    for (const ValueInfo& stated : graph_.outputs) stated_.emplace(stated.name, &stated);
    for (std::size_t i = 0; i < out_.nodes.size(); ++i) TRY_VOID(shape_node(static_cast<int>(i)));
    for (const ValueInfo& output : graph_.outputs)
      if (const auto found = ids_.find(output.name); found != ids_.end()) out_.outputs.push_back(found->second);
    return std::move(out_);
  }

 private:
  /// `name` refers to the graph's own string, which stays in place.
  int add(std::string_view name, SizedTensor tensor) {
    const int id = static_cast<int>(out_.tensors.size());
    tensor.name = name;
    tensor.same_as = id;
    ids_.emplace(name, id);
    out_.tensors.push_back(std::move(tensor));
    return id;
  }

  void add_fixed(const Initializer& fixed) {
    SizedTensor tensor;
    tensor.element = fixed.element;
    tensor.shape = fixed.shape;
    tensor.values = fixed.values;
    tensor.parameter = tensor.of_parameters = fixed.element == Element::real && tensor.count() > 1;
    add(fixed.name, std::move(tensor));
  }

  /// An unnamed size is looked up by the input's name and its position.
  std::optional<std::int64_t> size_of(const ValueInfo& stated, std::size_t side) const {
    const Dimension& size = (*stated.shape)[side];
    if (size.size >= 0) return side == 0 && batch_ ? *batch_ : size.size;
    const auto found = sizes_.find(size.name.empty() ? fmt::format("{}.{}", stated.name, side) : size.name);
    return found == sizes_.end() ? std::nullopt : std::optional(found->second);
  }

  Result<void> add_inputs() {
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
      const ValueInfo& input = graph_.inputs[i];
      const std::string place = fmt::format("/graph/input/{}", i);
      if (!input.shape)
        return fail(ErrorCode::bad_input,
                    fmt::format("found input '{}' without sizes, expected a tensor with some", input.name), place);
      SizedTensor tensor;
      tensor.element = input.element;
      tensor.origin = SizedTensor::TensorOrigin::batch;
      std::int64_t count = 1;
      for (std::size_t side = 0; side < input.shape->size(); ++side) {
        const auto size = size_of(input, side);
        const std::string& name = (*input.shape)[side].name;
        const std::string open = name.empty() ? fmt::format("{}.{}", input.name, side) : name;
        if (!size)
          return fail(ErrorCode::bad_input,
                      fmt::format("found size '{}' of input '{}' without a number, expected one: --dim {}=N", open,
                                  input.name, open),
                      place);
        if (*size < 0 || (*size > 0 && count > limits::bytes / 16 / *size))
          return fail(ErrorCode::bad_input,
                      fmt::format("found input '{}' of more than 2^49 numbers, expected at most that", input.name),
                      place);
        count *= *size;
        tensor.shape.push_back(*size);
      }
      out_.inputs.push_back(add(input.name, std::move(tensor)));
    }
    return {};
  }

  void add_nodes() {
    for (const Operator& op : graph_.operators) {
      OperatorNode node;
      node.op = &op;
      node.place = static_cast<int>(out_.nodes.size());
      for (const std::string& name : op.outputs) {
        SizedTensor tensor;
        tensor.producer = node.place;
        node.outputs.push_back(name.empty() ? -1 : add(name, std::move(tensor)));
      }
      out_.nodes.push_back(std::move(node));
    }
    for (OperatorNode& node : out_.nodes)
      for (const std::string& name : node.op->inputs) node.inputs.push_back(name.empty() ? -1 : ids_.at(name));
  }

  /// Kahn's algorithm, in file order where that is free.
  Result<void> in_order() {
    const std::size_t count = out_.nodes.size();
    std::vector<int> waits(count, 0);
    std::vector<std::vector<int>> next(count);
    for (const OperatorNode& node : out_.nodes)
      for (const int input : node.inputs)
        if (const int from = input < 0 ? -1 : tensor(input).producer; from >= 0) {
          ++waits[static_cast<std::size_t>(node.place)];
          next[static_cast<std::size_t>(from)].push_back(node.place);
        }
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (std::size_t i = 0; i < count; ++i)
      if (waits[i] == 0) ready.push(static_cast<int>(i));
    std::vector<OperatorNode> ordered;
    ordered.reserve(count);
    while (!ready.empty()) {
      const auto at = static_cast<std::size_t>(ready.top());
      ready.pop();
      for (const int output : out_.nodes[at].outputs)
        if (output >= 0) tensor(output).producer = static_cast<int>(ordered.size());
      ordered.push_back(std::move(out_.nodes[at]));
      for (const int to : next[at])
        if (--waits[static_cast<std::size_t>(to)] == 0) ready.push(to);
    }
    if (ordered.size() < count) {
      const auto stuck =
          static_cast<std::size_t>(std::ranges::find_if(waits, [](int n) { return n > 0; }) - waits.begin());
      return fail(ErrorCode::bad_input,
                  fmt::format("found {} in a circle of operators, or behind one, expected none",
                              describe_operator(graph_.operators[stuck])),
                  fmt::format("/graph/node/{}", stuck));
    }
    out_.nodes = std::move(ordered);
    return {};
  }

  SizedTensor& tensor(int id) { return out_.tensors[static_cast<std::size_t>(id)]; }

  Result<void> shape_node(int index) {
    const OperatorNode& node = out_.nodes[static_cast<std::size_t>(index)];
    const auto named = [&](Result<void> result) {
      if (!result && result.error().place.empty()) result.error().place = place_of(node);
      return result;
    };
    const ShapeRule rule = shape_rule(*node.op);
    if (!rule) {
      if (runs_inner_graphs(*node.op))
        out_.unopened.push_back(fmt::format("{} ({})", describe_operator(*node.op), place_of(node)));
      else
        ++out_.unknown[type_of(*node.op)];
      TRY_VOID(named(as_stated(node)));
    } else {
      std::vector<const SizedTensor*> inputs;
      for (const int id : node.inputs) inputs.push_back(id < 0 ? nullptr : &tensor(id));
      std::vector<SizedTensor*> outputs;
      for (const int id : node.outputs) outputs.push_back(id < 0 ? nullptr : &tensor(id));
      TRY_VOID(named(rule(ShapeInferenceContext(*node.op, graph_.version, std::move(inputs), std::move(outputs)))));
    }
    trace(node);
    return {};
  }

  /// Takes the outputs' sizes from the file for an operator without a rule.
  Result<void> as_stated(const OperatorNode& node) {
    for (const int id : node.outputs) {
      if (id < 0) continue;
      SizedTensor& made = tensor(id);
      const auto refuse = [&] {
        if (runs_inner_graphs(*node.op))
          return fail(ErrorCode::bad_input,
                      fmt::format("{}: found a loop or a branch, whose operators are not looked into and whose output "
                                  "'{}' has no sizes in the file, expected them (onnx.shape_inference writes them), or "
                                  "a model that was exported without loops and branches",
                                  describe_operator(*node.op), made.name));
        return fail(ErrorCode::bad_input,
                    fmt::format("{}: found an operator that is not known, whose output '{}' has no sizes in the file, "
                                "expected them (onnx.shape_inference writes them)",
                                describe_operator(*node.op), made.name));
      };
      const auto stated = stated_.find(made.name);
      if (stated == stated_.end() || !stated->second->shape) return refuse();
      made.element = stated->second->element;
      std::int64_t count = 1;
      for (std::size_t side = 0; side < stated->second->shape->size(); ++side) {
        const auto size = size_of(*stated->second, side);
        if (!size || *size < 0 || (*size > 0 && count > limits::bytes / 16 / *size)) return refuse();
        count *= *size;
        made.shape.push_back(*size);
      }
    }
    return {};
  }

  /// Determines the origin of the outputs.
  void trace(const OperatorNode& node) {
    bool computed = false, batch = false, parameters = false;
    for (const int id : node.inputs) {
      if (id < 0) continue;
      const SizedTensor& input = tensor(id);
      computed |= input.origin == SizedTensor::TensorOrigin::computed;
      batch |= input.origin == SizedTensor::TensorOrigin::batch;
      parameters |= input.of_parameters;
    }
    for (const int id : node.outputs) {
      if (id < 0) continue;
      SizedTensor& made = tensor(id);
      if (made.values)
        made.origin = SizedTensor::TensorOrigin::fixed;
      else if (computed || (batch && parameters))
        made.origin = SizedTensor::TensorOrigin::computed;
      else
        made.origin = batch ? SizedTensor::TensorOrigin::batch : SizedTensor::TensorOrigin::fixed;
      made.of_parameters = made.origin == SizedTensor::TensorOrigin::fixed && parameters && !made.values;
      const int first = node.inputs.empty() ? -1 : node.inputs.front();
      if (first >= 0 && is_view(*node.op, tensor(first), made)) made.same_as = tensor(first).same_as;
    }
    if (node.op->type == "BatchNormalization")  // running statistics are not trained
      for (std::size_t i = 3; i < node.inputs.size(); ++i)
        if (node.inputs[i] >= 0) tensor(node.inputs[i]).parameter = false;
  }

  const OperatorGraph& graph_;
  const DimensionSizes& sizes_;
  std::optional<std::int64_t> batch_;
  ShapedGraph out_;
  std::unordered_map<std::string_view, int> ids_;
  std::unordered_map<std::string_view, const ValueInfo*> stated_;
};

}  // namespace

std::int64_t SizedTensor::count() const { return count_of(shape); }

std::string type_of(const Operator& op) {
  constexpr std::size_t longest = 80;
  const std::string type = op.type.substr(0, longest);
  return is_standard(op) ? type : fmt::format("{}.{}", op.domain.substr(0, longest), type);
}

std::string describe_operator(const Operator& op) {
  constexpr std::size_t longest = 80;
  const std::string& name = op.name.empty() && !op.outputs.empty() ? op.outputs.front() : op.name;
  return fmt::format("{} '{}'", type_of(op), name.substr(0, longest));
}

std::string sizes_text(const Sizes& sizes) {
  return sizes.empty() ? "one number" : fmt::format("{}", fmt::join(sizes, " x "));
}

Result<ShapedGraph> shaped(const OperatorGraph& graph, const DimensionSizes& sizes, std::optional<std::int64_t> batch) {
  return ShapeInference(graph, sizes, batch).shape();
}

}  // namespace pipedeck::analytic::graph
