// SPDX-License-Identifier: GPL-3.0-or-later
// Published configurations of transformers, and ONNX models, on their way into the project: what becomes of them on a
// device type is shown first.
#pragma once

#include <functional>

#include <QString>
#include <QStringList>

#include "app/session/project_state.hpp"
#include "core/analytic/analytic_profile.hpp"
#include "core/analytic/open_dimensions.hpp"

namespace pipedeck::app {

/// A transformer's configuration or an ONNX model; told by its first bytes.
bool is_transformer_file(const QString& path);

/// A profile about to be added: computed anew for each answer to what is open.
struct TransformerPreview {
  QString name, family;
  QString device;              ///< type that is assumed until somebody says
  int sequence = 1;            ///< tokens of a sample, likewise
  bool graph = false;          ///< operators of any topology: of the options, what makes attention means nothing
  std::vector<QString> sizes;  ///< that the graph leaves open, but its batch: each needs a number
  int samples = 1;             ///< of a micro-batch, until somebody says
  std::function<Result<AnalyticProfile>(const QString& device, const AnalyticOptions& options,
                                        const DimensionSizes& sizes)>
      make;
};
Result<TransformerPreview> transformer_in(const QString& file);
/// One of the presets, for the devices of the cluster that is asked about.
TransformerPreview preset_transformer(const QString& name, const ProjectState& state);
bool is_transformer_preset(const QString& name);

/// The first type of the question's cluster that the catalogue has a data sheet of; empty: none, or no cluster.
std::string known_device_type(const ProjectState& state);

/// Of a device type of the catalogue: what it has a peak for, and the one that is trained in.
QStringList precisions_of(const QString& device);
QString usual_precision_of(const QString& device);

/// Added and chosen.
ProjectState with_imported_profile(ProjectState state, Profile profile);

}  // namespace pipedeck::app
