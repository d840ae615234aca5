// SPDX-License-Identifier: GPL-3.0-or-later
// Column widths and order of the window's tables, restored at the next start if the user changed them. Other columns
// continue to follow their contents.
#pragma once

#include <map>

#include <QByteArray>
#include <QObject>
#include <QPointer>
#include <QString>

class QHeaderView;
class QSettings;
class QWidget;

namespace pipedeck::ui::layout {

class ColumnStateSaver : public QObject {
  Q_OBJECT

 public:
  /// Watches all existing tables and trees that have names.
  ColumnStateSaver(QWidget& window, QSettings& settings);

  void restore();
  void save() const;
  void reset();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void watch(QHeaderView& header, const QString& key);
  void let_be_dragged(QHeaderView& header);
  void reset(QHeaderView& header);

  struct Watched {
    QPointer<QHeaderView> header;
    QByteArray first;  ///< as the program created it
  };
  std::map<QString, Watched> headers_;  ///< by key in the settings
  QSettings& settings_;
};

}  // namespace pipedeck::ui::layout
