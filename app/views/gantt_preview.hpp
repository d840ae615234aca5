// SPDX-License-Identifier: GPL-3.0-or-later
// Two iterations as small pictures on one time scale, so that the change is visible at a glance.
#pragma once

#include <memory>
#include <vector>

#include <QPixmap>
#include <QWidget>

#include "core/domain/simulation.hpp"

namespace pipedeck::app {

/// Returns at most `lanes` of the compute lanes, evenly spaced; empty if these have more than `operations`.
Timeline thinned(const Timeline& timeline, std::size_t lanes, std::size_t operations);

class GanttPreview : public QWidget {
  Q_OBJECT

 public:
  explicit GanttPreview(QWidget* parent = nullptr);

  struct Shown {
    QString title;
    std::shared_ptr<const Simulation> simulation;  ///< null: none
  };
  void set_shown(const std::vector<Shown>& shown);

  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  struct Row {
    QString title;
    std::shared_ptr<const Simulation> simulation;
    Timeline timeline;
    bool operator==(const Row&) const = default;
  };
  void paint(QPainter& painter) const;

  std::vector<Row> rows_;
  QPixmap cache_;
};

}  // namespace pipedeck::app
