// SPDX-License-Identifier: Apache-2.0
// cuDNN's graph interface: descriptors, whose attributes are checked by NVIDIA's pages, and the plan of a graph. Two
// engines are offered for attention: the first adds in no fixed order and must not be taken.
#include "tests/support/cuda_stand_in/dnn_graph.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <optional>
#include <set>

namespace cuda_stand_in {
namespace {

constexpr const char* graph_kind = "cuDNN graph descriptor";
constexpr std::int64_t steady = 1, unsteady = 0;  ///< engines
constexpr std::int64_t forward_workspace = 4096;
constexpr std::size_t most_bytes = 1 << 16;  ///< of an attribute

std::atomic<bool> refuses_attention{false};
std::atomic<int> executed{0};

struct Attribute {
  cudnnBackendAttributeType_t type;
  std::int64_t count;
  std::vector<unsigned char> bytes;
};

/// A descriptor: its attributes, and once it is final, what it stands for.
struct Graphed {
  cudnnBackendDescriptorType_t kind;
  bool final = false;
  std::map<cudnnBackendAttributeName_t, Attribute> attributes;
  std::int64_t engine = steady;
  std::shared_ptr<const GraphProgram> program;  ///< of a graph, and of what is made of it
};

std::size_t bytes_of(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_BOOLEAN:
      return sizeof(bool);
    case CUDNN_TYPE_DATA_TYPE:
    case CUDNN_TYPE_POINTWISE_MODE:
    case CUDNN_TYPE_REDUCTION_OPERATOR_TYPE:
    case CUDNN_TYPE_HEUR_MODE:
    case CUDNN_TYPE_NUMERICAL_NOTE:
      return sizeof(std::int32_t);
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_BACKEND_DESCRIPTOR:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_HANDLE:
      return sizeof(std::int64_t);
    default:
      throw Refused("an attribute type that the stand-in does not know", CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE);
  }
}

/// A row of NVIDIA's tables of attributes: which descriptor has it, of what type, and how many values.
struct Rule {
  cudnnBackendDescriptorType_t kind;
  cudnnBackendAttributeName_t name;
  cudnnBackendAttributeType_t type;
  std::int64_t least, most;  ///< least of 0: optional
};
constexpr std::int64_t any = 1000;
constexpr Rule rules[] = {
    {CUDNN_BACKEND_TENSOR_DESCRIPTOR, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, 1},
    {CUDNN_BACKEND_TENSOR_DESCRIPTOR, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, 1},
    {CUDNN_BACKEND_TENSOR_DESCRIPTOR, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, 1},
    {CUDNN_BACKEND_TENSOR_DESCRIPTOR, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, 4},
    {CUDNN_BACKEND_TENSOR_DESCRIPTOR, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, 4},
    {CUDNN_BACKEND_TENSOR_DESCRIPTOR, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 0, 1},
    {CUDNN_BACKEND_TENSOR_DESCRIPTOR, CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 0, 1},
    {CUDNN_BACKEND_MATMUL_DESCRIPTOR, CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, 1},
    {CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR, CUDNN_ATTR_OPERATION_MATMUL_ADESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, 1},
    {CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR, CUDNN_ATTR_OPERATION_MATMUL_BDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, 1},
    {CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR, CUDNN_ATTR_OPERATION_MATMUL_CDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, 1},
    {CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR, CUDNN_ATTR_OPERATION_MATMUL_DESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, 1},
    {CUDNN_BACKEND_POINTWISE_DESCRIPTOR, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, 1},
    {CUDNN_BACKEND_POINTWISE_DESCRIPTOR, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1, 1},
    {CUDNN_BACKEND_POINTWISE_DESCRIPTOR, CUDNN_ATTR_POINTWISE_AXIS, CUDNN_TYPE_INT64, 0, 1},
    {CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR,
     CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, 1},
    {CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR,
     1, 1},
    {CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR,
     0, 1},
    {CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, CUDNN_ATTR_OPERATION_POINTWISE_TDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR,
     0, 1},
    {CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR,
     1, 1},
    {CUDNN_BACKEND_REDUCTION_DESCRIPTOR, CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, 1, 1},
    {CUDNN_BACKEND_REDUCTION_DESCRIPTOR, CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, 1},
    {CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR, CUDNN_ATTR_OPERATION_REDUCTION_XDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR,
     1, 1},
    {CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR, CUDNN_ATTR_OPERATION_REDUCTION_YDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR,
     1, 1},
    {CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR, CUDNN_ATTR_OPERATION_REDUCTION_DESC, CUDNN_TYPE_BACKEND_DESCRIPTOR,
     1, 1},
    {CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR, CUDNN_ATTR_OPERATION_RESHAPE_XDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
     1},
    {CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR, CUDNN_ATTR_OPERATION_RESHAPE_YDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
     1},
    {CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, 1},
    {CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, any},
    {CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, 1},
    {CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, 1},
    {CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, 1},
    {CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
     1},
    {CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, 1, any},
    {CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, 1, any},
    {CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 0, 1},
};

Graphed& graphed(cudnnBackendDescriptor_t descriptor) {
  check_alive(descriptor, graph_kind);
  return *static_cast<Graphed*>(descriptor);
}
const Graphed& finished(cudnnBackendDescriptor_t descriptor, cudnnBackendDescriptorType_t kind) {
  const Graphed& found = graphed(descriptor);
  require(found.kind == kind, "a descriptor of another kind", CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE);
  require(found.final, "a descriptor that is not finalised", CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
  return found;
}

template <class Value>
std::vector<Value> all(const Graphed& of, cudnnBackendAttributeName_t name) {
  const auto found = of.attributes.find(name);
  if (found == of.attributes.end()) return {};
  std::vector<Value> values(static_cast<std::size_t>(found->second.count));
  std::memcpy(values.data(), found->second.bytes.data(), found->second.bytes.size());
  return values;
}
std::vector<bool> flags(const Graphed& of, cudnnBackendAttributeName_t name) {
  const auto found = of.attributes.find(name);
  if (found == of.attributes.end()) return {false};
  return {found->second.bytes.at(0) != 0};
}
template <class Value>
Value only(const Graphed& of, cudnnBackendAttributeName_t name) {
  return all<Value>(of, name).at(0);
}

void check_attribute(const Graphed& of, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                     std::int64_t count, const void* values) {
  require(!of.final, "a finalised descriptor is not changed");
  const auto* rule = std::ranges::find_if(rules, [&](const Rule& r) { return r.kind == of.kind && r.name == name; });
  require(rule != std::end(rules), "a descriptor without this attribute");
  require(rule->type == type, "an attribute of another type", CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE);
  require(count >= 1 && count <= rule->most && count >= rule->least, "an attribute with more or fewer values",
          CUDNN_STATUS_BAD_PARAM_OUT_OF_BOUND);
  require(values != nullptr, "an attribute's values are missing", CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
}

GraphTensor tensor_of(const Graphed& d) {
  GraphTensor tensor;
  tensor.id = only<std::int64_t>(d, CUDNN_ATTR_TENSOR_UNIQUE_ID);
  tensor.alignment = only<std::int64_t>(d, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
  tensor.type = only<cudnnDataType_t>(d, CUDNN_ATTR_TENSOR_DATA_TYPE);
  const auto sizes = all<std::int64_t>(d, CUDNN_ATTR_TENSOR_DIMENSIONS),
             strides = all<std::int64_t>(d, CUDNN_ATTR_TENSOR_STRIDES);
  std::copy_n(sizes.begin(), 4, tensor.sizes.begin());
  std::copy_n(strides.begin(), 4, tensor.strides.begin());
  tensor.inner = flags(d, CUDNN_ATTR_TENSOR_IS_VIRTUAL)[0];
  tensor.by_value = flags(d, CUDNN_ATTR_TENSOR_IS_BY_VALUE)[0];
  return tensor;
}

void check_tensor(const GraphTensor& tensor) {
  for (std::size_t i = 0; i < 4; ++i)
    require(tensor.sizes[i] > 0 && tensor.strides[i] > 0, "a size or stride is not positive");
  require(tensor.alignment >= 1 && std::has_single_bit(static_cast<std::uint64_t>(tensor.alignment)),
          "an alignment is a power of two");
  require(!(tensor.inner && tensor.by_value), "a number is in the host's memory");
  require(!tensor.by_value || (tensor.values() == 1 && tensor.type == CUDNN_DATA_FLOAT), "a number is one float");
  require(tensor.inner || tensor.type == CUDNN_DATA_FLOAT || tensor.type == CUDNN_DATA_BFLOAT16,
          "a type that the stand-in does not know in memory", CUDNN_STATUS_NOT_SUPPORTED);
}

GraphTensor operand(const Graphed& operation, cudnnBackendAttributeName_t name) {
  return tensor_of(finished(only<cudnnBackendDescriptor_t>(operation, name), CUDNN_BACKEND_TENSOR_DESCRIPTOR));
}

GraphOperation operation_of(const Graphed& d) {
  GraphOperation o;
  const auto how = [&](cudnnBackendAttributeName_t name, cudnnBackendDescriptorType_t kind) -> const Graphed& {
    return finished(only<cudnnBackendDescriptor_t>(d, name), kind);
  };
  const auto in_floats = [](const Graphed& of, cudnnBackendAttributeName_t name) {
    require(only<cudnnDataType_t>(of, name) == CUDNN_DATA_FLOAT, "sums are 32-bit floats");
  };
  if (d.kind == CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR) {
    in_floats(how(CUDNN_ATTR_OPERATION_MATMUL_DESC, CUDNN_BACKEND_MATMUL_DESCRIPTOR), CUDNN_ATTR_MATMUL_COMP_TYPE);
    o.from = {operand(d, CUDNN_ATTR_OPERATION_MATMUL_ADESC), operand(d, CUDNN_ATTR_OPERATION_MATMUL_BDESC)};
    o.to = operand(d, CUDNN_ATTR_OPERATION_MATMUL_CDESC);
  } else if (d.kind == CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR) {
    const Graphed& mode = how(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    o.kind = GraphOperation::Kind::pointwise;
    o.mode = only<cudnnPointwiseMode_t>(mode, CUDNN_ATTR_POINTWISE_MODE);
    const auto axis = all<std::int64_t>(mode, CUDNN_ATTR_POINTWISE_AXIS);
    require(axis.empty() != (o.mode == CUDNN_POINTWISE_GEN_INDEX), "an index, and nothing else, has an axis");
    if (!axis.empty()) o.axis = axis[0];
    for (const auto name : {CUDNN_ATTR_OPERATION_POINTWISE_XDESC, CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
                            CUDNN_ATTR_OPERATION_POINTWISE_TDESC})
      if (d.attributes.contains(name)) o.from.push_back(operand(d, name));
    o.to = operand(d, CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
  } else if (d.kind == CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR) {
    const Graphed& of = how(CUDNN_ATTR_OPERATION_REDUCTION_DESC, CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
    in_floats(of, CUDNN_ATTR_REDUCTION_COMP_TYPE);
    o.kind = GraphOperation::Kind::reduction;
    o.reduction = only<cudnnReduceTensorOp_t>(of, CUDNN_ATTR_REDUCTION_OPERATOR);
    require(o.reduction == CUDNN_REDUCE_TENSOR_ADD || o.reduction == CUDNN_REDUCE_TENSOR_MAX,
            "a reduction that the stand-in does not know", CUDNN_STATUS_NOT_SUPPORTED);
    o.from = {operand(d, CUDNN_ATTR_OPERATION_REDUCTION_XDESC)};
    o.to = operand(d, CUDNN_ATTR_OPERATION_REDUCTION_YDESC);
  } else {
    require(d.kind == CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR, "no operation",
            CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE);
    o.kind = GraphOperation::Kind::reshape;
    o.from = {operand(d, CUDNN_ATTR_OPERATION_RESHAPE_XDESC)};
    o.to = operand(d, CUDNN_ATTR_OPERATION_RESHAPE_YDESC);
  }
  return o;
}

/// Unique ids name one tensor each; a result in no memory is computed once, before it is read.
GraphProgram program_of(const Graphed& graph) {
  GraphProgram program;
  std::map<std::int64_t, GraphTensor> known;
  std::set<std::int64_t> written;
  const auto meet = [&](const GraphTensor& tensor) {
    const auto [one, first] = known.emplace(tensor.id, tensor);
    require(first || one->second == tensor, "one unique id names two tensors",
            CUDNN_STATUS_BAD_PARAM_DUPLICATED_ENTRIES);
    if (!tensor.inner) program.bound.emplace(tensor.id, tensor);
  };
  for (auto* const descriptor : all<cudnnBackendDescriptor_t>(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS)) {
    require(graphed(descriptor).final, "an operation that is not finalised", CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
    program.operations.push_back(operation_of(graphed(descriptor)));
    const GraphOperation& o = program.operations.back();
    for (const GraphTensor& from : o.from) {
      meet(from);
      require(!from.inner || written.contains(from.id), "a result is read before it is computed");
    }
    meet(o.to);
    require(!o.to.by_value && written.insert(o.to.id).second, "a result is computed twice, or is a number");
  }
  return program;
}

/// As NVIDIA's table of attention has it.
bool is_offered(const GraphProgram& program) {
  if (refuses_attention) return false;
  const auto product = std::ranges::find(program.operations, GraphOperation::Kind::product, &GraphOperation::kind);
  if (product == program.operations.end()) return false;
  const std::int64_t head = product->from[0].sizes[3];
  const bool backward = program.products() == 5;
  return (backward || program.products() == 2) && head % 8 == 0 && head <= 256 &&
         !(backward && product->to.sizes[3] == 1);
}

/// Backward keeps a 16-bit value of each score.
std::int64_t workspace_of(const GraphProgram& program) {
  if (program.products() == 2) return forward_workspace;
  const auto product = std::ranges::find(program.operations, GraphOperation::Kind::product, &GraphOperation::kind);
  return 2 * product->to.values();
}

void check_handle(const Graphed& of, cudnnBackendAttributeName_t name) { living(only<cudnnHandle_t>(of, name)); }

void finalise(Graphed& d) {
  require(!d.final, "a descriptor is finalised once");
  for (const Rule& rule : rules)
    require(rule.kind != d.kind || rule.least == 0 || d.attributes.contains(rule.name), "an attribute is missing");
  switch (d.kind) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
      check_tensor(tensor_of(d));
      break;
    case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR:
      check_operation(operation_of(d));
      break;
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
      check_handle(d, CUDNN_ATTR_OPERATIONGRAPH_HANDLE);
      d.program = std::make_shared<const GraphProgram>(program_of(d));
      break;
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
      d.program = finished(only<cudnnBackendDescriptor_t>(d, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH),
                           CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR)
                      .program;
      break;
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR: {
      forbid_in_capture();  // it compiles and loads a kernel
      check_handle(d, CUDNN_ATTR_EXECUTION_PLAN_HANDLE);
      const Graphed& configuration =
          finished(only<cudnnBackendDescriptor_t>(d, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG),
                   CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
      require(configuration.engine == steady, "an engine that gives other bits every time", CUDNN_STATUS_NOT_SUPPORTED);
      d.program = configuration.program;
      break;
    }
    default:
      break;
  }
  d.final = true;
}

/// Fills descriptors that the caller made, as many as there are.
std::int64_t give(const Graphed& from, cudnnBackendAttributeName_t name, std::int64_t room, void* values) {
  const bool results = from.kind == CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR && name == CUDNN_ATTR_ENGINEHEUR_RESULTS;
  require(results || (from.kind == CUDNN_BACKEND_ENGINECFG_DESCRIPTOR && name == CUDNN_ATTR_ENGINECFG_ENGINE),
          "a descriptor without this attribute");
  const std::int64_t there = results ? 2 : 1;  // counted before it is known which of them serve
  if (room == 0) return there;
  if (results && !is_offered(*from.program)) return 0;
  auto* const given = static_cast<cudnnBackendDescriptor_t*>(values);
  for (std::int64_t i = 0; i < std::min(room, there); ++i) {
    Graphed& to = graphed(given[i]);
    require(to.kind == (results ? CUDNN_BACKEND_ENGINECFG_DESCRIPTOR : CUDNN_BACKEND_ENGINE_DESCRIPTOR) && !to.final,
            "a descriptor of another kind to be filled");
    to.engine = results ? i : from.engine;
    to.program = from.program;
    to.final = true;
  }
  return std::min(room, there);
}

/// The numbers are read at the call; what is in the device's memory, when the work is done.
void execute(const cudnnContext& owner, const Graphed& plan, const Graphed& pack) {
  const auto ids = all<std::int64_t>(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const auto pointers = all<void*>(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  require(ids.size() == pointers.size() && ids.size() == plan.program->bound.size(),
          "each tensor of a graph that is in memory has one address");
  std::map<std::int64_t, void*> addresses;
  std::map<std::int64_t, float> numbers;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto found = plan.program->bound.find(ids[i]);
    require(found != plan.program->bound.end(), "an address for a tensor that the graph does not have");
    require(addresses.emplace(ids[i], pointers[i]).second, "two addresses for one tensor",
            CUDNN_STATUS_BAD_PARAM_DUPLICATED_ENTRIES);
    const GraphTensor& tensor = found->second;
    if (tensor.by_value) {
      require(pointers[i] && !is_device_memory(pointers[i]), "a number is in the host's memory");
      numbers[ids[i]] = *static_cast<const float*>(pointers[i]);
      continue;
    }
    check_device_memory(pointers[i], static_cast<std::size_t>(tensor.span()) * bytes_of(values_of(tensor.type)),
                        owner.device, "a tensor of a graph");
    check_aligned(pointers[i], static_cast<std::size_t>(tensor.alignment), "a tensor of a graph");
  }
  const auto space = all<void*>(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  require(!space.empty(), "the workspace is missing");
  check_space(owner, space[0], static_cast<std::size_t>(workspace_of(*plan.program)), "the workspace");
  ++executed;
  put(owner.stream, [program = plan.program, addresses, numbers] { compute(*program, addresses, numbers); });
}

}  // namespace

void refuse_fused_attention() { refuses_attention = true; }
int fused_attention_passes() { return executed; }
void forget_fused_attention() {
  refuses_attention = false;
  executed = 0;
}

}  // namespace cuda_stand_in

using namespace cuda_stand_in;

extern "C" {

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t kind, cudnnBackendDescriptor_t* descriptor) {
  return dnn_call("cudnnBackendCreateDescriptor", [&] {
    require(descriptor != nullptr, "nowhere to put the descriptor", CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
    const bool filled = kind == CUDNN_BACKEND_ENGINECFG_DESCRIPTOR || kind == CUDNN_BACKEND_ENGINE_DESCRIPTOR;
    require(filled || std::ranges::any_of(rules, [&](const Rule& rule) { return rule.kind == kind; }),
            "a descriptor that the stand-in does not know", CUDNN_STATUS_NOT_SUPPORTED);
    auto* one = new Graphed{kind, false, {}, steady, nullptr};
    made(one, graph_kind);
    *descriptor = one;
  });
}

cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  return dnn_destroy("cudnnBackendDestroyDescriptor",
                     [&] { destroy_descriptor(static_cast<Graphed*>(descriptor), graph_kind); });
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, std::int64_t count, const void* values) {
  return dnn_call("cudnnBackendSetAttribute", [&] {
    Graphed& of = graphed(descriptor);
    check_attribute(of, name, type, count, values);
    const std::size_t bytes = static_cast<std::size_t>(count) * bytes_of(type);
    require(bytes <= most_bytes, "an attribute with too many values", CUDNN_STATUS_BAD_PARAM_OUT_OF_BOUND);
    const auto* from = static_cast<const unsigned char*>(values);
    of.attributes[name] = {type, count, {from, from + bytes}};
  });
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  return dnn_call("cudnnBackendFinalize", [&] { finalise(graphed(descriptor)); });
}

cudnnStatus_t cudnnBackendGetAttribute(const cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, std::int64_t room, std::int64_t* count,
                                       void* values) {
  return dnn_call("cudnnBackendGetAttribute", [&] {
    const Graphed& of = graphed(descriptor);
    require(of.final, "a descriptor that is not finalised", CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
    require(count != nullptr && (room == 0 || values != nullptr), "nowhere to put the values",
            CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
    if (name == CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE && type == CUDNN_TYPE_INT64) {
      require(of.kind == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR && room == 1, "a plan has one workspace");
      *static_cast<std::int64_t*>(values) = workspace_of(*of.program);
      *count = 1;
    } else if (name == CUDNN_ATTR_ENGINE_NUMERICAL_NOTE && type == CUDNN_TYPE_NUMERICAL_NOTE) {
      require(of.kind == CUDNN_BACKEND_ENGINE_DESCRIPTOR && room >= 2, "an engine's notes need room");
      auto* const notes = static_cast<cudnnBackendNumericalNote_t*>(values);
      notes[0] = CUDNN_NUMERICAL_NOTE_TENSOR_CORE;
      notes[1] = CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC;
      *count = of.engine == unsteady ? 2 : 1;
    } else {
      require(type == CUDNN_TYPE_BACKEND_DESCRIPTOR, "an attribute that the stand-in does not know",
              CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE);
      *count = give(of, name, room, values);
    }
  });
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t pack) {
  return dnn_call("cudnnBackendExecute", [&] {
    execute(living(handle), finished(plan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR),
            finished(pack, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR));
  });
}

}  // extern "C"
