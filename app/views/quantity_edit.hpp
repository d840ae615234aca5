// SPDX-License-Identifier: GPL-3.0-or-later
// A field for a figure with its unit, written as people write it: "25 Gbit/s", "3.1 GB/s", "16 GiB". What can't be read
// turns red and says what is expected; Escape and leaving the field put the last good figure back.
#pragma once

#include <functional>
#include <optional>

#include <QLineEdit>

#include "core/domain/quantity_text.hpp"

namespace pipedeck::app {

class QuantityEdit : public QLineEdit {
  Q_OBJECT

 public:
  /// `unit` is what a figure without one is in ("GB/s"); empty: the measure's base unit.
  explicit QuantityEdit(Measure measure, const QString& unit = {}, QWidget* parent = nullptr);

  /// In base units (bytes, bytes a second, seconds). Ends excluded where `open`: a bandwidth of 0 is none.
  void set_range(double least, double most, bool least_excluded = false);
  void set_whole(bool whole) { whole_ = whole; }  ///< numbers without fractions
  /// An empty field means that nothing is said (`value` is empty), shown as `placeholder`.
  void set_optional(const QString& placeholder);
  /// How figures are written; default by measure (format.hpp).
  void set_format(std::function<QString(double)> format);

  /// Shown, not told. While it is edited by hand the text stays as it is.
  void set_value(std::optional<double> value);
  std::optional<double> value() const { return value_; }
  /// What was typed stands in no unit or out of range; empty: it can be read.
  const QString& problem() const { return problem_; }

 signals:
  void edited(std::optional<double> value);  ///< Return, leaving the field, arrow keys: another value than before

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

  Measure measure_;
  std::string unit_;
  double least_, most_;
  bool least_excluded_ = false;
  bool whole_ = false;
  bool optional_ = false;
  std::function<QString(double)> format_;
  std::optional<double> value_;
  QString problem_;
};

}  // namespace pipedeck::app
