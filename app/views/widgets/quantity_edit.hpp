// SPDX-License-Identifier: GPL-3.0-or-later
// A field for a number with a unit, as people write it: "25 Gbit/s", "3.1 GB/s", "16 GiB". Invalid text turns red and
// the field states what is expected. Escape and leaving the field restore the last valid value.
#pragma once

#include <functional>
#include <optional>

#include <QLineEdit>

#include "core/base/quantity_text.hpp"

namespace pipedeck::views::widgets {

class QuantityEdit : public QLineEdit {
  Q_OBJECT

 public:
  /// Takes the unit of a number without one ("GB/s"); empty: the measure's base unit.
  explicit QuantityEdit(QuantityKind measure, const QString& unit = {}, QWidget* parent = nullptr);

  /// Sets the range in base units (bytes, bytes per second, seconds). `min_excluded` excludes the lower end: a
  /// bandwidth of 0 is invalid.
  void set_range(double least, double most, bool min_excluded = false);
  void set_whole(bool whole) { whole_ = whole; }  ///< only integers
  /// Allows an empty field, whose `value` is empty; it shows `placeholder`.
  void set_optional(const QString& placeholder);
  /// Sets how values are formatted; the default depends on the measure (format.hpp).
  void set_format(std::function<QString(double)> format);

  /// Emits no signal. While the user edits the field, the text stays unchanged.
  void set_value(std::optional<double> value);
  std::optional<double> value() const { return value_; }
  /// Returns why the text is invalid (unknown unit, out of range); empty if it is valid.
  const QString& problem() const { return problem_; }

 signals:
  void edited(std::optional<double> value);  ///< on Return, loss of focus or arrow keys, if the value changed

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void look_at(const QString& text);
  void commit();
  void restore();
  void step(int direction);
  QString text_of(std::optional<double> value) const;
  std::optional<double> read(const QString& text, QString* problem) const;

  QuantityKind measure_;
  std::string unit_;
  double least_, most_;
  bool min_excluded_ = false;
  bool whole_ = false;
  bool optional_ = false;
  std::function<QString(double)> format_;
  std::optional<double> value_;
  QString problem_;
  std::optional<QString> usual_tip_;  ///< while the tool tip shows the problem
};

}  // namespace pipedeck::views::widgets
