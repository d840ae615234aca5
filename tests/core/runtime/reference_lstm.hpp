// SPDX-License-Identifier: Apache-2.0
// An LSTM in double precision, sample by sample, position by position.
#pragma once

#include "core/model/model.hpp"
#include "tests/core/runtime/reference_plain.hpp"

namespace pipedeck::test {

inline Vector reference_lstm(const ModelLayer& layer, const Vector& x, const Vector& p) {
  const auto in = layer.size("in"), h = layer.size("hidden"), s = layer.size("sequence"), d = layer.size("directions");
  const auto at = [](const Vector& values, std::int64_t i) { return values[static_cast<std::size_t>(i)]; };
  const auto sigmoid = [](double value) { return 1 / (1 + std::exp(-value)); };
  const std::int64_t samples = static_cast<std::int64_t>(x.size()) / (s * in), parameters = 4 * h * (in + h + 2);
  Vector y(static_cast<std::size_t>(samples * s * d * h));
  for (std::int64_t n = 0; n < samples; ++n)
    for (std::int64_t direction = 0; direction < d; ++direction) {
      const std::int64_t wx = direction * parameters, wh = wx + in * 4 * h, bias = wh + h * 4 * h;
      Vector cell(static_cast<std::size_t>(h)), hidden = cell;
      for (std::int64_t step = 0; step < s; ++step) {
        const std::int64_t t = direction == 0 ? step : s - 1 - step;
        Vector sums(static_cast<std::size_t>(4 * h));
        for (std::int64_t g = 0; g < 4 * h; ++g) {
          double sum = at(p, bias + g) + at(p, bias + 4 * h + g);
          for (std::int64_t i = 0; i < in; ++i) sum += at(x, (n * s + t) * in + i) * at(p, wx + i * 4 * h + g);
          for (std::int64_t i = 0; i < h; ++i) sum += at(hidden, i) * at(p, wh + i * 4 * h + g);
          sums[static_cast<std::size_t>(g)] = sum;
        }
        for (std::int64_t i = 0; i < h; ++i) {
          double& c = cell[static_cast<std::size_t>(i)];
          c = sigmoid(at(sums, h + i)) * c + sigmoid(at(sums, i)) * std::tanh(at(sums, 2 * h + i));
          hidden[static_cast<std::size_t>(i)] = sigmoid(at(sums, 3 * h + i)) * std::tanh(c);
          y[static_cast<std::size_t>(((n * s + t) * d + direction) * h + i)] = hidden[static_cast<std::size_t>(i)];
        }
      }
    }
  return y;
}

}  // namespace pipedeck::test
