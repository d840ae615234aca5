// SPDX-License-Identifier: GPL-3.0-or-later
// Manual edits of a profile as pure functions: figures, names, layers inserted, duplicated, merged, removed, and rows
// of a spreadsheet. The result is a valid profile or an error. Times are those at the profile's own micro-batch;
// measurements at other sizes do not change.
#pragma once

#include <optional>
#include <vector>

#include <QString>

#include "app/session/project/state.hpp"
#include "core/base/result.hpp"

namespace pipedeck::session::profile {

enum class LayerFigure { forward, backward, output, saved, parameters };

using Layers = std::vector<int>;  ///< positions, ascending and unique

/// Sets a figure; `value` is in seconds or bytes.
Result<Profile> with_figure(Profile profile, const Layers& layers, LayerFigure figure, double value);
Result<Profile> with_figure_scaled(Profile profile, const Layers& layers, LayerFigure figure, double factor);
Result<Profile> rename_layer(Profile profile, int layer, const QString& name);
Result<Profile> with_layer_kind(Profile profile, const Layers& layers, const QString& kind);

/// Inserts a layer without time that passes on its input, before `position` or at the end.
Result<Profile> with_layer_inserted(Profile profile, int position);
/// Inserts each copy after its original.
Result<Profile> with_layers_duplicated(Profile profile, const Layers& layers);
/// Connects the inputs of each removed layer with the consumers of its output.
Result<Profile> without_layers(Profile profile, const Layers& layers);
/// Adds up times and bytes; the workspace is the maximum. The output is the sum of those used outside the merged
/// layers. Measurements that only some layers have are dropped.
Result<Profile> with_layers_merged(Profile profile, const Layers& layers);

/// Adds times of 2, 4 and 8 devices to layers without any: an equal share of the layer's time, with an all-reduce of
/// its output.
Result<Profile> with_even_splits(Profile profile, const Layers& layers);
Result<Profile> rename_device(Profile profile, const QString& device);

/// Returns a heading and a row per layer with tabs between fields; figures have units.
QString layers_to_text(const Profile& profile, const Layers& layers);
/// Pastes rows. With a heading, layers with these names are changed, and others are inserted after `position`. Without
/// one, cells are written from `position` and `column` on, and rows below the last layer are added. Columns are 0 name,
/// then kind, forward, backward, output, saved, parameters. Figures may have units; the default is the heading's unit,
/// or else milliseconds and bytes.
Result<Profile> with_text_pasted(Profile profile, int position, int column, const QString& text);

/// Replaces the profile of that id and marks it as edited by hand.
project::Replaced with_profile_edited(project::State state, int id, Profile profile);

}  // namespace pipedeck::session::profile
