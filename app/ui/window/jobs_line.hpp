// SPDX-License-Identifier: GPL-3.0-or-later
// The background jobs as a line of the status bar: the newest running job with its progress, and the number of jobs. A
// click opens the list.
#pragma once

#include <QAbstractButton>

#include "app/session/work/jobs.hpp"

class QFrame;

namespace pipedeck::ui::window {

class JobsPanel;

class JobsLine : public QAbstractButton {
  Q_OBJECT

 public:
  explicit JobsLine(session::work::Jobs& jobs, QWidget* parent = nullptr);

  /// Opens the list of jobs above the line.
  void open();
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void refresh();

  session::work::Jobs& jobs_;
  QFrame* popup_;
  JobsPanel* list_;
  double progress_ = 0;  ///< in [0, 1]; below 0: unknown
  int running_ = 0;
  bool failed_ = false;  ///< the newest job failed, and none runs
};

}  // namespace pipedeck::ui::window
