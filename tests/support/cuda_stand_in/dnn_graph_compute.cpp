// SPDX-License-Identifier: Apache-2.0
// The computation of cuDNN's operation graphs, operation by operation: a wrong graph gives wrong numbers.
#include <algorithm>
#include <limits>

#include "tests/support/cuda_stand_in/dnn_graph.hpp"

namespace cuda_stand_in {
namespace {

std::int64_t place(const GraphTensor& tensor, const Four& at) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < 4; ++i) sum += (tensor.sizes[i] == 1 ? 0 : at[i]) * tensor.strides[i];
  return sum;
}

/// work(place) for every value of these sizes, the last fastest.
template <class Work>
void each(const Four& sizes, const Work& work) {
  Four at{};
  for (at[0] = 0; at[0] < sizes[0]; ++at[0])
    for (at[1] = 0; at[1] < sizes[1]; ++at[1])
      for (at[2] = 0; at[2] < sizes[2]; ++at[2])
        for (at[3] = 0; at[3] < sizes[3]; ++at[3]) work(at);
}

/// The values of all tensors during one execution.
class Store {
 public:
  Store(const std::map<std::int64_t, void*>& addresses, const std::map<std::int64_t, float>& numbers)
      : addresses_(addresses), numbers_(numbers) {}

  double get(const GraphTensor& tensor, const Four& at) { return get(tensor, place(tensor, at)); }
  double get(const GraphTensor& tensor, std::int64_t offset) {
    if (tensor.by_value) return numbers_.at(tensor.id);
    if (tensor.inner) return inner(tensor)[static_cast<std::size_t>(offset)];
    return Values(addresses_.at(tensor.id), values_of(tensor.type)).get(offset);
  }
  void set(const GraphTensor& tensor, const Four& at, double value) { set(tensor, place(tensor, at), value); }
  void set(const GraphTensor& tensor, std::int64_t offset, double value) {
    if (!tensor.inner) return Values(addresses_.at(tensor.id), values_of(tensor.type)).set(offset, value);
    const auto narrow = static_cast<float>(value);
    inner(tensor)[static_cast<std::size_t>(offset)] =
        tensor.type == CUDNN_DATA_BFLOAT16 ? __bfloat162float(__float2bfloat16(narrow)) : narrow;
  }

 private:
  std::vector<float>& inner(const GraphTensor& tensor) {
    std::vector<float>& values = inner_[tensor.id];
    if (values.empty()) values.assign(static_cast<std::size_t>(tensor.span()), std::numeric_limits<float>::quiet_NaN());
    return values;
  }
  const std::map<std::int64_t, void*>& addresses_;
  const std::map<std::int64_t, float>& numbers_;
  std::map<std::int64_t, std::vector<float>> inner_;
};

void multiply(Store& store, const GraphOperation& o) {
  const GraphTensor &left = o.from[0], &right = o.from[1];
  std::uint64_t number = 0;
  each(o.to.sizes, [&](const Four& at) {
    Sum sum;
    for (std::int64_t k = 0; k < left.sizes[3]; ++k)
      sum.add(store.get(left, Four{at[0], at[1], at[2], k}) * store.get(right, Four{at[0], at[1], k, at[3]}));
    store.set(o.to, at, sum.result(number++));
  });
}

double combined(const GraphOperation& o, double left, double right, double condition) {
  switch (o.mode) {
    case CUDNN_POINTWISE_ADD:
      return left + right;
    case CUDNN_POINTWISE_SUB:
      return left - right;
    case CUDNN_POINTWISE_MUL:
      return left * right;
    case CUDNN_POINTWISE_DIV:
      return left / right;
    case CUDNN_POINTWISE_EXP:
      return std::exp(left);
    case CUDNN_POINTWISE_LOG:
      return std::log(left);
    case CUDNN_POINTWISE_IDENTITY:
      return left;
    case CUDNN_POINTWISE_CMP_GE:
      return left >= right;
    default:  // CUDNN_POINTWISE_BINARY_SELECT
      return condition != 0 ? left : right;
  }
}

void apply(Store& store, const GraphOperation& o) {
  each(o.to.sizes, [&](const Four& at) {
    if (o.mode == CUDNN_POINTWISE_GEN_INDEX)
      return store.set(o.to, at, static_cast<double>(at[static_cast<std::size_t>(o.axis)]));
    const auto value = [&](std::size_t i) { return i < o.from.size() ? store.get(o.from[i], at) : 0.0; };
    store.set(o.to, at, combined(o, value(0), value(1), value(2)));
  });
}

void reduce(Store& store, const GraphOperation& o) {
  const bool adds = o.reduction == CUDNN_REDUCE_TENSOR_ADD;
  std::map<std::int64_t, double> results;
  each(o.from[0].sizes, [&](const Four& at) {
    const double value = store.get(o.from[0], at);
    const auto [result, first] = results.try_emplace(place(o.to, at), value);
    if (!first) result->second = adds ? result->second + value : std::max(result->second, value);
  });
  for (const auto& [at, value] : results) store.set(o.to, at, value);
}

/// The values of one memory, in another order of dimensions.
void reshape(Store& store, const GraphOperation& o) {
  each(o.to.sizes, [&](const Four& at) { store.set(o.to, at, store.get(o.from[0], place(o.to, at))); });
}

bool spreads(const GraphTensor& from, const GraphTensor& to) {
  for (std::size_t i = 0; i < 4; ++i)
    if (from.sizes[i] != to.sizes[i] && from.sizes[i] != 1) return false;
  return true;
}

std::size_t operands_of(cudnnPointwiseMode_t mode) {
  switch (mode) {
    case CUDNN_POINTWISE_ADD:
    case CUDNN_POINTWISE_SUB:
    case CUDNN_POINTWISE_MUL:
    case CUDNN_POINTWISE_DIV:
    case CUDNN_POINTWISE_CMP_GE:
      return 2;
    case CUDNN_POINTWISE_EXP:
    case CUDNN_POINTWISE_LOG:
    case CUDNN_POINTWISE_IDENTITY:
    case CUDNN_POINTWISE_GEN_INDEX:
      return 1;
    case CUDNN_POINTWISE_BINARY_SELECT:
      return 3;
    default:
      throw Refused("a pointwise mode that the stand-in does not know", CUDNN_STATUS_NOT_SUPPORTED);
  }
}

void check_pointwise(const GraphOperation& o) {
  require(o.from.size() == operands_of(o.mode), "a pointwise operation has more or fewer operands than its mode");
  for (const GraphTensor& from : o.from) require(spreads(from, o.to), "an operand does not spread over the result");
  const bool compares = o.mode == CUDNN_POINTWISE_CMP_GE, counts = o.mode == CUDNN_POINTWISE_GEN_INDEX;
  require(compares == (o.to.type == CUDNN_DATA_BOOLEAN), "a comparison, and nothing else, gives booleans");
  require(counts == (o.to.type == CUDNN_DATA_INT32), "an index, and nothing else, is a 32-bit integer");
  if (counts) require(o.axis >= 0 && o.axis < 4, "an index is along one of four dimensions");
  if (o.mode == CUDNN_POINTWISE_BINARY_SELECT) require(o.from[2].type == CUDNN_DATA_BOOLEAN, "a choice is by booleans");
}

void check_product(const GraphOperation& o) {
  const Four &a = o.from[0].sizes, &b = o.from[1].sizes, &c = o.to.sizes;
  require(a[0] == c[0] && b[0] == c[0] && a[1] == c[1] && b[1] == c[1], "a product's samples or heads do not fit");
  require(a[2] == c[2] && b[3] == c[3] && a[3] == b[2], "the factors do not fit each other and the result");
}

}  // namespace

std::int64_t GraphTensor::span() const {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < 4; ++i) last += (sizes[i] - 1) * strides[i];
  return last + 1;
}

std::size_t GraphProgram::products() const {
  return static_cast<std::size_t>(std::ranges::count(operations, GraphOperation::Kind::product, &GraphOperation::kind));
}

void check_operation(const GraphOperation& o) {
  switch (o.kind) {
    case GraphOperation::Kind::product:
      return check_product(o);
    case GraphOperation::Kind::pointwise:
      return check_pointwise(o);
    case GraphOperation::Kind::reduction:
      return require(spreads(o.to, o.from[0]), "a reduction's result has one value, or all, in each dimension");
    case GraphOperation::Kind::reshape:
      return require(o.to.values() == o.from[0].values() && o.to.span() == o.from[0].span(),
                     "a reshape keeps the values");
  }
}

void compute(const GraphProgram& program, const std::map<std::int64_t, void*>& addresses,
             const std::map<std::int64_t, float>& numbers) {
  Store store(addresses, numbers);
  for (const GraphOperation& o : program.operations) {
    if (o.kind == GraphOperation::Kind::product)
      multiply(store, o);
    else if (o.kind == GraphOperation::Kind::pointwise)
      apply(store, o);
    else if (o.kind == GraphOperation::Kind::reduction)
      reduce(store, o);
    else
      reshape(store, o);
  }
}

}  // namespace cuda_stand_in
