// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a launch can begin, asked of the very program that would train: it looks at plan, model, data and devices and
// says what is wrong.
#pragma once

#include <QObject>
#include <QString>
#include <QTemporaryDir>

#include "app/session/child_process.hpp"
#include "app/session/run_arguments.hpp"
#include "core/domain/model.hpp"
#include "core/domain/plan.hpp"

namespace pipedeck::app {

class LaunchCheck : public QObject {
  Q_OBJECT

 public:
  explicit LaunchCheck(QObject* parent = nullptr);

  /// Asks anew; an answer to an older question is dropped.
  void ask(const QString& program, const Plan& plan, const ModelSpec& model, const RunSettings& settings);
  bool asking() const { return process_ != nullptr; }
  void forget();

 signals:
  /// `problem` is empty where the launch can begin; `words` then says what with. `sharing_helps`: there are fewer GPUs
  /// than devices, or such that can't be joined, and devices that share them are joined otherwise.
  void answered(const QString& problem, const QString& words, bool sharing_helps = false);

 private:
  void take(const ProcessEnd& end);

  QTemporaryDir directory_;
  ChildProcess* process_ = nullptr;
  QString said_;
  bool on_gpus_ = false;
};

}  // namespace pipedeck::app
