// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/whatif/panel.hpp"

#include <algorithm>
#include <cmath>

#include <QComboBox>
#include <QEvent>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/models/format.hpp"
#include "app/text/in_qt.hpp"
#include "app/views/whatif/stop_slider.hpp"
#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"
#include "core/base/limits.hpp"

namespace pipedeck::views::whatif {

namespace {

constexpr int panel_width = 320;
constexpr int doublings = 5;  // of bandwidths, in each direction
constexpr int min_node_stops = 16;
constexpr double max_samples = 1 << 20;

QString whole_text(double value) { return QString::number(static_cast<qint64>(std::llround(value))); }

/// Returns nothing if the value is the current one.
template <class Value>
std::optional<Value> unless_today(const StopSlider& slider, double value, Value made) {
  return value == slider.current() ? std::nullopt : std::optional<Value>(made);
}

QLabel* note_label(const char* name) {
  auto* label = new QLabel;
  label->setObjectName(QLatin1String(name));
  label->setWordWrap(true);
  return label;
}

}  // namespace

Panel::Panel(QWidget* parent) : QScrollArea(parent) {
  setObjectName(QStringLiteral("what_if_panel"));
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFixedWidth(panel_width);
  auto* content = new QWidget;
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(widgets::ThemeSizes::margin, widgets::ThemeSizes::grid, widgets::ThemeSizes::margin,
                             widgets::ThemeSizes::margin);
  column->setSpacing(widgets::ThemeSizes::grid + 2);
  auto* head = new QHBoxLayout;
  auto* title = new QLabel(tr("What if…"));
  title->setFont(widgets::title_font(font()));
  reset_ = new QPushButton(tr("&As today"));
  reset_->setObjectName(QStringLiteral("what_if_reset"));
  reset_->setToolTip(tr("Reset everything to today's values"));
  connect(reset_, &QPushButton::clicked, this, [this] {
    change_ = {};
    show_all();
    tell();
  });
  head->addWidget(title, 1);
  head->addWidget(reset_);
  column->addLayout(head);
  make_types(column);
  make_sliders(column);
  make_notes(column);
  column->addStretch(1);
  setWidget(content);
  apply_theme();
}

void Panel::make_types(QVBoxLayout* column) {
  auto* row = new QHBoxLayout;
  auto* label = new QLabel(tr("&Devices"));
  type_ = new QComboBox;
  type_->setObjectName(QStringLiteral("what_if_type"));
  type_->setAccessibleName(tr("Devices"));
  type_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  type_->setMinimumContentsLength(12);
  type_->setToolTip(tr("Replace all devices by this type"));
  label->setBuddy(type_);
  row->addWidget(label);
  row->addWidget(type_, 1);
  column->addLayout(row);
  times_ = note_label("what_if_times");
  column->addWidget(times_);
  connect(type_, &QComboBox::activated, this, &Panel::apply_type);
}

StopSlider* Panel::add(QVBoxLayout* column, StopSlider* slider, void (Panel::*take)(double)) {
  column->addWidget(slider);
  connect(slider, &StopSlider::chosen, this, take);
  return slider;
}

void Panel::make_sliders(QVBoxLayout* column) {
  nodes_ = add(column, new StopSlider(tr("&Nodes"), "what_if_nodes", QuantityKind::number, {}), &Panel::apply_nodes);
  between_ = add(column, new StopSlider(tr("&Bandwidth between nodes"), "what_if_between", QuantityKind::rate, "GB/s"),
                 &Panel::apply_inter_node);
  inside_ = add(column, new StopSlider(tr("Bandwidth &inside nodes"), "what_if_inside", QuantityKind::rate, "GB/s"),
                &Panel::apply_intra_node);
  memory_ = add(column, new StopSlider(tr("&Memory of a device"), "what_if_memory", QuantityKind::bytes, "GiB"),
                &Panel::apply_memory);
  micro_batch_ = add(column, new StopSlider(tr("Mi&cro-batch"), "what_if_micro_batch", QuantityKind::number, {}),
                     &Panel::apply_micro_batch);
  global_batch_ = add(column, new StopSlider(tr("&Global batch"), "what_if_global_batch", QuantityKind::number, {}),
                      &Panel::apply_global_batch);
  micro_batch_->set_zero_text(tr("auto"));
  for (StopSlider* slider : {nodes_, micro_batch_, global_batch_}) {
    slider->set_whole();
    slider->set_format(whole_text);
  }
}

void Panel::make_notes(QVBoxLayout* column) {
  auto* line = new QHBoxLayout;
  also_ = note_label("what_if_also");
  drop_also_ = new QToolButton;
  drop_also_->setObjectName(QStringLiteral("what_if_drop_also"));
  drop_also_->setText(QStringLiteral("×"));
  drop_also_->setAutoRaise(true);
  drop_also_->setToolTip(tr("Without these"));
  drop_also_->setAccessibleName(tr("Without changes of single devices and links"));
  connect(drop_also_, &QToolButton::clicked, this, [this] {
    change_.swaps.clear();
    change_.links.clear();
    show_all();
    tell();
  });
  line->addWidget(also_, 1);
  line->addWidget(drop_also_, 0, Qt::AlignTop);
  column->addLayout(line);
  prices_title_ = new QLabel(tr("Price of a device per hour, in USD"));
  column->addWidget(prices_title_);
  prices_ = new QFormLayout;
  prices_->setFieldGrowthPolicy(QFormLayout::FieldsStayAtSizeHint);
  prices_->setContentsMargins(0, 0, 0, 0);
  prices_->setHorizontalSpacing(widgets::ThemeSizes::grid);
  column->addLayout(prices_);
  price_source_ = note_label("what_if_price_source");
  column->addWidget(price_source_);
}

void Panel::changeEvent(QEvent* event) {
  if ((event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) && reset_) apply_theme();
  QScrollArea::changeEvent(event);
}

void Panel::apply_theme() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  reset_->setStyleSheet(widgets::plain_button_style(theme));
  for (QLabel* note : {times_, price_source_}) {
    widgets::set_text_colour(*note, theme.muted);
    note->setFont(widgets::caption_font(font()));
  }
}

void Panel::set_base(const Base& base) {
  if (base == base_) return;
  base_ = base;
  change_ = {};
  const ClusterScales& scales = base.scales;
  const auto rates = [](StopSlider& slider, const std::optional<BytesPerSecond>& today) {
    slider.setVisible(today.has_value());
    if (today)
      slider.set_stops(models::whatif::SliderValues::doublings(today->count, doublings, doublings), 1,
                       limits::bytes_per_second);
  };
  rates(*between_, scales.between);
  rates(*inside_, scales.inside);
  nodes_->set_stops(models::whatif::SliderValues::whole(1, std::max(min_node_stops, 2 * scales.nodes), scales.nodes), 1,
                    1024);
  global_batch_->set_stops(models::whatif::SliderValues::whole_doublings(base.global_batch, 4, 4, 1), 1, max_samples);
  const QSignalBlocker quiet(type_);
  type_->clear();
  type_->addItem(scales.type.empty() ? tr("as today, several types")
                                     : tr("%1, as today").arg(text::to_qstring(scales.type)));
  for (const DeviceType& type : base.types)
    if (type.name != scales.type)
      type_->addItem(tr("%1 · %2").arg(text::to_qstring(type.name), models::format_bytes(type.memory)),
                     text::to_qstring(type.name));
  price_source_->setText(tr("Default: %1. Prices can be edited.").arg(base.price_source));
  show_all();
}

double Panel::memory_today() const {
  return static_cast<double>((change_.type ? change_.type->memory : base_.scales.memory).count);
}

void Panel::show_memory() {
  memory_->set_stops(models::whatif::SliderValues::doublings(memory_today(), 3, 4), 1 << 20,
                     static_cast<double>(limits::bytes));
  memory_->set_value(change_.memory ? static_cast<double>(change_.memory->count) : memory_today());
}

/// Offers the divisors of the requested batch.
void Panel::show_micro_batch() {
  const int batch = change_.global_batch.value_or(base_.global_batch);
  micro_batch_->set_stops(
      models::whatif::SliderValues(models::whatif::micro_batch_stops(batch, base_.min_measured), base_.micro_batch), 0,
      batch);
  micro_batch_->set_value(change_.micro_batch.value_or(base_.micro_batch));
}

void Panel::show_all() {
  const ClusterScales& scales = base_.scales;
  if (scales.between) between_->set_value(change_.between.value_or(*scales.between).count);
  if (scales.inside) inside_->set_value(change_.inside.value_or(*scales.inside).count);
  nodes_->set_value(change_.nodes.value_or(scales.nodes));
  global_batch_->set_value(change_.global_batch.value_or(base_.global_batch));
  show_memory();
  show_micro_batch();
  const QSignalBlocker quiet(type_);
  const int chosen = change_.type ? type_->findData(text::to_qstring(change_.type->name)) : 0;
  if (chosen < 0) type_->addItem(text::to_qstring(change_.type->name), text::to_qstring(change_.type->name));
  type_->setCurrentIndex(chosen < 0 ? type_->count() - 1 : chosen);
  QStringList also;
  for (const TypeSwap& swap : change_.swaps)
    also << tr("%1 for %2").arg(text::to_qstring(swap.type.name), models::devices_text(swap.devices));
  for (const LinkScale& link : change_.links)
    also << tr("%1 bandwidth of %2")
                .arg(models::format_factor(link.factor),
                     text::to_qstring(link.from == link.to ? link.from : link.from + " – " + link.to));
  also_->setText(also.isEmpty() ? QString() : tr("And: %1").arg(also.join(QStringLiteral(", "))));
  also_->setVisible(!also.isEmpty());
  drop_also_->setVisible(!also.isEmpty());
  reset_->setEnabled(change_ != WhatIf());
}

void Panel::set_change(const WhatIf& change) {
  if (change == change_) return;
  change_ = change;
  show_all();
}

void Panel::set_times(const QString& text) {
  times_->setText(text);
  times_->setVisible(!text.isEmpty());
}

void Panel::set_prices(const std::vector<DeviceType>& types) {
  const auto same = [](const DeviceType& type, const auto& field) { return type.name == field.first; };
  std::vector<DeviceType> sorted = types;
  std::ranges::sort(sorted, {}, &DeviceType::name);
  if (!std::ranges::equal(sorted, price_fields_, same)) {
    while (prices_->rowCount() > 0) prices_->removeRow(0);
    price_fields_.clear();
    for (const DeviceType& type : sorted) {
      auto* field = new widgets::QuantityEdit(QuantityKind::number);
      field->setObjectName(QStringLiteral("what_if_price_%1").arg(text::to_qstring(type.name)));
      field->setAccessibleName(tr("Price of %1 per hour").arg(text::to_qstring(type.name)));
      field->setFixedWidth(80);
      field->setAlignment(Qt::AlignRight);
      field->set_range(0, 1e9);
      field->set_optional(tr("unknown"));
      connect(field, &widgets::QuantityEdit::edited, this,
              [this, name = type.name](std::optional<double> price) { apply_price(name, price); });
      prices_->addRow(text::to_qstring(type.name), field);
      price_fields_[type.name] = field;
    }
  }
  for (const DeviceType& type : sorted) price_fields_[type.name]->set_value(type.price_per_hour);
  prices_title_->setVisible(!sorted.empty());
}

void Panel::tell() {
  reset_->setEnabled(change_ != WhatIf());
  emit changed(change_);
}

void Panel::apply_inter_node(double value) {
  change_.between = unless_today(*between_, value, BytesPerSecond(value));
  tell();
}

void Panel::apply_intra_node(double value) {
  change_.inside = unless_today(*inside_, value, BytesPerSecond(value));
  tell();
}

void Panel::apply_memory(double value) {
  change_.memory = unless_today(*memory_, value, Bytes(static_cast<std::int64_t>(std::llround(value))));
  tell();
}

void Panel::apply_nodes(double value) {
  change_.nodes = unless_today(*nodes_, value, static_cast<int>(value));
  tell();
}

void Panel::apply_micro_batch(double value) {
  change_.micro_batch = unless_today(*micro_batch_, value, static_cast<int>(value));
  tell();
}

/// Sets the batch. A micro-batch that no longer divides it is left to the planners.
void Panel::apply_global_batch(double value) {
  change_.global_batch = unless_today(*global_batch_, value, static_cast<int>(value));
  const int micro_batch = change_.micro_batch.value_or(base_.micro_batch);
  if (micro_batch > 0 && static_cast<int>(value) % micro_batch != 0) change_.micro_batch = 0;
  show_micro_batch();
  tell();
}

/// Sets the device type, which includes its memory.
void Panel::apply_type(int index) {
  const std::string name = type_->itemData(index).toString().toStdString();
  const auto known = std::ranges::find(base_.types, name, &DeviceType::name);
  change_.type = known == base_.types.end() ? std::nullopt : std::optional(*known);
  change_.memory.reset();
  show_memory();
  tell();
}

void Panel::apply_price(const std::string& type, std::optional<double> price) {
  if (price)
    change_.prices[type] = *price;
  else
    change_.prices.erase(type);
  tell();
}

}  // namespace pipedeck::views::whatif
