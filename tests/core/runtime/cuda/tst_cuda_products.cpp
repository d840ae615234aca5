// SPDX-License-Identifier: Apache-2.0
// Matrix products on a GPU, or its stand-in, compared with the processor's.
#include <QtTest>

#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/matmul.hpp"
#include "core/runtime/cuda/matmul.hpp"
#include "core/runtime/cuda/products.hpp"
#include "tests/core/runtime/cuda/closeness.hpp"
#include "tests/core/runtime/cuda/on_device.hpp"
#include "tests/core/runtime/cuda/skip_without_gpu.hpp"

using namespace pipedeck;
using namespace pipedeck::test;
using runtime::cuda::Context;
using runtime::cuda::DeviceMatrix;
using runtime::cuda::Element;
using runtime::cuda::Epilogue;
using runtime::cuda::GemmRunner;

namespace {

/// Allowed difference of the products: sums of up to 40 factors.
double allowed(runtime::cuda::Precision precision, Element result) {
  if (result == Element::bf16) return 0x1p-7;
  return precision == runtime::cuda::Precision::tf32 ? 0x1p-9 : 1e-5;
}

struct Case {
  std::int64_t rows, columns, inner, left_stride, right_stride, stride;
  bool left_transposed, right_transposed;
  float keep, scale;
  std::int64_t offset;  ///< of all three addresses, in values

  explicit Case(Random& random)
      : rows(1 + static_cast<std::int64_t>(random.uniform_int(20))),
        columns(1 + static_cast<std::int64_t>(random.uniform_int(20))),
        inner(1 + static_cast<std::int64_t>(random.uniform_int(40))),
        left_transposed(random.uniform_int(2) == 1),
        right_transposed(random.uniform_int(2) == 1),
        keep(random.uniform_int(2) == 1 ? 1.0f : 0.0f),
        scale(random.uniform_int(2) == 1 ? 1.0f : 0.25f),
        offset(static_cast<std::int64_t>(random.uniform_int(3))) {
    left_stride = (left_transposed ? rows : inner) + static_cast<std::int64_t>(random.uniform_int(3));
    right_stride = (right_transposed ? inner : columns) + static_cast<std::int64_t>(random.uniform_int(3));
    stride = columns + static_cast<std::int64_t>(random.uniform_int(3));
  }
  std::int64_t left_size() const { return left_stride * (left_transposed ? inner : rows); }
  std::int64_t right_size() const { return right_stride * (right_transposed ? columns : inner); }
};

}  // namespace

class TestCudaProducts : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { SKIP_WITHOUT_GPU(1); }
  void randomShapes_data();
  void randomShapes();
  void epilogues_data();
  void epilogues();
  void backwardEpilogues_data();
  void backwardEpilogues();
  void fusedProducts_data();
  void fusedProducts();
  void copiesOfWeights_data();
  void copiesOfWeights();
  void algorithmsAreAskedOnce();
  void tf32RoundsItsFactors();
};

void TestCudaProducts::randomShapes_data() {
  QTest::addColumn<int>("precision");
  QTest::addColumn<int>("result");
  QTest::newRow("fp32") << int(runtime::cuda::Precision::fp32) << int(Element::fp32);
  QTest::newRow("tf32") << int(runtime::cuda::Precision::tf32) << int(Element::fp32);
  QTest::newRow("bf16") << int(runtime::cuda::Precision::bf16) << int(Element::bf16);
  QTest::newRow("bf16 to fp32") << int(runtime::cuda::Precision::bf16) << int(Element::fp32);
}

void TestCudaProducts::randomShapes() {
  QFETCH(int, precision);
  QFETCH(int, result);
  Context context(0, runtime::cuda::Precision(precision));
  GemmRunner products(context);
  Random random(7);
  for (int i = 0; i < 40; ++i) {
    const Case c(random);
    const auto left = rounded(random_values(c.left_size(), random), context.element());
    const auto right = rounded(random_values(c.right_size(), random), context.element());
    auto expected = rounded(random_values(c.rows * c.stride, random), Element(result));
    OnDevice a(context, left, context.element(), c.offset), b(context, right, context.element(), c.offset);
    OnDevice d(context, expected, Element(result), c.offset);
    products.multiply(c.rows, c.columns, c.inner, {a.data(), c.left_stride, a.element(), c.left_transposed},
                      {b.data(), c.right_stride, b.element(), c.right_transposed}, {d.data(), c.stride, d.element()},
                      c.keep, c.scale);
    runtime::cpu::multiply(c.rows, c.columns, c.inner, {left.data(), c.left_stride, c.left_transposed},
                           {right.data(), c.right_stride, c.right_transposed}, expected.data(), c.stride, c.keep,
                           c.scale);
    VERIFY_BELOW(apart(d.read(), expected), allowed(runtime::cuda::Precision(precision), Element(result)));
  }
}

void TestCudaProducts::epilogues_data() {
  QTest::addColumn<int>("precision");
  QTest::addColumn<bool>("gelu");
  for (const auto precision : {runtime::cuda::Precision::fp32, runtime::cuda::Precision::bf16})
    for (const bool gelu : {false, true})
      QTest::addRow("%s %s", precision == runtime::cuda::Precision::fp32 ? "fp32" : "bf16", gelu ? "gelu" : "bias")
          << int(precision) << gelu;
}

void TestCudaProducts::epilogues() {
  QFETCH(int, precision);
  QFETCH(bool, gelu);
  Context context(0, runtime::cuda::Precision(precision));
  GemmRunner products(context);
  Random random(8);
  const std::int64_t rows = 12, columns = 24, inner = 16;
  const Element element = context.element();
  const auto left = rounded(random_values(rows * inner, random), element);
  const auto right = rounded(random_values(inner * columns, random), element);
  const auto bias = rounded(random_values(columns, random), element);
  OnDevice a(context, left, element), b(context, right, element), v(context, bias, element);
  OnDevice d(context, rows * columns, element), kept(context, rows * columns, element);
  const Epilogue epilogue{v.data(), gelu, gelu ? kept.data() : nullptr, gelu ? columns : 0};
  const DeviceMatrix x{a.data(), inner, element}, w{b.data(), columns, element};
  if (!products.has_algorithm(rows, columns, inner, x, w, {d.data(), columns, element}, epilogue))
    QSKIP("cublasLt has no algorithm with this epilogue on this GPU");
  products.multiply(rows, columns, inner, x, w, {d.data(), columns, element}, 0, 1, epilogue);

  std::vector<float> before(rows * columns), after(rows * columns);
  runtime::cpu::multiply(rows, columns, inner, {left.data(), inner}, {right.data(), columns}, before.data(), columns);
  runtime::cpu::add_bias(before.data(), bias.data(), rows, columns);
  runtime::cpu::gelu(after.data(), before.data(), rows * columns);
  const double most = allowed(runtime::cuda::Precision(precision), element);
  VERIFY_BELOW(apart(d.read(), gelu ? after : before), most);
  if (gelu) VERIFY_BELOW(apart(kept.read(), before), most);
}

void TestCudaProducts::backwardEpilogues_data() {
  QTest::addColumn<int>("precision");
  QTest::newRow("fp32") << int(runtime::cuda::Precision::fp32);
  QTest::newRow("bf16") << int(runtime::cuda::Precision::bf16);
}

/// The derivative of gelu at what a forward product kept, and the sums of a factor's columns.
void TestCudaProducts::backwardEpilogues() {
  QFETCH(int, precision);
  Context context(0, runtime::cuda::Precision(precision));
  GemmRunner products(context);
  Random random(9);
  const std::int64_t rows = 16, columns = 24, inner = 8;
  const Element element = context.element();
  const auto left = rounded(random_values(rows * inner, random), element);
  const auto right = rounded(random_values(inner * columns, random), element);
  const auto before = rounded(random_values(rows * columns, random), element);
  OnDevice a(context, left, element), b(context, right, element), kept(context, before, element);
  OnDevice d(context, rows * columns, element), sum(context, std::vector<float>(rows * columns, 1)),
      bias(context, columns);
  const DeviceMatrix x{a.data(), inner, element}, w{b.data(), columns, element};
  Epilogue derived, summed;
  derived.gelu_derivative = true, derived.aux_pre_gelu = kept.data(), derived.aux_stride = columns;
  summed.bias_gradient = bias.floats();
  std::vector<float> product(rows * columns), sums(columns);
  runtime::cpu::multiply(rows, columns, inner, {left.data(), inner}, {right.data(), columns}, product.data(), columns);
  runtime::cpu::add_column_sums(sums.data(), right.data(), inner, columns);
  std::vector<float> gradient = product;
  runtime::cpu::gelu_backward(gradient.data(), before.data(), rows * columns);
  for (float& value : product) value += 1;
  const double most = allowed(runtime::cuda::Precision(precision), element);
  if (products.has_algorithm(rows, columns, inner, x, w, {d.data(), columns, element}, derived)) {
    products.multiply(rows, columns, inner, x, w, {d.data(), columns, element}, 0, 1, derived);
    VERIFY_BELOW(apart(d.read(), gradient), most);
  }
  if (products.has_algorithm(rows, columns, inner, x, w, {sum.data(), columns, Element::fp32}, summed, 1)) {
    products.multiply(rows, columns, inner, x, w, {sum.data(), columns, Element::fp32}, 1, 1, summed);
    VERIFY_BELOW(apart(bias.read(), sums), 1e-5);
    VERIFY_BELOW(apart(sum.read(), product), 1e-5);
  }
}

void TestCudaProducts::fusedProducts_data() {
  QTest::addColumn<int>("precision");
  QTest::addColumn<bool>("epilogues");
  QTest::addColumn<int>("width");
  for (const auto& [name, precision] :
       {std::pair{"fp32", runtime::cuda::Precision::fp32}, {"bf16", runtime::cuda::Precision::bf16}})
    for (const bool epilogues : {true, false})
      for (const int width : {24, 13})
        QTest::addRow("%s, width %d%s", name, width, epilogues ? "" : ", no epilogues")
            << int(precision) << epilogues << width;
}

namespace {

/// A layer gelu(x W + b) on a device, with values of T, and its passes.
template <class T>
struct FusedLayer {
  static constexpr std::int64_t rows = 16, in = 24;
  std::int64_t out;
  std::vector<float> input, parameters, output_gradient;

  void run(runtime::cuda::Precision precision) const {
    const auto device = std::make_shared<runtime::cuda::CudaDevice>(0, precision);
    const auto memory = std::make_shared<runtime::tensor::DeviceMemory>(device);
    const auto uploaded = [&](const std::vector<float>& values) {
      runtime::tensor::Tensor tensor(memory, 1, static_cast<std::int64_t>(values.size()));
      device->upload(tensor.values(), [&](std::span<float> to) { std::ranges::copy(values, to.begin()); });
      return tensor;
    };
    const auto read = [&](const runtime::tensor::Tensor& tensor) {
      std::vector<float> values(static_cast<std::size_t>(tensor.size()));
      device->download(values, tensor.data());
      return values;
    };
    const auto read_t = [&](const runtime::tensor::Tensor& tensor, std::int64_t count) {
      runtime::tensor::Tensor floats(memory, 1, count);
      const auto* from = reinterpret_cast<const T*>(tensor.data());
      if constexpr (sizeof(T) == 2)
        runtime::cuda::convert(device->stream(), floats.data(), from, count);
      else
        device->copy(floats.data(), from, count);
      return read(floats);
    };
    const std::int64_t weights = in * out;
    const runtime::tensor::Tensor x = uploaded(input), p = uploaded(parameters), dy = uploaded(output_gradient);
    runtime::tensor::Tensor dw = uploaded(std::vector<float>(static_cast<std::size_t>(weights), 1));
    const auto copy = device->copy_of_weights(p);
    copy->refresh();
    const runtime::cuda::ProductShape shape{rows, in, out};
    const auto factor = [&](const float* values, std::int64_t of_rows, std::int64_t width) {
      return runtime::cuda::GemmOperand(memory, values, {of_rows, width});
    };
    const auto w = runtime::cuda::GemmOperand::of_weights(memory, p.data(), {in, out});
    runtime::tensor::Tensor before(memory, 1, rows * out), after(memory, 1, rows * out), dx(memory, 1, rows * in),
        gated(memory, 1, rows * in);
    auto* const before_t = reinterpret_cast<T*>(before.data());
    runtime::cuda::product_gelu(*device, shape, before_t, reinterpret_cast<T*>(after.data()),
                                factor(x.data(), rows, in), w, p.data() + weights);
    const auto output_factor = factor(dy.data(), rows, out);
    runtime::cuda::product_backward(*device, shape, reinterpret_cast<T*>(dx.data()), output_factor, w);
    runtime::tensor::Tensor inputs = uploaded(input), narrow(memory, 1, rows * in);
    auto* const argument = reinterpret_cast<T*>(narrow.data());
    if constexpr (sizeof(T) == 2)
      runtime::cuda::convert(device->stream(), argument, static_cast<const float*>(inputs.data()), rows * in);
    else
      device->copy(argument, inputs.data(), rows * in);
    runtime::cuda::product_gelu_backward(*device, shape, reinterpret_cast<T*>(gated.data()),
                                         static_cast<const T*>(argument), output_factor, w);
    const runtime::tensor::Tensor sums = runtime::cuda::add_product_gradients(
        *device, shape, dw.data(), factor(x.data(), rows, in), output_factor, static_cast<const float*>(dy.data()));

    const auto size = [](std::int64_t count) { return static_cast<std::size_t>(count); };
    std::vector<float> expected(size(rows * out)), active(expected.size()), back(size(rows * in)),
        gradient(size(weights), 1), columns(size(out));
    runtime::cpu::multiply(rows, out, in, {input.data(), in}, {parameters.data(), out}, expected.data(), out);
    runtime::cpu::add_bias(expected.data(), parameters.data() + weights, rows, out);
    runtime::cpu::gelu(active.data(), expected.data(), rows * out);
    runtime::cpu::multiply(rows, in, out, {output_gradient.data(), out}, {parameters.data(), out, true}, back.data(),
                           in);
    runtime::cpu::multiply(in, out, rows, {input.data(), in, true}, {output_gradient.data(), out}, gradient.data(), out,
                           1);
    runtime::cpu::add_column_sums(columns.data(), output_gradient.data(), rows, out);
    const double most = sizeof(T) == 2 ? 0x1p-6 : 2e-5;
    VERIFY_BELOW(apart(read_t(before, rows * out), expected), most);
    VERIFY_BELOW(apart(read_t(after, rows * out), active), most);
    VERIFY_BELOW(apart(read_t(dx, rows * in), back), most);
    VERIFY_BELOW(apart(read(dw), gradient), most);
    VERIFY_BELOW(apart(read(sums), columns), most);
    runtime::cpu::gelu_backward(back.data(), input.data(), rows * in);
    VERIFY_BELOW(apart(read_t(gated, rows * in), back), most);
  }
};

}  // namespace

/// Products with bias, gelu and their gradients, through cublasLt's epilogues and by own kernels.
void TestCudaProducts::fusedProducts() {
  QFETCH(int, precision);
  QFETCH(bool, epilogues);
  QFETCH(int, width);
#ifdef PIPEDECK_CUDA_STAND_IN
  if (!epilogues) cuda_stand_in::refuse_epilogues();
#else
  if (!epilogues) QSKIP("a GPU's cublasLt refuses nothing on request");
#endif
  Random random(10);
  const auto run = [&]<class T>(T) {
    const FusedLayer<T> layer{width, random_values(FusedLayer<T>::rows * FusedLayer<T>::in, random),
                              random_values(FusedLayer<T>::in * width + width, random),
                              random_values(FusedLayer<T>::rows * width, random)};
    layer.run(runtime::cuda::Precision(precision));
  };
  if (precision == int(runtime::cuda::Precision::bf16))
    run(runtime::cuda::Bf16());
  else
    run(0.0f);
#ifdef PIPEDECK_CUDA_STAND_IN
  cuda_stand_in::reset();
#endif
}

void TestCudaProducts::copiesOfWeights_data() { backwardEpilogues_data(); }

/// The optimizer writes them, other changes make them out of date until they are refreshed.
void TestCudaProducts::copiesOfWeights() {
  QFETCH(int, precision);
  const bool half = precision == int(runtime::cuda::Precision::bf16);
  const auto device = std::make_shared<runtime::cuda::CudaDevice>(0, runtime::cuda::Precision(precision));
  const auto memory = std::make_shared<runtime::tensor::DeviceMemory>(device);
  Random random(11);
  const std::int64_t rows = 6, width = 13, count = rows * width + 5;
  runtime::tensor::Tensor weights(memory, 1, count), gradients(memory, 1, count);
  std::vector<float> values = random_values(count, random), steps = random_values(count, random);
  const auto upload = [&](runtime::tensor::Tensor& to, const std::vector<float>& from) {
    device->upload(to.values(), [&](std::span<float> host) { std::ranges::copy(from, host.begin()); });
  };
  const auto expect_copies = [&] {
    const Element element = device->context().element();
    const runtime::cuda::Bf16* const flat = device->weights().rounded(weights.data() + 1, count - 1);
    QCOMPARE(flat != nullptr, half);
    if (half) {
      runtime::tensor::Tensor floats(memory, 1, count - 1);
      runtime::cuda::convert(device->stream(), floats.data(), flat, count - 1);
      std::vector<float> found(static_cast<std::size_t>(count - 1)),
          expected = rounded({values.begin() + 1, values.end()}, element);
      device->download(found, floats.data());
      QCOMPARE(found, expected);
    }
    const void* const apart_rows = device->weights().rows(weights.data(), {rows, width});
    QVERIFY(apart_rows != nullptr && reinterpret_cast<std::uintptr_t>(apart_rows) % 16 == 0);
    const std::int64_t pitch = runtime::cuda::row_pitch(width, element);
    runtime::tensor::Tensor together(memory, 1, rows * pitch);
    if (half)
      runtime::cuda::convert(device->stream(), together.data(), static_cast<const runtime::cuda::Bf16*>(apart_rows),
                             rows * pitch);
    else
      device->copy(together.data(), static_cast<const float*>(apart_rows), rows * pitch);
    std::vector<float> found(static_cast<std::size_t>(rows * pitch));
    device->download(found, together.data());
    const std::vector<float> expected = rounded(values, element);
    for (std::int64_t i = 0; i < rows * pitch; ++i)
      QCOMPARE(found[static_cast<std::size_t>(i)],
               i % pitch < width ? expected[static_cast<std::size_t>(i / pitch * width + i % pitch)] : 0.0f);
  };
  upload(weights, values), upload(gradients, steps);
  QVERIFY(device->weights().rows(weights.data(), {rows, width}) == nullptr);
  auto copy = device->copy_of_weights(weights);
  QVERIFY(device->weights().rows(weights.data(), {rows, width}) == nullptr);
  copy->refresh();
  expect_copies();
  device->update({Optimizer::sgd, 0.5f, 1}, {weights.data(), gradients.data(), nullptr, nullptr, count});
  QVERIFY(device->weights().rows(weights.data(), {rows, width}) == nullptr);
  device->download(values, weights.data());
  copy->refresh();
  expect_copies();
  std::ranges::reverse(values);
  upload(weights, values);
  copy->weights_changed();
  QVERIFY(device->weights().rounded(weights.data(), count) == nullptr);
  QVERIFY(device->weights().rows(weights.data(), {rows, width}) == nullptr);
  copy->refresh();
  expect_copies();
  copy.reset();
  QVERIFY(device->weights().rows(weights.data(), {rows, width}) == nullptr);
}

void TestCudaProducts::algorithmsAreAskedOnce() {
  Context context(0, runtime::cuda::Precision::fp32);
  GemmRunner products(context);
  OnDevice a(context, std::vector<float>(64, 1)), b(context, std::vector<float>(64, 1)), d(context, 64);
  const DeviceMatrix x{a.data(), 8, Element::fp32}, w{b.data(), 8, Element::fp32};
  for (int i = 0; i < 3; ++i) products.multiply(8, 8, 8, x, w, {d.data(), 8, Element::fp32});
  QCOMPARE(products.kept_algorithms(), std::size_t{1});
  products.multiply(4, 8, 8, x, w, {d.data(), 8, Element::fp32});
  QCOMPARE(products.kept_algorithms(), std::size_t{2});
  QCOMPARE(d.read()[0], 8.0f);
}

void TestCudaProducts::tf32RoundsItsFactors() {
  // 1 + 2^-12 is 1 in tf32, whose mantissa has 10 bits. tf32 only allows tensor cores: the product is large and aligned
  // enough for cublasLt to take them on every GPU that has them.
  constexpr std::int64_t n = 256;
  const std::vector<float> factor(n * n, 1 + 0x1p-12f);
  for (const auto precision : {runtime::cuda::Precision::fp32, runtime::cuda::Precision::tf32}) {
    Context context(0, precision);
    GemmRunner products(context);
    OnDevice a(context, factor), b(context, factor), d(context, n * n);
    products.multiply(n, n, n, {a.data(), n, Element::fp32}, {b.data(), n, Element::fp32},
                      {d.data(), n, Element::fp32});
    // 256 exactly in tf32; 256.125 in fp32
    VERIFY_BELOW(std::abs(d.read()[0] - (precision == runtime::cuda::Precision::fp32 ? 256.125 : 256)), 0.01);
  }
}

QTEST_GUILESS_MAIN(TestCudaProducts)
#include "tst_cuda_products.moc"
