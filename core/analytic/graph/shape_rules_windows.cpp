// SPDX-License-Identifier: Apache-2.0
// Operators on windows of an image (or a line, or a volume): tensors of samples x channels x sizes.
#include <cmath>

#include <fmt/format.h>

#include "core/analytic/graph/shape_rules.hpp"
#include "core/base/checks.hpp"

namespace pipedeck::analytic::graph {
namespace {

constexpr std::int64_t max_reach = std::int64_t{1} << 31;  ///< of windows, strides and padding: sums do not overflow

struct Window {
  Sizes kernel, strides, dilations, before, after;
};

Result<Sizes> sizes_or(const ShapeInferenceContext& call, std::string_view name, std::size_t count,
                       std::int64_t otherwise, std::int64_t least) {
  Sizes sizes = call.integers(name).value_or(Sizes(count, otherwise));
  if (sizes.size() != count)
    return call.wrong(fmt::format("found {} numbers in {}, expected {}", sizes.size(), name, count));
  for (const std::int64_t size : sizes)
    if (size < least || size > max_reach)
      return call.wrong(fmt::format("found {} in {}, expected numbers from {} to {}", size, name, least, max_reach));
  return sizes;
}

Result<Window> window_of(const ShapeInferenceContext& call, std::optional<Sizes> kernel, std::size_t rank) {
  Window window;
  const auto read = [&](Sizes& into, Result<Sizes> sizes) -> Result<void> {
    if (!sizes) return tl::unexpected(sizes.error());
    into = *std::move(sizes);
    return {};
  };
  if (kernel && !call.integers("kernel_shape")) {
    window.kernel = *std::move(kernel);
  } else {
    if (!call.integers("kernel_shape")) return call.wrong("found no kernel_shape, expected one");
    TRY_VOID(read(window.kernel, sizes_or(call, "kernel_shape", rank, 1, 1)));
  }
  for (const std::int64_t size : window.kernel)
    if (size < 1 || size > max_reach) return call.wrong(fmt::format("found a window of {}, expected 1 or more", size));
  TRY_VOID(read(window.strides, sizes_or(call, "strides", rank, 1, 1)));
  TRY_VOID(read(window.dilations, sizes_or(call, "dilations", rank, 1, 1)));
  Sizes pads;
  TRY_VOID(read(pads, sizes_or(call, "pads", 2 * rank, 0, -max_reach)));
  window.before.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(rank));
  window.after.assign(pads.begin() + static_cast<std::ptrdiff_t>(rank), pads.end());
  return window;
}

/// Returns the number of positions of a window along one side.
Result<std::int64_t> places(const ShapeInferenceContext& call, std::int64_t size, const Window& w, std::size_t side,
                            bool round_up) {
  const std::string border = call.text("auto_pad", "NOTSET");
  const std::int64_t stride = w.strides[side];
  if (border == "SAME_UPPER" || border == "SAME_LOWER") return (size + stride - 1) / stride;
  const std::int64_t covered = (w.kernel[side] - 1) * w.dilations[side] + 1;
  const std::int64_t whole = border == "VALID" ? size : size + w.before[side] + w.after[side];
  if (whole < covered)
    return call.wrong(
        fmt::format("found {} numbers with their border, expected at least the window's {}", whole, covered));
  std::int64_t count = (whole - covered + (round_up ? stride - 1 : 0)) / stride + 1;
  // The last window begins inside (as in PyTorch), not in the padding at the end.
  if (round_up && (count - 1) * stride >= size + w.before[side]) --count;
  return count;
}

Result<const SizedTensor*> picture(const ShapeInferenceContext& call) {
  auto x = call.needed(0);
  if (x && (*x)->shape.size() < 3)
    return call.wrong(
        fmt::format("found an input of {}, expected samples x channels x sizes", sizes_text((*x)->shape)));
  return x;
}

Result<void> conv(const ShapeInferenceContext& call) {
  TRY(const auto x, picture(call), w = call.needed(1));
  if (!w) return tl::unexpected(w.error());
  const Sizes &in = x->shape, &weights = (*w)->shape;
  if (weights.size() != in.size())
    return call.wrong(fmt::format("found weights of {} for an input of {}, expected as many dimensions",
                                  sizes_text(weights), sizes_text(in)));
  const std::int64_t groups = call.integer("group", 1);
  if (groups < 1 || in[1] % groups != 0 || in[1] / groups != weights[1] || weights[0] % groups != 0)
    return call.wrong(fmt::format("found weights of {} in {} groups for an input of {}, expected {} channels a group",
                                  sizes_text(weights), groups, sizes_text(in), weights[1]));
  TRY(const auto window, window_of(call, Sizes(weights.begin() + 2, weights.end()), in.size() - 2));
  Sizes out{in[0], weights[0]};
  for (std::size_t side = 0; side + 2 < in.size(); ++side) {
    TRY(const auto count, places(call, in[side + 2], window, side, false));
    out.push_back(count);
  }
  return call.set_output(0, x->element, std::move(out));
}

Result<void> conv_transpose(const ShapeInferenceContext& call) {
  TRY(const auto x, picture(call), w = call.needed(1));
  if (!w) return tl::unexpected(w.error());
  const Sizes &in = x->shape, &weights = (*w)->shape;
  const std::int64_t groups = call.integer("group", 1);
  if (weights.size() != in.size() || weights[0] != in[1] || groups < 1 || groups > in[1] || in[1] % groups != 0)
    return call.wrong(fmt::format("found weights of {} for an input of {}, expected {} channels first",
                                  sizes_text(weights), sizes_text(in), in[1]));
  const std::size_t sides = in.size() - 2;
  TRY(const auto window, window_of(call, Sizes(weights.begin() + 2, weights.end()), sides));
  TRY(const auto more, sizes_or(call, "output_padding", sides, 0, 0));
  const std::optional<Sizes> given = call.integers("output_shape");
  const bool alike = call.text("auto_pad", "NOTSET").starts_with("SAME");
  Sizes out{in[0], 0};
  if (weights[1] > limits::bytes / groups) return call.wrong("found more channels than any model has");
  out[1] = weights[1] * groups;
  for (std::size_t side = 0; side < sides; ++side) {
    if (in[side + 2] > limits::bytes / window.strides[side]) return call.wrong("found a result larger than any is");
    const std::int64_t covered = (window.kernel[side] - 1) * window.dilations[side] + 1;
    const std::int64_t full = window.strides[side] * (in[side + 2] - 1) + more[side] + covered;
    out.push_back(given && given->size() == sides ? (*given)[side]
                  : alike                         ? in[side + 2] * window.strides[side]
                                                  : full - window.before[side] - window.after[side]);
  }
  return call.set_output(0, x->element, std::move(out));
}

Result<void> pool(const ShapeInferenceContext& call) {
  TRY(const auto x, picture(call));
  const Sizes& in = x->shape;
  TRY(const auto window, window_of(call, std::nullopt, in.size() - 2));
  Sizes out{in[0], in[1]};
  for (std::size_t side = 0; side + 2 < in.size(); ++side) {
    TRY(const auto count, places(call, in[side + 2], window, side, call.integer("ceil_mode", 0) != 0));
    out.push_back(count);
  }
  TRY_VOID(call.set_output(0, x->element, out));
  return call.set_output(1, Element::integer_64, std::move(out));
}

Result<void> global_pool(const ShapeInferenceContext& call) {
  TRY(const auto x, picture(call));
  Sizes out(x->shape.size(), 1);
  out[0] = x->shape[0], out[1] = x->shape[1];
  return call.set_output(0, x->element, std::move(out));
}

/// Upsample has its scales second, Resize third; sizes are fourth.
Result<void> resize(const ShapeInferenceContext& call) {
  TRY(const auto x, call.needed(0));
  const Sizes& in = x->shape;
  const SizedTensor* sizes = call.input(3);
  if (sizes && !sizes->shape.empty() && sizes->shape[0] > 0) {
    TRY(auto out, call.needed_numbers(3, "sizes"));
    if (out.size() != in.size()) return call.wrong(fmt::format("found {} sizes, expected {}", out.size(), in.size()));
    return call.set_output(0, x->element, std::move(out));
  }
  const SizedTensor* scales = call.type() == "Upsample" || call.version() < 11 ? call.input(1) : call.input(2);
  std::vector<double> factors;
  if (scales && scales->values) factors = *scales->values;
  if (const Attribute* old = call.attribute("scales"); old && factors.empty())
    if (const auto* reals = std::get_if<std::vector<double>>(&old->value)) factors = *reals;
  if (factors.size() != in.size())
    return call.wrong(fmt::format("found {} scales that follow from sizes, expected {}", factors.size(), in.size()));
  Sizes out;
  for (std::size_t i = 0; i < in.size(); ++i)
    out.push_back(whole_number(std::floor(static_cast<double>(in[i]) * factors[i])));
  return call.set_output(0, x->element, std::move(out));
}

/// Moves pixels from channels to sides, and back.
Result<void> depth_and_space(const ShapeInferenceContext& call) {
  TRY(const auto x, picture(call));
  const Sizes& in = x->shape;
  const std::int64_t block = call.integer("blocksize", 0);
  const bool to_space = call.type() == "DepthToSpace";
  const bool fits =
      in.size() == 4 && block >= 1 && block <= (1 << 20) &&
      (to_space ? in[1] % (block * block) == 0 && in[2] <= limits::bytes / block && in[3] <= limits::bytes / block
                : in[2] % block == 0 && in[3] % block == 0 && in[1] <= limits::bytes / (block * block));
  if (!fits)
    return call.wrong(
        fmt::format("found an input of {} for blocks of {}, expected sizes that they divide", sizes_text(in), block));
  if (to_space) return call.set_output(0, x->element, {in[0], in[1] / (block * block), in[2] * block, in[3] * block});
  return call.set_output(0, x->element, {in[0], in[1] * block * block, in[2] / block, in[3] / block});
}

}  // namespace

ShapeRules window_shape_rules() {
  return {{"Conv", conv},
          {"ConvTranspose", conv_transpose},
          {"MaxPool", pool},
          {"AveragePool", pool},
          {"LpPool", pool},
          {"GlobalAveragePool", global_pool},
          {"GlobalMaxPool", global_pool},
          {"GlobalLpPool", global_pool},
          {"Resize", resize},
          {"Upsample", resize},
          {"DepthToSpace", depth_and_space},
          {"SpaceToDepth", depth_and_space}};
}

}  // namespace pipedeck::analytic::graph
