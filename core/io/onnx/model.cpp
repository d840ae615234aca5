// SPDX-License-Identifier: Apache-2.0
#include "core/io/onnx/model.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "core/base/checks.hpp"
#include "core/base/limits.hpp"
#include "core/io/onnx/fields.hpp"
#include "core/io/onnx/tensor.hpp"
#include "core/io/onnx/wire.hpp"

namespace pipedeck::io::onnx {
namespace {

/// Operators, tensors, their names, sizes and attributes in all: each takes some hundred bytes at most.
constexpr std::size_t max_parts = 2'000'000;

/// Calls `use` with each field; its error, or that of a message that is none, gets the place if it has none.
template <class Use>
Result<void> each_field(std::string_view message, const std::string& place, Use use) {
  Fields fields(message);
  for (;;) {
    auto field = fields.next();
    if (field && !*field) return {};
    Result<void> used = field ? use(**field) : Result<void>(tl::unexpected(field.error()));
    if (used) continue;
    if (used.error().place.empty()) used.error().place = place;
    return used;
  }
}

/// A message takes bytes: a number in their place is no field of ours.
bool is_bytes(const Field& field) { return field.kind == Field::Kind::bytes; }

class Reader {
 public:
  explicit Reader(OperatorGraph& out) : out_(out) {}

  Result<void> model(std::string_view content) {
    using M = ::onnx::ModelProto;
    std::string_view graph;
    std::string producer, version;
    std::size_t functions = 0;
    TRY_VOID(each_field(content, "", [&](const Field& field) -> Result<void> {
      switch (is_bytes(field) ? field.number : 0) {
        case M::kGraphFieldNumber:
          graph = field.bytes;
          break;
        case M::kProducerNameFieldNumber:
          producer = name_from_onnx(field.bytes);
          break;
        case M::kProducerVersionFieldNumber:
          version = name_from_onnx(field.bytes);
          break;
        case M::kOpsetImportFieldNumber:
          return operator_set(field.bytes);
        case M::kFunctionsFieldNumber:
          ++functions;
          break;
        default:
          break;
      }
      return {};
    }));
    if (graph.data() == nullptr)
      return fail(ErrorCode::bad_input, "found no graph, expected a model with one", "/graph");
    out_.version = std::max<std::int64_t>(out_.version, 1);  // implied without an import
    out_.source = producer + (version.empty() ? "" : " " + version);
    if (functions > 0) {
      out_.notes.push_back(fmt::format("{} functions of the file's own are not entered", functions));
      out_.share.left_out.push_back(out_.notes.back());
    }
    return read_graph(graph);
  }

 private:
  Result<void> count(std::size_t parts = 1) {
    parts_ += parts;
    if (parts_ <= max_parts) return {};
    return fail(
        ErrorCode::bad_input,
        fmt::format("found more than {} operators, tensors and attributes in all, expected at most that", max_parts));
  }

  Result<void> operator_set(std::string_view message) {
    using S = ::onnx::OperatorSetIdProto;
    std::string domain;
    std::int64_t version = 0;
    TRY_VOID(each_field(message, "/opset_import", [&](const Field& field) -> Result<void> {
      if (field.number == S::kDomainFieldNumber) domain = name_from_onnx(field.bytes);
      if (field.number == S::kVersionFieldNumber) version = static_cast<std::int64_t>(field.value);
      return {};
    }));
    if (domain.empty() || domain == "ai.onnx") out_.version = version;
    return {};
  }

  Result<void> read_graph(std::string_view message) {
    using G = ::onnx::GraphProto;
    return each_field(message, "/graph", [&](const Field& field) -> Result<void> {
      if (!is_bytes(field)) return {};
      switch (field.number) {
        case G::kNodeFieldNumber:
          return node(field.bytes);
        case G::kNameFieldNumber:
          if (std::string name = name_from_onnx(field.bytes); !name.empty()) graph_name_ = std::move(name);
          return {};
        case G::kInitializerFieldNumber:
          return initializer(field.bytes);
        case G::kSparseInitializerFieldNumber:
          return fail(ErrorCode::bad_input, "found sparse weights, expected dense ones", "/graph/sparse_initializer");
        case G::kInputFieldNumber:
          return stated(field.bytes, "input", out_.inputs);
        case G::kOutputFieldNumber:
          return stated(field.bytes, "output", out_.outputs);
        case G::kValueInfoFieldNumber:
          return stated(field.bytes, "value_info", out_.inner);
        default:
          return {};
      }
    });
  }

  Result<void> initializer(std::string_view message) {
    const std::string place = fmt::format("/graph/initializer/{}", out_.fixed.size());
    auto tensor = tensor_from_onnx(message);
    if (!tensor) return fail(tensor.error().code, tensor.error().message, place);
    if (tensor->name.empty()) return fail(ErrorCode::bad_input, "found no name, expected one", place + "/name");
    TRY_VOID(count(1 + (tensor->values ? tensor->values->size() / 8 : 0)));
    out_.fixed.push_back(*std::move(tensor));
    return {};
  }

  Result<void> node(std::string_view message) {
    using N = ::onnx::NodeProto;
    const std::string place = fmt::format("/graph/node/{}", out_.operators.size());
    Operator made;
    TRY_VOID(each_field(message, place, [&](const Field& field) -> Result<void> {
      if (!is_bytes(field)) return {};
      TRY_VOID(count());
      switch (field.number) {
        case N::kInputFieldNumber:
          made.inputs.push_back(name_from_onnx(field.bytes));
          break;
        case N::kOutputFieldNumber:
          made.outputs.push_back(name_from_onnx(field.bytes));
          break;
        case N::kNameFieldNumber:
          made.name = name_from_onnx(field.bytes);
          break;
        case N::kOpTypeFieldNumber:
          made.type = name_from_onnx(field.bytes);
          break;
        case N::kDomainFieldNumber:
          made.domain = name_from_onnx(field.bytes);
          break;
        case N::kAttributeFieldNumber:
          return attribute(field.bytes, made, fmt::format("{}/attribute/{}", place, made.attributes.size()));
        default:
          break;
      }
      return {};
    }));
    TRY_VOID(count());
    if (made.type.empty()) return fail(ErrorCode::bad_input, "found no op_type, expected one", place + "/op_type");
    if (made.domain == "ai.onnx") made.domain.clear();
    out_.operators.push_back(std::move(made));
    return {};
  }

  Result<void> attribute(std::string_view message, Operator& of, const std::string& place) {
    using A = ::onnx::AttributeProto;
    Attribute made;
    std::vector<std::int64_t> integers;
    std::vector<double> reals;
    TRY_VOID(each_field(message, place, [&](const Field& field) -> Result<void> {
      switch (field.number) {
        case A::kNameFieldNumber:
          made.name = name_from_onnx(field.bytes);
          break;
        case A::kFFieldNumber:
          made.value = double{std::bit_cast<float>(static_cast<std::uint32_t>(field.value))};
          break;
        case A::kIFieldNumber:
          made.value = static_cast<std::int64_t>(field.value);
          break;
        case A::kSFieldNumber:
          made.value = name_from_onnx(field.bytes.substr(0, 1 << 12));
          break;
        case A::kTFieldNumber: {
          TRY(auto tensor, tensor_from_onnx(field.bytes));
          made.value = std::move(tensor);
          break;
        }
        case A::kGFieldNumber:
        case A::kGraphsFieldNumber:
          made.value = Subgraph{};
          break;
        case A::kIntsFieldNumber:
          return append_integers(field, integers, Initializer::max_values);
        case A::kFloatsFieldNumber:
          return floats(field, reals);
        default:
          break;
      }
      return {};
    }));
    TRY_VOID(count((integers.size() + reals.size()) / 8));
    if (!integers.empty()) made.value = std::move(integers);
    if (!reals.empty()) made.value = std::move(reals);
    of.attributes.push_back(std::move(made));
    return {};
  }

  static Result<void> floats(const Field& field, std::vector<double>& reals) {
    const auto add = [&](std::uint32_t bits) { reals.push_back(std::bit_cast<float>(bits)); };
    if (field.bytes.size() / 4 + reals.size() >= Initializer::max_values)
      return fail(ErrorCode::bad_input,
                  fmt::format("found more than {} numbers, expected at most that", Initializer::max_values));
    if (!is_bytes(field)) add(static_cast<std::uint32_t>(field.value));
    for (std::size_t at = 0; at + 4 <= field.bytes.size(); at += 4) {
      std::uint32_t bits = 0;
      for (std::size_t i = 4; i-- > 0;) bits = bits << 8 | static_cast<unsigned char>(field.bytes[at + i]);
      add(bits);
    }
    return {};
  }

  Result<void> stated(std::string_view message, std::string_view list, std::vector<ValueInfo>& into) {
    using V = ::onnx::ValueInfoProto;
    using T = ::onnx::TypeProto;
    using Y = ::onnx::TypeProto_Tensor;
    const std::string place = fmt::format("/graph/{}/{}", list, into.size());
    ValueInfo made;
    made.element = Element::other;
    TRY_VOID(count());
    const auto tensor = [&](const Field& field) -> Result<void> {
      if (field.number == Y::kElemTypeFieldNumber) made.element = element_of_onnx(field.value);
      if (field.number == Y::kShapeFieldNumber) return shape(field.bytes, place, made.shape.emplace());
      return {};
    };
    TRY_VOID(each_field(message, place, [&](const Field& field) -> Result<void> {
      if (field.number == V::kNameFieldNumber) made.name = name_from_onnx(field.bytes);
      if (field.number != V::kTypeFieldNumber) return {};
      return each_field(field.bytes, place, [&](const Field& type) -> Result<void> {
        return type.number == T::kTensorTypeFieldNumber ? each_field(type.bytes, place, tensor) : Result<void>();
      });
    }));
    into.push_back(std::move(made));
    return {};
  }

  Result<void> shape(std::string_view message, const std::string& place, std::vector<Dimension>& sizes) {
    using S = ::onnx::TensorShapeProto;
    using D = ::onnx::TensorShapeProto_Dimension;
    return each_field(message, place, [&](const Field& field) -> Result<void> {
      if (field.number != S::kDimFieldNumber) return {};
      TRY_VOID(count());
      Dimension size;
      TRY_VOID(each_field(field.bytes, place, [&](const Field& part) -> Result<void> {
        if (part.number == D::kDimValueFieldNumber) size.size = static_cast<std::int64_t>(part.value);
        if (part.number == D::kDimParamFieldNumber) size.name = name_from_onnx(part.bytes);
        return {};
      }));
      // Some programs write -1 or 0 where they do not know.
      if (size.size < -1)
        return fail(ErrorCode::bad_input, fmt::format("found a size of {}, expected 1 or more", size.size));
      if (size.size == 0) size.size = -1;
      sizes.push_back(std::move(size));
      return {};
    });
  }

  OperatorGraph& out_;
  std::size_t parts_ = 0;

 public:
  std::string graph_name_;
};

/// Each tensor comes from one place, and from somewhere.
Result<void> check_names(OperatorGraph& graph) {
  std::unordered_set<std::string_view> known;
  const auto add = [&](const std::string& name, const std::string& place) -> Result<void> {
    if (name.empty()) return fail(ErrorCode::bad_input, "found no name, expected one", place);
    if (known.insert(name).second) return {};
    return fail(ErrorCode::bad_input, fmt::format("found a second tensor '{}', expected one of a name", name), place);
  };
  for (std::size_t i = 0; i < graph.fixed.size(); ++i)
    TRY_VOID(add(graph.fixed[i].name, fmt::format("/graph/initializer/{}/name", i)));
  // Files of before 2019 name weights among the inputs too.
  std::erase_if(graph.inputs, [&](const ValueInfo& input) { return known.contains(input.name); });
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    TRY_VOID(add(graph.inputs[i].name, fmt::format("/graph/input/{}", i)));
  for (std::size_t i = 0; i < graph.operators.size(); ++i)
    for (const std::string& output : graph.operators[i].outputs)
      if (!output.empty()) TRY_VOID(add(output, fmt::format("/graph/node/{}/output", i)));
  for (std::size_t i = 0; i < graph.operators.size(); ++i)
    for (const std::string& input : graph.operators[i].inputs)
      if (!input.empty() && !known.contains(input))
        return fail(ErrorCode::bad_input, fmt::format("found '{}', which no operator makes, expected a tensor", input),
                    fmt::format("/graph/node/{}/input", i));
  return {};
}

/// Returns true if the operator's inputs after the first are weights.
bool has_weights(const Operator& op) {
  static const std::set<std::string_view> types{"Conv",
                                                "ConvTranspose",
                                                "Gemm",
                                                "MatMul",
                                                "PRelu",
                                                "LSTM",
                                                "GRU",
                                                "RNN",
                                                "BatchNormalization",
                                                "InstanceNormalization",
                                                "LayerNormalization",
                                                "GroupNormalization"};
  return op.domain.empty() && types.contains(op.type);
}

/// Returns a Constant's tensor of several reals; null if it holds shapes, scalars or something else.
const Initializer* constant_weights(const Operator& op) {
  if (!op.domain.empty() || op.type != "Constant" || op.outputs.size() != 1) return nullptr;
  for (const Attribute& attribute : op.attributes)
    if (const auto* tensor = std::get_if<Initializer>(&attribute.value); tensor && attribute.name == "value")
      return tensor->element == Element::real && count_of(tensor->shape).value_or(1) > 1 ? tensor : nullptr;
  return nullptr;
}

/// Makes weights of what operators hold or make: tensors of Constant, and those of ConstantOfShape that products take
/// (models without their trained weights).
class WeightsInOperators {
 public:
  explicit WeightsInOperators(OperatorGraph& graph) : graph_(graph) {}

  void lift() {
    for (const Operator& op : graph_.operators)
      if (has_weights(op))
        for (std::size_t i = 1; i < op.inputs.size(); ++i) taken_.insert(op.inputs[i]);
    for (const Initializer& tensor : graph_.fixed) known_.emplace(tensor.name, tensor.values);
    for (const Operator& op : graph_.operators) note_values(op);
    std::vector<Initializer> lifted;
    std::size_t made = 0;
    std::erase_if(graph_.operators, [&](const Operator& op) {
      auto weights = weights_of(op);
      if (!weights) return false;
      made += op.type == "ConstantOfShape";
      weights->name = op.outputs.front();
      lifted.push_back(*std::move(weights));
      return true;
    });
    std::ranges::move(lifted, std::back_inserter(graph_.fixed));
    if (made > 0)
      graph_.notes.push_back(
          fmt::format("{} tensors of weights that the graph fills with one value (ConstantOfShape) "
                      "count as parameters",
                      made));
  }

 private:
  /// Shapes may be Constants, too.
  void note_values(const Operator& op) {
    if (op.type != "Constant" || op.outputs.size() != 1) return;
    for (const Attribute& attribute : op.attributes)
      if (const auto* tensor = std::get_if<Initializer>(&attribute.value))
        known_.emplace(op.outputs.front(), tensor->values);
  }

  std::optional<Initializer> weights_of(const Operator& op) const {
    if (const Initializer* tensor = constant_weights(op)) return *tensor;
    if (!op.domain.empty() || op.type != "ConstantOfShape" || op.inputs.size() != 1 || op.outputs.size() != 1 ||
        !taken_.contains(op.outputs.front()))
      return std::nullopt;
    Initializer made;
    for (const Attribute& attribute : op.attributes)
      if (const auto* value = std::get_if<Initializer>(&attribute.value)) made.element = value->element;
    const auto shape = known_.find(op.inputs.front());
    if (shape == known_.end() || !shape->second || made.element != Element::real) return std::nullopt;
    for (const double size : *shape->second) {
      if (!(size >= 1 && size <= static_cast<double>(limits::bytes))) return std::nullopt;
      made.shape.push_back(static_cast<std::int64_t>(size));
    }
    return count_of(made.shape) ? std::optional(std::move(made)) : std::nullopt;
  }

  OperatorGraph& graph_;
  std::unordered_set<std::string_view> taken_;  ///< as weights
  std::unordered_map<std::string_view, std::optional<std::vector<double>>> known_;
};

}  // namespace

bool looks_like_onnx(std::string_view content) {
  using M = ::onnx::ModelProto;
  Fields fields(content.substr(0, std::numeric_limits<int>::max()));
  const auto first = fields.next();
  constexpr std::uint64_t latest_thinkable = 127;
  if (!first || !*first || (*first)->number != M::kIrVersionFieldNumber || (*first)->kind != Field::Kind::varint ||
      (*first)->value == 0 || (*first)->value > latest_thinkable)
    return false;
  // The second field's first byte is enough: the file may be truncated.
  if (content.size() < 3) return false;
  static const std::set<int> behind{M::kProducerNameFieldNumber, M::kProducerVersionFieldNumber, M::kDomainFieldNumber,
                                    M::kModelVersionFieldNumber, M::kDocStringFieldNumber,       M::kGraphFieldNumber,
                                    M::kOpsetImportFieldNumber};
  const auto tag = static_cast<unsigned char>(content[2]);
  return behind.contains(tag >> 3) && (tag & 7) == (tag >> 3 == M::kModelVersionFieldNumber ? 0 : 2);
}

Result<OperatorGraph> operators_from_onnx(std::string_view content, const std::string& name) {
  if (content.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    return fail(ErrorCode::bad_input,
                fmt::format("found {} bytes, expected at most {}", content.size(), std::numeric_limits<int>::max()));
  OperatorGraph graph;
  Reader reader(graph);
  TRY_VOID(reader.model(content));
  graph.name = name.empty() ? reader.graph_name_ : name;
  if (graph.operators.empty())
    return fail(ErrorCode::bad_input, "found no operators, expected at least one", "/graph/node");
  TRY_VOID(check_names(graph));
  graph.share.unit = "operator";
  graph.share.understood = static_cast<int>(graph.operators.size());
  WeightsInOperators(graph).lift();
  if (graph.operators.empty())
    return fail(ErrorCode::bad_input, "found constants alone, expected operators that compute", "/graph/node");
  return graph;
}

}  // namespace pipedeck::io::onnx
