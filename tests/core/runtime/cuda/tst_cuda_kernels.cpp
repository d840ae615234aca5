// SPDX-License-Identifier: Apache-2.0
// Values one by one and rows with a bias, in fp32 and bf16, against plain loops in double.
#include <QTest>

#include <limits>
#include <utility>

#include "tests/core/runtime/cuda/kernel_case.hpp"
#include "tests/core/runtime/reference_plain.hpp"

using namespace pipedeck;
using namespace pipedeck::test;
using runtime::cuda::Bf16;

namespace {

const std::vector<std::int64_t> counts{1, 3, 4, 7, 8, 255, 1024, 4099, 70001};

double gelu_derivative(double x) {
  const double step = 1e-5;
  return (reference_gelu(x + step) - reference_gelu(x - step)) / (2 * step);
}

}  // namespace

class TestCudaKernels : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    if (const std::string why = why_no_device(); !why.empty()) QSKIP(why.c_str());
    qInfo("%s", fresh_.seed_text().c_str());
  }
  void elementwise() { elementwise_of<float>(), elementwise_of<Bf16>(); }
  void conversions();
  void values_that_are_not_finite();
  void lstm_steps();

 private:
  template <class T>
  void elementwise_of();
  /// change(to, from) on the device against expected(to, from) in double, at all counts, aligned and not.
  template <class To, class From, class Call>
  void check_pairs(const Call& call, const std::function<double(double, double)>& expected);

  Fresh fresh_;
};

template <class To, class From, class Call>
void TestCudaKernels::check_pairs(const Call& call, const std::function<double(double, double)>& expected) {
  for (const std::int64_t count : counts)
    for (const std::size_t apart : {0u, 1u}) {
      const auto to = fresh_.of<To>(count, 2);
      const auto from = fresh_.of<From>(count, 2);
      std::vector<double> wanted;
      for (std::size_t i = 0; i < size(count); ++i) wanted.push_back(expected(to_double(to[i]), to_double(from[i])));
      same_in_every_order([&] {
        OnDevice<To> a(to, apart);
        OnDevice<From> b(from, apart);
        call(a.data(), b.data(), count);
        const auto values = a.values();
        const std::string apart_text = difference(values, wanted, tolerance<To>());
        if (!apart_text.empty()) throw std::runtime_error(apart_text);
        return bytes_of(values, b.values());
      });
    }
}

template <class T>
void TestCudaKernels::elementwise_of() {
  check_pairs<T, T>([](T* to, const T*, std::int64_t n) { runtime::cuda::fill(nullptr, to, 0.75f, n); },
                    [](double, double) { return 0.75; });
  check_pairs<T, T>([](T* to, const T*, std::int64_t n) { runtime::cuda::scale(nullptr, to, -1.5f, n); },
                    [](double to, double) { return -1.5 * to; });
  check_pairs<T, T>([](T* to, const T* from, std::int64_t n) { runtime::cuda::add(nullptr, to, from, n); },
                    [](double to, double from) { return to + from; });
  check_pairs<T, T>([](T* to, const T* from, std::int64_t n) { runtime::cuda::relu(nullptr, to, from, n); },
                    [](double, double from) { return std::max(from, 0.0); });
  check_pairs<T, T>([](T* to, const T* from, std::int64_t n) { runtime::cuda::relu_backward(nullptr, to, from, n); },
                    [](double to, double from) { return from > 0 ? to : 0; });
  check_pairs<T, T>([](T* to, const T* from, std::int64_t n) { runtime::cuda::gelu(nullptr, to, from, n); },
                    [](double, double from) { return reference_gelu(from); });
  check_pairs<T, T>([](T* to, const T* from, std::int64_t n) { runtime::cuda::gelu_backward(nullptr, to, from, n); },
                    [](double to, double from) { return to * gelu_derivative(from); });
}

void TestCudaKernels::conversions() {
  check_pairs<float, Bf16>(
      [](float* to, const Bf16* from, std::int64_t n) { runtime::cuda::convert(nullptr, to, from, n); },
      [](double, double from) { return from; });
  check_pairs<Bf16, float>(
      [](Bf16* to, const float* from, std::int64_t n) { runtime::cuda::convert(nullptr, to, from, n); },
      [](double, double from) { return from; });
  check_pairs<float, Bf16>(
      [](float* to, const Bf16* from, std::int64_t n) { runtime::cuda::add(nullptr, to, from, n); },
      [](double to, double from) { return to + from; });
  check_pairs<Bf16, float>(
      [](Bf16* to, const float* from, std::int64_t n) { runtime::cuda::add(nullptr, to, from, n); },
      [](double to, double from) { return to + from; });
}

void TestCudaKernels::values_that_are_not_finite() {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const auto found = [](const std::vector<float>& values, std::size_t apart) {
    OnDevice<float> there(values, apart);
    OnDevice<int> flag({0});
    runtime::cuda::find_not_finite(nullptr, flag.data(), there.data(), static_cast<std::int64_t>(values.size()));
    return flag.values().front();
  };
  for (const std::int64_t count : counts)
    for (const std::size_t apart : {0u, 1u}) {
      std::vector<float> values(size(count), std::numeric_limits<float>::max());
      QCOMPARE(found(values, apart), 0);
      for (const std::int64_t place : {std::int64_t{0}, count / 2, count - 1})
        for (const float bad : {inf, -inf, std::numeric_limits<float>::quiet_NaN()}) {
          const float before = std::exchange(values[size(place)], bad);
          QCOMPARE(found(values, apart), 1);
          values[size(place)] = before;
        }
    }
}

/// Steps of samples that lie apart from each other, with a cell before and without, against the formulas in double.
void TestCudaKernels::lstm_steps() {
  const auto logistic = [](double x) { return 1 / (1 + std::exp(-x)); };
  for (const bool first : {true, false})
    for (const std::int64_t hidden : {1, 5, 130}) {
      const std::int64_t samples = fresh_.between(1, 4), gates_stride = 4 * hidden + 3, stride = hidden + 2;
      const auto sums = fresh_.of<float>(samples * gates_stride), before = fresh_.of<float>(samples * stride),
                 wanted = fresh_.of<float>(samples * stride), later = fresh_.of<float>(samples * hidden);
      auto gates = doubles(sums), cells = doubles(before), outputs = doubles(wanted);
      std::vector<double> of_sums = gates, of_cells = doubles(later);
      for (std::int64_t n = 0; n < samples; ++n)
        for (std::int64_t i = 0; i < hidden; ++i) {
          const auto gate = [&](int kind) { return size(n * gates_stride + kind * hidden + i); };
          const std::size_t at = size(n * stride + i), dense = size(n * hidden + i);
          const double earlier = first ? 0 : double{before[at]}, in = logistic(gates[gate(0)]),
                       forget = logistic(gates[gate(1)]), candidate = std::tanh(gates[gate(2)]),
                       out = logistic(gates[gate(3)]);
          cells[at] = forget * earlier + in * candidate;
          outputs[at] = out * std::tanh(cells[at]);
          gates[gate(0)] = in, gates[gate(1)] = forget, gates[gate(2)] = candidate, gates[gate(3)] = out;
          const double squashed = std::tanh(cells[at]), dy = double{wanted[at]};
          const double dc = of_cells[dense] + dy * out * (1 - squashed * squashed);
          of_sums[gate(0)] = dc * candidate * in * (1 - in);
          of_sums[gate(1)] = dc * earlier * forget * (1 - forget);
          of_sums[gate(2)] = dc * in * (1 - candidate * candidate);
          of_sums[gate(3)] = dy * squashed * out * (1 - out);
          of_cells[dense] = dc * forget;
        }
      same_in_every_order([&] {
        OnDevice<float> g(sums), c(before), b(before), y(wanted), dy(wanted), dc(later);
        const float* cell_before = first ? nullptr : b.data();
        runtime::cuda::lstm_step(
            nullptr, {g.data(), c.data(), cell_before, y.data(), gates_stride, stride, stride, samples, hidden});
        const auto found_gates = g.values(), found_cells = c.values(), found_outputs = y.values();
        runtime::cuda::lstm_step_backward(nullptr, {g.data(), dc.data(), dy.data(), c.data(), cell_before, gates_stride,
                                                    stride, stride, samples, hidden});
        for (const std::string& wrong :
             {difference(found_gates, gates, 1e-5), difference(found_cells, cells, 1e-5),
              difference(found_outputs, outputs, 1e-5), difference(g.values(), of_sums, 1e-5),
              difference(dc.values(), of_cells, 1e-5)})
          if (!wrong.empty()) throw std::runtime_error(wrong);
        return bytes_of(found_gates, found_outputs, g.values(), dc.values());
      });
    }
}

QTEST_MAIN(TestCudaKernels)
#include "tst_cuda_kernels.moc"
