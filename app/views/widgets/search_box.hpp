// SPDX-License-Identifier: GPL-3.0-or-later
// A combo box for long lists: its open list has groups and a search field. Typing narrows the list, arrows and Enter
// choose.
#pragma once

#include <QComboBox>

class QFrame;
class QLineEdit;
class QTreeWidget;
class QTreeWidgetItem;

namespace pipedeck::views::widgets {

class SearchBox : public QComboBox {
  Q_OBJECT

 public:
  explicit SearchBox(QWidget* parent = nullptr);

  /// Adds an item to a group. The groups are shown in the order of their first item.
  void add(const QString& group, const QString& text, const QVariant& data);
  void showPopup() override;
  void hidePopup() override;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  /// Elides a long name in the middle: the ends distinguish alike names.
  void paintEvent(QPaintEvent* event) override;

 private:
  void build();
  void fill();
  void filter(const QString& words);
  void step(int by);
  void choose(QTreeWidgetItem* item);

  QFrame* popup_ = nullptr;  ///< made when it is first opened
  QLineEdit* search_ = nullptr;
  QTreeWidget* list_ = nullptr;
};

}  // namespace pipedeck::views::widgets
