// SPDX-License-Identifier: GPL-3.0-or-later
// The command line of a launch: what the window starts, shows and lets people copy.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

#include "core/domain/model.hpp"
#include "core/domain/run_backend.hpp"
#include "core/domain/units.hpp"

namespace pipedeck::app {

/// How a plan is trained, beside plan and model.
struct RunSettings {
  int steps = 1;
  QString data;              ///< as `run --data` has it; empty: the model's own
  double learning_rate = 0;  ///< 0: the model's own
  RunBackend backend{};      ///< processor or GPUs
  QList<int> cores;          ///< of the processor: one a device of the plan; empty: any
  int timeline_every = 0;    ///< steps; 0: some twenty a run
  QString checkpoint;        ///< folder; empty: none are written
  int checkpoint_every = 0;  ///< steps; 0: at the last one alone
  int keep = 3;              ///< checkpoints that stay; 0: all
  QString resume;            ///< folder to go on from; empty: from the beginning
  int processes = 0;         ///< joined by MPI; 0: threads of one process
  Bytes memory_limit;        ///< of a device; 0: none
  double timeout = 30;       ///< seconds without any progress
  bool operator==(const RunSettings&) const = default;
};

/// The model with what the settings say otherwise.
ModelSpec with_settings(ModelSpec model, const RunSettings& settings);

/// Where what a run reads lies.
struct RunFiles {
  QString plan = QStringLiteral("plan.json"), model = QStringLiteral("model.json");
  QString profile = QStringLiteral("profile.json"), cluster = QStringLiteral("cluster.json");
};

/// Arguments of pipedeck-cli that train; events go to standard output and words are read from standard input.
QStringList run_arguments(const RunFiles& files, const RunSettings& settings);
/// The program to start and its arguments: `program` itself, or mpirun with several of it.
struct Command {
  QString program;
  QStringList arguments;
};
Command run_command(const QString& program, const RunFiles& files, const RunSettings& settings);
/// Arguments that look whether it can be done.
QStringList check_arguments(const RunFiles& files, const RunSettings& settings);

/// As it is typed into a shell.
QString shell_text(const QString& program, const QStringList& arguments);

/// Processor cores that this process may use.
QList<int> cores_here();

}  // namespace pipedeck::app
