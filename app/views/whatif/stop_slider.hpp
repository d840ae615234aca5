// SPDX-License-Identifier: GPL-3.0-or-later
// A slider over discrete values, with a mark at the current value, an input field and a reset button.
#pragma once

#include <functional>

#include <QSlider>
#include <QWidget>

#include "app/models/whatif/slider_stops.hpp"
#include "app/views/widgets/quantity_edit.hpp"

class QLabel;
class QToolButton;

namespace pipedeck::views::whatif {

/// A slider that is highlighted where it differs from its mark.
class MarkedSlider : public QSlider {
  Q_OBJECT

 public:
  explicit MarkedSlider(QWidget* parent = nullptr);
  void set_mark(int stop);
  int mark() const { return mark_; }
  /// Returns the x-coordinate of the handle's centre at a stop.
  int x_of(int stop) const;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  int mark_ = 0;
};

class StopSlider : public QWidget {
  Q_OBJECT

 public:
  /// Takes the object name `name`; the slider, field and button append "_slider", "_field", "_reset".
  StopSlider(const QString& title, const char* name, QuantityKind measure, const QString& unit,
             QWidget* parent = nullptr);

  /// Sets the stops and the limits `least` and `most` of the field. The stops may cover a smaller range.
  void set_stops(const models::whatif::SliderValues& stops, double least, double most);
  void set_whole() { field_->set_whole(true); }
  /// Sets the text for 0; an empty field means 0.
  void set_zero_text(const QString& text);
  void set_format(std::function<QString(double)> format) { field_->set_format(std::move(format)); }

  /// Emits no signal.
  void set_value(double value);
  double value() const { return value_; }
  double current() const { return stops_.at(stops_.current()); }
  bool is_at_current() const { return value_ == current(); }

  MarkedSlider& slider() const { return *slider_; }
  widgets::QuantityEdit& field() const { return *field_; }

 signals:
  void chosen(double value);  ///< by the user; also while the slider is dragged

 private:
  void take(double value);
  void show_value();

  models::whatif::SliderValues stops_;
  double value_ = 0;
  bool zero_is_empty_ = false;
  MarkedSlider* slider_;
  widgets::QuantityEdit* field_;
  QToolButton* reset_;
};

}  // namespace pipedeck::views::whatif
