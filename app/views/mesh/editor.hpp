// SPDX-License-Identifier: GPL-3.0-or-later
// The editor of a plan of format version 2: the product of its degrees, and below it a row for each dimension.
#pragma once

#include <QWidget>

#include "app/models/mesh/sheet.hpp"

class QLabel;
class QPushButton;
class QScrollArea;
class QToolButton;

namespace pipedeck::views::mesh {

class Degrees;

class Editor : public QWidget {
  Q_OBJECT

 public:
  explicit Editor(QWidget* parent = nullptr);

  void set_sheet(const models::mesh::Sheet& sheet);
  /// Shows why there is no sheet.
  void set_reason(const QString& reason);
  Degrees& degrees() const { return *degrees_; }
  QLabel& product() const { return *product_; }
  QPushButton& search() const { return *search_; }
  /// Returns true if the user wants to edit stages one by one: rows give their place to the split editor.
  bool uneven() const;
  QToolButton& uneven_button() const { return *uneven_; }

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 signals:
  void search_wanted();
  void uneven_changed(bool on);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void show_product();

  models::mesh::Sheet sheet_;
  QLabel *product_, *verdict_, *reason_;
  QToolButton* uneven_;
  QPushButton* search_;
  QScrollArea* scroll_;
  Degrees* degrees_;
};

}  // namespace pipedeck::views::mesh
