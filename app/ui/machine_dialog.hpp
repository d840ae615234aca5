// SPDX-License-Identifier: GPL-3.0-or-later
// What was understood of described machines, drawn, with everything that was assumed, before it becomes a cluster.
#pragma once

#include <optional>

#include <QDialog>

#include "app/session/machine_files.hpp"

class QComboBox;
class QDialogButtonBox;
class QLabel;
class QLineEdit;
class QFormLayout;
class QListWidget;
class QSpinBox;

namespace pipedeck::app {

class QuantityEdit;
class TopologyView;

class MachineDialog : public QDialog {
  Q_OBJECT

 public:
  explicit MachineDialog(MachinePreview preview, QWidget* parent = nullptr);

  /// What would be added; nothing while it can't be made.
  std::optional<Cluster> cluster() const { return cluster_; }

 private:
  QWidget* make_questions();
  void add_table_questions(QFormLayout& form);
  void add_counts(QFormLayout& form);
  void add_network(QFormLayout& form);
  void add_shape(QFormLayout& form);
  MachineImport answers() const;
  void refresh();

  MachinePreview preview_;
  std::optional<Cluster> cluster_;
  QLineEdit* name_ = nullptr;
  QComboBox* device_ = nullptr;
  QSpinBox* copies_ = nullptr;
  QuantityEdit* network_ = nullptr;
  QComboBox *shape_ = nullptr, *partition_ = nullptr, *unit_ = nullptr;
  QLabel* summary_ = nullptr;
  TopologyView* drawing_ = nullptr;
  QListWidget* notes_ = nullptr;
  QDialogButtonBox* buttons_ = nullptr;
};

}  // namespace pipedeck::app
