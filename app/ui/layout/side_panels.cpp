// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/layout/side_panels.hpp"

#include <QAction>
#include <QDockWidget>
#include <QEvent>
#include <QMainWindow>
#include <QSettings>
#include <QToolBar>

#include "app/ui/layout/zoom.hpp"

namespace pipedeck::ui::layout {

namespace {

constexpr int project_width = 224, wide_inspector = 312, small_inspector = 256;
const QString project_key = QStringLiteral("window/project_shown");
const QString inspector_key = QStringLiteral("window/inspector_shown");

}  // namespace

bool is_dense(const QSize& window) {
  return window.width() < zoomed(dense_below) || window.height() < zoomed(dense_height);
}

SidePanels::SidePanels(const Parts& parts)
    : QObject(parts.window),
      parts_(parts),
      show_project_(new QAction(tr("&Project"), this)),
      show_inspector_(new QAction(tr("&Inspector"), this)),
      project_wanted_(parts.settings->value(project_key, true).toBool()),
      inspector_wanted_(parts.settings->value(inspector_key, true).toBool()) {
  for (QAction* action : {show_project_, show_inspector_}) action->setCheckable(true);
  connect(show_project_, &QAction::triggered, this, &SidePanels::set_project);
  connect(show_inspector_, &QAction::triggered, this, &SidePanels::set_inspector);
  parts_.window->installEventFilter(this);
  parts_.project->installEventFilter(this);
  parts_.inspector->installEventFilter(this);
}

bool SidePanels::rail() const { return parts_.window->width() < zoomed(rail_below); }

bool SidePanels::narrow_inspector() const { return parts_.window->width() < zoomed(inspector_below); }

void SidePanels::set_context(bool project, bool inspector) {
  has_project_ = project;
  has_inspector_ = inspector;
  update();
}

void SidePanels::set_charts_only(bool on) {
  charts_only_ = on;
  update();
}

void SidePanels::set_project(bool shown) {
  if (rail()) {
    project_opened_ = shown;
  } else {
    project_wanted_ = shown;
    parts_.settings->setValue(project_key, shown);
  }
  update();
}

void SidePanels::set_inspector(bool shown) {
  if (narrow_inspector()) {
    inspector_opened_ = shown;
  } else {
    inspector_wanted_ = shown;
    parts_.settings->setValue(inspector_key, shown);
  }
  update();
}

void SidePanels::show_project() { set_project(true); }

void SidePanels::show_inspector() {
  if (has_inspector_) set_inspector(true);
}

void SidePanels::update() {
  if (!rail()) project_opened_ = false;
  if (!narrow_inspector()) inspector_opened_ = false;
  const bool project = has_project_ && !charts_only_;
  const bool inspector = has_inspector_ && !charts_only_;
  const bool show_project = project && (rail() ? project_opened_ : project_wanted_);
  const bool show_inspector = inspector && (narrow_inspector() ? inspector_opened_ : inspector_wanted_);
  parts_.rail->setVisible(project && rail());
  parts_.project->setVisible(show_project);
  parts_.inspector->setVisible(show_inspector);
  show_project_->setChecked(show_project);
  show_project_->setEnabled(project);
  show_inspector_->setChecked(show_inspector);
  show_inspector_->setEnabled(inspector);
  const bool small = parts_.window->width() < zoomed(dense_below);
  size(*parts_.project, show_project, zoomed(project_width), project_width_);
  size(*parts_.inspector, show_inspector, zoomed(small ? small_inspector : wide_inspector), inspector_width_);
}

void SidePanels::size(QDockWidget& panel, bool shown, int width, int& set) {
  if (!shown || set == width) return;
  const bool restored = set == 0 && parts_.settings->contains(QStringLiteral("window/state"));
  set = width;
  if (!restored) parts_.window->resizeDocks({&panel}, {width}, Qt::Horizontal);
}

void SidePanels::restore() {
  project_wanted_ = parts_.settings->value(project_key, true).toBool();
  inspector_wanted_ = parts_.settings->value(inspector_key, true).toBool();
  update();
}

void SidePanels::reset() {
  project_wanted_ = inspector_wanted_ = true;
  parts_.settings->remove(project_key);
  parts_.settings->remove(inspector_key);
  project_width_ = inspector_width_ = 0;
  update();
}

bool SidePanels::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize && watched == parts_.window) update();
  if (event->type() == QEvent::Close && watched == parts_.project) set_project(false);
  if (event->type() == QEvent::Close && watched == parts_.inspector) set_inspector(false);
  return QObject::eventFilter(watched, event);
}

}  // namespace pipedeck::ui::layout
