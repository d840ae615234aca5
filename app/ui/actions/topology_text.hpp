// SPDX-License-Identifier: GPL-3.0-or-later
// The session's findings about clusters, as texts and in the types of the views.
#pragma once

#include <QStringList>

#include "app/session/cluster/device_options.hpp"
#include "app/session/cluster/strengths.hpp"
#include "app/views/topology/palette.hpp"
#include "core/base/result.hpp"

namespace pipedeck::ui::actions {

/// Returns sentences about the strengths. The all-reduced gradients are those of `model`; empty: a round size of no
/// model.
QStringList cluster_summary_texts(const session::cluster::Strengths& strengths, const QString& model);

views::topology::PaletteEntry palette_entry(const session::cluster::DeviceOption& offer);

/// Returns the message of a rejected edit.
QString message(const Error& error);

}  // namespace pipedeck::ui::actions
