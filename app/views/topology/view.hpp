// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a cluster: palette, drawing, properties, and the summary below.
#pragma once

#include <memory>
#include <optional>

#include <QWidget>

#include "app/views/topology/canvas.hpp"
#include "app/views/topology/group_bar.hpp"
#include "app/views/topology/palette.hpp"
#include "app/views/topology/properties.hpp"
#include "app/views/topology/summary.hpp"

class QPushButton;
class QSplitter;

namespace pipedeck::views::topology {

class View : public QWidget {
  Q_OBJECT

 public:
  explicit View(QWidget* parent = nullptr);

  /// Shows a cluster with its id in the project; 0: it is in none.
  void set_cluster(std::shared_ptr<const Cluster> cluster, const ClusterLayout& layout = {}, int id = 0);
  void clear();
  /// Hides the palette and the fields, where nothing can be edited.
  void show_picture_only();
  int cluster_id() const { return id_; }
  const Cluster* cluster() const { return canvas_->cluster(); }
  const ClusterLayout& layout_shown() const { return layout_; }
  const models::topology::Layout& scene() const { return canvas_->scene(); }
  const std::vector<models::topology::TopologyProblem>& problems() const { return problems_; }
  std::optional<models::topology::Hit> hovered() const { return canvas_->hovered(); }

  Canvas* canvas() const { return canvas_; }
  GroupBar& group_bar() const { return *group_bar_; }
  Palette& palette_list() const { return *palette_; }
  Properties& properties() const { return *properties_; }
  Summary& summary_part() const { return *summary_; }
  /// Resets the fields to the cluster after an input was rejected.
  void refresh_properties();

 signals:
  void cluster_shown(int id);  ///< another cluster, or the same one changed
  void new_requested();        ///< from the empty page
  /// `place` is the upper left corner; `onto` is the node on which it was dropped.
  void drop_requested(const topology::PaletteEntry& entry, const pipedeck::ClusterLayout::Place& place,
                      const QString& onto);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void make_zoom_buttons();
  void connect_palette();
  Drop drop_of(const PaletteEntry& entry) const;
  void add_in_the_middle(const PaletteEntry& entry);

  Palette* palette_;
  GroupBar* group_bar_;
  Canvas* canvas_;
  Summary* summary_;
  Properties* properties_;
  QPushButton* new_cluster_;
  ClusterLayout layout_;
  std::vector<models::topology::TopologyProblem> problems_;
  int id_ = 0;
};

/// Sizes of new palette entries: devices per node and nodes per rack.
inline constexpr int devices_of_a_new_node = 8;
inline constexpr int nodes_of_a_new_rack = 4;

}  // namespace pipedeck::views::topology
