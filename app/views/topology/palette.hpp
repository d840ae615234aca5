// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a cluster: device types, nodes, switches, racks. They are dragged onto the drawing, or added by Enter or
// a double click. Below them are the importers of whole clusters.
#pragma once

#include <optional>
#include <vector>

#include <QListWidget>

#include "core/model/cluster.hpp"

namespace pipedeck::views::topology {

struct PaletteEntry {
  enum Kind { device, node, network_switch, rack, import_files, import_this_machine, import_cloud };
  Kind kind = node;
  QString title;   ///< "T4"
  QString detail;  ///< "16 GiB · 8.1 TFLOP/s"
  QString tip;
  DeviceType type{};  ///< of a device; nodes and racks are filled with it
  Link inside{};
  int colour = -1;  ///< of the type in the drawing; -1: not in the drawing yet

  bool imports() const { return kind >= import_files; }
};

class Palette : public QListWidget {
  Q_OBJECT

 public:
  explicit Palette(QWidget* parent = nullptr);

  struct Section {
    QString title;
    std::vector<PaletteEntry> entries;
  };
  void set_sections(const std::vector<Section>& sections);
  const PaletteEntry* entry(const QListWidgetItem* item) const;
  /// Returns the item with that title, for tests and keys.
  QListWidgetItem* find_item(const QString& title) const;
  bool dragging() const { return dragging_; }

 signals:
  void add_requested(const topology::PaletteEntry& entry);
  void import_requested(topology::PaletteEntry::Kind kind);
  void dragged(const topology::PaletteEntry& entry, const QPoint& global);
  void dropped(const topology::PaletteEntry& entry, const QPoint& global);
  void drag_cancelled();

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void take(const PaletteEntry& chosen);

  std::vector<PaletteEntry> entries_;
  QPoint pressed_;
  std::optional<PaletteEntry> taken_;  ///< pressed by the mouse; the list may change until it is dropped
  bool dragging_ = false;
};

}  // namespace pipedeck::views::topology
