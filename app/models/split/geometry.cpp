// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/split/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <QStringList>

namespace pipedeck::models::split {

StageStarts stage_starts(const Plan& plan) {
  StageStarts firsts;
  for (const Stage& stage : plan.stages) firsts.push_back(stage.first);
  return firsts;
}

double Strip::x_of(int cut) const { return left + edges[static_cast<std::size_t>(cut)] * width; }

int Strip::nearest_cut(double x, int low, int high) const {
  const auto begin = edges.begin() + low, end = edges.begin() + high;
  const int above = static_cast<int>(std::lower_bound(begin, end, (x - left) / width) - edges.begin());
  return above > low && std::abs(x_of(above - 1) - x) <= std::abs(x_of(above) - x) ? above - 1 : above;
}

std::optional<int> Strip::layer_at(double x) const {
  const double at = (x - left) / width;
  if (layers() < 1 || at < 0 || at >= 1) return std::nullopt;
  const auto above = std::upper_bound(edges.begin(), edges.end(), at);
  return std::min(static_cast<int>(above - edges.begin()) - 1, layers() - 1);
}

std::optional<int> Strip::stage_cut_at(double x, const StageStarts& firsts, double reach) const {
  std::optional<int> best;
  double nearest = reach;
  for (std::size_t stage = 1; stage < firsts.size(); ++stage) {
    const double distance = std::abs(x_of(firsts[stage]) - x);
    if (distance > nearest || (best && distance == nearest)) continue;
    nearest = distance;
    best = static_cast<int>(stage);
  }
  return best;
}

std::vector<double> strip_edges(const std::vector<double>& weights, double sliver) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  // With many layers, the minimum is smaller, so that they still differ in width.
  const double least = total > 0 ? total * std::min(sliver, 0.2 / static_cast<double>(weights.size())) : 1.0;
  std::vector<double> edges{0.0};
  for (double weight : weights) edges.push_back(edges.back() + std::max(weight, least));
  const double sum = edges.back();
  if (sum > 0)
    for (double& edge : edges) edge /= sum;
  return edges;
}

Layers split_layers(const Profile& profile, const Plan& plan) {
  Layers result;
  for (LayerId id : order_of(plan, profile)) {
    const Layer& layer = profile.layers[id.index()];
    result.names.push_back(QString::fromStdString(layer.name));
    result.times.push_back(layer.forward + layer.backward);
  }
  return result;
}

std::vector<StagePlace> stage_places(const Plan& plan) {
  std::vector<StagePlace> places(plan.stages.size());
  const std::vector<StageCopy> chunks = stage_copies(plan);
  const std::vector<PipelineRank> ranks = pipeline_ranks(plan);
  // Ranks are numbered by their first stages: a rank's first chunk may be the copy of a later one.
  std::vector<int> numbers(ranks.size(), -1);
  int next = 0;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    if (chunks[c].copy > 0) continue;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
      if (numbers[rank] < 0 && std::ranges::binary_search(ranks[rank].chunks, c)) numbers[rank] = next++;
  }
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    for (std::size_t i = 0; i < ranks[rank].chunks.size(); ++i) {
      const StageCopy& chunk = chunks[ranks[rank].chunks[i]];
      StagePlace& place = places[chunk.stage.index()];
      if (chunk.copy > 0) {
        place.copies.insert(place.copies.end(), chunk.devices.begin(), chunk.devices.end());
        continue;
      }
      place.rank = numbers[rank];
      place.chunk = static_cast<int>(i);
      place.chunks = static_cast<int>(ranks[rank].chunks.size());
      place.devices = chunk.devices;
    }
  return places;
}

QString fitting_text(const std::vector<QString>& variants, double room, const TextWidth& width_of) {
  for (const QString& text : variants)
    if (width_of(text) <= room) return text;
  return {};
}

QString short_devices_text(const std::vector<DeviceId>& devices, int limit) {
  std::vector<DeviceId> sorted = devices;
  std::sort(sorted.begin(), sorted.end());
  QStringList runs;
  int left_out = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t end = i + 1;
    while (end < sorted.size() && sorted[end].value == sorted[end - 1].value + 1) ++end;
    const QString first = QStringLiteral("G%1").arg(sorted[i].value);
    if (runs.size() >= limit) {
      left_out += static_cast<int>(end - i);
    } else {
      runs << (end - i == 1 ? first : QStringLiteral("%1–G%2").arg(first).arg(sorted[end - 1].value));
    }
    i = end;
  }
  const QString text = runs.join(QStringLiteral(", "));
  return left_out > 0 ? QStringLiteral("%1 +%2").arg(text).arg(left_out) : text;
}

}  // namespace pipedeck::models::split
