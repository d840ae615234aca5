// SPDX-License-Identifier: GPL-3.0-or-later
// Import of published transformer configurations and ONNX models. The profile for a device type is previewed first.
#pragma once

#include <functional>

#include <QString>
#include <QStringList>

#include "app/session/project/state.hpp"
#include "core/analytic/analytic_profile.hpp"
#include "core/analytic/graph/dynamic_dimensions.hpp"

namespace pipedeck::session::project {

/// Detects a transformer's configuration or an ONNX model by its first bytes.
bool is_transformer_file(const QString& path);

/// A profile to be imported; it is computed again for each answer to an open question.
struct TransformerPreview {
  QString name, family;
  QString device;              ///< assumed type until the user chooses one
  int sequence = 1;            ///< assumed tokens per sample, likewise
  bool graph = false;          ///< a general operator graph: options of attention have no effect
  std::vector<QString> sizes;  ///< open dimensions of the graph other than the batch; each needs a number
  int samples = 1;             ///< per micro-batch, until the user chooses
  std::function<Result<analytic::AnalyticProfile>(const QString& device, const AnalyticOptions& options,
                                                  const analytic::graph::DimensionSizes& sizes)>
      make;
};
Result<TransformerPreview> transformer_in(const QString& file);
/// Returns a preset's preview for the devices of the question's cluster.
TransformerPreview preset_transformer(const QString& name, const State& state);
bool is_transformer_preset(const QString& name);

/// Returns the first type of the question's cluster that is in the catalogue; empty if there is none, or no cluster.
std::string known_device_type(const State& state);

/// Returns the precisions for which the catalogue has a peak of this device type, without fp8 and fp4.
/// usual_precision_of() returns the one used for training.
QStringList precisions_of(const QString& device);
QString usual_precision_of(const QString& device);

/// Adds and chooses the profile.
State with_imported_profile(State state, Profile profile);

}  // namespace pipedeck::session::project
