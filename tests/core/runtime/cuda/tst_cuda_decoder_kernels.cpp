// SPDX-License-Identifier: Apache-2.0
// The kernels of today's language models compared with references in double precision: norms by root mean squares,
// gated activations, rotary positions of grouped heads.
#include <QtTest>

#include <numbers>

#include "tests/core/runtime/cuda/kernel_case.hpp"

using namespace pipedeck;
using namespace pipedeck::test;
using runtime::cuda::Bf16;
using runtime::cuda::GroupedHeads;
using runtime::layers::RotaryAngles;

namespace {

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

/// Turns pair i of each head of a row at `position`, by Llama 3.1's rule (rotary_angles.hpp); `direction` -1: back.
void turn(double* heads, std::int64_t count, std::int64_t head, std::int64_t position, const RotaryAngles& of,
          double direction) {
  for (std::int64_t h = 0; h < count; ++h)
    for (std::int64_t i = 0; i < head / 2; ++i) {
      double step = 1 / std::pow(of.base, 2.0 * static_cast<double>(i) / static_cast<double>(head));
      const double turns = of.original * step / (2 * std::numbers::pi);
      if (turns < of.low)
        step /= of.factor;
      else if (turns < of.high)
        step *= (turns - of.low) / (of.high - of.low) + (of.high - turns) / (of.high - of.low) / of.factor;
      const double angle = direction * static_cast<double>(position) * step;
      double &a = heads[h * head + i], &b = heads[h * head + i + head / 2];
      const double first = a * std::cos(angle) - b * std::sin(angle);
      b = b * std::cos(angle) + a * std::sin(angle), a = first;
    }
}

}  // namespace

class TestCudaDecoderKernels : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    if (const std::string why = why_no_device(); !why.empty()) QSKIP(why.c_str());
    qInfo("%s", fresh_.seed_text().c_str());
  }
  void rms_norms() { rms_norms_of<float>(), rms_norms_of<Bf16>(); }
  void gates() { gates_of<float>(), gates_of<Bf16>(); }
  void grouped_heads() { grouped_heads_of<float>(), grouped_heads_of<Bf16>(); }

 private:
  template <class T>
  void rms_norms_of();
  template <class T>
  void gates_of();
  template <class T>
  void grouped_heads_of();

  Fresh fresh_;
};

template <class T>
void TestCudaDecoderKernels::rms_norms_of() {
  for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{1, 1},
                                      {1, 9000},
                                      {5, 768},
                                      {7, 131},
                                      {300, 16},
                                      {fresh_.between(1, 40), fresh_.between(1, 600)}}) {
    const float epsilon = 1e-5f;
    const auto in = fresh_.of<T>(rows * columns, 2), out_gradient = fresh_.of<T>(rows * columns),
               more = fresh_.of<T>(rows * columns);
    const auto gain = fresh_.of<float>(columns);
    std::vector<double> out, inverse, alone, gains(doubles(gain));
    for (std::int64_t row = 0; row < rows; ++row) {
      const T* const x = in.data() + row * columns;
      const T* const g = out_gradient.data() + row * columns;
      double squares = 0, projection = 0;
      for (std::int64_t i = 0; i < columns; ++i) squares += to_double(x[i]) * to_double(x[i]);
      const double factor = 1 / std::sqrt(squares / static_cast<double>(columns) + to_double(epsilon));
      inverse.push_back(factor);
      for (std::int64_t i = 0; i < columns; ++i) {
        const double normal = to_double(x[i]) * factor;
        out.push_back(normal * to_double(gain[size(i)]));
        projection += to_double(g[i]) * to_double(gain[size(i)]) * normal / static_cast<double>(columns);
        gains[size(i)] += to_double(g[i]) * normal;
      }
      for (std::int64_t i = 0; i < columns; ++i)
        alone.push_back(factor * (to_double(g[i]) * to_double(gain[size(i)]) - to_double(x[i]) * factor * projection));
    }
    std::vector<double> both = alone;
    for (std::size_t i = 0; i < both.size(); ++i) both[i] += to_double(more[i]);
    const double harder = std::max(1.0, *std::ranges::max_element(inverse));
    same_in_every_order([&] {
      OnDevice<T> x(in), y(in), g(out_gradient), to(more), apart(in);
      OnDevice<float> w(gain), r(std::vector<float>(size(rows))), to_gain(gain), gain_alone(gain);
      OnDevice<unsigned char> scratch(std::vector<unsigned char>(runtime::cuda::column_sums_scratch(rows, columns)));
      runtime::cuda::rms_norm(nullptr, y.data(), r.data(), x.data(), w.data(), epsilon, rows, columns);
      expect("out", y.values(), out, tolerance<T>());
      expect("inverse", r.values(), inverse, 1e-5);
      if constexpr (std::is_same_v<T, float>) {
        OnDevice<Bf16> half(std::vector<Bf16>(in.size()));
        runtime::cuda::rms_norm(nullptr, half.data(), r.data(), x.data(), w.data(), epsilon, rows, columns);
        expect("rounded", half.values(), out, tolerance<Bf16>());
      }
      const auto backward = [&](T* in_gradient, const T* other, float* to_gains) {
        runtime::cuda::rms_norm_backward(nullptr, in_gradient, other, to_gains, g.data(), x.data(), r.data(), w.data(),
                                         scratch.data(), rows, columns);
      };
      const T* const none = nullptr;
      backward(to.data(), to.data(), to_gain.data());
      backward(nullptr, none, gain_alone.data());
      OnDevice<float> ignored(gain);
      backward(apart.data(), none, ignored.data());
      expect("input's gradient", to.values(), both, harder * tolerance<T>());
      expect("input's gradient alone", apart.values(), alone, harder * tolerance<T>());
      expect("gain's gradient", to_gain.values(), gains, 2e-5 * harder);
      scratch.values();
      if (bytes_of(gain_alone.values()) != bytes_of(to_gain.values()))
        throw std::runtime_error("without the input's gradient the gain's differs");
      return bytes_of(y.values(), r.values(), to.values(), to_gain.values());
    });
  }
}

template <class T>
void TestCudaDecoderKernels::gates_of() {
  for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{1, 1},
                                      {3, 8},
                                      {2, 1000},
                                      {65, 12},
                                      {fresh_.between(1, 30), fresh_.between(1, 300)}}) {
    const auto in = fresh_.of<T>(2 * rows * columns, 3), out_gradient = fresh_.of<T>(rows * columns);
    std::vector<double> out(size(rows * columns)), in_gradient(in.size());
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t i = 0; i < columns; ++i) {
        const std::size_t gate = size(2 * row * columns + i), up = gate + size(columns), at = size(row * columns + i);
        const double x = to_double(in[gate]), u = to_double(in[up]), g = to_double(out_gradient[at]), s = logistic(x);
        out[at] = x * s * u;
        in_gradient[gate] = g * u * (s + x * s * (1 - s)), in_gradient[up] = g * x * s;
      }
    same_in_every_order([&] {
      OnDevice<T> x(in), y(out_gradient), g(out_gradient), to(in);
      runtime::cuda::silu_gate(nullptr, y.data(), x.data(), rows, columns);
      runtime::cuda::silu_gate_backward(nullptr, to.data(), g.data(), x.data(), rows, columns);
      expect("out", y.values(), out, tolerance<T>());
      expect("input's gradient", to.values(), in_gradient, tolerance<T>());
      return bytes_of(y.values(), to.values());
    });
  }
}

template <class T>
void TestCudaDecoderKernels::grouped_heads_of() {
  for (const GroupedHeads& shape :
       {GroupedHeads{1, 1, 1, 1, 2}, {2, 9, 4, 2, 6}, {1, 300, 2, 1, 16}, {3, 4, 6, 6, 64}}) {
    RotaryAngles angles{10'000};
    if (shape.sequence > 200) angles = {500'000, 8, 1, 4, 64};  // some pairs of each kind
    const std::int64_t rows = shape.samples * shape.sequence, shared = shape.heads / shape.key_value_heads,
                       queries = shape.query_width(), keys = shape.key_width(), head = shape.head_size;
    const auto q = fresh_.of<T>(rows * queries), k = fresh_.of<T>(rows * keys), v = fresh_.of<T>(rows * keys),
               gradient = fresh_.of<T>(3 * rows * queries);
    std::vector<double> qkv, dq, dk, dv;
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t position = row % shape.sequence;
      const auto part = [&](const std::vector<T>& of, std::int64_t from, std::int64_t width) {
        return doubles(std::vector<T>(of.begin() + from, of.begin() + from + width));
      };
      std::vector<double> query = part(q, row * queries, queries), key = part(k, row * keys, keys),
                          value = part(v, row * keys, keys);
      turn(query.data(), shape.heads, head, position, angles, 1);
      turn(key.data(), shape.key_value_heads, head, position, angles, 1);
      qkv.insert(qkv.end(), query.begin(), query.end());
      for (const auto* of : {&key, &value})
        for (std::int64_t h = 0; h < shape.heads; ++h)
          qkv.insert(qkv.end(), of->begin() + h / shared * head, of->begin() + (h / shared + 1) * head);

      query = part(gradient, row * 3 * queries, queries);
      turn(query.data(), shape.heads, head, position, angles, -1);
      dq.insert(dq.end(), query.begin(), query.end());
      key.assign(size(keys), 0), value.assign(size(keys), 0);
      for (std::int64_t i = 0; i < queries; ++i) {
        const std::size_t to = size(i / head / shared * head + i % head);
        key[to] += to_double(gradient[size(row * 3 * queries + queries + i)]);
        value[to] += to_double(gradient[size(row * 3 * queries + 2 * queries + i)]);
      }
      turn(key.data(), shape.key_value_heads, head, position, angles, -1);
      dk.insert(dk.end(), key.begin(), key.end()), dv.insert(dv.end(), value.begin(), value.end());
    }
    same_in_every_order([&] {
      OnDevice<T> of_q(q), of_k(k), of_v(v), to(gradient), from(gradient), to_q(q), to_k(k), to_v(v);
      runtime::cuda::pack_heads(nullptr, to.data(), of_q.data(), of_k.data(), of_v.data(), shape, angles);
      runtime::cuda::unpack_heads(nullptr, to_q.data(), to_k.data(), to_v.data(), from.data(), shape, angles);
      expect("packed", to.values(), qkv, tolerance<T>());
      expect("queries' gradient", to_q.values(), dq, tolerance<T>());
      expect("keys' gradient", to_k.values(), dk, tolerance<T>());
      expect("values' gradient", to_v.values(), dv, tolerance<T>());
      return bytes_of(to.values(), to_q.values(), to_k.values(), to_v.values());
    });
  }
}

QTEST_GUILESS_MAIN(TestCudaDecoderKernels)
#include "tst_cuda_decoder_kernels.moc"
