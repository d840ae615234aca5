// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/compare/plan_groups.hpp"

#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>

#include "app/models/format.hpp"
#include "app/views/widgets/table_style.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::compare {

namespace {

constexpr int arrow_room = 16;
constexpr int part_gap = 8;

/// Returns "Data parallel: 5 GiB more are needed" or "PipeDream: 0.264 s".
QString member_text(const models::compare::PlanRow& row) {
  const QString name = row.planner.isEmpty() ? QString::fromStdString(row.plan.name) : row.planner;
  if (row.simulation) return QStringLiteral("%1: %2").arg(name, models::format_time(row.simulation->iteration));
  return row.note.isEmpty() ? name : QStringLiteral("%1: %2").arg(name, models::compare::first_clause(row.note));
}

}  // namespace

GroupButton::GroupButton(QWidget* parent) : QAbstractButton(parent) {
  setCheckable(true);
  setFocusPolicy(Qt::TabFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void GroupButton::set_texts(const QString& title, const QString& text) {
  setText(title);
  details_ = text;
  setToolTip(text);
  setAccessibleName(title);
  setAccessibleDescription(text);
  updateGeometry();
  update();
}

QSize GroupButton::sizeHint() const {
  const QFontMetrics title(widgets::title_font(font()));
  return {
      arrow_room + title.horizontalAdvance(text()) + part_gap + fontMetrics().horizontalAdvance(details_) + part_gap,
      widgets::table_row_height(font())};
}

QSize GroupButton::minimumSizeHint() const {
  return {arrow_room + QFontMetrics(widgets::title_font(font())).horizontalAdvance(text()) + part_gap,
          widgets::table_row_height(font())};
}

void GroupButton::paintEvent(QPaintEvent*) {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  if (underMouse() || hasFocus()) painter.fillRect(rect(), theme.raised);
  painter.setPen(QPen(theme.muted, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  const QPointF centre(arrow_room / 2.0 - 1, height() / 2.0);
  if (isChecked())
    painter.drawPolyline(QPolygonF{centre + QPointF(-3, -1.5), centre + QPointF(0, 1.5), centre + QPointF(3, -1.5)});
  else
    painter.drawPolyline(QPolygonF{centre + QPointF(-1.5, -3), centre + QPointF(1.5, 0), centre + QPointF(-1.5, 3)});
  painter.setFont(widgets::title_font(font()));
  painter.setPen(theme.text);
  QRect area = rect().adjusted(arrow_room, 0, 0, 0);
  painter.drawText(area, Qt::AlignVCenter | Qt::AlignLeft, text());
  area.setLeft(area.left() + painter.fontMetrics().horizontalAdvance(text()) + part_gap);
  painter.setFont(font());
  painter.setPen(theme.muted);
  painter.drawText(area, Qt::AlignVCenter | Qt::AlignLeft,
                   painter.fontMetrics().elidedText(details_, Qt::ElideRight, area.width()));
}

PlanGroups::PlanGroups(QWidget* parent)
    : QWidget(parent), no_plan_(new GroupButton), changes_(new GroupButton), include_(new QToolButton) {
  setObjectName(QStringLiteral("plan_groups"));
  no_plan_->setObjectName(QStringLiteral("no_plan_group"));
  changes_->setObjectName(QStringLiteral("changes_training_group"));
  include_->setObjectName(QStringLiteral("include_asynchronous"));
  include_->setText(tr("Compare too"));
  include_->setToolTip(tr("Also compare planners whose plans change training: updates use gradients of older weights"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(10, 0, 10, 0);
  row->setSpacing(12);
  row->addWidget(no_plan_, 1);
  row->addWidget(changes_, 1);
  row->addWidget(include_);
  connect(no_plan_, &QAbstractButton::clicked, this,
          [this](bool open) { emit toggled(models::compare::PlanGroup::no_plan, open); });
  connect(changes_, &QAbstractButton::clicked, this,
          [this](bool open) { emit toggled(models::compare::PlanGroup::changes_training, open); });
  connect(include_, &QToolButton::clicked, this, &PlanGroups::include_requested);
  setAutoFillBackground(true);
  set_rows({}, {});
}

void PlanGroups::set_rows(const std::vector<models::compare::PlanRow>& rows, const QStringList& off) {
  QStringList none, changing;
  for (const models::compare::PlanRow& row : rows) {
    if (row.group() == models::compare::PlanGroup::no_plan) none << member_text(row);
    if (row.group() == models::compare::PlanGroup::changes_training) changing << member_text(row);
  }
  no_plan_->set_texts(tr("No plan %1").arg(none.size()), none.join(QStringLiteral("; ")));
  no_plan_->setVisible(!none.isEmpty());
  const bool only_off = changing.isEmpty() && !off.isEmpty();
  changes_->set_texts(
      only_off ? tr("Changes training %1, off").arg(off.size()) : tr("Changes training %1").arg(changing.size()),
      only_off ? tr("%1, asynchronous").arg(off.join(QStringLiteral(", "))) : changing.join(QStringLiteral("; ")));
  changes_->setEnabled(!only_off);
  changes_->setVisible(!changing.isEmpty() || (only_off && !rows.empty()));
  include_->setVisible(only_off && !rows.empty());
  setVisible(!none.isEmpty() || !changing.isEmpty() || (only_off && !rows.empty()));
}

void PlanGroups::set_open(models::compare::PlanGroup group, bool open) {
  (group == models::compare::PlanGroup::no_plan ? no_plan_ : changes_)->setChecked(open);
}

QSize PlanGroups::sizeHint() const { return {400, widgets::table_row_height(font()) + 2}; }

void PlanGroups::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange) updateGeometry();
  QWidget::changeEvent(event);
}

}  // namespace pipedeck::views::compare
