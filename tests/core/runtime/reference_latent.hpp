// SPDX-License-Identifier: Apache-2.0
// Multi-head latent attention in double precision: every key and value of every head written out.
#pragma once

#include "tests/core/runtime/reference_decoder.hpp"

namespace pipedeck::test {

inline Vector reference_latent_attention(const ModelLayer& layer, const Vector& x, const Vector& p, std::size_t& at) {
  const auto size = [&](const char* key) { return static_cast<std::size_t>(layer.size(key)); };
  const std::size_t h = size("hidden"), a = size("heads"), rq = size("query_rank"), r = size("key_value_rank"),
                    dn = size("plain_width"), dr = size("rotary_width"), dv = size("value_width"), s = size("sequence"),
                    n = x.size() / h;
  const DecoderReference norms(layer, p);
  const auto next = [&](std::size_t floats) { return at += floats, at - floats; };
  const auto product = [&](const Vector& in, std::size_t from, std::size_t to, std::size_t weight) {
    Vector out(in.size() / from * to);
    for (std::size_t i = 0; i < out.size(); ++i)
      for (std::size_t j = 0; j < from; ++j) out[i] += in[i / to * from + j] * p[weight + j * to + i % to];
    return out;
  };
  /// The value at column `c` of a part of `dr` columns from `first` on, turned by the row's position.
  const auto turned = [&](const Vector& values, std::size_t first, std::size_t row, std::size_t c) {
    const double angle =
        static_cast<double>(row % s) / std::pow(static_cast<double>(size("rotary_base")),
                                                2.0 * static_cast<double>(c % (dr / 2)) / static_cast<double>(dr));
    const double other = c < dr / 2 ? -values[first + c + dr / 2] : values[first + c - dr / 2];
    return values[first + c] * std::cos(angle) + other * std::sin(angle);
  };
  const Vector normal = norms.norm(x, h, next(h));
  Vector q = normal;
  if (rq > 0) {
    q = product(normal, h, rq, next(h * rq));
    q = norms.norm(q, rq, next(rq));
  }
  q = product(q, rq > 0 ? rq : h, a * (dn + dr), next((rq > 0 ? rq : h) * a * (dn + dr)));
  const Vector down = product(normal, h, r + dr, next(h * (r + dr)));
  Vector latent;
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t c = 0; c < r; ++c) latent.push_back(down[row * (r + dr) + c]);
  const Vector both = product(norms.norm(latent, r, at), r, a * (dn + dv), at + r);
  at += r + r * a * (dn + dv);
  Vector context(n * a * dv);
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t head = 0; head < a; ++head) {
      const std::size_t first = row / s * s, own = (row * a + head) * (dn + dr);
      Vector weight;
      double sum = 0;
      for (std::size_t other = first; other <= row; ++other) {
        double score = 0;
        for (std::size_t c = 0; c < dn; ++c) score += q[own + c] * both[(other * a + head) * (dn + dv) + c];
        for (std::size_t c = 0; c < dr; ++c)
          score += turned(q, own + dn, row, c) * turned(down, other * (r + dr) + r, other, c);
        weight.push_back(std::exp(score / std::sqrt(static_cast<double>(dn + dr))));
        sum += weight.back();
      }
      for (std::size_t other = first; other <= row; ++other)
        for (std::size_t c = 0; c < dv; ++c)
          context[(row * a + head) * dv + c] +=
              weight[other - first] / sum * both[(other * a + head) * (dn + dv) + dn + c];
    }
  Vector y = product(context, a * dv, h, next(a * dv * h));
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += x[i];
  return y;
}

inline Vector reference_latent(const ModelLayer& layer, const Vector& x, const Vector& p) {
  std::size_t end = 0;
  const Vector x1 = reference_latent_attention(layer, x, p, end);
  return layer.kind == "latent_decoder" ? DecoderReference(layer, p).feed_forward_from(x1, end) : x1;
}

}  // namespace pipedeck::test
