// SPDX-License-Identifier: Apache-2.0
#include "core/model/layer_kinds.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

namespace pipedeck {
namespace {

// --- sizes

constexpr SizeRule tied{"tied", 0, 0, 1};
constexpr std::array embedding_sizes{SizeRule{"vocabulary"}, SizeRule{"hidden"}, SizeRule{"sequence"},
                                     SizeRule{"positions", 1, 0, 1}, tied};
constexpr std::array transformer_sizes{SizeRule{"hidden"}, SizeRule{"heads"}, SizeRule{"feed_forward"},
                                       SizeRule{"sequence"}, SizeRule{"causal", 0, 0, 1}};
constexpr std::array layer_norm_sizes{SizeRule{"hidden"}, SizeRule{"sequence", 1}};
constexpr SizeRule epsilon{"epsilon_billionths", 10'000, 0, 1'000'000'000};
constexpr SizeRule rotary_factor{"rotary_factor_permille", 1'000}, rotary_low{"rotary_low_permille", 1'000},
    rotary_high{"rotary_high_permille", 4'000}, rotary_original{"rotary_original", 8'192};
constexpr std::array rms_norm_sizes{SizeRule{"hidden"}, SizeRule{"sequence", 1}, epsilon};
constexpr std::array attention_sizes{SizeRule{"hidden"},
                                     SizeRule{"heads"},
                                     SizeRule{"key_value_heads", 0, 0},
                                     SizeRule{"head_width", 0, 0},
                                     SizeRule{"sequence"},
                                     SizeRule{"window", 0, 0},
                                     SizeRule{"rotary_base", 10'000},
                                     rotary_factor,
                                     rotary_low,
                                     rotary_high,
                                     rotary_original,
                                     SizeRule{"bias_qkv", 0, 0, 1},
                                     SizeRule{"norm_heads", 0, 0, 1},
                                     epsilon};
constexpr std::array feed_forward_sizes{SizeRule{"hidden"}, SizeRule{"feed_forward"}, SizeRule{"sequence"}, epsilon};
constexpr std::array latent_attention_sizes{SizeRule{"hidden"},
                                            SizeRule{"heads"},
                                            SizeRule{"query_rank", 0, 0},
                                            SizeRule{"key_value_rank"},
                                            SizeRule{"plain_width"},
                                            SizeRule{"rotary_width"},
                                            SizeRule{"value_width"},
                                            SizeRule{"sequence"},
                                            SizeRule{"rotary_base", 10'000},
                                            epsilon};
/// Returns the sizes of an attention with a feed-forward after it.
template <std::size_t Count>
constexpr std::array<SizeRule, Count + 1> with_feed_forward(const std::array<SizeRule, Count>& attention) {
  std::array<SizeRule, Count + 1> sizes{};
  std::ranges::copy(attention, sizes.begin());
  sizes.back() = {"feed_forward"};
  return sizes;
}
constexpr std::array decoder_sizes = with_feed_forward(attention_sizes);
constexpr std::array latent_decoder_sizes = with_feed_forward(latent_attention_sizes);
constexpr std::array experts_sizes{SizeRule{"hidden"},
                                   SizeRule{"experts"},
                                   SizeRule{"per_token"},
                                   SizeRule{"feed_forward"},
                                   SizeRule{"shared_feed_forward", 0, 0},
                                   SizeRule{"sequence"},
                                   SizeRule{"sigmoid", 0, 0, 1},
                                   SizeRule{"groups", 1},
                                   SizeRule{"groups_per_token", 0, 0},
                                   SizeRule{"normalised", 1, 0, 1},
                                   SizeRule{"scale_permille", 1'000},
                                   SizeRule{"auxiliary_loss_permille", 0, 0},
                                   SizeRule{"capacity_percent", 0, 0},
                                   SizeRule{"bias_rate_millionths", 0, 0, 1'000'000},
                                   epsilon};
constexpr std::array linear_sizes{SizeRule{"in"},
                                  SizeRule{"out"},
                                  SizeRule{"sequence", 1},
                                  SizeRule{"activation", 0, 0, 2},
                                  SizeRule{"bias", 1, 0, 1},
                                  tied};
constexpr std::array convolution_sizes{SizeRule{"in"},
                                       SizeRule{"out"},
                                       SizeRule{"kernel"},
                                       SizeRule{"stride", 1},
                                       SizeRule{"padding", 0, 0},
                                       SizeRule{"height"},
                                       SizeRule{"width"},
                                       SizeRule{"activation", 1, 0, 2},
                                       SizeRule{"bias", 1, 0, 1}};
constexpr std::array pool_sizes{SizeRule{"channels"},      SizeRule{"kernel"}, SizeRule{"stride", 1},
                                SizeRule{"padding", 0, 0}, SizeRule{"height"}, SizeRule{"width"}};
constexpr std::array global_pool_sizes{SizeRule{"channels"}, SizeRule{"height"}, SizeRule{"width"}};
constexpr std::array batch_norm_sizes{SizeRule{"channels"}, SizeRule{"height"}, SizeRule{"width"},
                                      SizeRule{"activation", 0, 0, 2}};
constexpr std::array bottleneck_sizes{SizeRule{"in"},        SizeRule{"middle"}, SizeRule{"out"},
                                      SizeRule{"stride", 1}, SizeRule{"height"}, SizeRule{"width"}};
constexpr std::array residual_sizes{SizeRule{"in"}, SizeRule{"out"}, SizeRule{"stride", 1}, SizeRule{"height"},
                                    SizeRule{"width"}};
constexpr std::array lstm_sizes{SizeRule{"in"}, SizeRule{"hidden"}, SizeRule{"sequence", 1},
                                SizeRule{"directions", 1, 1, 2}};
constexpr std::array loss_sizes{SizeRule{"classes"}, SizeRule{"sequence", 1}};

// --- costs

// A matmul of m x k by k x n takes 2mkn operations; so does each of its two gradients.
double product(double m, double k, double n) { return 2 * m * k * n; }

LayerCount embedding(const ModelLayer& layer) {
  const auto v = static_cast<double>(layer.size("vocabulary")), h = static_cast<double>(layer.size("hidden")),
             s = static_cast<double>(layer.size("sequence"));
  const double positions = layer.size("positions") != 0 ? s : 0;
  return {.forward = s * h, .weight = s * h, .in = s, .out = s * h, .saved = s, .parameters = (v + positions) * h};
}

/// Operations: 24 s h^2 + 4 s^2 h with f = 4h (Narayanan et al., arXiv 2104.04473, appendix). Saved: 34 sh + 5 a s^2
/// bytes in 16 bits (Korthikanti et al., arXiv 2205.05198, section 4.1). Without dropout masks and in elements instead
/// of bytes, this is 16 sh + a s^2 = 8 sh + 2 sf + a s^2.
LayerCount transformer(const ModelLayer& layer) {
  const auto h = static_cast<double>(layer.size("hidden")), f = static_cast<double>(layer.size("feed_forward")),
             s = static_cast<double>(layer.size("sequence")), a = static_cast<double>(layer.size("heads"));
  const double weights = product(s, h, 4 * h) + product(s, h, f) + product(s, f, h);
  return {.forward = weights + 2 * product(s, h, s),
          .weight = weights,
          .in = s * h,
          .out = s * h,
          .saved = 8 * s * h + 2 * s * f + a * s * s,
          .parameters = 4 * h * (h + 1) + h * f + f + f * h + h + 4 * h};
}

/// Saved: the input, the norm's output and factors, queries, keys and values, probabilities and their sums of values;
/// with a norm of the heads, also its input and factors. Products of scores are of all pairs of positions.
LayerCount attention(const ModelLayer& layer) {
  const auto h = static_cast<double>(layer.size("hidden")), s = static_cast<double>(layer.size("sequence")),
             a = static_cast<double>(layer.size("heads")), k = static_cast<double>(key_value_heads(layer)),
             d = static_cast<double>(head_width(layer));
  const bool bias = layer.size("bias_qkv") != 0, norm = layer.size("norm_heads") != 0;
  const double weights = product(s, h, (a + 2 * k) * d) + product(s, a * d, h);
  return {.forward = weights + 2 * a * product(s, d, s),
          .weight = weights,
          .in = s * h,
          .out = s * h,
          .saved = s * (2 * h + 1 + (2 * a + 2 * k) * d + a * s + (norm ? (a + k) * (d + 1) : 0)),
          .parameters = h + 2 * h * (a + k) * d + (bias ? (a + 2 * k) * d : 0) + (norm ? 2 * d : 0)};
}

/// Saved: the input, the norm's output and factors, gate and up, and the input of the product out of them.
LayerCount feed_forward(const ModelLayer& layer) {
  const auto h = static_cast<double>(layer.size("hidden")), s = static_cast<double>(layer.size("sequence")),
             f = static_cast<double>(layer.size("feed_forward"));
  const double weights = product(s, h, 3 * f);
  return {.forward = weights,
          .weight = weights,
          .in = s * h,
          .out = s * h,
          .saved = s * (2 * h + 1 + 3 * f),
          .parameters = h + 3 * h * f};
}

/// Counts all choices of experts, also those beyond a capacity. Saved: the input, the norm's output and factors, the
/// router's scores, choices and their weights, and each chosen expert's gates, ups and input of its product out.
LayerCount experts(const ModelLayer& layer) {
  const auto h = static_cast<double>(layer.size("hidden")), s = static_cast<double>(layer.size("sequence")),
             f = static_cast<double>(layer.size("feed_forward")), e = static_cast<double>(layer.size("experts")),
             k = static_cast<double>(layer.size("per_token")),
             shared = static_cast<double>(layer.size("shared_feed_forward"));
  const double weights = product(s, h, e) + product(s, h, 3 * (k * f + shared));
  return {.forward = weights,
          .weight = weights,
          .in = s * h,
          .out = s * h,
          .saved = s * (2 * h + 1 + e + 2 * k + 3 * (k * f + shared)),
          .parameters = h + h * e + (layer.size("bias_rate_millionths") != 0 ? e : 0) + 3 * h * (e * f + shared)};
}

/// Returns the count of a layer that is one after the other.
LayerCount joined(const LayerCount& first, const LayerCount& second) {
  return {.forward = first.forward + second.forward,
          .weight = first.weight + second.weight,
          .in = first.in,
          .out = second.out,
          .saved = first.saved + second.saved,
          .parameters = first.parameters + second.parameters};
}

LayerCount decoder(const ModelLayer& layer) { return joined(attention(layer), feed_forward(layer)); }

/// Saved: as attention, and the narrow vectors before and after their norms.
LayerCount latent_attention(const ModelLayer& layer) {
  const auto h = static_cast<double>(layer.size("hidden")), s = static_cast<double>(layer.size("sequence")),
             a = static_cast<double>(layer.size("heads")), q = static_cast<double>(layer.size("query_rank")),
             r = static_cast<double>(layer.size("key_value_rank")),
             plain = static_cast<double>(layer.size("plain_width")),
             rotary = static_cast<double>(layer.size("rotary_width")),
             value = static_cast<double>(layer.size("value_width")), d = plain + rotary;
  const double queries = q > 0 ? q * (h + a * d) : h * a * d;
  const double matrices = queries + h * (r + rotary) + r * a * (plain + value) + a * value * h;
  return {.forward = product(s, matrices, 1) + a * (product(s, d, s) + product(s, s, value)),
          .weight = product(s, matrices, 1),
          .in = s * h,
          .out = s * h,
          .saved = s * (2 * h + 1 + 2 * r + 1 + 2 * a * (d + value) + a * s + (q > 0 ? 2 * q + 1 : 0)),
          .parameters = matrices + h + r + q};
}

LayerCount latent_decoder(const ModelLayer& layer) { return joined(latent_attention(layer), feed_forward(layer)); }

LayerCount rms_norm(const ModelLayer& layer) {
  const auto h = static_cast<double>(layer.size("hidden")), s = static_cast<double>(layer.size("sequence"));
  return {.forward = 4 * s * h, .weight = 2 * s * h, .in = s * h, .out = s * h, .saved = s * (h + 1), .parameters = h};
}

LayerCount layer_norm(const ModelLayer& layer) {
  const auto h = static_cast<double>(layer.size("hidden")), s = static_cast<double>(layer.size("sequence"));
  return {
      .forward = 8 * s * h, .weight = 4 * s * h, .in = s * h, .out = s * h, .saved = s * (h + 2), .parameters = 2 * h};
}

LayerCount linear(const ModelLayer& layer) {
  const auto in = static_cast<double>(layer.size("in")), out = static_cast<double>(layer.size("out")),
             s = static_cast<double>(layer.size("sequence"));
  const bool activated = layer.size("activation") != 0;  // its gradient needs its input
  return {.forward = product(s, in, out),
          .weight = product(s, in, out),
          .in = s * in,
          .out = s * out,
          .saved = s * in + (activated ? s * out : 0),
          .parameters = in * out + (layer.size("bias") != 0 ? out : 0)};
}

double window_output_size(const ModelLayer& layer, const char* side) {
  return static_cast<double>(
      (layer.size(side) + 2 * layer.size("padding") - layer.size("kernel")) / layer.size("stride") + 1);
}

LayerCount convolution(const ModelLayer& layer) {
  const auto in = static_cast<double>(layer.size("in")), out = static_cast<double>(layer.size("out")),
             k = static_cast<double>(layer.size("kernel"));
  const double before = static_cast<double>(layer.size("height")) * static_cast<double>(layer.size("width"));
  const double after = window_output_size(layer, "height") * window_output_size(layer, "width");
  const double operations = product(after, k * k * in, out);
  const bool activated = layer.size("activation") != 0;
  return {.forward = operations,
          .weight = operations,
          .in = in * before,
          .out = out * after,
          .saved = in * before + (activated ? out * after : 0),
          .parameters = k * k * in * out + (layer.size("bias") != 0 ? out : 0)};
}

LayerCount pool(const ModelLayer& layer) {
  const auto c = static_cast<double>(layer.size("channels")), k = static_cast<double>(layer.size("kernel"));
  const double before = c * static_cast<double>(layer.size("height")) * static_cast<double>(layer.size("width"));
  const double after = c * window_output_size(layer, "height") * window_output_size(layer, "width");
  return {.forward = after * k * k, .weight = 0, .in = before, .out = after, .saved = before + after, .parameters = 0};
}

LayerCount global_pool(const ModelLayer& layer) {
  const auto c = static_cast<double>(layer.size("channels"));
  const double before = c * static_cast<double>(layer.size("height")) * static_cast<double>(layer.size("width"));
  return {.forward = before, .weight = 0, .in = before, .out = c, .saved = before, .parameters = 0};
}

LayerCount batch_norm(const ModelLayer& layer) {
  const auto c = static_cast<double>(layer.size("channels"));
  const double kept = layer.size("activation") != 0 ? 2 : 1;
  const double values = c * static_cast<double>(layer.size("height")) * static_cast<double>(layer.size("width"));
  return {.forward = 8 * values,
          .weight = 4 * values,
          .in = values,
          .out = values,
          .saved = kept * values,
          .parameters = 2 * c};
}

/// He et al., arXiv 1512.03385, section 4.2: two 3 x 3 convolutions and, where the shape changes, a 1 x 1 projection;
/// each with a batch norm.
LayerCount residual(const ModelLayer& layer) {
  const auto in = static_cast<double>(layer.size("in")), out = static_cast<double>(layer.size("out"));
  const std::int64_t stride = layer.size("stride");
  const double before = static_cast<double>(layer.size("height")) * static_cast<double>(layer.size("width"));
  const double after = static_cast<double>((layer.size("height") - 1) / stride + 1) *
                       static_cast<double>((layer.size("width") - 1) / stride + 1);
  const double projection = layer.size("in") != layer.size("out") || stride != 1 ? 1 : 0;
  const double operations =
      product(after, 9 * in, out) + product(after, 9 * out, out) + projection * product(after, in, out);
  const double weights = 9 * in * out + 9 * out * out + projection * in * out;
  return {
      .forward = operations,
      .weight = operations,
      .in = in * before,
      .out = out * after,
      // The input of each convolution, its output (which is the batch norm's input), and the input of the last relu.
      .saved = in * before + (4 + projection) * out * after,
      .parameters = weights + 2 * (2 + projection) * out};
}

/// He et al., arXiv 1512.03385, table 1, with the stride in the 3 x 3 convolution (v1.5): 1 x 1, 3 x 3, 1 x 1 and,
/// where the shape changes, a 1 x 1 projection; each with a batch norm.
LayerCount bottleneck(const ModelLayer& layer) {
  const auto in = static_cast<double>(layer.size("in")), mid = static_cast<double>(layer.size("middle")),
             out = static_cast<double>(layer.size("out"));
  const std::int64_t stride = layer.size("stride");
  const double before = static_cast<double>(layer.size("height")) * static_cast<double>(layer.size("width"));
  const double after = static_cast<double>((layer.size("height") - 1) / stride + 1) *
                       static_cast<double>((layer.size("width") - 1) / stride + 1);
  const double projection = layer.size("in") != layer.size("out") || stride != 1 ? 1 : 0;
  const double operations = product(before, in, mid) + product(after, 9 * mid, mid) + product(after, mid, out) +
                            projection * product(after, in, out);
  const double weights = in * mid + 9 * mid * mid + mid * out + projection * in * out;
  return {.forward = operations,
          .weight = operations,
          .in = in * before,
          .out = out * after,
          // The input of each convolution, and its output as the batch norm's input.
          .saved = in * before + 2 * mid * before + 2 * mid * after + (2 + projection) * out * after,
          .parameters = weights + 2 * (2 * mid + out + projection * out)};
}

/// Hochreiter and Schmidhuber 1997 as in cuDNN: four gates with two biases each. Saved for the backward pass: input,
/// gates, cell and output.
LayerCount lstm(const ModelLayer& layer) {
  const auto in = static_cast<double>(layer.size("in")), h = static_cast<double>(layer.size("hidden")),
             s = static_cast<double>(layer.size("sequence")), d = static_cast<double>(layer.size("directions"));
  const double operations = d * product(s, in + h, 4 * h);
  return {.forward = operations,
          .weight = operations,
          .in = s * in,
          .out = d * s * h,
          .saved = s * in + d * s * 6 * h,
          .parameters = d * 4 * h * (in + h + 2)};
}

/// Forward saves the probabilities; the gradient is a subtraction.
LayerCount loss(const ModelLayer& layer) {
  const double values = static_cast<double>(layer.size("classes")) * static_cast<double>(layer.size("sequence"));
  return {.forward = 5 * values, .weight = 0, .in = values, .out = 0, .saved = values, .parameters = 0};
}

constexpr std::array kinds{LayerKind{"embedding", embedding_sizes, embedding},
                           LayerKind{"transformer", transformer_sizes, transformer},
                           LayerKind{"decoder", decoder_sizes, decoder},
                           LayerKind{"attention", attention_sizes, attention},
                           LayerKind{"feed_forward", feed_forward_sizes, feed_forward},
                           LayerKind{"experts", experts_sizes, experts},
                           LayerKind{"latent_attention", latent_attention_sizes, latent_attention},
                           LayerKind{"latent_decoder", latent_decoder_sizes, latent_decoder},
                           LayerKind{"layer_norm", layer_norm_sizes, layer_norm},
                           LayerKind{"rms_norm", rms_norm_sizes, rms_norm},
                           LayerKind{"linear", linear_sizes, linear},
                           LayerKind{"convolution", convolution_sizes, convolution},
                           LayerKind{"max_pool", pool_sizes, pool},
                           LayerKind{"average_pool", pool_sizes, pool},
                           LayerKind{"batch_norm", batch_norm_sizes, batch_norm},
                           LayerKind{"bottleneck", bottleneck_sizes, bottleneck},
                           LayerKind{"lstm", lstm_sizes, lstm},
                           LayerKind{"softmax_cross_entropy", loss_sizes, loss},
                           LayerKind{"global_average_pool", global_pool_sizes, global_pool},
                           LayerKind{"residual", residual_sizes, residual}};

}  // namespace

std::int64_t ModelLayer::size(const std::string& key) const {
  if (const auto found = find_size(*this, key)) return *found;
  throw std::out_of_range("a layer of kind '" + kind + "' has no size '" + key + "'");
}

std::optional<std::int64_t> find_size(const ModelLayer& layer, const std::string& key) {
  if (const auto found = layer.sizes.find(key); found != layer.sizes.end()) return found->second;
  const LayerKind* kind = parse_layer_kind(layer.kind);
  const SizeRule* rule = kind ? kind->rule(key) : nullptr;
  return rule ? rule->otherwise : std::nullopt;
}

bool is_tied(const ModelLayer& layer) { return find_size(layer, "tied").value_or(0) == 1; }

bool has_tied_ends(const ModelSpec& model) { return std::ranges::any_of(model.layers, is_tied); }

std::int64_t key_value_heads(const ModelLayer& layer) {
  const std::int64_t given = layer.size("key_value_heads");
  return given > 0 ? given : layer.size("heads");
}

std::int64_t head_width(const ModelLayer& layer) {
  const std::int64_t given = layer.size("head_width");
  return given > 0 ? given : layer.size("hidden") / layer.size("heads");
}

std::optional<SizeProblem> check_heads(const ModelLayer& layer) {
  if (const auto width = find_size(layer, "rotary_width"); width && *width % 2 != 0)
    return SizeProblem{"rotary_width", fmt::format("found {}, expected an even width", *width)};
  if (!find_size(layer, "heads") || find_size(layer, "rotary_width")) return std::nullopt;
  const std::int64_t hidden = layer.size("hidden"), heads = layer.size("heads");
  if (find_size(layer, "head_width").value_or(0) == 0 && hidden % heads != 0)
    return SizeProblem{"heads", fmt::format("found {} heads, expected a divisor of hidden, {}", heads, hidden)};
  if (!find_size(layer, "head_width")) return std::nullopt;
  if (heads % key_value_heads(layer) != 0)
    return SizeProblem{"key_value_heads", fmt::format("found {} key-value heads, expected a divisor of the {} heads",
                                                      key_value_heads(layer), heads)};
  if (head_width(layer) % 2 != 0)
    return SizeProblem{"head_width", fmt::format("found heads {} wide, expected an even width for rotary positions",
                                                 head_width(layer))};
  if (layer.size("rotary_high_permille") <= layer.size("rotary_low_permille"))
    return SizeProblem{"rotary_high_permille",
                       fmt::format("found {}, expected more than rotary_low_permille, {}",
                                   layer.size("rotary_high_permille"), layer.size("rotary_low_permille"))};
  return std::nullopt;
}

const SizeRule* LayerKind::rule(std::string_view size) const {
  const auto found = std::ranges::find(sizes, size, &SizeRule::name);
  return found == sizes.end() ? nullptr : &*found;
}

std::span<const LayerKind> layer_kinds() { return kinds; }

const LayerKind* parse_layer_kind(std::string_view name) {
  for (const LayerKind& kind : kinds)
    if (kind.name == name) return &kind;
  return nullptr;
}

}  // namespace pipedeck
