// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/window/jobs_line.hpp"

#include <algorithm>

#include <QFrame>
#include <QPainter>
#include <QVBoxLayout>

#include "app/session/work/count_text.hpp"
#include "app/ui/window/jobs_panel.hpp"
#include "app/views/widgets/table_style.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::ui::window {

namespace {

constexpr int jobs_text_width = 420, jobs_bar_width = 96, jobs_gap = 8, dot = 8;
constexpr int list_width = 860, most_rows = 10;

}  // namespace

JobsLine::JobsLine(session::work::Jobs& jobs, QWidget* parent)
    : QAbstractButton(parent), jobs_(jobs), popup_(new QFrame(this, Qt::Popup)), list_(new JobsPanel(jobs)) {
  setObjectName(QStringLiteral("jobs_line"));
  setFocusPolicy(Qt::TabFocus);
  setCursor(Qt::PointingHandCursor);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  popup_->setObjectName(QStringLiteral("jobs_popup"));
  popup_->setFrameShape(QFrame::StyledPanel);
  auto* column = new QVBoxLayout(popup_);
  column->setContentsMargins(1, 1, 1, 1);
  column->addWidget(list_);
  connect(this, &QAbstractButton::clicked, this, &JobsLine::open);
  connect(&jobs_, &session::work::Jobs::changed, this, &JobsLine::refresh);
  refresh();
}

void JobsLine::refresh() {
  const std::vector<session::work::JobInfo> all = jobs_.list();
  const session::work::JobInfo* shown = nullptr;
  running_ = 0;
  for (const session::work::JobInfo& job : all) {
    if (job.state != session::work::JobState::running) continue;
    ++running_;
    if (!shown || shown->paused || !job.paused) shown = &job;  // the newest that makes progress
  }
  failed_ = !shown && !all.empty() && all.back().state == session::work::JobState::failed;
  progress_ = shown ? shown->progress : 0;
  QString words = tr("Jobs");
  if (shown && shown->paused)
    words = tr("%1: paused, its page is hidden").arg(shown->title);
  else if (shown)
    words = shown->detail.isEmpty() ? shown->title : tr("%1: %2").arg(shown->title, shown->detail);
  if (failed_) words = tr("Failed: %1").arg(all.back().title);
  setToolTip(all.empty() ? tr("No job has run yet") : tr("%1. Click for all jobs").arg(words));
  if (words != text()) {
    setText(words);
    setAccessibleName(words);
    updateGeometry();
  }
  update();
}

QSize JobsLine::sizeHint() const {
  const QFontMetrics metrics(font());
  // One pixel more: the text's width is rounded.
  int width = std::min(metrics.horizontalAdvance(text()) + 1, jobs_text_width) + 2 * jobs_gap;
  if (running_ > 0) width += dot + jobs_bar_width + 2 * jobs_gap;
  if (running_ > 1) width += metrics.horizontalAdvance(tr("%1 jobs").arg(running_)) + jobs_gap;
  return {width, metrics.height() + 6};
}

QSize JobsLine::minimumSizeHint() const { return {dot + 2 * jobs_gap, QFontMetrics(font()).height() + 6}; }

void JobsLine::paintEvent(QPaintEvent*) {
  const views::widgets::Theme& theme = views::widgets::Theme::of(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  if (underMouse() || hasFocus()) {
    painter.setPen(hasFocus() ? QPen(theme.accent) : QPen(Qt::NoPen));
    painter.setBrush(views::widgets::blended(theme.text, theme.raised, 0.06));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 1.5, -0.5, -1.5), 4, 4);
  }
  int left = jobs_gap, right = width() - jobs_gap;
  painter.setPen(theme.muted);
  if (running_ > 1) {
    const QString count = tr("%1 jobs").arg(running_);
    const int wide = painter.fontMetrics().horizontalAdvance(count);
    painter.drawText(QRect(right - wide, 0, wide, height()), Qt::AlignVCenter, count);
    right -= wide + jobs_gap;
  }
  if (running_ > 0) {
    const QRectF track(right - jobs_bar_width, height() / 2.0 - 2, jobs_bar_width, 4);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.border);
    painter.drawRoundedRect(track, 2, 2);
    painter.setBrush(theme.accent);
    QRectF done = track;
    if (progress_ < 0)
      done.setWidth(track.width() / 4);  // how much is left is not known
    else
      done.setWidth(track.width() * std::clamp(progress_, 0.0, 1.0));
    painter.drawRoundedRect(done, 2, 2);
    painter.drawEllipse(QRectF(left, height() / 2.0 - dot / 2.0, dot, dot));
    left += dot + jobs_gap;
    right = static_cast<int>(track.left()) - jobs_gap;
  }
  painter.setPen(failed_ ? theme.bad : theme.muted);
  painter.drawText(QRect(left, 0, right - left, height()), Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(text(), Qt::ElideRight, right - left));
}

void JobsLine::open() {
  const int row = views::widgets::table_row_height(font());
  const int rows = std::clamp(list_->topLevelItemCount(), 2, most_rows);
  const QSize size(std::min(list_width, window()->width() - 2 * jobs_gap), (rows + 1) * row + 4);
  popup_->setFixedSize(size);
  popup_->move(mapToGlobal(QPoint(0, -size.height() - 2)));
  popup_->show();
}

}  // namespace pipedeck::ui::window
