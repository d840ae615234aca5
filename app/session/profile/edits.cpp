// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/profile/edits.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <QCoreApplication>

#include "app/session/profile/layers.hpp"
#include "core/base/limits.hpp"
#include "core/plan/validate.hpp"

namespace pipedeck::session::profile {

namespace {

struct EditText {
  Q_DECLARE_TR_FUNCTIONS(ProfileEdits)
};

tl::unexpected<Error> refused(const QString& why) { return fail(ErrorCode::bad_input, why.toStdString()); }

bool chosen(const Layers& layers, int layer) { return std::ranges::binary_search(layers, layer); }
int count_of(const Profile& profile) { return static_cast<int>(profile.layers.size()); }

bool all_there(const Profile& profile, const Layers& layers) {
  return !layers.empty() && layers.front() >= 0 && layers.back() < count_of(profile);
}

Layer& layer_at(Profile& profile, int layer) { return profile.layers[static_cast<std::size_t>(layer)]; }

void add_edge(Profile& profile, const Edge& edge) {
  if (std::ranges::find(profile.edges, edge) == profile.edges.end()) profile.edges.push_back(edge);
}

/// Returns the new positions after the removal; removed layers have -1.
std::vector<int> places_without(const Profile& profile, const Layers& gone) {
  std::vector<int> places;
  int next = 0;
  for (int layer = 0; layer < count_of(profile); ++layer) places.push_back(chosen(gone, layer) ? -1 : next++);
  return places;
}

/// Renumbers edges for layers moved to `places`. Edges without two different layers are removed.
void move_edges(Profile& profile, const std::vector<int>& places) {
  std::vector<Edge> moved;
  for (Edge edge : profile.edges) {
    edge.from = LayerId(places[edge.from.index()]);
    edge.to = LayerId(places[edge.to.index()]);
    const bool lives = edge.from.value >= 0 && edge.to.value >= 0 && edge.from != edge.to;
    if (lives && std::ranges::find(moved, edge) == moved.end()) moved.push_back(edge);
  }
  profile.edges = std::move(moved);
}

/// Scales several outputs in proportion; the last one gets the rounding error.
void spread_output(Layer& layer, Bytes output) {
  if (!layer.outputs.empty()) {
    const double whole = static_cast<double>(layer.output.count);
    Bytes left = output;
    for (Bytes& one : layer.outputs) {
      const double share = whole > 0 ? static_cast<double>(one.count) / whole : 1.0 / double(layer.outputs.size());
      one = std::min(left, Bytes(static_cast<std::int64_t>(share * static_cast<double>(output.count))));
      left -= one;
    }
    layer.outputs.back() += left;
  }
  layer.output = output;
}

Bytes scaled(Bytes part, Bytes now, Bytes before) {
  const double factor = static_cast<double>(now.count) / static_cast<double>(before.count);
  return Bytes(std::llround(static_cast<double>(part.count) * factor));
}

void set_times(Layer& layer, int micro_batch, Seconds forward, Seconds backward) {
  // The weight gradient keeps its share of backward.
  const double share = layer.backward.count > 0     ? layer.backward_weight.count / layer.backward.count
                       : layer.parameters.count > 0 ? 0.5
                                                    : 0;
  if (backward != layer.backward) layer.backward_weight = std::min(backward, backward * share);
  layer.forward = forward;
  layer.backward = backward;
  layer.spread.reset();
  for (LayerPoint& point : layer.at)
    if (point.micro_batch == micro_batch) {
      if (point.details.backward_weight) point.details.backward_weight = layer.backward_weight;
      point.details.spread.reset();
      point.forward = forward;
      point.backward = backward;
    }
}

}  // namespace

double figure_of(const Layer& layer, LayerFigure figure) {
  switch (figure) {
    case LayerFigure::forward:
      return layer.forward.count;
    case LayerFigure::backward:
      return layer.backward.count;
    case LayerFigure::output:
      return static_cast<double>(layer.output.count);
    case LayerFigure::saved:
      return static_cast<double>(layer.saved.count);
    case LayerFigure::parameters:
      return static_cast<double>(layer.parameters.count);
  }
  return 0;
}

Result<void> set_figure(Layer& layer, int micro_batch, LayerFigure figure, double value) {
  const bool time = figure == LayerFigure::forward || figure == LayerFigure::backward;
  const double most = time ? limits::seconds : static_cast<double>(limits::bytes);
  if (!(value >= 0 && value <= most))
    return refused(time ? EditText::tr("A time must be from 0 to %1 s.").arg(most)
                        : EditText::tr("Bytes must be from 0 to %1.").arg(most));
  const Bytes bytes(time ? 0 : std::llround(value));
  switch (figure) {
    case LayerFigure::forward:
      set_times(layer, micro_batch, Seconds(value), layer.backward);
      break;
    case LayerFigure::backward:
      set_times(layer, micro_batch, layer.forward, Seconds(value));
      break;
    case LayerFigure::output:
      spread_output(layer, bytes);
      break;
    case LayerFigure::saved:
      layer.saved = bytes;
      if (layer.memory) layer.memory->input = std::min(layer.memory->input, bytes);
      break;
    case LayerFigure::parameters:
      // The replicated part of the parameters keeps its share.
      if (layer.parameters.count > 0)
        layer.replicated_parameters = std::min(bytes, scaled(layer.replicated_parameters, bytes, layer.parameters));
      layer.parameters = bytes;
      break;
  }
  return {};
}

std::string unused_layer_name(const Profile& profile, const std::string& wanted) {
  std::set<std::string_view> taken;
  for (const Layer& layer : profile.layers) taken.insert(layer.name);
  std::string name = wanted;
  for (int n = 2; taken.contains(name); ++n) name = wanted + " (" + std::to_string(n) + ")";
  return name;
}

Result<Profile> checked(Profile profile) {
  if (auto valid = plan::validate(profile); !valid) return tl::unexpected(std::move(valid.error()));
  return profile;
}

void insert_layer(Profile& profile, int position, Layer layer) {
  for (Edge& edge : profile.edges)
    for (LayerId* end : {&edge.from, &edge.to})
      if (end->value >= position) *end = LayerId(end->value + 1);
  profile.layers.insert(profile.layers.begin() + position, std::move(layer));
}

Result<Profile> with_new_layer(Profile profile, int position, Layer layer) {
  if (position < 0 || position > count_of(profile)) return refused(EditText::tr("This layer does not exist."));
  const bool chain = profile.is_chain();
  const bool last = position == count_of(profile);
  insert_layer(profile, position, std::move(layer));
  if (!chain && last) {
    add_edge(profile, {LayerId(position - 1), LayerId(position), {}});
  } else if (!chain) {
    for (Edge& edge : profile.edges)
      if (edge.to.value == position + 1) edge.to = LayerId(position);
    add_edge(profile, {LayerId(position), LayerId(position + 1), {}});
  }
  return profile;
}

Result<Profile> with_figure(Profile profile, const Layers& layers, LayerFigure figure, double value) {
  if (!all_there(profile, layers)) return refused(EditText::tr("This layer does not exist."));
  for (const int layer : layers)
    if (auto set = set_figure(layer_at(profile, layer), profile.micro_batch, figure, value); !set)
      return tl::unexpected(std::move(set.error()));
  return checked(std::move(profile));
}

Result<Profile> with_figure_scaled(Profile profile, const Layers& layers, LayerFigure figure, double factor) {
  if (!all_there(profile, layers)) return refused(EditText::tr("This layer does not exist."));
  if (!(factor >= 0 && factor <= 1e12)) return refused(EditText::tr("A factor must be 0 or more."));
  for (const int layer : layers) {
    Layer& changed = layer_at(profile, layer);
    if (auto set = set_figure(changed, profile.micro_batch, figure, figure_of(changed, figure) * factor); !set)
      return tl::unexpected(std::move(set.error()));
  }
  return checked(std::move(profile));
}

Result<Profile> rename_layer(Profile profile, int layer, const QString& name) {
  if (!all_there(profile, {layer})) return refused(EditText::tr("This layer does not exist."));
  const std::string wanted = name.trimmed().toStdString();
  if (wanted.empty()) return refused(EditText::tr("A layer needs a name."));
  const auto same = std::ranges::find(profile.layers, wanted, &Layer::name);
  if (same != profile.layers.end() && same - profile.layers.begin() != layer)
    return refused(EditText::tr("Another layer is called %1 already.").arg(name.trimmed()));
  layer_at(profile, layer).name = wanted;
  return checked(std::move(profile));
}

Result<Profile> with_layer_kind(Profile profile, const Layers& layers, const QString& kind) {
  if (!all_there(profile, layers)) return refused(EditText::tr("This layer does not exist."));
  for (const int layer : layers) layer_at(profile, layer).kind = kind.trimmed().toStdString();
  return checked(std::move(profile));
}

Result<Profile> with_layer_inserted(Profile profile, int position) {
  if (position < 0 || position > count_of(profile)) return refused(EditText::tr("This layer does not exist."));
  Layer layer;
  layer.name = unused_layer_name(profile, EditText::tr("new layer").toStdString());
  const int before = position > 0 ? position - 1 : 0;
  if (!profile.layers.empty()) layer.output = layer_at(profile, before).output;
  auto made = with_new_layer(std::move(profile), position, std::move(layer));
  return made ? checked(*std::move(made)) : made;
}

Result<Profile> with_layers_duplicated(Profile profile, const Layers& layers) {
  if (!all_there(profile, layers)) return refused(EditText::tr("This layer does not exist."));
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    Layer copy = layer_at(profile, *layer);
    copy.name = unused_layer_name(profile, copy.name);
    const bool chain = profile.is_chain();
    insert_layer(profile, *layer + 1, std::move(copy));
    if (chain) continue;
    for (Edge& edge : profile.edges)
      if (edge.from.value == *layer) edge.from = LayerId(*layer + 1);
    add_edge(profile, {LayerId(*layer), LayerId(*layer + 1), {}});
  }
  return checked(std::move(profile));
}

Result<Profile> without_layers(Profile profile, const Layers& layers) {
  if (!all_there(profile, layers)) return refused(EditText::tr("This layer does not exist."));
  if (static_cast<int>(layers.size()) == count_of(profile))
    return refused(EditText::tr("A model needs at least one layer."));
  for (const int layer : layers) {
    const std::vector<Edge> edges = profile.edges;
    for (const Edge& in : edges)
      for (const Edge& out : edges)
        if (in.to.value == layer && out.from.value == layer) add_edge(profile, {in.from, out.to, in.output});
    std::erase_if(profile.edges, [&](const Edge& e) { return e.from.value == layer || e.to.value == layer; });
  }
  move_edges(profile, places_without(profile, layers));
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer)
    profile.layers.erase(profile.layers.begin() + *layer);
  return checked(std::move(profile));
}

Result<Profile> with_even_splits(Profile profile, const Layers& layers) {
  if (!all_there(profile, layers)) return refused(EditText::tr("This layer does not exist."));
  for (const int number : layers) {
    Layer& layer = layer_at(profile, number);
    if (!layer.tensor_parallel.empty()) continue;
    for (const int degree : {2, 4, 8})
      layer.tensor_parallel.push_back(
          {degree, layer.forward * (1.0 / degree), layer.backward * (1.0 / degree), layer.output, layer.output});
  }
  return checked(std::move(profile));
}

Result<Profile> rename_device(Profile profile, const QString& device) {
  if (device.trimmed().isEmpty()) return refused(EditText::tr("A device type needs a name."));
  profile.device = device.trimmed().toStdString();
  return checked(std::move(profile));
}

project::Replaced with_profile_edited(project::State state, int id, Profile profile) {
  constexpr std::string_view mark = "edited by hand";  // not shown: in the file
  if (profile.source.find(mark) == std::string::npos)
    profile.source += (profile.source.empty() ? "" : "; ") + std::string(mark);
  return project::with_profile_replaced(std::move(state), id, std::move(profile));
}

}  // namespace pipedeck::session::profile
