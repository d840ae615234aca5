// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/transformer/layer_parts.hpp"

#include <utility>

namespace pipedeck::analytic::transformer {

double LayerParts::norm_weights(double width) const {
  if (c_->norm == NormKind::plain) return 0;
  return c_->norm == NormKind::layer ? 2 * width : width;
}

const char* LayerParts::norm_formula() const {
  if (c_->norm == NormKind::plain) return "0";
  return c_->norm == NormKind::layer ? "2 h" : "h";
}

void LayerParts::keep(times::LayerCount& layer, std::string name, std::string formula, double numbers_a_token,
                      const Kept& kept) const {
  layer.saved.push_back({std::move(name), std::move(formula), pass(numbers_a_token), kept.divided, kept.part,
                         pass(kept.key_values), kept.gathered});
}

void LayerParts::move(times::LayerCount& layer, const times::TrafficItem& item) {
  layer.elementwise_bytes += item.bytes;
  layer.traffic.push_back(item);
}

void LayerParts::save_mask(times::LayerCount& layer, double probability, std::string name) const {
  if (probability > 0) layer.saved.push_back({std::move(name), "n h", n() * h(), false});
}

void LayerParts::through(times::LayerCount& layer, std::string name, std::string sizes, double in, double out,
                         double bias, Cut cut, Part part) const {
  const double whole = cut == Cut::none ? in * out + bias : cut == Cut::rows ? bias : 0;
  layer.gemms.push_back({name, "2 n " + sizes, n(), in, out, 1, true, cut});
  layer.gemms.back().part = part;
  layer.weights.push_back({name, sizes + (bias > 0 ? " + biases" : ""), in * out + bias, whole, part});
  ++layer.launches;
}

void LayerParts::add_whole(times::LayerCount& layer, std::string name, std::string formula, double count) {
  layer.weights.push_back({std::move(name), std::move(formula), count, count});
}

void LayerParts::norm(times::LayerCount& layer, std::string name, Part part, Part input) const {
  keep(layer, name + ": input", "w n h", h(), {.part = input});
  add_whole(layer, std::move(name), norm_formula(), norm_weights(h()));
  move(layer, {.bytes = 2 * pass(h()), .part = part});
  ++layer.launches;
}

/// Adds hyper-connections (arXiv 2409.19606): weights of each token by which streams become one, and one all of them.
void LayerParts::mix_streams(times::LayerCount& layer, const std::string& name) const {
  const double streams = c_->streams, all = streams * h(), weights = (2 + streams) * streams;
  keep(layer, name + ": streams", "w n N h", all);
  through(layer, name + ": weights of streams", "N h (2 + N) N", all, weights, 0, Cut::none);
  add_whole(layer, name + ": biases and scales of streams", "(2 + N) N + 3", weights + 3);
  move(layer, {.bytes = 4 * pass(all)});
  layer.launches += 3;
}

void LayerParts::join(times::LayerCount& layer, const std::string& name, Part part) const {
  if (norms_output()) norm(layer, name + ": last norm", part, part);
  save_mask(layer, c_->dropout, name + ": dropout mask");
  if (c_->streams > 0) mix_streams(layer, name);
  move(layer, {.bytes = 3 * pass(h())});
  ++layer.launches;
}

}  // namespace pipedeck::analytic::transformer
