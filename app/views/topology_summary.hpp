// SPDX-License-Identifier: GPL-3.0-or-later
// The area below the drawing: bandwidths between devices, the cluster's strengths, and its problems.
#pragma once

#include <QStringList>
#include <QWidget>

#include "app/models/topology_problems.hpp"
#include "app/views/bandwidth_map.hpp"

class QBoxLayout;
class QLabel;
class QListWidget;

namespace pipedeck::app {

class TopologySummary : public QWidget {
  Q_OBJECT

 public:
  explicit TopologySummary(QWidget* parent = nullptr);

  void set_cluster(const Cluster* cluster, const std::vector<TopologyProblem>& problems);
  void set_strengths(const QStringList& sentences);
  QStringList strengths() const;
  BandwidthMap& map() const { return *map_; }

 signals:
  void problem_chosen(const pipedeck::app::TopologySelection& at);

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void make_content();
  void arrange();
  void follow_theme();

  QBoxLayout* row_ = nullptr;
  BandwidthMap* map_;
  QLabel* strengths_title_;
  QLabel* strengths_;
  QLabel* problems_title_;
  QListWidget* problems_list_;
  std::vector<TopologyProblem> problems_;
};

}  // namespace pipedeck::app
