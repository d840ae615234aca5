// SPDX-License-Identifier: GPL-3.0-or-later
// Settings that few launches need, in a collapsible part of the panel: checkpoints, resuming, several processes, the
// interval of timelines, limits of memory and time.
#pragma once

#include <QLabel>
#include <QList>
#include <QString>
#include <QWidget>

class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLineEdit;
class QSpinBox;
class QToolButton;

namespace pipedeck::views::run {

struct LaunchMoreSettings {
  QString checkpoint;        ///< folder; empty: no checkpoints
  int checkpoint_every = 0;  ///< steps; 0: only after the last one
  int keep = 3;              ///< checkpoints that are not deleted; 0: all
  QString resume;            ///< folder of the checkpoints to resume from; empty: start from scratch
  int processes = 0;         ///< started by mpirun; 0: threads of one process
  int timeline_every = 0;    ///< steps; 0: about twenty per run
  double memory_limit = 0;   ///< MiB per device; 0: none
  double timeout = 30;       ///< seconds without progress
  bool operator==(const LaunchMoreSettings&) const = default;
};

class LaunchMore : public QWidget {
  Q_OBJECT

 public:
  explicit LaunchMore(QWidget* parent = nullptr);

  /// Opens the part if any setting differs from its default.
  void set_settings(const LaunchMoreSettings& settings);
  LaunchMoreSettings settings() const;
  void set_open(bool on);
  bool is_open() const;
  /// Sets why several processes are not available; empty if they are.
  void set_why_one_process(const QString& reason);
  void set_most_processes(int devices);
  /// Describes the checkpoints to resume from; a problem is shown in the colour of a warning.
  void set_checkpoints(const QString& words, bool problem);
  void set_folder(const QString& field, const QString& folder);  ///< "checkpoint" or "resume"
  void set_editable(bool on);

 signals:
  void edited();
  void resume_changed(const QString& folder);
  void folder_requested(const QString& field);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QWidget* folder_row(QLineEdit*& edit, const QString& field, const QString& name);
  void add_row(QFormLayout* form, const QString& name, QWidget* field, const QString& tip);
  void make_checkpoint_rows(QFormLayout* form);
  void make_run_rows(QFormLayout* form);
  void update_enabled();
  void apply_theme();

  QToolButton* toggle_;
  QWidget* fields_;
  QLineEdit* checkpoint_ = nullptr;
  QLineEdit* resume_ = nullptr;
  QSpinBox* every_ = nullptr;
  QSpinBox* keep_ = nullptr;
  QLabel* checkpoints_ = nullptr;
  QComboBox* transport_ = nullptr;
  QSpinBox* processes_ = nullptr;
  QSpinBox* timelines_ = nullptr;
  QDoubleSpinBox* memory_ = nullptr;
  QDoubleSpinBox* timeout_ = nullptr;
  QList<QLabel*> names_;
  QString one_process_reason_;
  bool checkpoints_problem_ = false;
};

}  // namespace pipedeck::views::run
