// SPDX-License-Identifier: GPL-3.0-or-later
// Two iterations as small pictures on one time scale, so that the change is visible at a glance.
#pragma once

#include <memory>
#include <vector>

#include <QPixmap>
#include <QWidget>

#include "core/model/simulation.hpp"

namespace pipedeck::views::gantt {

/// Returns at most `lanes` of the compute lanes, evenly spaced; empty if these have more than `operations`.
Timeline thinned(const Timeline& timeline, std::size_t lanes, std::size_t operations);

class Preview : public QWidget {
  Q_OBJECT

 public:
  explicit Preview(QWidget* parent = nullptr);

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

}  // namespace pipedeck::views::gantt
