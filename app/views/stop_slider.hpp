// SPDX-License-Identifier: GPL-3.0-or-later
// A slider over figures, with a mark at today's, a field to type in, and a way back.
#pragma once

#include <functional>

#include <QSlider>
#include <QWidget>

#include "app/models/slider_stops.hpp"
#include "app/views/quantity_edit.hpp"

class QLabel;
class QToolButton;

namespace pipedeck::app {

/// Stands out where it is not at its mark.
class MarkedSlider : public QSlider {
  Q_OBJECT

 public:
  explicit MarkedSlider(QWidget* parent = nullptr);
  void set_mark(int stop);
  int mark() const { return mark_; }
  /// Pixel across where the handle's middle is at a stop.
  int x_of(int stop) const;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  int mark_ = 0;
};

class StopSlider : public QWidget {
  Q_OBJECT

 public:
  /// `name`: of the object; the slider, field and button have it with "_slider", "_field", "_reset".
  StopSlider(const QString& title, const char* name, Measure measure, const QString& unit, QWidget* parent = nullptr);

  /// What can be typed lies within `least` and `most`; the stops may end before.
  void set_stops(const SliderStops& stops, double least, double most);
  void set_whole() { field_->set_whole(true); }
  /// 0 is shown as this, and an empty field means it.
  void set_zero_text(const QString& text);
  void set_format(std::function<QString(double)> format) { field_->set_format(std::move(format)); }

  /// Shown, not told.
  void set_value(double value);
  double value() const { return value_; }
  double today() const { return stops_.at(stops_.today()); }
  bool at_today() const { return value_ == today(); }

  MarkedSlider& slider() const { return *slider_; }
  QuantityEdit& field() const { return *field_; }

 signals:
  void chosen(double value);  ///< by hand; while the slider is dragged too

 private:
  void take(double value);
  void show_value();

  SliderStops stops_;
  double value_ = 0;
  bool zero_is_empty_ = false;
  MarkedSlider* slider_;
  QuantityEdit* field_;
  QToolButton* reset_;
};

}  // namespace pipedeck::app
