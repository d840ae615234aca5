// SPDX-License-Identifier: GPL-3.0-or-later
// Merging of a profile's layers.
#include <algorithm>

#include <QCoreApplication>

#include "app/session/profile/layers.hpp"

namespace pipedeck::session::profile {

namespace {

struct MergeText {
  Q_DECLARE_TR_FUNCTIONS(ProfileEdits)
};

bool is_chosen(const Layers& layers, int layer) { return std::ranges::binary_search(layers, layer); }

/// Returns true if the output of `layer` is used outside of the merged ones, or by none.
bool leaves(const Profile& profile, const Layers& layers, int layer) {
  bool used = false;
  for (const Edge& edge : edges_of(profile)) {
    if (edge.from.value != layer) continue;
    used = true;
    if (!is_chosen(layers, edge.to.value)) return true;
  }
  return !used;
}

/// Adds up the points that both have.
void join_measurements(Layer& sum, const Layer& other) {
  std::vector<LayerPoint> points;
  for (const LayerPoint& a : sum.at)
    for (const LayerPoint& b : other.at)
      if (a.micro_batch == b.micro_batch)
        points.push_back({a.micro_batch, a.forward + b.forward, a.backward + b.backward});
  sum.at = points.size() > 1 ? std::move(points) : std::vector<LayerPoint>{};
  std::vector<TensorParallelPoint> splits;
  for (const TensorParallelPoint& a : sum.tensor_parallel)
    for (const TensorParallelPoint& b : other.tensor_parallel)
      if (a.degree == b.degree)
        splits.push_back({a.degree, a.forward + b.forward, a.backward + b.backward,
                          a.forward_allreduce + b.forward_allreduce, a.backward_allreduce + b.backward_allreduce});
  sum.tensor_parallel = std::move(splits);
  std::map<std::string, DeviceTypePoint> on;
  for (const auto& [type, a] : sum.on)
    if (const auto b = other.on.find(type); b != other.on.end())
      on[type] = {a.forward + b->second.forward, a.backward + b->second.backward};
  sum.on = std::move(on);
}

void join(Layer& sum, const Layer& other) {
  join_measurements(sum, other);
  sum.spread.reset();  // sums of medians are roughly right, sums of quartiles are not
  sum.forward += other.forward;
  sum.backward += other.backward;
  sum.backward_weight += other.backward_weight;
  sum.saved += other.saved;
  sum.parameters += other.parameters;
  sum.replicated_parameters += other.replicated_parameters;
  sum.workspace = std::max(sum.workspace, other.workspace);
  if (sum.kind != other.kind) sum.kind.clear();
}

/// Replaces the merged layers by `first` and renumbers the others. Inner edges are removed; outputs are not
/// distinguished any more.
void contract(Profile& profile, const Layers& layers) {
  const int first = layers.front();
  std::vector<int> places;
  int next = 0;
  for (int layer = 0; layer < static_cast<int>(profile.layers.size()); ++layer)
    places.push_back(layer != first && is_chosen(layers, layer) ? first : next++);
  std::vector<Edge> edges;
  for (Edge edge : profile.edges) {
    if (is_chosen(layers, edge.from.value)) edge.output.reset();
    edge.from = LayerId(places[edge.from.index()]);
    edge.to = LayerId(places[edge.to.index()]);
    if (edge.from != edge.to && std::ranges::find(edges, edge) == edges.end()) edges.push_back(edge);
  }
  profile.edges = std::move(edges);
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer)
    if (*layer != first) profile.layers.erase(profile.layers.begin() + *layer);
}

}  // namespace

Result<Profile> with_layers_merged(Profile profile, const Layers& layers) {
  const auto refused = [](const QString& why) { return fail(ErrorCode::bad_input, why.toStdString()); };
  if (layers.size() < 2 || layers.front() < 0 || layers.back() >= static_cast<int>(profile.layers.size()))
    return refused(MergeText::tr("Select at least two layers to merge."));
  const bool in_a_row = layers.back() - layers.front() + 1 == static_cast<int>(layers.size());
  if (profile.is_chain() && !in_a_row) return refused(MergeText::tr("Only consecutive layers can be merged."));
  const auto at = [&](int layer) -> const Layer& { return profile.layers[static_cast<std::size_t>(layer)]; };
  Layer sum = at(layers.front());
  Bytes output;
  for (const int layer : layers) {
    if (layer != layers.front()) join(sum, at(layer));
    if (leaves(profile, layers, layer)) output += at(layer).output;
  }
  sum.name = MergeText::tr("%1 … %2")
                 .arg(QString::fromStdString(at(layers.front()).name), QString::fromStdString(at(layers.back()).name))
                 .toStdString();
  sum.name = unused_layer_name(profile, sum.name);
  sum.output = output;
  sum.outputs.clear();
  sum.memory.reset();
  contract(profile, layers);
  profile.layers[static_cast<std::size_t>(layers.front())] = std::move(sum);
  return checked(std::move(profile));
}

}  // namespace pipedeck::session::profile
