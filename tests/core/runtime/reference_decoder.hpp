// SPDX-License-Identifier: Apache-2.0
// The blocks of today's language models in double precision, position by position, head by head.
#pragma once

#include "core/model/model.hpp"
#include "tests/core/runtime/reference_plain.hpp"

namespace pipedeck::test {

/// Sizes with their defaults, and a cursor over the parameters.
class DecoderReference {
 public:
  DecoderReference(const ModelLayer& layer, const Vector& p) : layer_(layer), p_(p) {}

  Vector attention(const Vector& x) {
    const std::size_t h = size("hidden"), a = size("heads"), k = size("key_value_heads", a),
                      d = size("head_width", h / a), s = size("sequence");
    const Vector normal = norm(x, h, next(h));
    const std::size_t wq = next(h * a * d), wk = next(h * k * d), wv = next(h * k * d);
    const bool bias = size("bias_qkv", 0) == 1, norms = size("norm_heads", 0) == 1;
    Vector q = product(normal, h, a * d, wq), keys = product(normal, h, k * d, wk), v = product(normal, h, k * d, wv);
    if (bias) add_bias(q, a * d), add_bias(keys, k * d), add_bias(v, k * d);
    if (norms) q = norm(q, d, next(d)), keys = norm(keys, d, next(d));
    rotate(q, a, d, s), rotate(keys, k, d, s);
    Vector context(q.size());
    for (std::size_t row = 0; row < x.size() / h; ++row)
      for (std::size_t head = 0; head < a; ++head) attend(context, q, keys, v, row, head, {a, k, d, s});
    return sum(x, product(context, a * d, h, next(a * d * h)));
  }

  /// Continues behind the parameters up to `at`.
  Vector feed_forward_from(const Vector& x, std::size_t at) {
    at_ = at;
    return feed_forward(x);
  }

  Vector feed_forward(const Vector& x) {
    const std::size_t h = size("hidden"), f = size("feed_forward");
    const Vector normal = norm(x, h, next(h)), both = product(normal, h, 2 * f, next(h * 2 * f));
    Vector active(x.size() / h * f);
    for (std::size_t i = 0; i < active.size(); ++i) {
      const double gate = both[i / f * 2 * f + i % f], up = both[i / f * 2 * f + f + i % f];
      active[i] = gate / (1 + std::exp(-gate)) * up;
    }
    return sum(x, product(active, f, h, next(f * h)));
  }

  Vector norm(const Vector& x, std::size_t width, std::size_t gain) const {
    Vector y(x.size());
    for (std::size_t first = 0; first < x.size(); first += width) {
      double squares = 0;
      for (std::size_t i = 0; i < width; ++i) squares += x[first + i] * x[first + i] / static_cast<double>(width);
      const double root = std::sqrt(squares + 1e-9 * static_cast<double>(size("epsilon_billionths", 10000)));
      for (std::size_t i = 0; i < width; ++i) y[first + i] = x[first + i] / root * p_[gain + i];
    }
    return y;
  }

 private:
  struct Heads {
    std::size_t queries, keys, width, sequence;
  };

  /// A size of 0 stands for the default here.
  std::size_t size(const char* key, std::size_t otherwise = 0) const {
    const auto found = layer_.sizes.find(key);
    return found == layer_.sizes.end() || found->second == 0 ? otherwise : static_cast<std::size_t>(found->second);
  }
  std::size_t next(std::size_t floats) { return at_ += floats, at_ - floats; }

  Vector product(const Vector& x, std::size_t in, std::size_t out, std::size_t weight) const {
    Vector y(x.size() / in * out);
    for (std::size_t i = 0; i < y.size(); ++i)
      for (std::size_t j = 0; j < in; ++j) y[i] += x[i / out * in + j] * p_[weight + j * out + i % out];
    return y;
  }
  void add_bias(Vector& values, std::size_t width) {
    const std::size_t bias = next(width);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += p_[bias + i % width];
  }
  static Vector sum(Vector a, const Vector& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  }

  /// Scales an angle as Llama 3.1 does, by its wavelength.
  double step(double angle) const {
    const auto part = [&](const char* key, std::size_t otherwise) {
      return 1e-3 * static_cast<double>(size(key, otherwise));
    };
    const double factor = part("rotary_factor_permille", 1000), low = part("rotary_low_permille", 1000),
                 high = part("rotary_high_permille", 4000),
                 original = static_cast<double>(size("rotary_original", 8192)),
                 wavelength = 2 * std::acos(-1.0) / angle;
    if (wavelength < original / high) return angle;
    if (wavelength > original / low) return angle / factor;
    const double smooth = (original / wavelength - low) / (high - low);
    return (1 - smooth) * angle / factor + smooth * angle;
  }

  void rotate(Vector& values, std::size_t heads, std::size_t d, std::size_t s) const {
    const Vector before = values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t column = i % d, position = i / d / heads % s;
      const double angle = static_cast<double>(position) *
                           step(std::pow(size("rotary_base", 10000),
                                         -2.0 * static_cast<double>(column % (d / 2)) / static_cast<double>(d)));
      const double other = column < d / 2 ? -before[i + d / 2] : before[i - d / 2];
      values[i] = before[i] * std::cos(angle) + other * std::sin(angle);
    }
  }

  void attend(Vector& context, const Vector& q, const Vector& k, const Vector& v, std::size_t row, std::size_t head,
              const Heads& n) const {
    const std::size_t start = row / n.sequence * n.sequence, window = size("window", n.sequence),
                      first = row - start + 1 > window ? row + 1 - window : start, shared = head / (n.queries / n.keys),
                      d = n.width;
    Vector weight;
    double total = 0;
    for (std::size_t other = first; other <= row; ++other) {
      double score = 0;
      for (std::size_t i = 0; i < d; ++i)
        score += q[(row * n.queries + head) * d + i] * k[(other * n.keys + shared) * d + i];
      weight.push_back(std::exp(score / std::sqrt(static_cast<double>(d))));
      total += weight.back();
    }
    for (std::size_t other = first; other <= row; ++other)
      for (std::size_t i = 0; i < d; ++i)
        context[(row * n.queries + head) * d + i] +=
            weight[other - first] / total * v[(other * n.keys + shared) * d + i];
  }

  const ModelLayer& layer_;
  const Vector& p_;
  std::size_t at_ = 0;
};

inline Vector reference_decoder(const ModelLayer& layer, const Vector& x, const Vector& p) {
  DecoderReference reference(layer, p);
  if (layer.kind == "rms_norm") return reference.norm(x, static_cast<std::size_t>(layer.size("hidden")), 0);
  if (layer.kind == "attention") return reference.attention(x);
  if (layer.kind == "feed_forward") return reference.feed_forward(x);
  return reference.feed_forward(reference.attention(x));
}

}  // namespace pipedeck::test
