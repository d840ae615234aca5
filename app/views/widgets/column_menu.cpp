// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/widgets/column_menu.hpp"

#include <QAction>
#include <QHeaderView>
#include <QMenu>
#include <QTableView>

namespace pipedeck::views::widgets {

namespace {

void show_column_menu(QTableView& table, const char* by_hand, const QPoint& at) {
  QHeaderView& header = *table.horizontalHeader();
  auto* menu = new QMenu(&table);
  menu->setObjectName(QStringLiteral("column_menu"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  bool first = true;
  for (int visual = 0; visual < header.count(); ++visual) {
    const int column = header.logicalIndex(visual);
    const QString title = table.model()->headerData(column, Qt::Horizontal).toString();
    if (title.isEmpty()) continue;
    QAction* action = menu->addAction(title);
    action->setCheckable(true);
    action->setChecked(!table.isColumnHidden(column));
    action->setEnabled(!first);
    first = false;
    QObject::connect(action, &QAction::toggled, &table, [&table, by_hand, column](bool shown) {
      table.horizontalHeader()->setProperty(by_hand, true);
      table.setColumnHidden(column, !shown);
      if (shown) table.resizeColumnToContents(column);
    });
  }
  menu->popup(header.mapToGlobal(at));
}

}  // namespace

void offer_columns(QTableView& table, const char* by_hand) {
  QHeaderView* header = table.horizontalHeader();
  header->setContextMenuPolicy(Qt::CustomContextMenu);
  QObject::connect(header, &QWidget::customContextMenuRequested, &table,
                   [&table, by_hand](const QPoint& at) { show_column_menu(table, by_hand, at); });
}

}  // namespace pipedeck::views::widgets
