// SPDX-License-Identifier: GPL-3.0-or-later
// The time scale above the charts, with the cursor's time, the length of the measured span and the flags. A drag
// selects a span, a double click adds a flag, a click on a flag edits its note.
#pragma once

#include <functional>

#include "app/views/gantt/time_view.hpp"

namespace pipedeck::views::gantt {

class RulerView : public TimeView {
  Q_OBJECT

 public:
  explicit RulerView(TimeAxisController* link, QWidget* parent = nullptr);
  /// Sets what a selected span snaps to; it takes and returns ns.
  void set_snap(std::function<double(double time)> snap) { snap_ = std::move(snap); }
  /// Returns the flag at a widget position, as its index.
  std::optional<std::size_t> flag_at(const QPointF& position) const;
  /// Opens the editor of a flag's note.
  void edit_flag(std::size_t index);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {200, sizeHint().height()}; }

 protected:
  void draw_content(QPainter& painter, QImage& canvas) override;
  void draw_overlay(QPainter& painter) override;
  double snapped(const QPointF& position) const override;
  void hovered(const QPointF& position) override;
  void clicked(const QPointF& position) override;
  bool double_clicked(const QPointF& position) override;

 private:
  int flag_row() const;
  QRectF flag_box(std::size_t index) const;
  void draw_flags(QPainter& painter) const;
  void draw_span(QPainter& painter) const;
  void draw_bubble(QPainter& painter, double middle, const QString& text, const QColor& ground) const;

  std::function<double(double)> snap_;
};

}  // namespace pipedeck::views::gantt
