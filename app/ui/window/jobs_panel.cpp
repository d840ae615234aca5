// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/window/jobs_panel.hpp"

#include <algorithm>
#include <set>

#include <QEvent>
#include <QHeaderView>
#include <QProgressBar>
#include <QToolButton>

#include "app/models/format.hpp"
#include "app/views/widgets/table_style.hpp"

namespace pipedeck::ui::window {

namespace {

QString state_text(const session::work::JobInfo& job) {
  switch (job.state) {
    case session::work::JobState::running:
      return job.paused ? JobsPanel::tr("paused while its page is hidden") : job.detail;
    case session::work::JobState::finished:
      return job.detail.isEmpty() ? JobsPanel::tr("done") : job.detail;
    case session::work::JobState::cancelled:
      return JobsPanel::tr("cancelled");
    case session::work::JobState::failed:
      return JobsPanel::tr("failed: %1").arg(job.detail);
  }
  return {};
}

}  // namespace

JobsPanel::JobsPanel(session::work::Jobs& jobs, QWidget* parent) : QTreeWidget(parent), jobs_(jobs) {
  setObjectName(QStringLiteral("jobs_panel"));
  setColumnCount(column_count);
  setHeader(new views::widgets::FlatHeader(Qt::Horizontal, this));
  setHeaderLabels({tr("Job"), tr("Progress"), tr("State"), tr("Time"), {}});
  setItemDelegate(new views::widgets::FlatDelegate(this));
  setRootIsDecorated(false);
  setUniformRowHeights(true);
  setSelectionMode(QAbstractItemView::NoSelection);
  setFrameShape(QFrame::NoFrame);
  header()->setStretchLastSection(false);
  header()->setSectionResizeMode(detail, QHeaderView::Stretch);
  setColumnWidth(title, 300);
  setColumnWidth(progress, 160);
  setColumnWidth(time, 70);
  setColumnWidth(stop, 70);
  connect(&jobs_, &session::work::Jobs::changed, this, &JobsPanel::refresh);
}

/// Returns the height of the heading and one job.
QSize JobsPanel::minimumSizeHint() const {
  return {QTreeWidget::minimumSizeHint().width(),
          header()->sizeHint().height() + views::widgets::table_row_height(font())};
}

QTreeWidgetItem* JobsPanel::item_of(int id) const {
  for (int i = 0; i < topLevelItemCount(); ++i) {
    if (topLevelItem(i)->data(title, Qt::UserRole).toInt() == id) return topLevelItem(i);
  }
  return nullptr;
}

QTreeWidgetItem* JobsPanel::make_item(const session::work::JobInfo& job) {
  auto* item = new QTreeWidgetItem;
  item->setData(title, Qt::UserRole, job.id);
  item->setTextAlignment(time, Qt::AlignRight | Qt::AlignVCenter);
  insertTopLevelItem(0, item);  // newest first
  auto* bar = new QProgressBar;
  bar->setTextVisible(false);
  const views::widgets::Theme& theme = views::widgets::Theme::of(palette());
  bar->setStyleSheet(QStringLiteral("QProgressBar { background: %1; border: none; border-radius: 3px; margin: 7px 8px; "
                                    "}QProgressBar::chunk { background: %2; border-radius: 3px; }")
                         .arg(theme.raised.name(), theme.accent.name()));
  setItemWidget(item, progress, bar);
  auto* button = new QToolButton;
  button->setText(tr("Stop"));
  button->setAutoRaise(true);
  connect(button, &QToolButton::clicked, this, [this, id = job.id] { jobs_.cancel(id); });
  setItemWidget(item, stop, button);
  return item;
}

void JobsPanel::show_job(QTreeWidgetItem* item, const session::work::JobInfo& job) {
  item->setText(title, job.title);
  item->setText(detail, state_text(job));
  item->setToolTip(detail, state_text(job));
  item->setText(time, tr("%1 s").arg(models::decimal(job.seconds, job.seconds < 10 ? 2 : 0)));
  item->setForeground(detail, job.state == session::work::JobState::failed ? views::widgets::Theme::of(palette()).bad
                                                                           : palette().color(QPalette::Text));
  if (job.state != session::work::JobState::running) {
    removeItemWidget(item, progress);  // hiding is not enough: a view shows its items' widgets at each layout
    removeItemWidget(item, stop);
    return;
  }
  auto* bar = qobject_cast<QProgressBar*>(itemWidget(item, progress));
  bar->setRange(0, job.progress < 0 ? 0 : 1000);  // an empty range shows an indeterminate bar
  bar->setValue(static_cast<int>(1000 * std::clamp(job.progress, 0.0, 1.0)));
}

void JobsPanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) refresh();
  QTreeWidget::changeEvent(event);
}

void JobsPanel::refresh() {
  std::set<int> listed;
  for (const session::work::JobInfo& job : jobs_.list()) {
    listed.insert(job.id);
    QTreeWidgetItem* item = item_of(job.id);
    show_job(item ? item : make_item(job), job);
  }
  for (int i = topLevelItemCount() - 1; i >= 0; --i) {
    if (!listed.contains(topLevelItem(i)->data(title, Qt::UserRole).toInt())) delete takeTopLevelItem(i);
  }
}

}  // namespace pipedeck::ui::window
