// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/topology/device_fields.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QSignalBlocker>
#include <QToolButton>

#include "app/models/format.hpp"
#include "app/text/in_qt.hpp"
#include "app/views/widgets/quantity_edit.hpp"
#include "app/views/widgets/theme.hpp"
#include "core/base/limits.hpp"

namespace pipedeck::views::topology {

namespace {

QToolButton* small_button(const QString& text, const QString& tip) {
  auto* button = new QToolButton;
  button->setText(text);
  button->setToolTip(tip);
  button->setAccessibleName(tip);
  button->setAutoRaise(true);
  return button;
}

}  // namespace

// ---- the devices of a node

DeviceGroupsEdit::DeviceGroupsEdit(QWidget* parent)
    : QWidget(parent), column_(new QVBoxLayout(this)), several_(new QLabel(tr("several"))), more_(nullptr) {
  setObjectName(QStringLiteral("property_devices"));
  column_->setContentsMargins({});
  column_->setSpacing(4);
  column_->addWidget(several_);
  more_ = small_button(tr("+ another type"), tr("Devices of another type in the same node"));
  more_->setObjectName(QStringLiteral("property_devices_more"));
  connect(more_, &QToolButton::clicked, this, [this] {
    std::vector<DeviceGroup> groups = groups_;
    for (const QString& type : types_) {
      if (std::ranges::find(groups, type.toStdString(), &DeviceGroup::type) != groups.end()) continue;
      groups.push_back({type.toStdString(), 1});
      return emit edited(groups);
    }
  });
  column_->addWidget(more_, 0, Qt::AlignLeft);
}

void DeviceGroupsEdit::add_row() {
  const std::size_t index = rows_.size();
  Row row{new QWidget, new widgets::QuantityEdit(QuantityKind::number), new QComboBox, nullptr};
  row.remove = small_button(QStringLiteral("×"), tr("Remove these devices"));
  row.count->setObjectName(QStringLiteral("property_count_%1").arg(index));
  row.count->setAccessibleName(tr("How many"));
  row.count->set_range(1, limits::devices);
  row.count->set_whole(true);
  row.count->setFixedWidth(52);
  row.type->setObjectName(QStringLiteral("property_type_%1").arg(index));
  row.type->setAccessibleName(tr("Device type"));
  row.type->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  row.type->setMinimumContentsLength(6);
  auto* line = new QHBoxLayout(row.line);
  line->setContentsMargins({});
  line->setSpacing(4);
  line->addWidget(row.count);
  line->addWidget(row.type, 1);
  line->addWidget(row.remove);
  connect(row.count, &widgets::QuantityEdit::edited, this, [this, index](std::optional<double> count) {
    if (count) change(index, [&](DeviceGroup& group) { group.count = static_cast<int>(std::llround(*count)); });
  });
  connect(row.type, &QComboBox::activated, this, [this, index, box = row.type] {
    change(index, [&](DeviceGroup& group) { group.type = box->currentText().toStdString(); });
  });
  connect(row.remove, &QToolButton::clicked, this, [this, index] {
    std::vector<DeviceGroup> groups = groups_;
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(index));
    emit edited(groups);
  });
  column_->insertWidget(static_cast<int>(index) + 1, row.line);
  rows_.push_back(row);
}

void DeviceGroupsEdit::change(std::size_t row, const std::function<void(DeviceGroup&)>& how) {
  if (row >= groups_.size()) return;
  std::vector<DeviceGroup> groups = groups_;
  how(groups[row]);
  if (groups != groups_) emit edited(groups);
}

void DeviceGroupsEdit::show_groups(const models::topology::Common<std::vector<DeviceGroup>>& groups,
                                   const std::vector<DeviceType>& types) {
  groups_ = groups.value.value_or(std::vector<DeviceGroup>());
  types_.clear();
  for (const DeviceType& type : types) types_ << text::to_qstring(type.name);
  several_->setVisible(groups.mixed);
  more_->setVisible(!groups.mixed && types_.size() > static_cast<qsizetype>(groups_.size()));
  while (rows_.size() < groups_.size()) add_row();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    rows_[i].line->setVisible(i < groups_.size());
    if (i >= groups_.size()) continue;
    const QSignalBlocker quiet(rows_[i].type);
    rows_[i].count->set_value(groups_[i].count);
    rows_[i].type->clear();
    rows_[i].type->addItems(types_);
    rows_[i].type->setCurrentText(text::to_qstring(groups_[i].type));
    rows_[i].remove->setVisible(groups_.size() > 1);
  }
}

void DeviceGroupsEdit::start_editing() {
  if (groups_.empty()) return;
  rows_.front().count->setFocus(Qt::OtherFocusReason);
  rows_.front().count->selectAll();
}

// ---- a device type

DeviceTypeEdit::DeviceTypeEdit(QWidget* parent)
    : QWidget(parent),
      name_(new QLineEdit),
      memory_(new widgets::QuantityEdit(QuantityKind::bytes, QStringLiteral("GiB"))),
      speed_(new widgets::QuantityEdit(QuantityKind::number)),
      memory_rate_(new widgets::QuantityEdit(QuantityKind::rate, QStringLiteral("GB/s"))),
      price_(new widgets::QuantityEdit(QuantityKind::number)),
      remove_(new QToolButton) {
  auto* rows = new QFormLayout(this);
  rows->setContentsMargins(10, 4, 0, 4);
  rows->setHorizontalSpacing(10);
  rows->setVerticalSpacing(6);
  const std::tuple<QString, QLineEdit*, const char*, QString> fields[] = {
      {tr("Device type"), name_, "type_name", {}},
      {tr("Memory"), memory_, "type_memory", tr("Memory per device. For example 16 GiB")},
      {tr("Compute speed"), speed_, "type_speed",
       tr("Compute speed compared with the profile's device: 2 is twice as fast as 1. Types of the catalogue count "
          "V100-16GB as 1. A profile with times for the type overrides it")},
      {tr("Memory bandwidth"), memory_rate_, "type_memory_rate", tr("Memory bandwidth per device; may be unknown")},
      {tr("Price per hour"), price_, "type_price", tr("Price per device and hour, in USD; may be unknown")}};
  for (const auto& [title, field, name, tip] : fields) {
    field->setObjectName(QLatin1String(name));
    field->setAccessibleName(title);
    field->setToolTip(tip);
    rows->addRow(title, field);
  }
  remove_->setObjectName(QStringLiteral("type_remove"));
  remove_->setText(tr("Remove type"));
  remove_->setToolTip(tr("No node has devices of this type"));
  rows->addRow(remove_);
  connect(remove_, &QToolButton::clicked, this, [this] { emit removal_wanted(text::to_qstring(type_.name)); });
  memory_->set_range(1, static_cast<double>(limits::bytes));
  speed_->set_range(0, 1e9, true);
  memory_rate_->set_range(0, limits::bytes_per_second, true);
  memory_rate_->set_optional(tr("unknown"));
  price_->set_range(0, 1e12);
  price_->set_optional(tr("unknown"));
  connect(name_, &QLineEdit::editingFinished, this, [this] {
    if (!name_->isModified()) return;
    name_->setModified(false);
    tell([&](DeviceType& type) { type.name = name_->text().trimmed().toStdString(); });
  });
  connect(memory_, &widgets::QuantityEdit::edited, this, [this](std::optional<double> value) {
    if (value) tell([&](DeviceType& type) { type.memory = Bytes(std::llround(*value)); });
  });
  connect(speed_, &widgets::QuantityEdit::edited, this, [this](std::optional<double> value) {
    if (value) tell([&](DeviceType& type) { type.relative_speed = *value; });
  });
  connect(memory_rate_, &widgets::QuantityEdit::edited, this, [this](std::optional<double> value) {
    tell([&](DeviceType& type) {
      type.memory_bandwidth = value ? std::optional(BytesPerSecond(*value)) : std::nullopt;
    });
  });
  connect(price_, &widgets::QuantityEdit::edited, this,
          [this](std::optional<double> value) { tell([&](DeviceType& type) { type.price_per_hour = value; }); });
}

void DeviceTypeEdit::tell(const std::function<void(DeviceType&)>& change) {
  DeviceType next = type_;
  change(next);
  if (next != type_) emit edited(text::to_qstring(type_.name), next);
}

void DeviceTypeEdit::show_type(const DeviceType& type, int colour, bool used) {
  type_ = type;
  colour_ = colour;
  remove_->setVisible(!used);
  if (!(name_->hasFocus() && name_->isModified())) name_->setText(text::to_qstring(type.name));
  memory_->set_value(static_cast<double>(type.memory.count));
  speed_->set_value(type.relative_speed);
  memory_rate_->set_value(type.memory_bandwidth ? std::optional(type.memory_bandwidth->count) : std::nullopt);
  price_->set_value(type.price_per_hour);
  update();
}

/// Paints the type's colour in the drawing along the left side.
void DeviceTypeEdit::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(widgets::Theme::of(palette()).of_group(colour_));
  painter.drawRoundedRect(QRectF(0, 2, 4, height() - 4), 2, 2);
}

}  // namespace pipedeck::views::topology
