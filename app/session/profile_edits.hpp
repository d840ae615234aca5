// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of a profile by hand, as pure functions: figures, names, layers put in, doubled, merged, taken out, rows of a
// spreadsheet. What they give is a valid profile, or the reason why there is none. Times are those at the profile's own
// micro-batch; measurements at other sizes stay as they were.
#pragma once

#include <optional>
#include <vector>

#include <QString>

#include "app/session/project_state.hpp"
#include "core/domain/result.hpp"

namespace pipedeck::app {

enum class LayerFigure { forward, backward, output, saved, parameters };

using Layers = std::vector<int>;  ///< positions, ascending, each once

/// Seconds or bytes.
Result<Profile> with_figure(Profile profile, const Layers& layers, LayerFigure figure, double value);
Result<Profile> with_figure_scaled(Profile profile, const Layers& layers, LayerFigure figure, double factor);
Result<Profile> with_layer_named(Profile profile, int layer, const QString& name);
Result<Profile> with_layer_kind(Profile profile, const Layers& layers, const QString& kind);

/// One that takes no time and hands on what it gets, before `position` (at the end: behind the last).
Result<Profile> with_layer_inserted(Profile profile, int position);
/// Each copy behind its original.
Result<Profile> with_layers_duplicated(Profile profile, const Layers& layers);
/// What came in goes on to where the layer's output went.
Result<Profile> without_layers(Profile profile, const Layers& layers);
/// Sums of times and bytes; the output is what leaves them. Measurements that not all of them have are dropped.
Result<Profile> with_layers_merged(Profile profile, const Layers& layers);

/// Times of 2, 4 and 8 devices where there are none: an even share of the layer's, with its output all-reduced.
Result<Profile> with_even_splits(Profile profile, const Layers& layers);
Result<Profile> with_device_named(Profile profile, const QString& device);

/// A heading and a row a layer, fields apart by tabs, figures with their units.
QString layers_to_text(const Profile& profile, const Layers& layers);
/// Rows under a heading: layers of those names are changed, others put in behind `position`. Rows without a heading:
/// cells from `position` and `column` (0 the name, then kind, forward, backward, output, saved, parameters) on, and new
/// layers below the last. Figures may have units; without, milliseconds and bytes are meant, or what the heading says.
Result<Profile> with_text_pasted(Profile profile, int position, int column, const QString& text);

/// In place of the profile of that id, marked as edited by hand.
Replaced with_profile_edited(ProjectState state, int id, Profile profile);

}  // namespace pipedeck::app
