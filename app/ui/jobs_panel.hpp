// SPDX-License-Identifier: GPL-3.0-or-later
// A list of background jobs: one per line with its progress, its end, and a button that stops it.
#pragma once

#include <QTreeWidget>

#include "app/session/jobs.hpp"

namespace pipedeck::app {

class JobsPanel : public QTreeWidget {
  Q_OBJECT

 public:
  explicit JobsPanel(Jobs& jobs, QWidget* parent = nullptr);

  QSize minimumSizeHint() const override;

 protected:
  void changeEvent(QEvent* event) override;

 private:
  enum Column { title, progress, detail, time, stop, column_count };
  void refresh();
  QTreeWidgetItem* make_item(const JobInfo& job);
  void show_job(QTreeWidgetItem* item, const JobInfo& job);
  QTreeWidgetItem* item_of(int id) const;

  Jobs& jobs_;
};

}  // namespace pipedeck::app
