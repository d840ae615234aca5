// SPDX-License-Identifier: GPL-3.0-or-later
// The session's findings about clusters, as texts and in the types of the views.
#pragma once

#include <QStringList>

#include "app/session/cluster_strengths.hpp"
#include "app/session/device_offers.hpp"
#include "app/views/topology_palette.hpp"
#include "core/domain/result.hpp"

namespace pipedeck::app {

/// Returns sentences about the strengths. The all-reduced gradients are those of `model`; empty: a round size of no
/// model.
QStringList strength_sentences(const ClusterStrengths& strengths, const QString& model);

PaletteEntry palette_entry(const DeviceOffer& offer);

/// Returns the message of a rejected edit.
QString said(const Error& error);

}  // namespace pipedeck::app
