// SPDX-License-Identifier: GPL-3.0-or-later
// The session's findings about clusters in words and as the views take them.
#pragma once

#include <QStringList>

#include "app/session/cluster_strengths.hpp"
#include "app/session/device_offers.hpp"
#include "app/views/topology_palette.hpp"
#include "core/domain/result.hpp"

namespace pipedeck::app {

/// `model`: whose gradients were all-reduced; empty: nobody's, a round figure.
QStringList strength_sentences(const ClusterStrengths& strengths, const QString& model);

PaletteEntry palette_entry(const DeviceOffer& offer);

/// Returns an edit's refusal.
QString said(const Error& error);

}  // namespace pipedeck::app
