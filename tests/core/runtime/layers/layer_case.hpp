// SPDX-License-Identifier: Apache-2.0
// One layer with random values, compared with central differences of a reference.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/layers/layer_kernel.hpp"
#include "tests/core/runtime/reference.hpp"

namespace pipedeck::test {

constexpr int samples = 2;
constexpr float loss_scale = 0.125f;

inline Vector wide(std::span<const float> values) { return {values.begin(), values.end()}; }

inline double largest(const Vector& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

/// Largest difference over the largest value.
inline double relative_difference(const Vector& a, const Vector& b) {
  if (a.size() != b.size()) return 1e9;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most / std::max(largest(b), 1e-30);
}

/// Central differences; the error of the sixth digit is far below the tolerances here.
inline Vector numerical_gradient(const std::function<double(const Vector&)>& f, Vector at) {
  constexpr double step = 1e-5;
  Vector gradient(at.size());
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double kept = at[i];
    at[i] = kept + step;
    const double up = f(at);
    at[i] = kept - step;
    gradient[i] = (up - f(at)) / (2 * step);
    at[i] = kept;
  }
  return gradient;
}

inline double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// One layer with random parameters, input and direction of the output's gradient.
struct Case {
  ModelLayer shape;
  std::unique_ptr<runtime::layers::LayerKernel> kernel;
  std::shared_ptr<runtime::tensor::DeviceMemory> memory = std::make_shared<runtime::tensor::DeviceMemory>();
  std::vector<float> parameters, input, direction;

  explicit Case(const ModelLayer& layer) : shape(layer) {
    kernel = std::move(runtime::cpu::cpu_kernel_registry().layers.at(layer.kind)(layer).value());
    pipedeck::Random random(7);
    parameters.resize(static_cast<std::size_t>(kernel->parameters()));
    kernel->initialise(parameters, pipedeck::Random(3));
    for (float& value : parameters) value += 0.3f * random.normal();  // away from zero biases and unit gains
    for (std::int64_t i = 0; i < samples * kernel->input_width(); ++i)
      input.push_back(layer.kind == "embedding" ? static_cast<float>(random.uniform_int(4)) : random.normal());
    for (std::int64_t i = 0; i < samples * kernel->output_width(); ++i) direction.push_back(random.normal());
  }

  runtime::tensor::Tensor tensor(const std::vector<float>& values, std::int64_t width) const {
    runtime::tensor::Tensor result(memory, samples, width);
    std::copy(values.begin(), values.end(), result.data());
    return result;
  }
  Vector reference(const Vector& x, const Vector& p) const { return reference_forward(shape, x, p); }
  /// Returns the function whose gradients the layer computes: the output along `d`, and the layer's own loss.
  double objective(const Vector& x, const Vector& p, const Vector& d) const {
    const double own = reference_own_loss(shape, x, p);
    return dot(reference(x, p), d) + (own != 0 ? loss_scale * static_cast<double>(shape.size("sequence")) * own : 0);
  }
};

struct Gradients {
  Vector output, input, parameters;
};

inline Gradients computed(const Case& c, bool wanted) {
  runtime::layers::SavedTensors saved{{}, loss_scale};
  runtime::tensor::Tensor output = c.kernel->forward(c.tensor(c.input, c.kernel->input_width()), c.parameters, saved);
  Gradients result;
  result.output = wide(output.values());
  const runtime::tensor::Tensor input =
      c.kernel->backward_input(c.tensor(c.direction, c.kernel->output_width()), c.parameters, saved, wanted);
  result.input = wide(input.values());
  std::vector<float> gradients(c.parameters.size(), 1.0f);  // they are added to
  c.kernel->backward_weight(saved, gradients);
  for (const float value : gradients) result.parameters.push_back(double(value) - 1.0);
  return result;
}

}  // namespace pipedeck::test
