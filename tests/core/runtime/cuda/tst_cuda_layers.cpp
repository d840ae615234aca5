// SPDX-License-Identifier: Apache-2.0
// Convolutions, pools, batch norms and LSTMs on a GPU, or its stand-in, compared with the processor's.
#include <QtTest>

#include <numeric>

#include "core/model/model.hpp"
#include "core/runtime/cpu/convolution_passes.hpp"
#include "core/runtime/cpu/image_kernels.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cuda/batch_norm.hpp"
#include "core/runtime/cuda/convolution.hpp"
#include "core/runtime/cuda/kernels.hpp"
#include "core/runtime/cuda/lstm.hpp"
#include "core/runtime/cuda/pooling.hpp"
#include "core/runtime/layers/layer_kernel.hpp"
#include "tests/core/runtime/cuda/closeness.hpp"
#include "tests/core/runtime/cuda/on_device.hpp"
#include "tests/core/runtime/cuda/skip_without_gpu.hpp"

using namespace pipedeck;
using namespace pipedeck::test;
using runtime::cuda::Context;
using runtime::cuda::Element;

namespace {

constexpr int cases = 12;

/// One rounding of a result to 16 bits, or the error of 32-bit sums of some hundred products.
double allowed(runtime::cuda::Precision precision) {
  return precision == runtime::cuda::Precision::bf16 ? 0x1p-7 : 2e-5;
}

runtime::tensor::Tensor tensor_of(const std::vector<float>& values, int samples) {
  runtime::tensor::Tensor tensor(std::make_shared<runtime::tensor::DeviceMemory>(), samples,
                                 static_cast<std::int64_t>(values.size()) / samples);
  std::copy(values.begin(), values.end(), tensor.data());
  return tensor;
}
std::vector<float> list_of(const runtime::tensor::Tensor& tensor) {
  return {tensor.values().begin(), tensor.values().end()};
}

std::int64_t between(Random& random, int least, int most) {
  return least + static_cast<std::int64_t>(random.uniform_int(static_cast<std::uint64_t>(most - least + 1)));
}

runtime::layers::ConvolutionShape random_convolution(Random& random) {
  runtime::layers::ConvolutionShape s;
  s.in = between(random, 1, 6), s.out = between(random, 1, 6), s.kernel = between(random, 1, 3);
  s.stride = between(random, 1, 2), s.padding = between(random, 0, int(s.kernel) - 1);
  s.height = between(random, 3, 8), s.width = between(random, 3, 8);
  return s;
}

runtime::layers::PoolShape random_pool(Random& random) {
  runtime::layers::PoolShape s;
  s.channels = between(random, 1, 5), s.kernel = between(random, 1, 3), s.stride = between(random, 1, 3);
  s.padding = between(random, 0, int(s.kernel) / 2), s.height = between(random, 3, 8), s.width = between(random, 3, 8);
  return s;
}

}  // namespace

class TestCudaLayers : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { SKIP_WITHOUT_GPU(1); }
  void convolutions_data() { precisions(); }
  void convolutions();
  void pools_data() { precisions(); }
  void pools();
  void meanOfWholeImages();
  void ties();
  void batchNorms_data() { precisions(); }
  void batchNorms();
  void lstms();
  void transposes();

 private:
  static void precisions() {
    QTest::addColumn<int>("precision");
    QTest::newRow("fp32") << int(runtime::cuda::Precision::fp32);
    QTest::newRow("bf16") << int(runtime::cuda::Precision::bf16);
  }
};

void TestCudaLayers::convolutions() {
  QFETCH(int, precision);
  const double most = allowed(runtime::cuda::Precision(precision));
  Context context(0, runtime::cuda::Precision(precision));
  const Element element = context.element();
  Random random(11);
  for (int i = 0; i < cases; ++i) {
    const runtime::layers::ConvolutionShape s = random_convolution(random);
    const int samples = int(between(random, 1, 3));
    const auto in = rounded(random_values(samples * s.in_values(), random), element);
    const auto gradient = rounded(random_values(samples * s.out_values(), random), element);
    const auto weights = rounded(random_values(s.weights(), random), element);
    auto sums = random_values(s.weights(), random);
    runtime::cuda::Convolution convolution(context, s);
    OnDevice x(context, in, element), dy(context, gradient, element), w(context, weights), dw(context, sums);
    OnDevice y(context, samples * s.out_values(), element), dx(context, samples * s.in_values(), element);
    convolution.forward(y.data(), x.data(), w.floats(), samples);
    convolution.backward_input(dx.data(), dy.data(), w.floats(), samples);
    convolution.backward_weight(dw.floats(), x.data(), dy.data(), samples);

    const runtime::cpu::ConvolutionPasses expected(s, false);
    const runtime::tensor::Tensor input = tensor_of(in, samples), output_gradient = tensor_of(gradient, samples);
    expected.backward_weight(input, output_gradient, sums.data());
    VERIFY_BELOW(apart(y.read(), list_of(expected.forward(input, weights.data()))), most);
    VERIFY_BELOW(apart(dx.read(), list_of(expected.backward_input(output_gradient, weights.data()))), most);
    VERIFY_BELOW(apart(dw.read(), sums), most);
  }
}

void TestCudaLayers::pools() {
  QFETCH(int, precision);
  const double most = allowed(runtime::cuda::Precision(precision));
  Context context(0, runtime::cuda::Precision(precision));
  const Element element = context.element();
  Random random(12);
  for (int i = 0; i < 2 * cases; ++i) {
    const runtime::layers::PoolShape s = random_pool(random);
    const bool largest = i % 2 == 0;
    const int samples = int(between(random, 1, 3));
    // No two values alike, also when rounded: steps of 1 / 64 up to 4 are bf16's.
    std::vector<float> in(static_cast<std::size_t>(samples * s.in_values()));
    for (float& value : in) value = static_cast<float>(random.uniform_int(255)) / 64;
    if (element == Element::fp32)
      for (std::size_t k = 0; k < in.size(); ++k) in[k] += static_cast<float>(k) * 1e-5f;
    const auto gradient = rounded(random_values(samples * s.out_values(), random), element);
    runtime::cuda::Pooling pooling(
        context, s, largest ? runtime::cuda::Pooling::Kind::largest : runtime::cuda::Pooling::Kind::mean, element);
    OnDevice x(context, in, element), dy(context, gradient, element);
    OnDevice y(context, samples * s.out_values(), element), dx(context, samples * s.in_values(), element);
    pooling.forward(y.data(), x.data(), samples);
    pooling.backward(dx.data(), dy.data(), x.data(), samples);

    std::vector<float> out(gradient.size()), in_gradient(in.size()), scratch(static_cast<std::size_t>(2 * s.channels));
    (largest ? runtime::cpu::max_pool : runtime::cpu::average_pool)(out.data(), in.data(), s, samples);
    VERIFY_BELOW(apart(y.read(), out), most);
    if (largest && element == Element::bf16) continue;  // ties
    if (largest)
      runtime::cpu::max_pool_backward(in_gradient.data(), gradient.data(), in.data(), scratch.data(), s, samples);
    else
      runtime::cpu::average_pool_backward(in_gradient.data(), gradient.data(), s, samples);
    VERIFY_BELOW(apart(dx.read(), in_gradient), most);
  }
}

void TestCudaLayers::meanOfWholeImages() {
  Context context(0, runtime::cuda::Precision::fp32);
  Random random(13);
  const runtime::layers::PoolShape s{3, 7, 7, 0, 5, 7};  // one window, cut at the end of the shorter side
  const auto in = random_values(2 * s.in_values(), random);
  runtime::cuda::Pooling pooling(context, s, runtime::cuda::Pooling::Kind::mean, Element::fp32);
  OnDevice x(context, in), y(context, 2 * s.out_values());
  pooling.forward(y.data(), x.data(), 2);
  std::vector<float> out(static_cast<std::size_t>(2 * s.out_values()));
  runtime::cpu::average_pool(out.data(), in.data(), s, 2);
  VERIFY_BELOW(apart(y.read(), out), 1e-6);
}

void TestCudaLayers::ties() {
  // One of equal values gets the whole gradient, the same one again.
  Context context(0, runtime::cuda::Precision::fp32);
  const runtime::layers::PoolShape s{1, 2, 2, 0, 4, 4};
  runtime::cuda::Pooling pooling(context, s, runtime::cuda::Pooling::Kind::largest, Element::fp32);
  OnDevice x(context, std::vector<float>(16, 0)), dy(context, std::vector<float>{1, 2, 3, 4}), dx(context, 16);
  pooling.backward(dx.data(), dy.data(), x.data(), 1);
  const auto first = dx.read();
  QCOMPARE(std::accumulate(first.begin(), first.end(), 0.0f), 10.0f);
  QCOMPARE(std::count(first.begin(), first.end(), 0.0f), std::ptrdiff_t{12});
  pooling.backward(dx.data(), dy.data(), x.data(), 1);
  QCOMPARE(dx.read(), first);
}

void TestCudaLayers::batchNorms() {
  QFETCH(int, precision);
  const double most = allowed(runtime::cuda::Precision(precision));
  Context context(0, runtime::cuda::Precision(precision));
  const Element element = context.element();
  Random random(14);
  for (int i = 0; i < cases; ++i) {
    const runtime::cuda::NormShape s{between(random, 1, 3), between(random, 4, 20), between(random, 1, 9), element};
    const std::int64_t rows = s.samples * s.pixels, size = rows * s.channels;
    const auto in = rounded(random_values(size, random), element),
               gradient = rounded(random_values(size, random), element);
    const auto gain = random_values(s.channels, random), shift = random_values(s.channels, random);
    const auto sums = random_values(s.channels, random);
    OnDevice x(context, in, element), dy(context, gradient, element), y(context, size, element),
        dx(context, size, element);
    OnDevice g(context, gain), b(context, shift), dg(context, sums), db(context, sums);
    OnDevice mean(context, s.channels), inverse(context, s.channels);
    runtime::cuda::batch_norm(context, y.data(), mean.floats(), inverse.floats(), x.data(), g.floats(), b.floats(), s);
    runtime::cuda::batch_norm_backward(context, dx.data(), dg.floats(), db.floats(), dy.data(), x.data(), mean.floats(),
                                       inverse.floats(), g.floats(), s);

    const auto channels = static_cast<std::size_t>(s.channels);
    std::vector<float> means(channels), inverses(channels), gains(channels), shifts(channels), out(in.size());
    std::vector<float> in_gradient = gradient;
    runtime::cpu::column_statistics(means.data(), inverses.data(), in.data(), rows, s.channels);
    runtime::cpu::normalise_columns(out.data(), in.data(), means.data(), inverses.data(), gain.data(), shift.data(),
                                    rows, s.channels);
    runtime::cpu::normalise_columns_backward(in_gradient.data(), gains.data(), shifts.data(), in.data(), means.data(),
                                             inverses.data(), gain.data(), rows, s.channels);
    for (std::size_t c = 0; c < channels; ++c) gains[c] += sums[c], shifts[c] += sums[c];
    VERIFY_BELOW(apart(mean.read(), means), 1e-5);
    VERIFY_BELOW(apart(inverse.read(), inverses), 1e-5);
    VERIFY_BELOW(apart(y.read(), out), most);
    VERIFY_BELOW(apart(dx.read(), in_gradient), most);
    VERIFY_BELOW(apart(dg.read(), gains), 1e-5);
    VERIFY_BELOW(apart(db.read(), shifts), 1e-5);
  }
}

void TestCudaLayers::lstms() {
  Context context(0, runtime::cuda::Precision::fp32);
  Random random(15);
  for (int i = 0; i < cases; ++i) {
    const runtime::cuda::LstmShape s{between(random, 1, 6), between(random, 1, 6), between(random, 1, 5),
                                     between(random, 1, 2)};
    const int samples = int(between(random, 1, 4));
    ModelLayer layer;
    layer.kind = "lstm";
    layer.sizes = {{"in", s.in}, {"hidden", s.hidden}, {"sequence", s.sequence}, {"directions", s.directions}};
    const auto expected = runtime::layers::make_layer(layer, runtime::cpu::cpu_kernel_registry()).value();
    QCOMPARE(s.directions * s.direction_parameters(), expected->parameters());
    const auto in = random_values(samples * s.in_values(), random);
    const auto gradient = random_values(samples * s.out_values(), random);
    const auto parameters = random_values(expected->parameters(), random);
    auto sums = random_values(expected->parameters(), random);

    runtime::cuda::Lstm lstm(context, s);
    OnDevice x(context, in), dy(context, gradient), p(context, parameters), dp(context, sums);
    OnDevice y(context, samples * s.out_values()), dx(context, samples * s.in_values());
    OnDevice kept(context, static_cast<std::int64_t>(lstm.saved_bytes(samples) / sizeof(float)));
    lstm.forward(y.floats(), kept.data(), x.floats(), p.floats(), samples);
    const bool wanted = i % 3 != 0;
    lstm.backward_input(wanted ? dx.floats() : nullptr, kept.data(), dy.floats(), y.floats(), p.floats(), samples);
    lstm.backward_weight(dp.floats(), kept.data(), x.floats(), y.floats(), samples);

    runtime::layers::SavedTensors saved;
    const auto out = list_of(expected->forward(tensor_of(in, samples), parameters, saved));
    const auto in_gradient = list_of(expected->backward_input(tensor_of(gradient, samples), parameters, saved, true));
    expected->backward_weight(saved, sums);
    VERIFY_BELOW(apart(y.read(), out), 1e-5);
    if (wanted) VERIFY_BELOW(apart(dx.read(), in_gradient), 1e-5);
    VERIFY_BELOW(apart(dp.read(), sums), 1e-5);
  }
}

void TestCudaLayers::transposes() {
  Context context(0, runtime::cuda::Precision::fp32);
  Random random(16);
  for (int i = 0; i < cases; ++i) {
    const std::int64_t rows = between(random, 1, 70), columns = between(random, 1, 70);
    const std::int64_t from_stride = columns + between(random, 0, 2), to_stride = rows + between(random, 0, 2);
    const auto from = random_values(rows * from_stride, random), before = random_values(columns * to_stride, random);
    OnDevice a(context, from), to(context, before), sums(context, before);
    OnDevice half(context, before, Element::bf16);
    runtime::cuda::transpose(context.stream(), to.floats(), to_stride, a.floats(), from_stride, rows, columns);
    runtime::cuda::transpose(context.stream(), static_cast<__nv_bfloat16*>(half.data()), to_stride, a.floats(),
                             from_stride, rows, columns);
    runtime::cuda::add_transpose(context.stream(), sums.floats(), to_stride, a.floats(), from_stride, rows, columns);
    auto expected = before, rounded_expected = rounded(before, Element::bf16), added = before;
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = 0; column < columns; ++column) {
        const auto at = static_cast<std::size_t>(column * to_stride + row);
        const float value = from[static_cast<std::size_t>(row * from_stride + column)];
        expected[at] = value;
        rounded_expected[at] = of_bf16(bf16_of(value));
        added[at] += value;
      }
    QCOMPARE(to.read(), expected);
    QCOMPARE(half.read(), rounded_expected);
    QCOMPARE(sums.read(), added);
  }
}

QTEST_GUILESS_MAIN(TestCudaLayers)
#include "tst_cuda_layers.moc"
