// SPDX-License-Identifier: GPL-3.0-or-later
// Steps that edits of profiles are made of.
#pragma once

#include "app/session/profile_edits.hpp"

namespace pipedeck::app {

Result<void> set_figure(Layer& layer, int micro_batch, LayerFigure figure, double value);
double figure_of(const Layer& layer, LayerFigure figure);
std::string unused_layer_name(const Profile& profile, const std::string& wanted);
/// The profile where it is valid.
Result<Profile> checked(Profile profile);
/// Puts a layer in before `position`; edges to layers at and behind it move on.
void insert_layer(Profile& profile, int position, Layer layer);
/// Between the layer at `position` and what came before it; not checked yet.
Result<Profile> with_new_layer(Profile profile, int position, Layer layer);

}  // namespace pipedeck::app
