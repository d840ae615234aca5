// SPDX-License-Identifier: GPL-3.0-or-later
// The command line of a launch, which the window starts, shows and copies.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

#include "core/base/units.hpp"
#include "core/model/model.hpp"
#include "core/model/run_backend.hpp"

namespace pipedeck::session::runs {

/// A set of options of a training run in addition to plan and model.
struct RunSettings {
  int steps = 1;
  QString data;              ///< as for `run --data`; empty: the model's own
  double learning_rate = 0;  ///< 0: the model's own
  RunBackend backend{};      ///< CPU or GPUs
  QList<int> cores;          ///< on the CPU: one per device of the plan; empty: any
  int timeline_every = 0;    ///< steps; 0: about twenty per run
  QString checkpoint;        ///< folder; empty: no checkpoints
  int checkpoint_every = 0;  ///< steps; 0: only after the last one
  int keep = 3;              ///< number of checkpoints that are not deleted; 0: all
  QString resume;            ///< folder with the checkpoint to resume from; empty: start from the beginning
  int processes = 0;         ///< joined by MPI; 0: threads of one process
  Bytes memory_limit;        ///< per device; 0: none
  double timeout = 30;       ///< seconds without progress
  bool operator==(const RunSettings&) const = default;
};

/// Returns the model with the values that the settings override.
ModelSpec with_settings(ModelSpec model, const RunSettings& settings);

/// A set of paths of a run's input files.
struct RunFiles {
  QString plan = QStringLiteral("plan.json"), model = QStringLiteral("model.json");
  QString profile = QStringLiteral("profile.json"), cluster = QStringLiteral("cluster.json");
};

/// Returns the arguments of pipedeck-cli for training. Events are written to standard output; commands are read from
/// standard input.
QStringList run_arguments(const RunFiles& files, const RunSettings& settings);
/// A program and its arguments: `program` itself, or mpirun with several processes of it.
struct Command {
  QString program;
  QStringList arguments;
};
Command run_command(const QString& program, const RunFiles& files, const RunSettings& settings);
/// Returns the arguments for a check without training.
QStringList check_arguments(const RunFiles& files, const RunSettings& settings);

/// Returns the command as typed into a shell.
QString shell_text(const QString& program, const QStringList& arguments);

/// Returns the CPU cores that this process may use.
QList<int> cores_here();

}  // namespace pipedeck::session::runs
