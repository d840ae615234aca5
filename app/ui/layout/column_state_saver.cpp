// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/layout/column_state_saver.hpp"

#include <QEvent>
#include <QHeaderView>
#include <QSettings>
#include <QTableView>
#include <QTreeView>

#include "app/views/compare/plan_table.hpp"

namespace pipedeck::ui::layout {

namespace {

const QString columns_key = QStringLiteral("columns");
/// Property with the columns whose widths followed their contents before a drag.
const char* const resize_to_contents = "columns_by_contents";
/// Property that is set while the mouse is pressed on the header.
const char* const held = "columns_held";

/// Returns a key such as "compare_page/plan_table/10": a table with another number of columns has another key.
QString key_of(const QAbstractItemView& view, const QHeaderView& header) {
  QString where;
  for (const QWidget* above = view.parentWidget(); above && where.isEmpty(); above = above->parentWidget())
    if (!above->objectName().startsWith(QLatin1String("qt_"))) where = above->objectName();
  return QStringLiteral("%1/%2/%3/%4").arg(columns_key, where, view.objectName()).arg(header.count());
}

bool has_figures_to_drag(const QHeaderView& header) {
  for (int section = 0; section < header.count(); ++section)
    if (header.sectionResizeMode(section) != QHeaderView::Fixed) return true;
  return false;
}

}  // namespace

ColumnStateSaver::ColumnStateSaver(QWidget& window, QSettings& settings) : QObject(&window), settings_(settings) {
  for (auto* view : window.findChildren<QAbstractItemView*>()) {
    if (view->objectName().isEmpty()) continue;
    QHeaderView* header = nullptr;
    if (auto* table = qobject_cast<QTableView*>(view)) header = table->horizontalHeader();
    if (auto* tree = qobject_cast<QTreeView*>(view); tree && !tree->isHeaderHidden()) header = tree->header();
    if (header && header->count() > 1 && has_figures_to_drag(*header)) watch(*header, key_of(*view, *header));
  }
}

void ColumnStateSaver::watch(QHeaderView& header, const QString& key) {
  headers_[key] = {&header, header.saveState()};
  header.setSectionsMovable(true);
  header.viewport()->installEventFilter(this);
  const auto touched = [&header] {
    if (header.property(held).toBool()) header.setProperty(views::compare::columns_by_hand, true);
  };
  connect(&header, &QHeaderView::sectionMoved, this,
          [&header] { header.setProperty(views::compare::columns_by_hand, true); });
  connect(&header, &QHeaderView::sectionResized, this, touched);
}

/// Makes columns draggable: widths by contents become interactive under the mouse.
void ColumnStateSaver::let_be_dragged(QHeaderView& header) {
  QVariantList sections;
  for (int section = 0; section < header.count(); ++section) {
    if (header.sectionResizeMode(section) != QHeaderView::ResizeToContents) continue;
    const int width = header.sectionSize(section);
    header.setSectionResizeMode(section, QHeaderView::Interactive);
    header.resizeSection(section, width);
    sections << section;
  }
  if (!sections.isEmpty()) header.setProperty(resize_to_contents, sections);
}

void ColumnStateSaver::reset(QHeaderView& header) {
  if (header.property(views::compare::columns_by_hand).toBool()) return;
  for (const QVariant& section : header.property(resize_to_contents).toList())
    header.setSectionResizeMode(section.toInt(), QHeaderView::ResizeToContents);
  header.setProperty(resize_to_contents, {});
}

bool ColumnStateSaver::eventFilter(QObject* watched, QEvent* event) {
  if (auto* header = qobject_cast<QHeaderView*>(watched->parent())) {
    if (event->type() == QEvent::MouseButtonPress) header->setProperty(held, true);
    if (event->type() == QEvent::MouseButtonRelease) header->setProperty(held, false);
    if (event->type() == QEvent::Enter) let_be_dragged(*header);
    if (event->type() == QEvent::Leave) reset(*header);
  }
  return QObject::eventFilter(watched, event);
}

void ColumnStateSaver::restore() {
  for (auto& [key, watched] : headers_) {
    const QByteArray state = settings_.value(key).toByteArray();
    if (!state.isEmpty() && watched.header && watched.header->restoreState(state))
      watched.header->setProperty(views::compare::columns_by_hand, true);
  }
}

void ColumnStateSaver::save() const {
  for (const auto& [key, watched] : headers_)
    if (watched.header && watched.header->property(views::compare::columns_by_hand).toBool())
      settings_.setValue(key, watched.header->saveState());
}

void ColumnStateSaver::reset() {
  for (auto& [key, watched] : headers_) {
    if (!watched.header) continue;
    watched.header->setProperty(views::compare::columns_by_hand, false);
    watched.header->setProperty(resize_to_contents, {});
    watched.header->restoreState(watched.first);
  }
  settings_.remove(columns_key);
}

}  // namespace pipedeck::ui::layout
