// SPDX-License-Identifier: GPL-3.0-or-later
// Properties of the selection in a cluster's drawing; each field edits all selected items at once. A list of everything
// drawn selects items.
#pragma once

#include <QScrollArea>

#include "app/models/topology/facts.hpp"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QVBoxLayout;

namespace pipedeck::views::widgets {
class QuantityEdit;
}  // namespace pipedeck::views::widgets

namespace pipedeck::views::topology {

class DeviceGroupsEdit;
class DeviceTypeEdit;

class Properties : public QScrollArea {
  Q_OBJECT

 public:
  explicit Properties(QWidget* parent = nullptr);

  /// Takes the drawing as well, for the list of everything in it.
  void show_selection(const Cluster& cluster, const models::topology::Selection& selection,
                      const models::topology::Layout& drawing);
  void clear();
  /// Focuses the first editable field.
  void start_editing();

 signals:
  void name_edited(const QString& name);  ///< of the selected node or switch, of the cluster if nothing is selected
  void devices_edited(const std::vector<pipedeck::DeviceGroup>& devices);
  void inside_edited(std::optional<double> bandwidth, std::optional<double> latency);  ///< empty: unchanged
  void bus_edited(bool bus);
  void nic_edited(std::optional<double> bandwidth);  ///< empty: devices share the node's links
  void link_edited(std::optional<double> bandwidth, std::optional<double> latency);
  void type_edited(const QString& name, const pipedeck::DeviceType& type);
  void type_removal_wanted(const QString& name);
  void item_chosen(const models::topology::Selection& selection);

 private:
  void make_name(QVBoxLayout* column);
  void make_devices(QVBoxLayout* column);
  void make_link(QVBoxLayout* column);
  void make_items(QVBoxLayout* column);
  void show_name(const Cluster& cluster);
  void show_types(const Cluster& cluster);
  void list_boxes(const Cluster& cluster, const models::topology::Layout& drawing, QStringList& words);
  void list_links(const Cluster& cluster, const models::topology::Layout& drawing, QStringList& words);
  void show_items(const Cluster& cluster, const models::topology::Selection& selection,
                  const models::topology::Layout& drawing);

  models::topology::Facts facts_;
  QLabel* title_;
  QLabel* detail_;
  QWidget* name_row_ = nullptr;
  QLineEdit* name_ = nullptr;
  QWidget* node_part_ = nullptr;
  DeviceGroupsEdit* devices_ = nullptr;
  widgets::QuantityEdit* inside_ = nullptr;
  widgets::QuantityEdit* inside_latency_ = nullptr;
  QCheckBox* bus_ = nullptr;
  widgets::QuantityEdit* nic_ = nullptr;
  QWidget* link_part_ = nullptr;
  widgets::QuantityEdit* bandwidth_ = nullptr;
  widgets::QuantityEdit* latency_ = nullptr;
  QVBoxLayout* types_ = nullptr;
  std::vector<DeviceTypeEdit*> type_edits_;
  QListWidget* items_ = nullptr;
  std::vector<models::topology::Selection> item_selections_;
};

}  // namespace pipedeck::views::topology
