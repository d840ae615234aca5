// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/widgets/quantity_edit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <QKeyEvent>
#include <QLocale>
#include <QToolTip>

#include "app/models/format.hpp"
#include "app/text/in_qt.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::widgets {

namespace {

QString default_format(QuantityKind measure, double value) {
  switch (measure) {
    case QuantityKind::bytes:
      return models::format_bytes(Bytes(std::llround(value)));
    case QuantityKind::rate:
      return models::format_rate(BytesPerSecond(value));
    case QuantityKind::time:
      return models::format_time(Seconds(value));
    case QuantityKind::percent:
      return models::format_percent(value);
    case QuantityKind::number:
      break;
  }
  return QLocale().toString(value, 'g', 10);
}

}  // namespace

QuantityEdit::QuantityEdit(QuantityKind measure, const QString& unit, QWidget* parent)
    : QLineEdit(parent),
      measure_(measure),
      unit_(unit.toStdString()),
      least_(measure == QuantityKind::number ? std::numeric_limits<double>::lowest() : 0),
      most_(std::numeric_limits<double>::max()),
      format_([measure](double value) { return default_format(measure, value); }) {
  connect(this, &QLineEdit::textEdited, this, &QuantityEdit::look_at);
  connect(this, &QLineEdit::returnPressed, this, &QuantityEdit::commit);
}

void QuantityEdit::set_range(double least, double most, bool min_excluded) {
  least_ = least;
  most_ = most;
  min_excluded_ = min_excluded;
}

void QuantityEdit::set_optional(const QString& placeholder) {
  optional_ = true;
  setPlaceholderText(placeholder);
}

void QuantityEdit::set_format(std::function<QString(double)> format) {
  format_ = std::move(format);
  if (!isModified()) setText(text_of(value_));
}

void QuantityEdit::set_value(std::optional<double> value) {
  value_ = value;
  if (!(hasFocus() && isModified())) restore();
}

QString QuantityEdit::text_of(std::optional<double> value) const { return value ? format_(*value) : QString(); }

std::optional<double> QuantityEdit::read(const QString& text, QString* problem) const {
  problem->clear();
  if (optional_ && text.trimmed().isEmpty()) return std::nullopt;
  const auto figure = parse_quantity(measure_, text.toStdString(), unit_);
  if (!figure) {
    *problem = text::to_qstring(figure.error().message);
    return std::nullopt;
  }
  if (*figure < least_ || (min_excluded_ && *figure <= least_)) {
    *problem = (min_excluded_ ? tr("Expected more than %1") : tr("Expected at least %1")).arg(text_of(least_));
  } else if (*figure > most_) {
    *problem = tr("Expected at most %1").arg(text_of(most_));
  } else if (whole_ && *figure != std::floor(*figure)) {
    *problem = tr("Expected a whole number");
  }
  return *figure;
}

void QuantityEdit::look_at(const QString& text) {
  (void)read(text, &problem_);
  const Theme& theme = Theme::of(palette());
  const QString style = problem_.isEmpty()
                            ? QString()
                            : QStringLiteral("QLineEdit { color: %1; border: 1px solid %1; background: %2; }")
                                  .arg(theme.bad.name(), theme.bad_soft.name());
  if (styleSheet() != style) setStyleSheet(style);
  if (!problem_.isEmpty() && !usual_tip_) usual_tip_ = toolTip();
  if (!problem_.isEmpty()) setToolTip(problem_);
  if (problem_.isEmpty() && usual_tip_) setToolTip(*std::exchange(usual_tip_, std::nullopt));
  if (problem_.isEmpty()) {
    QToolTip::hideText();
  } else {
    QToolTip::showText(mapToGlobal(QPoint(0, height())), problem_, this);
  }
}

void QuantityEdit::commit() {
  if (!isModified()) return;
  const std::optional<double> figure = read(text(), &problem_);
  if (!problem_.isEmpty()) return look_at(text());
  const bool changed = figure != value_;
  value_ = figure;
  restore();
  if (changed) emit edited(value_);
}

void QuantityEdit::restore() {
  setText(text_of(value_));  // no longer "modified"
  look_at(text());
  setCursorPosition(0);
}

/// Changes the value by a tenth, integers by one.
void QuantityEdit::step(int direction) {
  if (!value_) return;
  double next = whole_ ? *value_ + direction : *value_ * (direction > 0 ? 1.1 : 1 / 1.1);
  next = std::clamp(next, least_, most_);
  if (next == *value_ || (min_excluded_ && next <= least_)) return;
  value_ = next;
  restore();
  emit edited(value_);
}

void QuantityEdit::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down) return step(event->key() == Qt::Key_Up ? 1 : -1);
  if (event->key() == Qt::Key_Escape && isModified()) {
    restore();
    selectAll();
    return;
  }
  QLineEdit::keyPressEvent(event);
}

void QuantityEdit::focusOutEvent(QFocusEvent* event) {
  QLineEdit::focusOutEvent(event);
  if (event->reason() == Qt::PopupFocusReason) return;
  commit();  // what cannot be read stays, in red, until it is corrected or Escape puts the value back
}

}  // namespace pipedeck::views::widgets
