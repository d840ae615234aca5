// SPDX-License-Identifier: Apache-2.0
// Matrix products on a GPU, or its stand-in, compared with the processor's.
#include <QtTest>

#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/matmul.hpp"
#include "core/runtime/cuda/matmul.hpp"
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
