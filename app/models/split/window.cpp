// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/split/window.hpp"

#include <algorithm>
#include <cmath>

namespace pipedeck::models::split {

Strip Window::strip(const QRectF& area, const std::vector<double>& edges) const {
  const double width = area.width() / span();
  return {area.left() - begin * width, width, edges};
}

void Window::zoom(double factor, double fixed, double least) {
  const double wanted = std::clamp(span() / factor, std::min(least, 1.0), 1.0);
  const double share = (fixed - begin) / span();
  begin = std::clamp(fixed - share * wanted, 0.0, 1 - wanted);
  end = begin + wanted;
}

void Window::pan(double by) {
  const double shown = span();
  begin = std::clamp(begin + by, 0.0, 1 - shown);
  end = begin + shown;
}

void Window::reveal(double from, double to) {
  if (to > end) pan(to - end);
  if (from < begin) pan(from - begin);
}

double min_span(int layers) { return std::min(1.0, 4.0 / std::max(layers, 1)); }

CutTarget cut_target(const Strip& strip, const StageStarts& firsts, int stage, double x, double reach) {
  const auto s = static_cast<std::size_t>(stage);
  const int low = firsts[s - 1], high = s + 1 < firsts.size() ? firsts[s + 1] : strip.layers();
  const int nearest = strip.nearest_cut(x, low, high);
  const bool on_neighbour = nearest == low || nearest == high;
  if (on_neighbour && std::abs(x - strip.x_of(nearest)) <= reach) return {nearest, true};
  return {std::clamp(nearest, low + 1, high - 1), false};
}

std::vector<LayerBox> layer_boxes(const Strip& strip, const StageStarts& firsts, const std::vector<double>& shares,
                                  const std::vector<bool>& marks, double left, double right, double least) {
  std::vector<LayerBox> boxes;
  const auto seen = [&](double x) { return (x - strip.left) / strip.width; };
  const auto from = std::ranges::upper_bound(strip.edges, seen(left)),
             to = std::ranges::lower_bound(strip.edges, seen(right));
  const int begin = std::max(0, static_cast<int>(from - strip.edges.begin()) - 1);
  const int end = std::min(strip.layers(), static_cast<int>(to - strip.edges.begin()));
  auto stage = static_cast<std::size_t>(std::ranges::upper_bound(firsts, begin) - firsts.begin());
  int marked = 0;
  for (int layer = begin; layer < end; ++layer) {
    const bool new_stage = stage < firsts.size() && firsts[stage] == layer;
    stage += new_stage;
    const bool joins = !boxes.empty() && !new_stage && boxes.back().right - boxes.back().left < least &&
                       strip.x_of(layer + 1) - boxes.back().left <= least;
    if (!joins) {
      boxes.push_back({strip.x_of(layer), 0, 0, layer, layer, static_cast<int>(stage) - 1, false});
      marked = 0;
    }
    LayerBox& box = boxes.back();
    box.right = strip.x_of(layer + 1);
    box.last = layer + 1;
    box.share = std::max(box.share, shares[static_cast<std::size_t>(layer)]);
    marked += marks[static_cast<std::size_t>(layer)];
    box.marked = 2 * marked >= box.last - box.first;
  }
  return boxes;
}

}  // namespace pipedeck::models::split
