// SPDX-License-Identifier: GPL-3.0-or-later
// A check whether a launch can begin. It is done by the training program, which inspects plan, model, data and devices
// and reports problems.
#pragma once

#include <QObject>
#include <QString>

#include "app/session/runs/run_arguments.hpp"
#include "app/session/work/child_process.hpp"
#include "app/session/work/temporary_folder.hpp"
#include "core/model/model.hpp"
#include "core/model/plan.hpp"

namespace pipedeck::session::runs {

class LaunchValidation : public QObject {
  Q_OBJECT

 public:
  explicit LaunchValidation(QObject* parent = nullptr);

  /// Starts a check; answers to older ones are dropped.
  void ask(const QString& program, const Plan& plan, const ModelSpec& model, const RunSettings& settings);
  bool asking() const { return process_ != nullptr; }
  void forget();

 signals:
  /// Reports the result. `problem` is empty if the launch can begin; `words` then describes it. `sharing_helps`: GPUs
  /// are too few or cannot be connected, and sharing them would avoid this.
  void answered(const QString& problem, const QString& words, bool sharing_helps = false);

 private:
  void take(const work::ProcessEnd& end);

  work::TemporaryFolder directory_;
  work::ChildProcess* process_ = nullptr;
  QString said_;
  bool on_gpus_ = false;
};

}  // namespace pipedeck::session::runs
