// SPDX-License-Identifier: GPL-3.0-or-later
// Fields for the devices of a node and for the parameters of a device type.
#pragma once

#include <functional>
#include <vector>

#include <QStringList>
#include <QWidget>

#include "app/models/topology/facts.hpp"

class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;
class QVBoxLayout;

namespace pipedeck::views::widgets {
class QuantityEdit;
}  // namespace pipedeck::views::widgets

namespace pipedeck::views::topology {

/// An editor with a row such as "8 × T4" per group: the count, the type and a button that removes it. Another button
/// adds a row.
class DeviceGroupsEdit : public QWidget {
  Q_OBJECT

 public:
  explicit DeviceGroupsEdit(QWidget* parent = nullptr);
  void show_groups(const models::topology::Common<std::vector<DeviceGroup>>& groups,
                   const std::vector<DeviceType>& types);
  void start_editing();

 signals:
  void edited(const std::vector<pipedeck::DeviceGroup>& groups);

 private:
  struct Row {
    QWidget* line;
    widgets::QuantityEdit* count;
    QComboBox* type;
    QToolButton* remove;
  };
  void add_row();
  void change(std::size_t row, const std::function<void(DeviceGroup&)>& how);

  std::vector<DeviceGroup> groups_;
  QStringList types_;
  std::vector<Row> rows_;
  QVBoxLayout* column_;
  QLabel* several_;
  QToolButton* more_;
};

/// An editor of a device type: name, memory, speed and price. It changes all devices of this type in the cluster.
class DeviceTypeEdit : public QWidget {
  Q_OBJECT

 public:
  explicit DeviceTypeEdit(QWidget* parent = nullptr);
  /// Shows a type. It cannot be removed while it is `used` by a node.
  void show_type(const DeviceType& type, int colour, bool used);

 signals:
  void edited(const QString& name, const pipedeck::DeviceType& type);
  void removal_wanted(const QString& name);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void tell(const std::function<void(DeviceType&)>& change);

  DeviceType type_;
  int colour_ = 0;
  QLineEdit* name_;
  widgets::QuantityEdit *memory_, *speed_, *memory_rate_, *price_;
  QToolButton* remove_;
};

}  // namespace pipedeck::views::topology
