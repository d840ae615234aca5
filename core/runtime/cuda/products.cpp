// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/products.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/base/result.hpp"
#include "core/runtime/cuda/kernels.hpp"

namespace pipedeck::runtime::cuda {
namespace {

/// Returns a bias as cublasLt adds it to results of T; null if there is none of that type.
template <class T>
const void* bias_for(CudaDevice& device, const float* bias, std::int64_t count) {
  if constexpr (std::is_same_v<T, float>)
    return bias;
  else
    return bias ? device.weights().rounded(bias, count) : nullptr;
}

/// The columns of a result that are written, and the factors. A product that also writes the values between the
/// result's rows, which are 0, has no epilogue for them.
template <class T>
struct ForwardProduct {
  ForwardProduct(const ProductShape& of, T* output, const GemmOperand& input, const GemmOperand& weights)
      : shape(of),
        result(input.memory(), output, {of.rows, of.out, of.out_stride}),
        left(input.matrix()),
        right(weights.matrix()) {
    ensure(result.columns() <= weights.pitch(), "weights have values for every column of the result");
  }
  bool possible(CudaDevice& device, const Epilogue& epilogue) {
    return result.columns() == shape.out &&
           device.gemms().has_algorithm(shape.rows, shape.out, shape.in, left, right, result.matrix(), epilogue);
  }
  void run(CudaDevice& device, const Epilogue& epilogue) {
    device.gemms().multiply(shape.rows, result.columns(), shape.in, left, right, result.matrix(), 0, 1, epilogue);
    result.finish();
  }

  const ProductShape& shape;
  GemmResult<T> result;
  DeviceMatrix left, right;
};

/// Returns the values that the sums of a product over the output's columns have: also those between its rows, which are
/// 0 in both factors, if both have them.
std::int64_t inner_values(const ProductShape& shape, const GemmOperand& output_gradient, const GemmOperand& weights) {
  return output_gradient.pitch() == weights.pitch() ? weights.pitch() : shape.out;
}

}  // namespace

template <class T>
void product(CudaDevice& device, const ProductShape& shape, T* output, const GemmOperand& input,
             const GemmOperand& weights, const float* bias) {
  ForwardProduct<T> one(shape, output, input, weights);
  Epilogue added;
  added.bias = bias_for<T>(device, bias, shape.out);
  const bool at_once = added.bias != nullptr && one.possible(device, added);
  one.run(device, at_once ? added : Epilogue());
  if (bias != nullptr && !at_once) add_bias(device.stream(), output, bias, shape.rows, shape.out, shape.out_stride);
}

template <class T>
void product_gelu(CudaDevice& device, const ProductShape& shape, T* before, T* after, const GemmOperand& input,
                  const GemmOperand& weights, const float* bias) {
  Epilogue activated;
  activated.bias = bias_for<T>(device, bias, shape.out);
  activated.gelu = true, activated.aux_pre_gelu = before, activated.aux_stride = shape.out;
  if (activated.bias != nullptr) {
    ForwardProduct<T> one(shape, after, input, weights);
    if (one.possible(device, activated)) return one.run(device, activated);
  }
  ForwardProduct<T>(shape, before, input, weights).run(device, {});
  add_bias_gelu(device.stream(), after, before, bias, shape.rows, shape.out);
}

template <class T>
void product_backward(CudaDevice& device, const ProductShape& shape, T* input_gradient,
                      const GemmOperand& output_gradient, const GemmOperand& weights) {
  GemmResult<T> result(weights.memory(), input_gradient, {shape.rows, shape.in, shape.in_stride});
  device.gemms().multiply(shape.rows, shape.in, inner_values(shape, output_gradient, weights), output_gradient.matrix(),
                          weights.transposed(), result.matrix());
  result.finish();
}

template <class T>
void product_gelu_backward(CudaDevice& device, const ProductShape& shape, T* input_gradient, const T* before,
                           const GemmOperand& output_gradient, const GemmOperand& weights) {
  const std::int64_t inner = inner_values(shape, output_gradient, weights);
  GemmResult<T> result(weights.memory(), input_gradient, {shape.rows, shape.in});
  Epilogue derived;
  derived.gelu_derivative = true, derived.aux_pre_gelu = const_cast<T*>(before), derived.aux_stride = shape.in;
  GemmRunner& products = device.gemms();
  if (result.columns() == shape.in && products.has_algorithm(shape.rows, shape.in, inner, output_gradient.matrix(),
                                                             weights.transposed(), result.matrix(), derived))
    return products.multiply(shape.rows, shape.in, inner, output_gradient.matrix(), weights.transposed(),
                             result.matrix(), 0, 1, derived);
  product_backward(device, shape, input_gradient, output_gradient, weights);
  gelu_backward(device.stream(), input_gradient, before, shape.rows * shape.in);
}

void add_product_gradient(CudaDevice& device, const ProductShape& shape, float* weights_gradient,
                          const GemmOperand& input, const GemmOperand& output_gradient) {
  GemmResult<float> result(input.memory(), weights_gradient, {shape.in, shape.out}, true);
  const std::int64_t columns = std::min(result.columns(), output_gradient.pitch());
  device.gemms().multiply(shape.in, columns, shape.rows, input.transposed(), output_gradient.matrix(), result.matrix(),
                          result.keep());
  result.finish();
}

template <class T>
tensor::Tensor add_product_gradients(CudaDevice& device, const ProductShape& shape, float* weights_gradient,
                                     const GemmOperand& input, const GemmOperand& output_gradient, const T* values) {
  GemmResult<float> result(input.memory(), weights_gradient, {shape.in, shape.out}, true);
  tensor::Tensor sums(input.memory(), 1, shape.out);
  Epilogue summed;
  summed.bias_gradient = sums.data();
  GemmRunner& products = device.gemms();
  if (result.columns() == shape.out &&
      products.has_algorithm(shape.in, shape.out, shape.rows, input.transposed(), output_gradient.matrix(),
                             result.matrix(), summed, result.keep())) {
    products.multiply(shape.in, shape.out, shape.rows, input.transposed(), output_gradient.matrix(), result.matrix(),
                      result.keep(), 1, summed);
    result.finish();
    return sums;
  }
  add_product_gradient(device, shape, weights_gradient, input, output_gradient);
  device.zero(sums.values());
  add_bias_gradient(device, sums.data(), values, {shape.rows, shape.out, shape.out_stride});
  return sums;
}

#define PIPEDECK_INSTANTIATE(T)                                                                                    \
  template void product<T>(CudaDevice&, const ProductShape&, T*, const GemmOperand&, const GemmOperand&,           \
                           const float*);                                                                          \
  template void product_gelu<T>(CudaDevice&, const ProductShape&, T*, T*, const GemmOperand&, const GemmOperand&,  \
                                const float*);                                                                     \
  template void product_backward<T>(CudaDevice&, const ProductShape&, T*, const GemmOperand&, const GemmOperand&); \
  template void product_gelu_backward<T>(CudaDevice&, const ProductShape&, T*, const T*, const GemmOperand&,       \
                                         const GemmOperand&);                                                      \
  template tensor::Tensor add_product_gradients<T>(CudaDevice&, const ProductShape&, float*, const GemmOperand&,   \
                                                   const GemmOperand&, const T*);
PIPEDECK_INSTANTIATE(float)
PIPEDECK_INSTANTIATE(Bf16)

template <class T>
void add_bias_gradient(CudaDevice& device, float* sums, const T* values, const MatrixRows& of) {
  add_column_sums(device.stream(), sums, values, device.context().workspace(column_sums_scratch(of.rows, of.width)),
                  of.rows, of.width, of.stride);
}
template void add_bias_gradient<float>(CudaDevice&, float*, const float*, const MatrixRows&);
template void add_bias_gradient<Bf16>(CudaDevice&, float*, const Bf16*, const MatrixRows&);

// A product into several matrices takes one B of all of them: the matrices' own stand on its diagonal, between zeros.
namespace {

using layers::AdapterPlace;

/// Calls `work` with each joined matrix: its columns, its first narrow row, and the place of its B.
template <class Work>
void for_each_matrix(const AdapterPlace& place, const Work& work) {
  std::int64_t narrow = 0, b = place.b;
  for (const layers::ShardRange& columns : place.product.joined) {
    work(columns, narrow, b);
    narrow += place.rank, b += place.rank * columns.count;
  }
}

bool is_one_matrix(const AdapterPlace& place) { return place.product.joined.size() == 1; }

/// The B of all joined matrices, of narrow() x to.
class JoinedB {
 public:
  JoinedB(CudaDevice& device, const std::shared_ptr<tensor::DeviceMemory>& memory, const AdapterWeights& of)
      : values_(is_one_matrix(of.place) ? tensor::Tensor() : diagonal(device, memory, of)),
        factor_(is_one_matrix(of.place)
                    ? GemmOperand::of_weights(memory, of.adapters + of.place.b, {of.place.rank, of.place.product.to})
                    : GemmOperand(memory, std::as_const(values_).data(), {of.place.narrow(), of.place.product.to})) {}
  const GemmOperand& factor() const { return factor_; }

 private:
  static tensor::Tensor diagonal(CudaDevice& device, const std::shared_ptr<tensor::DeviceMemory>& memory,
                                 const AdapterWeights& of) {
    const std::int64_t to = of.place.product.to;
    tensor::Tensor all = tensor::Tensor::zeros(memory, 1, of.place.narrow() * to);
    for_each_matrix(of.place, [&](const layers::ShardRange& columns, std::int64_t narrow, std::int64_t b) {
      add_rows(device.stream(), all.data() + narrow * to + columns.first, to, of.adapters + b, columns.count,
               of.place.rank, columns.count);
    });
    return all;
  }

  tensor::Tensor values_;  ///< empty: the adapters' own
  GemmOperand factor_;
};

GemmOperand a_of(const std::shared_ptr<tensor::DeviceMemory>& memory, const AdapterWeights& of) {
  return GemmOperand::of_weights(memory, of.adapters + of.place.a, {of.place.product.from, of.place.narrow()});
}
GemmOperand narrow_factor(const AdapterPlace& place, const tensor::Tensor& of, std::int64_t rows) {
  return {of.memory(), of.data(), {rows, place.narrow()}};
}

struct ProductExtent {
  std::int64_t rows, columns, inner;
};
/// to (rows x columns) += scale * left * right. 16-bit values add sums of floats.
template <class To>
void add_product(CudaDevice& device, const std::shared_ptr<tensor::DeviceMemory>& memory, const ProductExtent& size,
                 const DeviceMatrix& left, const DeviceMatrix& right, To* to, float scale) {
  if constexpr (std::is_same_v<To, float>) {
    GemmResult<float> result(memory, to, {size.rows, size.columns}, true);
    device.gemms().multiply(size.rows, size.columns, size.inner, left, right, result.matrix(), result.keep(), scale);
    result.finish();
  } else {
    const std::int64_t count = size.rows * size.columns;
    tensor::Tensor more = tensor::Tensor::zeros(memory, 1, count);
    add_product(device, memory, size, left, right, more.data(), scale);
    add(device.stream(), to, std::as_const(more).data(), count);
  }
}

}  // namespace

tensor::Tensor narrow_rows(CudaDevice& device, const AdapterWeights& of, const GemmOperand& in,
                           const SampleRows& rows) {
  const std::int64_t narrow = of.place.narrow();
  tensor::Tensor v(in.memory(), rows.samples, rows.count / rows.samples * narrow);
  product(device, {rows.count, of.place.product.from, narrow}, v.data(), in, a_of(in.memory(), of), nullptr);
  return v;
}

template <class To>
void add_adapted(CudaDevice& device, const AdapterWeights& of, To* out, const tensor::Tensor& v, std::int64_t rows) {
  const GemmOperand narrow = narrow_factor(of.place, v, rows);
  const JoinedB b(device, v.memory(), of);
  add_product(device, v.memory(), {rows, of.place.product.to, of.place.narrow()}, narrow.matrix(), b.factor().matrix(),
              out, of.place.scale);
}

tensor::Tensor narrow_gradient(CudaDevice& device, const AdapterWeights& of, const GemmOperand& dy,
                               const SampleRows& rows) {
  const std::int64_t narrow = of.place.narrow();
  tensor::Tensor u = tensor::Tensor::zeros(dy.memory(), rows.samples, rows.count / rows.samples * narrow);
  const JoinedB b(device, dy.memory(), of);
  add_product(device, dy.memory(), {rows.count, narrow, of.place.product.to}, dy.matrix(), b.factor().transposed(),
              u.data(), of.place.scale);
  return u;
}

template <class To>
void add_adapter_input_gradient(CudaDevice& device, const AdapterWeights& of, To* dx, const tensor::Tensor& u,
                                std::int64_t rows) {
  const GemmOperand narrow = narrow_factor(of.place, u, rows), a = a_of(u.memory(), of);
  add_product(device, u.memory(), {rows, of.place.product.from, of.place.narrow()}, narrow.matrix(), a.transposed(), dx,
              1);
}

void add_adapter_gradients(CudaDevice& device, const AdapterPlace& place, float* gradients, const GemmOperand& in,
                           const GemmOperand& dy, const tensor::Tensor& v, const tensor::Tensor& u, std::int64_t rows) {
  const std::int64_t from = place.product.from, to = place.product.to, narrow = place.narrow();
  const GemmOperand of_v = narrow_factor(place, v, rows), of_u = narrow_factor(place, u, rows);
  add_product_gradient(device, {rows, from, narrow}, gradients + place.a, in, of_u);
  if (is_one_matrix(place))
    return add_product(device, v.memory(), {narrow, to, rows}, of_v.transposed(), dy.matrix(), gradients + place.b,
                       place.scale);
  tensor::Tensor all = tensor::Tensor::zeros(v.memory(), 1, narrow * to);
  add_product(device, v.memory(), {narrow, to, rows}, of_v.transposed(), dy.matrix(), all.data(), place.scale);
  for_each_matrix(place, [&](const layers::ShardRange& columns, std::int64_t first, std::int64_t b) {
    add_rows(device.stream(), gradients + b, columns.count, std::as_const(all).data() + first * to + columns.first, to,
             place.rank, columns.count);
  });
}

#undef PIPEDECK_INSTANTIATE
#define PIPEDECK_INSTANTIATE(To)                                                                               \
  template void add_adapted<To>(CudaDevice&, const AdapterWeights&, To*, const tensor::Tensor&, std::int64_t); \
  template void add_adapter_input_gradient<To>(CudaDevice&, const AdapterWeights&, To*, const tensor::Tensor&, \
                                               std::int64_t);
PIPEDECK_INSTANTIATE(float)
PIPEDECK_INSTANTIATE(Bf16)
#undef PIPEDECK_INSTANTIATE

}  // namespace pipedeck::runtime::cuda
