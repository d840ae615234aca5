// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/compare/plan_panel.hpp"

#include <utility>

#include <QFontMetrics>
#include <QPainter>
#include <QVBoxLayout>

#include "app/models/format.hpp"
#include "core/model/memory_verdict.hpp"

namespace pipedeck::views::compare {

namespace {

constexpr int title_bottom = 6;  // below the text
constexpr int title_gap = 12;    // between name and figures
constexpr double bar_width = 3;  // next to the selected plan's name

}  // namespace

QString plan_figures(const models::compare::PlanRow& row) {
  if (!row.simulation) return row.note.isEmpty() ? PlanPanel::tr("Simulating…") : row.note;
  QStringList figures{models::format_time(row.simulation->iteration),
                      PlanPanel::tr("bubble %1").arg(models::format_percent(row.simulation->bubble_fraction))};
  if (!row.plan.synchronous()) figures << PlanPanel::tr("asynchronous");
  switch (fit_of(*row.simulation)) {
    case Fit::surely:
      break;
    case Fit::expected:
      figures << PlanPanel::tr("may not fit: see the upper estimate of memory");
      break;
    case Fit::no:
      figures << PlanPanel::tr("does not fit in memory");
  }
  return figures.join(QStringLiteral(" · "));
}

PlanTitle::PlanTitle(gantt::TimeAxisController* link, QWidget* parent) : gantt::TimeView(link, parent) {
  setObjectName(QStringLiteral("plan_title"));
  setFocusPolicy(Qt::NoFocus);
}

void PlanTitle::set_texts(const QString& name, const QString& figures, bool warning) {
  if (name == name_ && figures == figures_ && warning == warning_) return;
  name_ = name;
  figures_ = figures;
  warning_ = warning;
  setAccessibleName(name + QStringLiteral(", ") + figures);
  refresh();
}

void PlanTitle::set_selected(bool selected) {
  if (selected == selected_) return;
  selected_ = selected;
  refresh();
}

void PlanTitle::draw_content(QPainter& painter, QImage&) {
  const QFont strong = widgets::title_font(font());
  const QFontMetrics metrics(strong);
  const int room = width() - 2 * widgets::ThemeSizes::margin;
  const int baseline = height() - title_bottom - metrics.descent();
  const QString name = metrics.elidedText(name_, Qt::ElideMiddle, room * 2 / 3);
  if (selected_) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().accent);
    painter.drawRoundedRect(QRectF(2, baseline - metrics.ascent(), bar_width, metrics.height()), 1.5, 1.5);
  }
  painter.setFont(strong);
  painter.setPen(selected_ ? theme().accent : theme().text);
  painter.drawText(QPoint(widgets::ThemeSizes::margin, baseline), name);
  const int left = widgets::ThemeSizes::margin + metrics.horizontalAdvance(name) + title_gap;
  painter.setFont(font());
  painter.setPen(warning_ ? theme().bad : theme().muted);
  painter.drawText(QPoint(left, baseline), QFontMetrics(font()).elidedText(
                                               figures_, Qt::ElideRight, width() - widgets::ThemeSizes::margin - left));
}

PlanPanel::PlanPanel(gantt::TimeAxisController* link, QWidget* parent)
    : QWidget(parent),
      title_(new PlanTitle(link, this)),
      gantt_(new gantt::View(link, this)),
      memory_(new memory::View(link, this)) {
  setObjectName(QStringLiteral("plan_panel"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  for (QWidget* view : {static_cast<QWidget*>(title_), static_cast<QWidget*>(gantt_), static_cast<QWidget*>(memory_)})
    layout->addWidget(view);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(title_, &PlanTitle::pressed, this, [this] { emit clicked(row_.id); });
}

void PlanPanel::set_row(const models::compare::PlanRow& row) {
  const bool same = filled_ && row.simulation == row_.simulation;
  row_ = row;
  gantt_->set_chart_id(row.id);
  title_->set_texts(models::compare::plan_title(row), plan_figures(row), row.simulation && !row.simulation->fits);
  gantt_->set_empty_text(plan_figures(row));
  if (same) return;
  filled_ = true;
  if (row.charts.gantt)
    gantt_->set_content(row.charts.gantt);
  else
    gantt_->set_simulation(row.simulation);
  if (row.charts.memory)
    memory_->set_curves(row.charts.memory);
  else
    memory_->set_simulation(row.simulation);
  memory_->setVisible(row.simulation != nullptr);
}

void PlanPanel::set_selected(bool selected) {
  selected_ = selected;
  title_->set_selected(selected);
}

void PlanPanel::set_device_names(const QStringList& names) {
  gantt_->set_device_names(names);
  memory_->set_device_names(names);
}

void PlanPanel::set_insert(QWidget* insert) {
  if (insert_ == insert) return;
  if (insert_) insert_->deleteLater();
  insert_ = insert;
  if (!insert) return;
  auto* column = static_cast<QVBoxLayout*>(layout());
  column->insertWidget(column->indexOf(memory_), insert);
  insert->show();
}

}  // namespace pipedeck::views::compare
