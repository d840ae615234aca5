// SPDX-License-Identifier: GPL-3.0-or-later
// A cluster drawn: nodes with their devices, switches, links with their bandwidth.
#pragma once

#include <memory>
#include <optional>

#include <QScrollArea>

#include "app/models/topology_geometry.hpp"
#include "core/domain/cluster.hpp"

namespace pipedeck::app {

class TopologyCanvas;

class TopologyView : public QScrollArea {
  Q_OBJECT

 public:
  explicit TopologyView(QWidget* parent = nullptr);

  void set_cluster(std::shared_ptr<const Cluster> cluster);
  void clear();
  const Cluster* cluster() const;
  const TopologyLayout& scene() const;
  QWidget* canvas() const;  ///< the drawing itself, for export
  std::optional<TopologyHit> hovered() const;

 private:
  TopologyCanvas* canvas_;
};

}  // namespace pipedeck::app
