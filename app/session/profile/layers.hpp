// SPDX-License-Identifier: GPL-3.0-or-later
// Common steps of profile edits.
#pragma once

#include "app/session/profile/edits.hpp"

namespace pipedeck::session::profile {

Result<void> set_figure(Layer& layer, int micro_batch, LayerFigure figure, double value);
double figure_of(const Layer& layer, LayerFigure figure);
std::string unused_layer_name(const Profile& profile, const std::string& wanted);
/// Returns the profile if it is valid.
Result<Profile> checked(Profile profile);
/// Inserts a layer before `position`; edges of layers from there on are renumbered.
void insert_layer(Profile& profile, int position, Layer layer);
/// Inserts a layer between the one at `position` and its inputs, without validation.
Result<Profile> with_new_layer(Profile profile, int position, Layer layer);

}  // namespace pipedeck::session::profile
