// SPDX-License-Identifier: GPL-3.0-or-later
// The time axis under the charts, with the cursor's time in a bubble.
#pragma once

#include "app/views/gantt/time_view.hpp"

namespace pipedeck::views::gantt {

class RulerView : public TimeView {
  Q_OBJECT

 public:
  explicit RulerView(TimeAxisController* link, QWidget* parent = nullptr);
  QSize sizeHint() const override { return {640, 30}; }
  QSize minimumSizeHint() const override { return {200, 30}; }

 protected:
  void draw_content(QPainter& painter, QImage& canvas) override;
  void draw_overlay(QPainter& painter) override;

 private:
  void draw_flags(QPainter& painter) const;
};

}  // namespace pipedeck::views::gantt
