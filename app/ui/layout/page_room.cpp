// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/layout/page_room.hpp"

#include <numeric>

#include <QCoreApplication>
#include <QDockWidget>
#include <QMainWindow>
#include <QTabWidget>

namespace pipedeck::ui::layout {

namespace {

bool presses(const QWidget& page) { return page.width() <= page.minimumSizeHint().width(); }

void claim_room(QWidget& page, bool claims) {
  QSizePolicy policy = page.sizePolicy();
  policy.setHorizontalPolicy(claims ? QSizePolicy::Preferred : QSizePolicy::Ignored);
  policy.setVerticalPolicy(policy.horizontalPolicy());
  page.setSizePolicy(policy);
}

}  // namespace

PageRoom::PageRoom(QMainWindow& window, QTabWidget& pages, QList<QDockWidget*> docks)
    : QObject(&window), window_(window), pages_(pages), docks_(std::move(docks)), shown_(pages.currentWidget()) {
  for (int i = 0; i < pages_.count(); ++i) claim_room(*pages_.widget(i), pages_.widget(i) == shown_);
  connect(&pages_, &QTabWidget::currentChanged, this, &PageRoom::show_page);
}

void PageRoom::show_page() {
  const bool pressed = pressed_ || presses(*shown_);  // it still has its size
  if (!pressed && window_.isVisible()) {
    widths_.clear();
    for (const QDockWidget* dock : docks_) widths_ << (dock->isVisible() ? dock->width() : 1);
  }
  claim_room(*shown_, false);
  shown_ = pages_.currentWidget();
  claim_room(*shown_, true);
  pressed_ = std::accumulate(widths_.begin(), widths_.end(), shown_->minimumSizeHint().width()) > window_.width();
  if (!pressed || widths_.isEmpty()) return;
  // First the old minimum width must be discarded: events pass the change from each widget to its parent.
  for (QWidget* widget = shown_; widget != &window_; widget = widget->parentWidget()) {
    widget->updateGeometry();
    QCoreApplication::sendPostedEvents(widget->parentWidget(), QEvent::LayoutRequest);
  }
  window_.resizeDocks(docks_, widths_, Qt::Horizontal);
}

}  // namespace pipedeck::ui::layout
