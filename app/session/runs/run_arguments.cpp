// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/runs/run_arguments.hpp"

#include <sched.h>

#include <algorithm>

#include <QRegularExpression>

namespace pipedeck::session::runs {

namespace {

/// Timelines of a run of any length: enough to see changes, but without slowing it down.
constexpr int timelines_a_run = 20;
constexpr int sample_milliseconds = 100;

QStringList checkpoint_arguments(const RunSettings& settings) {
  QStringList arguments;
  if (!settings.checkpoint.isEmpty()) {
    arguments << "--checkpoint" << settings.checkpoint << "--keep" << QString::number(settings.keep);
    if (settings.checkpoint_every > 0) arguments << "--checkpoint-every" << QString::number(settings.checkpoint_every);
  }
  if (!settings.resume.isEmpty()) arguments << "--resume" << settings.resume;
  return arguments;
}

QStringList common_arguments(const RunFiles& files, const RunSettings& settings) {
  QStringList arguments{"run", "--plan", files.plan, "--model", files.model};
  for (const std::string& argument : arguments_of(settings.backend)) arguments << QString::fromStdString(argument);
  arguments << "--steps" << QString::number(settings.steps);
  if (!settings.data.isEmpty()) arguments << "--data" << settings.data;
  arguments << checkpoint_arguments(settings);
  if (settings.memory_limit.count > 0) arguments << "--memory-limit" << QString::number(settings.memory_limit.count);
  if (settings.timeout != RunSettings().timeout) arguments << "--timeout" << QString::number(settings.timeout);
  if (settings.cores.isEmpty() || settings.backend.gpus) return arguments;
  QStringList cores;
  for (const int core : settings.cores) cores << QString::number(core);
  return arguments << "--cores" << cores.join(QLatin1Char(','));
}

QString quote(const QString& argument) {
  static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_./:=,+@%-]+$"));
  if (plain.match(argument).hasMatch()) return argument;
  QString escaped = argument;
  return QLatin1Char('\'') + escaped.replace(QLatin1Char('\''), QStringLiteral("'\\''")) + QLatin1Char('\'');
}

}  // namespace

ModelSpec with_settings(ModelSpec model, const RunSettings& settings) {
  if (settings.learning_rate > 0) model.learning_rate = settings.learning_rate;
  return model;
}

QStringList run_arguments(const RunFiles& files, const RunSettings& settings) {
  const int every = settings.timeline_every > 0 ? settings.timeline_every : settings.steps / timelines_a_run;
  return common_arguments(files, settings) + QStringList{"--profile",        files.profile,
                                                         "--cluster",        files.cluster,
                                                         "--timeline-every", QString::number(std::max(1, every)),
                                                         "--sample-every",   QString::number(sample_milliseconds),
                                                         "--control",        "-",
                                                         "--events",         "-",
                                                         "--on-lost-reader", "stop"};
}

Command run_command(const QString& program, const RunFiles& files, const RunSettings& settings) {
  const QStringList arguments = run_arguments(files, settings);
  if (settings.processes <= 0) return {program, arguments};
  // Processes may be more than cores, and each has the threads of several devices: mpirun would bind them to one core.
  return {QStringLiteral("mpirun"),
          QStringList{"-n", QString::number(settings.processes), "--oversubscribe", "--bind-to", "none", program} +
              arguments + QStringList{"--transport", "mpi"}};
}

QStringList check_arguments(const RunFiles& files, const RunSettings& settings) {
  return common_arguments(files, settings) << "--check";
}

QString shell_text(const QString& program, const QStringList& arguments) {
  QStringList words{quote(program)};
  for (const QString& argument : arguments) words << quote(argument);
  return words.join(QLatin1Char(' '));
}

QList<int> cores_here() {
  cpu_set_t set;
  CPU_ZERO(&set);
  QList<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores << core;
  return cores;
}

}  // namespace pipedeck::session::runs
