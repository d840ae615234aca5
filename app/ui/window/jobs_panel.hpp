// SPDX-License-Identifier: GPL-3.0-or-later
// A list of background jobs: one per line with its progress, its end, and a button that stops it.
#pragma once

#include <QTreeWidget>

#include "app/session/work/jobs.hpp"

namespace pipedeck::ui::window {

class JobsPanel : public QTreeWidget {
  Q_OBJECT

 public:
  explicit JobsPanel(session::work::Jobs& jobs, QWidget* parent = nullptr);

  QSize minimumSizeHint() const override;

 protected:
  void changeEvent(QEvent* event) override;

 private:
  enum Column { title, progress, detail, time, stop, column_count };
  void refresh();
  QTreeWidgetItem* make_item(const session::work::JobInfo& job);
  void show_job(QTreeWidgetItem* item, const session::work::JobInfo& job);
  QTreeWidgetItem* item_of(int id) const;

  session::work::Jobs& jobs_;
};

}  // namespace pipedeck::ui::window
