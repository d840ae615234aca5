// SPDX-License-Identifier: Apache-2.0
// Kernels over rows and columns, the loss, the embedding and the weight updates, in fp32 and bf16, against plain loops
// in double, at new random shapes in every run and at difficult ones.
#include <QTest>

#include <algorithm>
#include <array>

#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/tensor/update_rules.hpp"
#include "tests/core/runtime/cuda/kernel_case.hpp"
#include "tests/core/runtime/reference_plain.hpp"

using namespace pipedeck;
using namespace pipedeck::test;
using runtime::cuda::Bf16;

namespace {

double gelu_derivative(double x) {
  const double step = 1e-5;
  return (reference_gelu(x + step) - reference_gelu(x - step)) / (2 * step);
}

struct Matrix {
  std::int64_t rows, columns;
  std::int64_t count() const { return rows * columns; }
};

/// Returns the matrix with `stride` values from row to row, `filling` between them.
template <class T>
std::vector<T> rows_apart(const std::vector<T>& values, Matrix m, std::int64_t stride, double filling) {
  std::vector<T> apart(size(m.rows * stride), rounded_to<T>({filling})[0]);
  for (std::int64_t row = 0; row < m.rows; ++row)
    std::copy_n(values.begin() + row * m.columns, m.columns, apart.begin() + row * stride);
  return apart;
}

struct Norm {
  std::vector<double> out, mean, inverse;
};

Norm reference_norm(const std::vector<double>& in, const std::vector<float>& gain, const std::vector<float>& shift,
                    Matrix m) {
  Norm norm{std::vector<double>(in.size()), {}, {}};
  for (std::size_t row = 0; row < size(m.rows); ++row) {
    const double* x = in.data() + row * size(m.columns);
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < size(m.columns); ++i) sum += x[i];
    const double mean = sum / static_cast<double>(m.columns);
    for (std::size_t i = 0; i < size(m.columns); ++i) squares += (x[i] - mean) * (x[i] - mean);
    const double inverse = 1 / std::sqrt(squares / static_cast<double>(m.columns) + 1e-5);
    for (std::size_t i = 0; i < size(m.columns); ++i)
      norm.out[row * size(m.columns) + i] = (x[i] - mean) * inverse * to_double(gain[i]) + to_double(shift[i]);
    norm.mean.push_back(mean);
    norm.inverse.push_back(inverse);
  }
  return norm;
}

struct Loss {
  double sum = 0;
  std::vector<double> gradient;
};

Loss reference_loss(const std::vector<double>& logits, const std::vector<float>& targets, Matrix m) {
  Loss loss{0, logits};
  for (std::size_t row = 0; row < size(m.rows); ++row) {
    double* x = loss.gradient.data() + row * size(m.columns);
    const double most = *std::max_element(x, x + m.columns);
    double sum = 0;
    for (std::size_t i = 0; i < size(m.columns); ++i) sum += std::exp(x[i] - most);
    const auto target = static_cast<std::size_t>(targets[row]);
    loss.sum += std::log(sum) - (x[target] - most);
    for (std::size_t i = 0; i < size(m.columns); ++i) x[i] = std::exp(x[i] - most) / sum;
    x[target] -= 1;
  }
  return loss;
}

}  // namespace

class TestCudaRows : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    if (const std::string why = why_no_device(); !why.empty()) QSKIP(why.c_str());
    qInfo("%s", fresh_.seed_text().c_str());
  }
  void biases() { biases_of<float>(), biases_of<Bf16>(); }
  void rows_with_gaps() { rows_with_gaps_of<float>(), rows_with_gaps_of<Bf16>(); }
  void column_sums_of_many_rows() { many_rows_of<float>(), many_rows_of<Bf16>(); }
  void layer_norms() { layer_norms_of<float>(), layer_norms_of<Bf16>(); }
  void losses() { losses_of<float>(), losses_of<Bf16>(); }
  void losses_in_parts() { losses_in_parts_of<float>(), losses_in_parts_of<Bf16>(); }
  void unknown_target_is_nan();
  void embeddings() { embeddings_of<float>(), embeddings_of<Bf16>(); }
  void unknown_token_is_nan();
  void weight_updates();

 private:
  template <class T>
  void biases_of();
  template <class T>
  void rows_with_gaps_of();
  template <class T>
  void many_rows_of();
  template <class T>
  void layer_norms_of();
  template <class T>
  void losses_of();
  template <class T>
  void losses_in_parts_of();
  template <class T>
  void embeddings_of();
  static void unknown_tokens_are_nan(const runtime::cuda::EmbeddingShape& shape);
  std::vector<float> targets(Matrix m) {
    std::vector<float> list;
    for (std::int64_t row = 0; row < m.rows; ++row)
      list.push_back(static_cast<float>(fresh_.between(0, m.columns - 1)));
    return list;
  }
  std::vector<Matrix> shapes(std::initializer_list<Matrix> fixed) {
    std::vector<Matrix> all(fixed);
    for (int i = 0; i < 4; ++i) all.push_back({fresh_.between(1, 70), fresh_.between(1, 600)});
    for (int i = 0; i < 2; ++i) all.push_back({fresh_.between(1, 40), 8 * fresh_.between(1, 90)});
    return all;
  }

  Fresh fresh_;
};

template <class T>
void TestCudaRows::biases_of() {
  for (const Matrix m : shapes({{1, 1}, {1, 7}, {5, 8}, {9, 1030}, {300, 12}})) {
    const auto in = fresh_.of<T>(m.count()), gradient = fresh_.of<T>(m.count());
    const auto bias = fresh_.of<float>(m.columns), start = fresh_.of<float>(m.columns);
    std::vector<double> added, relu, gelu, relu_gradient, gelu_gradient, sums(doubles(start)), relu_sums(sums),
        gelu_sums(sums);
    for (std::size_t i = 0; i < in.size(); ++i) {
      const std::size_t column = i % size(m.columns);
      const double x = to_double(in[i]) + to_double(bias[column]), g = to_double(gradient[i]);
      added.push_back(x);
      relu.push_back(std::max(x, 0.0));
      gelu.push_back(reference_gelu(x));
      relu_gradient.push_back(to_double(in[i]) > 0 ? g : 0);
      gelu_gradient.push_back(g * gelu_derivative(x));
      sums[column] += g;
      relu_sums[column] += relu_gradient.back();
      gelu_sums[column] += gelu_gradient.back();
    }
    same_in_every_order([&] {
      OnDevice<T> plain(in), to_relu(in), from(in), to_gelu(gradient), of_relu(gradient), of_gelu(gradient),
          g(gradient), before(in), after(gradient);
      OnDevice<float> b(bias), s(start), s_relu(start), s_gelu(start);
      OnDevice<unsigned char> scratch(
          std::vector<unsigned char>(runtime::cuda::column_sums_scratch(m.rows, m.columns)));
      runtime::cuda::add_bias(nullptr, plain.data(), b.data(), m.rows, m.columns);
      runtime::cuda::bias_relu(nullptr, to_relu.data(), to_relu.data(), b.data(), m.rows, m.columns);
      runtime::cuda::bias_gelu(nullptr, to_gelu.data(), from.data(), b.data(), m.rows, m.columns);
      runtime::cuda::add_bias_gelu(nullptr, after.data(), before.data(), b.data(), m.rows, m.columns);
      runtime::cuda::add_column_sums(nullptr, s.data(), g.data(), scratch.data(), m.rows, m.columns);
      runtime::cuda::bias_relu_backward(nullptr, of_relu.data(), s_relu.data(), from.data(), scratch.data(), m.rows,
                                        m.columns);
      runtime::cuda::bias_gelu_backward(nullptr, of_gelu.data(), s_gelu.data(), from.data(), b.data(), scratch.data(),
                                        m.rows, m.columns);
      expect("bias", plain.values(), added, tolerance<T>());
      expect("relu", to_relu.values(), relu, tolerance<T>());
      expect("gelu", to_gelu.values(), gelu, tolerance<T>());
      expect("before gelu", before.values(), added, tolerance<T>());
      expect("after gelu", after.values(), gelu, 2 * tolerance<T>());
      expect("relu's gradient", of_relu.values(), relu_gradient, tolerance<T>());
      expect("gelu's gradient", of_gelu.values(), gelu_gradient, tolerance<T>());
      expect("sums", s.values(), sums, tolerance<float>());
      expect("relu's bias", s_relu.values(), relu_sums, tolerance<float>());
      expect("gelu's bias", s_gelu.values(), gelu_sums, tolerance<float>());
      scratch.values();
      return bytes_of(plain.values(), to_relu.values(), to_gelu.values(), of_relu.values(), of_gelu.values(),
                      s.values(), s_relu.values(), s_gelu.values());
    });
  }
}

template <class T>
void TestCudaRows::rows_with_gaps_of() {
  for (const Matrix m : shapes({{1, 1}, {3, 50257}, {700, 10}, {33, 128}})) {
    const std::int64_t stride = m.columns + fresh_.between(1, 70), even = (m.columns / 64 + 1) * 64;
    const auto in = fresh_.of<float>(m.count()), start = fresh_.of<float>(m.count()),
               bias = fresh_.of<float>(m.columns);
    const auto values = fresh_.of<T>(m.count());
    std::vector<double> sum, added, columns(size(m.columns));
    for (std::size_t i = 0; i < in.size(); ++i) {
      const std::size_t column = i % size(m.columns);
      sum.push_back(to_double(in[i]) + to_double(start[i]));
      added.push_back(to_double(values[i]) + to_double(bias[column]));
      columns[column] += to_double(values[i]);
    }
    same_in_every_order([&] {
      OnDevice<float> from(rows_apart(in, m, stride, NAN)), to_sum(rows_apart(start, m, even, 7)), b(bias),
          s(std::vector<float>(size(m.columns)));
      OnDevice<T> to(std::vector<T>(size(m.rows * even))), back(std::vector<T>(size(m.count()))),
          biased(rows_apart(values, m, even, 7)), plain(rows_apart(values, m, stride, NAN));
      OnDevice<unsigned char> scratch(
          std::vector<unsigned char>(runtime::cuda::column_sums_scratch(m.rows, m.columns)));
      runtime::cuda::convert_rows(nullptr, to.data(), even, from.data(), stride, m.rows, m.columns);
      runtime::cuda::convert_rows(nullptr, back.data(), m.columns, static_cast<const T*>(to.data()), even, m.rows,
                                  m.columns);
      runtime::cuda::add_rows(nullptr, to_sum.data(), even, from.data(), stride, m.rows, m.columns);
      runtime::cuda::add_bias(nullptr, biased.data(), b.data(), m.rows, m.columns, even);
      runtime::cuda::add_column_sums(nullptr, s.data(), plain.data(), scratch.data(), m.rows, m.columns, stride);
      expect("rows", to.values(), rows_apart(doubles(in), m, even, 0), tolerance<T>());
      expect("rows together", back.values(), doubles(in), tolerance<T>());
      expect("sums of rows", to_sum.values(), rows_apart(sum, m, even, 7), 1e-6);
      expect("bias", biased.values(), rows_apart(added, m, even, 7), tolerance<T>());
      expect("sums of columns", s.values(), columns, 1e-5);
      return bytes_of(to.values(), back.values(), to_sum.values(), biased.values(), s.values());
    });
  }
}

template <class T>
void TestCudaRows::many_rows_of() {
  const Matrix m{fresh_.between(8200, 9000), fresh_.between(1, 40)};
  const auto values = fresh_.of<T>(m.count());
  std::vector<double> sums(size(m.columns));
  for (std::size_t i = 0; i < values.size(); ++i) sums[i % size(m.columns)] += to_double(values[i]);
  OnDevice<T> from(values);
  OnDevice<float> to(std::vector<float>(size(m.columns)));
  OnDevice<unsigned char> scratch(std::vector<unsigned char>(runtime::cuda::column_sums_scratch(m.rows, m.columns)));
  runtime::cuda::add_column_sums(nullptr, to.data(), from.data(), scratch.data(), m.rows, m.columns);
  expect("sums", to.values(), sums, 1e-5);
}

template <class T>
void TestCudaRows::layer_norms_of() {
  // 13000: a row is not kept in shared memory; forward and backward differ in what they can keep there.
  for (const Matrix m : shapes({{1, 2}, {1, 13000}, {3, 13001}, {2, 6144}, {5, 768}, {7, 131}, {600, 16}})) {
    const auto in = fresh_.of<T>(m.count(), 2), more = fresh_.of<T>(m.count()), out_gradient = fresh_.of<T>(m.count()),
               start = fresh_.of<T>(m.count());
    const auto gain = fresh_.of<float>(m.columns), shift = fresh_.of<float>(m.columns);
    std::vector<double> sum;
    for (std::size_t i = 0; i < in.size(); ++i) sum.push_back(to_double(in[i]) + to_double(more[i]));
    sum = doubles(rounded_to<T>(sum));
    const Norm plain = reference_norm(doubles(in), gain, shift, m), added = reference_norm(sum, gain, shift, m);
    std::vector<double> in_gradient(doubles(start)), gain_gradient(doubles(gain)), shift_gradient(doubles(shift));
    for (std::size_t row = 0; row < size(m.rows); ++row) {
      const std::size_t begin = row * size(m.columns);
      double wanted = 0, projection = 0;
      for (std::size_t i = 0; i < size(m.columns); ++i) {
        const double g = to_double(out_gradient[begin + i]);
        const double normal = (to_double(in[begin + i]) - plain.mean[row]) * plain.inverse[row];
        wanted += g * to_double(gain[i]);
        projection += g * to_double(gain[i]) * normal;
        gain_gradient[i] += g * normal;
        shift_gradient[i] += g;
      }
      const double share = 1 / static_cast<double>(m.columns);
      for (std::size_t i = 0; i < size(m.columns); ++i) {
        const double normal = (to_double(in[begin + i]) - plain.mean[row]) * plain.inverse[row];
        in_gradient[begin + i] += plain.inverse[row] * (to_double(out_gradient[begin + i]) * to_double(gain[i]) -
                                                        share * wanted - normal * share * projection);
      }
    }
    // Where a row's values hardly differ, dividing by their deviation makes rounding as much larger.
    const double harder = std::max({1.0, *std::max_element(plain.inverse.begin(), plain.inverse.end()),
                                    *std::max_element(added.inverse.begin(), added.inverse.end())});
    same_in_every_order([&] {
      OnDevice<T> a(in), b(more), out(in), sum_out(in), g(out_gradient), to(start), apart(in), other(start), alone(in);
      OnDevice<float> w(gain), s(shift), mean(std::vector<float>(size(m.rows))), inverse(mean.values()), to_gain(gain),
          to_shift(shift), gain_alone(gain), shift_alone(shift);
      OnDevice<unsigned char> scratch(
          std::vector<unsigned char>(runtime::cuda::layer_norm_backward_scratch(m.rows, m.columns)));
      runtime::cuda::add_layer_norm(nullptr, b.data(), sum_out.data(), mean.data(), inverse.data(), a.data(), b.data(),
                                    w.data(), s.data(), m.rows, m.columns);
      expect("sum", b.values(), sum, harder * tolerance<T>());
      expect("of a sum", sum_out.values(), added.out, harder * tolerance<T>());
      runtime::cuda::layer_norm(nullptr, out.data(), mean.data(), inverse.data(), a.data(), w.data(), s.data(), m.rows,
                                m.columns);
      expect("out", out.values(), plain.out, harder * tolerance<T>());
      if constexpr (std::is_same_v<T, float>) {
        OnDevice<Bf16> half(std::vector<Bf16>(in.size())), half_of_sum(std::vector<Bf16>(in.size()));
        OnDevice<float> m2(mean.values()), i2(mean.values()), both(in);
        runtime::cuda::layer_norm(nullptr, half.data(), m2.data(), i2.data(), a.data(), w.data(), s.data(), m.rows,
                                  m.columns);
        expect("rounded", half.values(), plain.out, harder * tolerance<Bf16>());
        runtime::cuda::add_layer_norm(nullptr, both.data(), half_of_sum.data(), m2.data(), i2.data(), a.data(),
                                      OnDevice<float>(more).data(), w.data(), s.data(), m.rows, m.columns);
        expect("rounded, of a sum", half_of_sum.values(), added.out, harder * tolerance<Bf16>());
      }
      expect("mean", mean.values(), plain.mean, 1e-5);
      expect("inverse", inverse.values(), plain.inverse, 1e-5 * harder);
      const auto backward = [&](T* in_gradient_of, const T* more_of, float* gains, float* shifts) {
        runtime::cuda::layer_norm_backward(nullptr, in_gradient_of, more_of, gains, shifts, g.data(), a.data(),
                                           mean.data(), inverse.data(), w.data(), scratch.data(), m.rows, m.columns);
      };
      const std::vector<float> none(size(m.columns));
      OnDevice<float> gain_apart(none), shift_apart(none);
      backward(to.data(), to.data(), to_gain.data(), to_shift.data());
      backward(nullptr, nullptr, gain_alone.data(), shift_alone.data());
      backward(apart.data(), other.data(), gain_apart.data(), shift_apart.data());
      backward(alone.data(), nullptr, gain_apart.data(), shift_apart.data());
      std::vector<double> without_start = in_gradient;
      for (std::size_t i = 0; i < start.size(); ++i) without_start[i] -= to_double(start[i]);
      expect("input's gradient alone", alone.values(), without_start, harder * tolerance<T>());
      if (bytes_of(apart.values()) != bytes_of(to.values()))
        throw std::runtime_error("the sum depends on the place of the result");
      expect("input's gradient", to.values(), in_gradient, harder * tolerance<T>());
      expect("gain's gradient", to_gain.values(), gain_gradient, 2e-5 * harder);
      expect("shift's gradient", to_shift.values(), shift_gradient, 1e-5);
      scratch.values();
      if (bytes_of(gain_alone.values(), shift_alone.values()) != bytes_of(to_gain.values(), to_shift.values()))
        throw std::runtime_error("without the input's gradient the others differ");
      return bytes_of(b.values(), sum_out.values(), out.values(), mean.values(), inverse.values(), to.values(),
                      to_gain.values(), to_shift.values());
    });
  }
}

template <class T>
void TestCudaRows::losses_of() {
  for (const Matrix m : shapes({{1, 1}, {1, 2}, {3, 50257}, {2, 16000}, {700, 10}, {33, 128}, {2, 513}})) {
    const auto logits = fresh_.of<T>(m.count(), 3);
    const auto wanted = targets(m);
    const float scale = static_cast<float>(fresh_.between(1, 9)) / 8;
    Loss expected = reference_loss(doubles(logits), wanted, m);
    for (double& value : expected.gradient) value *= static_cast<double>(scale);
    same_in_every_order([&] {
      OnDevice<T> values(logits);
      OnDevice<float> t(wanted);
      OnDevice<double> sum(std::vector<double>{0.5});
      OnDevice<double> scratch(
          std::vector<double>(runtime::cuda::softmax_cross_entropy_scratch(m.rows) / sizeof(double)));
      runtime::cuda::softmax_cross_entropy(nullptr, values.data(), t.data(), sum.data(), scale, scratch.data(),
                                           {m.rows, m.columns, m.columns});
      expect("loss", sum.values(), {expected.sum + 0.5}, 1e-5);
      if (m.columns > 1) expect("gradient", values.values(), expected.gradient, tolerance<T>());
      const std::int64_t stride = (m.columns / 64 + 1) * 64;
      OnDevice<T> apart(rows_apart(logits, m, stride, NAN));
      OnDevice<double> sum_apart(std::vector<double>{0.5});
      runtime::cuda::softmax_cross_entropy(nullptr, apart.data(), t.data(), sum_apart.data(), scale, scratch.data(),
                                           {m.rows, m.columns, stride});
      expect("loss of rows apart", sum_apart.values(), {expected.sum + 0.5}, 1e-5);
      if (m.columns > 1)
        expect("gradient of rows apart", apart.values(), rows_apart(expected.gradient, m, stride, 0), tolerance<T>());
      if constexpr (std::is_same_v<T, float>) {
        OnDevice<Bf16> narrow(std::vector<Bf16>(size(m.rows * stride)));
        OnDevice<float> plain(logits);
        runtime::cuda::softmax_cross_entropy(nullptr, runtime::cuda::GradientRows<Bf16>{narrow.data(), stride},
                                             static_cast<const float*>(plain.data()), t.data(), sum.data(), scale,
                                             scratch.data(), {m.rows, m.columns, m.columns});
        if (m.columns > 1)
          expect("16-bit gradient", narrow.values(), rows_apart(expected.gradient, m, stride, 0), tolerance<Bf16>());
        expect("logits", plain.values(), doubles(logits), 0);
      }
      scratch.values();
      return bytes_of(sum.values(), values.values(), sum_apart.values(), apart.values());
    });
  }
}

template <class T>
void TestCudaRows::losses_in_parts_of() {
  const Matrix m{fresh_.between(1, 20), fresh_.between(20, 300)};
  constexpr float scale = 0.625f;
  const std::int64_t cut = fresh_.between(1, m.columns - 1);
  const auto logits = fresh_.of<T>(m.count(), 3);
  const auto wanted = targets(m);
  const Loss expected = reference_loss(doubles(logits), wanted, m);
  for (const auto& [first, count] : {std::pair{std::int64_t{0}, cut}, {cut, m.columns - cut}}) {
    // The results of the partners' reductions, in double: this device's part of them is compared, too.
    std::vector<T> own;
    std::vector<double> own_gradient, own_most, own_totals, own_wanted;
    std::vector<float> most, totals, wanted_all;
    for (std::size_t row = 0; row < size(m.rows); ++row) {
      const T* x = logits.data() + row * size(m.columns);
      double largest = -1e30, largest_here = -1e30, total = 0, total_here = 0;
      for (std::int64_t i = 0; i < m.columns; ++i) largest = std::max(largest, to_double(x[i]));
      for (std::int64_t i = 0; i < m.columns; ++i) total += std::exp(to_double(x[i]) - largest);
      for (std::int64_t i = first; i < first + count; ++i) {
        own.push_back(x[i]);
        own_gradient.push_back(0.625 * expected.gradient[row * size(m.columns) + size(i)]);
        largest_here = std::max(largest_here, to_double(x[i]));
        total_here += std::exp(to_double(x[i]) - largest);
      }
      const auto target = static_cast<std::int64_t>(wanted[row]);
      const double of_target = to_double(x[target]) - largest;
      own_most.push_back(largest_here);
      own_totals.push_back(total_here);
      own_wanted.push_back(target >= first && target < first + count ? of_target : 0);
      most.push_back(static_cast<float>(largest));
      totals.push_back(static_cast<float>(total));
      wanted_all.push_back(static_cast<float>(of_target));
    }
    const Matrix part{m.rows, count};
    const std::int64_t stride = fresh_.between(0, 1) == 0 ? count : (count / 8 + 1) * 8;
    const runtime::cuda::LogitRows shape{m.rows, count, stride};
    same_in_every_order([&] {
      OnDevice<T> values(rows_apart(own, part, stride, NAN));
      OnDevice<float> t(wanted), found_most(most), found_totals(totals), found_wanted(wanted_all), all_most(most),
          all_totals(totals), all_wanted(wanted_all);
      OnDevice<double> sum(std::vector<double>{0});
      runtime::cuda::row_max(nullptr, found_most.data(), values.data(), shape);
      runtime::cuda::row_exp_sum(nullptr, found_totals.data(), found_wanted.data(), values.data(), all_most.data(),
                                 t.data(), first, shape);
      runtime::cuda::finish_cross_entropy(nullptr, runtime::cuda::GradientRows<T>{values.data(), stride},
                                          static_cast<const T*>(values.data()), sum.data(), scale, all_most.data(),
                                          all_totals.data(), all_wanted.data(), t.data(), first, shape);
      expect("most", found_most.values(), own_most, 1e-6);
      expect("totals", found_totals.values(), own_totals, 1e-5);
      expect("wanted", found_wanted.values(), own_wanted, 1e-5);
      expect("gradient", values.values(), rows_apart(own_gradient, part, stride, 0), tolerance<T>());
      expect("loss", sum.values(), {expected.sum}, 1e-5);
      return bytes_of(found_most.values(), found_totals.values(), found_wanted.values(), values.values(), sum.values());
    });
  }
}

void TestCudaRows::unknown_target_is_nan() {
  for (const float target : {-1.0f, 3.0f, NAN}) {
    OnDevice<float> logits(std::vector<float>(6, 1.0f)), targets(std::vector<float>{1, target});
    OnDevice<double> sum(std::vector<double>{0}), scratch(std::vector<double>(2));
    runtime::cuda::softmax_cross_entropy(nullptr, logits.data(), targets.data(), sum.data(), 1, scratch.data(),
                                         {2, 3, 3});
    QVERIFY(std::isnan(sum.values()[0]));
  }
}

template <class T>
void TestCudaRows::embeddings_of() {
  struct Case {
    runtime::cuda::EmbeddingShape shape;
    bool one_token = false;
  };
  std::vector<Case> cases{
      {{1, 1, 1, 1}},         {{3, 5, 8, 4}},        {{2, 700, 12, 50}, true},   {{5, 1100, 3, 40}},
      {{1, 64, 8, 9}, true},  {{1, 65, 4, 1}},       {{3, 300, 16, 5}},          {{1, 63, 5, 9}, true},
      {{2, 90, 8, 12, 0, 5}}, {{3, 40, 3, 9, 6, 3}}, {{1, 20, 4, 9, 2, 4}, true}};
  for (int i = 0; i < 6; ++i) {
    runtime::cuda::EmbeddingShape shape{fresh_.between(1, 6), fresh_.between(1, 60), fresh_.between(1, 90),
                                        fresh_.between(1, 200)};
    if (i >= 4) shape.first = fresh_.between(0, shape.vocabulary - 1);
    if (i >= 4) shape.words = fresh_.between(1, shape.vocabulary - shape.first);  // one of several tables
    cases.push_back({shape});
  }
  for (const auto& [shape, one_token] : cases) {
    std::vector<float> tokens;
    for (std::int64_t i = 0; i < shape.rows(); ++i)
      tokens.push_back(one_token ? 7.0f : static_cast<float>(fresh_.between(0, shape.vocabulary - 1)));
    const auto table = fresh_.of<float>(shape.table_rows() * shape.width),
               positions = fresh_.of<float>(shape.sequence * shape.width);
    const auto gradient = fresh_.of<T>(shape.rows() * shape.width);
    std::vector<double> out, table_gradient(doubles(table)), position_gradient(doubles(positions));
    for (std::size_t row = 0; row < size(shape.rows()); ++row)
      for (std::size_t i = 0; i < size(shape.width); ++i) {
        const std::int64_t word = static_cast<std::int64_t>(tokens[row]) - shape.first;
        const bool here = word >= 0 && word < shape.table_rows();
        const std::size_t in_table = here ? size(word * shape.width) + i : 0;
        const std::size_t in_positions = row % size(shape.sequence) * size(shape.width) + i;
        out.push_back((here ? to_double(table[in_table]) : 0) + to_double(positions[in_positions]));
        if (here) table_gradient[in_table] += to_double(gradient[row * size(shape.width) + i]);
        position_gradient[in_positions] += to_double(gradient[row * size(shape.width) + i]);
      }
    same_in_every_order([&] {
      OnDevice<T> to(gradient), g(gradient);
      OnDevice<float> ids(tokens), w(table), p(positions), to_table(table), to_positions(positions);
      OnDevice<unsigned char> scratch(std::vector<unsigned char>(runtime::cuda::embedding_backward_scratch(shape)));
      runtime::cuda::embedding(nullptr, to.data(), ids.data(), w.data(), p.data(), shape);
      runtime::cuda::embedding_backward(nullptr, to_table.data(), to_positions.data(), g.data(), ids.data(),
                                        scratch.data(), shape);
      expect("out", to.values(), out, tolerance<T>());
      // One token of all rows: the sum is as large as the square root of their number, its rounding as their number.
      expect("table", to_table.values(), table_gradient, one_token ? 1e-4 : 1e-5);
      expect("positions", to_positions.values(), position_gradient, 1e-5);
      scratch.values();
      return bytes_of(to.values(), to_table.values(), to_positions.values());
    });
  }
}

void TestCudaRows::unknown_token_is_nan() {
  unknown_tokens_are_nan({1, 3, 4, 5});
  unknown_tokens_are_nan({1, 3, 4, 5, 0, 2});
}

void TestCudaRows::unknown_tokens_are_nan(const runtime::cuda::EmbeddingShape& shape) {
  OnDevice<float> tokens(std::vector<float>{1, 5, -2}), table(std::vector<float>(20, 1)),
      positions(std::vector<float>(12, 2)), out(std::vector<float>(12)), gradient(std::vector<float>(12, 3));
  OnDevice<unsigned char> scratch(std::vector<unsigned char>(runtime::cuda::embedding_backward_scratch(shape)));
  runtime::cuda::embedding(nullptr, out.data(), tokens.data(), table.data(), positions.data(), shape);
  runtime::cuda::embedding_backward(nullptr, table.data(), positions.data(), gradient.data(), tokens.data(),
                                    scratch.data(), shape);
  for (std::size_t i = 0; i < 12; ++i) QCOMPARE(std::isnan(out.values()[i]), i >= 4);
  for (std::size_t i = 0; i < 20; ++i) QCOMPARE(table.values()[i], i >= 4 && i < 8 ? 4.0f : 1.0f);
}

void TestCudaRows::weight_updates() {
  for (const std::int64_t count : {std::int64_t{1}, std::int64_t{4}, std::int64_t{1003}, fresh_.between(1, 9000)})
    for (const std::size_t apart : {0u, 1u})
      for (int rule = 0; rule < 4; ++rule) {
        const auto weight = fresh_.of<float>(count), gradient = fresh_.of<float>(count),
                   first = fresh_.of<float>(count);
        auto second = fresh_.of<float>(count);
        for (float& square : second) square = std::abs(square);
        std::vector<float> new_weight(weight), new_first(rule == 2 ? second : first), new_second(second);
        const Optimizer kinds[] = {Optimizer::sgd, Optimizer::momentum, Optimizer::rmsprop, Optimizer::adam};
        std::vector<float> used(gradient);
        runtime::tensor::update_on_host({kinds[rule], rule == 3 ? 0.02f : 0.1f, 1.7f},
                                        {new_weight.data(), used.data(), new_first.data(), new_second.data(), count});
        same_in_every_order([&] {
          OnDevice<float> w(weight, apart), g(gradient, apart), a(rule == 2 ? second : first, apart), b(second, apart);
          OnDevice<Bf16> rounded(rounded_to<Bf16>(doubles(weight)), apart);
          if (rule == 0) runtime::cuda::sgd_update(nullptr, w.data(), g.data(), nullptr, 0.1f, count);
          if (rule == 1)
            runtime::cuda::momentum_update(nullptr, w.data(), g.data(), a.data(), rounded.data(), 0.1f, count);
          if (rule == 2)
            runtime::cuda::rmsprop_update(nullptr, w.data(), g.data(), a.data(), rounded.data(), 0.1f, count);
          if (rule == 3)
            runtime::cuda::adam_update(nullptr, w.data(), g.data(), a.data(), b.data(), rounded.data(), {0.02f, 1.7f},
                                       count);
          expect("weights", w.values(), doubles(new_weight), 1e-5);
          expect("gradients", g.values(), std::vector<double>(gradient.size()), 0);
          if (rule > 0) expect("first", a.values(), doubles(new_first), 1e-5);
          if (rule > 2) expect("second", b.values(), doubles(new_second), 1e-5);
          const auto expected_rounded = rule > 0 ? rounded_to<Bf16>(doubles(w.values())) : rounded.values();
          if (bytes_of(rounded.values()) != bytes_of(expected_rounded)) throw std::runtime_error("rounded weights");
          return bytes_of(w.values(), g.values(), a.values(), b.values(), rounded.values());
        });
      }
}

QTEST_MAIN(TestCudaRows)
#include "tst_cuda_rows.moc"
