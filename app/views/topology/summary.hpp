// SPDX-License-Identifier: GPL-3.0-or-later
// The area below the drawing: bandwidths between devices, the communication of a plan's dimensions, the cluster's
// strengths, and its problems.
#pragma once

#include <QStringList>
#include <QWidget>

#include "app/models/topology/problems.hpp"
#include "app/views/topology/bandwidth_map.hpp"

class QBoxLayout;
class QLabel;
class QListWidget;

namespace pipedeck::views::topology {

/// A dimension of parallelism of a plan, in texts.
struct DimensionRow {
  QString name;     ///< "TP"
  QString where;    ///< "16 groups of 4, all inside a node"
  QString bytes;    ///< that a device sends in a step; empty: not known
  QString exposed;  ///< time of a step; empty: not known
  bool crosses = false;
  bool operator==(const DimensionRow&) const = default;
};

class Summary : public QWidget {
  Q_OBJECT

 public:
  explicit Summary(QWidget* parent = nullptr);

  void set_problems(bool of_cluster, const std::vector<models::topology::TopologyProblem>& problems);
  /// Sets the table of the map; an empty one hides it.
  void set_bandwidths(Bandwidths table);
  /// An empty list hides the table.
  void set_dimensions(std::vector<DimensionRow> rows);
  const std::vector<DimensionRow>& dimensions() const { return rows_; }
  void set_strengths(const QStringList& sentences);
  QStringList strengths() const;
  BandwidthMap& map() const { return *map_; }

 signals:
  void problem_chosen(const models::topology::Selection& at);

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void make_content();
  void arrange();
  void follow_theme();
  void show_dimensions();

  QBoxLayout* row_ = nullptr;
  BandwidthMap* map_;
  QLabel *dimensions_title_, *dimensions_;
  QLabel* strengths_title_;
  QLabel* strengths_;
  QLabel* problems_title_;
  QListWidget* problems_list_;
  std::vector<models::topology::TopologyProblem> problems_;
  std::vector<DimensionRow> rows_;
};

}  // namespace pipedeck::views::topology
