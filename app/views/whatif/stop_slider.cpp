// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/whatif/stop_slider.hpp"

#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QSignalBlocker>
#include <QStyle>
#include <QStyleOptionSlider>
#include <QToolButton>

#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::whatif {

namespace {

constexpr int field_width = 92;
constexpr int mark_size = 4;  // pixels, half a side

}  // namespace

MarkedSlider::MarkedSlider(QWidget* parent) : QSlider(Qt::Horizontal, parent) {
  setMinimumHeight(24);
  setSingleStep(1);
  setPageStep(4);
}

void MarkedSlider::set_mark(int stop) {
  mark_ = stop;
  update();
}

int MarkedSlider::x_of(int stop) const {
  QStyleOptionSlider option;
  initStyleOption(&option);
  const QRect groove = style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderGroove, this);
  const int handle = style()->pixelMetric(QStyle::PM_SliderLength, &option, this);
  return groove.left() + handle / 2 +
         QStyle::sliderPositionFromValue(minimum(), maximum(), stop, groove.width() - handle, option.upsideDown);
}

void MarkedSlider::paintEvent(QPaintEvent* event) {
  QSlider::paintEvent(event);
  const widgets::Theme& theme = widgets::Theme::of(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(value() == mark_ ? theme.muted : theme.accent);
  const double x = x_of(mark_), bottom = height();
  painter.drawPolygon(QPolygonF({{x, bottom - 1.5 * mark_size}, {x - mark_size, bottom}, {x + mark_size, bottom}}));
}

StopSlider::StopSlider(const QString& title, const char* name, QuantityKind measure, const QString& unit,
                       QWidget* parent)
    : QWidget(parent),
      slider_(new MarkedSlider),
      field_(new widgets::QuantityEdit(measure, unit)),
      reset_(new QToolButton) {
  const QString object = QLatin1String(name);
  setObjectName(object);
  slider_->setObjectName(object + QStringLiteral("_slider"));
  field_->setObjectName(object + QStringLiteral("_field"));
  reset_->setObjectName(object + QStringLiteral("_reset"));
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(widgets::ThemeSizes::grid / 2);
  grid->setVerticalSpacing(0);
  auto* label = new QLabel(title);
  label->setBuddy(field_);
  QString plain = title;
  plain.remove(QLatin1Char('&'));
  slider_->setAccessibleName(plain);
  field_->setAccessibleName(plain);
  field_->setFixedWidth(field_width);
  field_->setAlignment(Qt::AlignRight);
  reset_->setText(QStringLiteral("↺"));
  reset_->setAutoRaise(true);
  reset_->setToolTip(tr("Back to today's"));
  reset_->setAccessibleName(tr("%1: back to today's").arg(plain));
  grid->addWidget(label, 0, 0);
  grid->addWidget(field_, 0, 1);
  grid->addWidget(reset_, 0, 2);
  grid->addWidget(slider_, 1, 0, 1, 3);
  grid->setColumnStretch(0, 1);
  connect(slider_, &QSlider::valueChanged, this, [this](int stop) { take(stops_.at(stop)); });
  connect(field_, &widgets::QuantityEdit::edited, this,
          [this](std::optional<double> value) { take(value.value_or(0)); });
  connect(reset_, &QToolButton::clicked, this, [this] { take(current()); });
}

void StopSlider::set_zero_text(const QString& text) {
  zero_is_empty_ = true;
  field_->set_optional(text);
}

void StopSlider::set_stops(const models::whatif::SliderValues& stops, double least, double most) {
  stops_ = stops;
  field_->set_range(least, most);
  const QSignalBlocker quiet(slider_);
  slider_->setRange(0, stops.count() - 1);
  slider_->set_mark(stops.current());
  setEnabled(stops.count() > 1);
  show_value();
}

void StopSlider::set_value(double value) {
  value_ = value;
  show_value();
}

void StopSlider::show_value() {
  const QSignalBlocker quiet(slider_);
  slider_->setValue(stops_.nearest(value_));
  field_->set_value(zero_is_empty_ && value_ == 0 ? std::nullopt : std::optional(value_));
  reset_->setEnabled(!is_at_current());
}

void StopSlider::take(double value) {
  if (value == value_) return;
  set_value(value);
  emit chosen(value);
}

}  // namespace pipedeck::views::whatif
