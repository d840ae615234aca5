// SPDX-License-Identifier: GPL-3.0-or-later
// The left side of What-if: the parameters that can be changed, each with its current value marked.
#pragma once

#include <map>
#include <vector>

#include <QScrollArea>

#include "core/model/what_if.hpp"

class QComboBox;
class QFormLayout;
class QLabel;
class QPushButton;
class QToolButton;
class QVBoxLayout;

namespace pipedeck::views::widgets {
class QuantityEdit;
}  // namespace pipedeck::views::widgets

namespace pipedeck::views::whatif {

class StopSlider;

/// A set of current values from which the sliders are built.
struct Base {
  ClusterScales scales;
  DeviceType type;                ///< if all devices have the same one
  std::vector<DeviceType> types;  ///< types that the devices can be changed to
  int global_batch = 1;
  int micro_batch = 0;   ///< 0: chosen by the planners
  int min_measured = 1;  ///< smallest measured micro-batch
  QString price_source;
  bool operator==(const Base&) const = default;
};

class Panel : public QScrollArea {
  Q_OBJECT

 public:
  explicit Panel(QWidget* parent = nullptr);

  void set_base(const Base& base);
  /// Emits no signal.
  void set_change(const WhatIf& change);
  const WhatIf& change() const { return change_; }
  /// Sets the types of the changed cluster with their effective prices; one field each.
  void set_prices(const std::vector<DeviceType>& types);
  void set_times(const QString& text);

  StopSlider& between() const { return *between_; }
  StopSlider& inside() const { return *inside_; }
  StopSlider& memory() const { return *memory_; }
  StopSlider& nodes() const { return *nodes_; }
  StopSlider& micro_batch() const { return *micro_batch_; }
  StopSlider& global_batch() const { return *global_batch_; }
  QComboBox& type() const { return *type_; }

 signals:
  void changed(const pipedeck::WhatIf& change);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void make_sliders(QVBoxLayout* column);
  void make_types(QVBoxLayout* column);
  void make_notes(QVBoxLayout* column);
  StopSlider* add(QVBoxLayout* column, StopSlider* slider, void (Panel::*take)(double));
  void apply_inter_node(double value);
  void apply_intra_node(double value);
  void apply_memory(double value);
  void apply_nodes(double value);
  void apply_micro_batch(double value);
  void apply_global_batch(double value);
  void apply_type(int index);
  void apply_price(const std::string& type, std::optional<double> price);
  void show_all();
  void show_memory();
  void show_micro_batch();
  void tell();
  double memory_today() const;
  void apply_theme();

  Base base_;
  WhatIf change_;
  StopSlider *between_, *inside_, *memory_, *nodes_, *micro_batch_, *global_batch_;
  QComboBox* type_;
  QLabel *times_, *also_, *price_source_, *prices_title_;
  QToolButton* drop_also_;
  QPushButton* reset_;
  QFormLayout* prices_;
  std::map<std::string, widgets::QuantityEdit*> price_fields_;
};

}  // namespace pipedeck::views::whatif
