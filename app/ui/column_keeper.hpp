// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of the window's tables as a person arranged them: dragged to other widths and into another order, found again
// at the next start. Columns that nobody touched go on taking the widths that their contents need.
#pragma once

#include <map>

#include <QByteArray>
#include <QObject>
#include <QPointer>
#include <QString>

class QHeaderView;
class QSettings;
class QWidget;

namespace pipedeck::app {

class ColumnKeeper : public QObject {
  Q_OBJECT

 public:
  /// Of all tables and trees that have names and are there now.
  ColumnKeeper(QWidget& window, QSettings& settings);

  void restore();
  void save() const;
  void reset();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void watch(QHeaderView& header, const QString& key);
  void let_be_dragged(QHeaderView& header);
  void take_back(QHeaderView& header);

  struct Watched {
    QPointer<QHeaderView> header;
    QByteArray first;  ///< as the program made it
  };
  std::map<QString, Watched> headers_;  ///< by key in the settings
  QSettings& settings_;
};

}  // namespace pipedeck::app
