// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/topology/properties.hpp"

#include <algorithm>

#include <QCheckBox>
#include <QFormLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "app/models/format.hpp"
#include "app/text/in_qt.hpp"
#include "app/views/topology/device_fields.hpp"
#include "app/views/widgets/quantity_edit.hpp"
#include "app/views/widgets/theme.hpp"
#include "core/base/limits.hpp"

namespace pipedeck::views::topology {

namespace {

bool used_in(const Cluster& cluster, const DeviceType& type) {
  return std::ranges::any_of(cluster.nodes, [&](const Node& node) {
    return std::ranges::find(node.devices, type.name, &DeviceGroup::type) != node.devices.end();
  });
}

widgets::QuantityEdit* rate_field(const char* name, const QString& accessible, bool network) {
  auto* edit =
      new widgets::QuantityEdit(QuantityKind::rate, network ? QStringLiteral("Gbit/s") : QStringLiteral("GB/s"));
  edit->setObjectName(QLatin1String(name));
  edit->setAccessibleName(accessible);
  edit->setToolTip(Properties::tr("Each way. For example 25 Gbit/s or 3.1 GB/s."));
  edit->set_range(0, limits::bytes_per_second, true);
  if (network) edit->set_format([](double value) { return models::topology::network_text(BytesPerSecond(value)); });
  return edit;
}

widgets::QuantityEdit* latency_field(const char* name, const QString& accessible) {
  auto* edit = new widgets::QuantityEdit(QuantityKind::time, QStringLiteral("us"));
  edit->setObjectName(QLatin1String(name));
  edit->setAccessibleName(accessible);
  edit->setToolTip(Properties::tr("For example 5 us."));
  edit->set_range(0, limits::seconds);
  return edit;
}

/// Shows a common value. Different values leave the field empty with a note; an empty field changes nothing.
void show_common(widgets::QuantityEdit* edit, const models::topology::Common<double>& figure) {
  edit->set_optional(figure.mixed ? Properties::tr("several") : Properties::tr("none"));
  edit->set_value(figure.value);
}

QWidget* form(QFormLayout*& rows) {
  auto* part = new QWidget;
  rows = new QFormLayout(part);
  rows->setContentsMargins({});
  rows->setHorizontalSpacing(10);
  rows->setVerticalSpacing(6);
  rows->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
  return part;
}

}  // namespace

Properties::Properties(QWidget* parent) : QScrollArea(parent), title_(new QLabel), detail_(new QLabel) {
  setObjectName(QStringLiteral("topology_properties"));
  setAccessibleName(tr("Properties"));
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* content = new QWidget;
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(widgets::ThemeSizes::margin, 12, widgets::ThemeSizes::margin, 12);
  column->setSpacing(8);
  title_->setObjectName(QStringLiteral("topology_title"));
  title_->setForegroundRole(QPalette::PlaceholderText);
  title_->setFont(widgets::section_font(font()));
  title_->setWordWrap(true);
  detail_->setWordWrap(true);
  detail_->setForegroundRole(QPalette::PlaceholderText);
  column->addWidget(title_);
  column->addWidget(detail_);
  make_name(column);
  make_link(column);
  make_devices(column);
  types_ = new QVBoxLayout;
  types_->setSpacing(10);
  column->addLayout(types_);
  make_items(column);
  content->setBackgroundRole(QPalette::Base);
  viewport()->setBackgroundRole(QPalette::Base);
  content->setAutoFillBackground(true);
  setWidget(content);
  clear();
}

void Properties::make_name(QVBoxLayout* column) {
  QFormLayout* rows = nullptr;
  name_row_ = form(rows);
  name_ = new QLineEdit;
  name_->setObjectName(QStringLiteral("property_name"));
  rows->addRow(tr("Name"), name_);
  connect(name_, &QLineEdit::editingFinished, this, [this] {
    if (!name_->isModified()) return;
    name_->setModified(false);
    emit name_edited(name_->text().trimmed());
  });
  column->addWidget(name_row_);
}

void Properties::make_link(QVBoxLayout* column) {
  QFormLayout* rows = nullptr;
  link_part_ = form(rows);
  bandwidth_ = rate_field("property_bandwidth", tr("Bandwidth"), true);
  latency_ = latency_field("property_latency", tr("Latency"));
  rows->addRow(tr("Bandwidth"), bandwidth_);
  rows->addRow(tr("Latency"), latency_);
  connect(bandwidth_, &widgets::QuantityEdit::edited, this, [this](std::optional<double> value) {
    value ? emit link_edited(value, {}) : show_common(bandwidth_, facts_.bandwidth);
  });
  connect(latency_, &widgets::QuantityEdit::edited, this, [this](std::optional<double> value) {
    value ? emit link_edited({}, value) : show_common(latency_, facts_.latency);
  });
  column->addWidget(link_part_);
}

void Properties::make_devices(QVBoxLayout* column) {
  QFormLayout* rows = nullptr;
  node_part_ = form(rows);
  devices_ = new DeviceGroupsEdit;
  inside_ = rate_field("property_inside", tr("Bandwidth inside"), false);
  inside_latency_ = latency_field("property_inside_latency", tr("Latency inside"));
  bus_ = new QCheckBox(tr("Shared bus"));
  bus_->setObjectName(QStringLiteral("property_bus"));
  bus_->setToolTip(
      tr("The devices of the node share one bus with this bandwidth. Otherwise each has a port of its own"));
  rows->addRow(tr("Devices"), devices_);
  rows->addRow(tr("Bandwidth"), inside_);
  rows->addRow(tr("Latency"), inside_latency_);
  rows->addRow(QString(), bus_);
  nic_ = rate_field("property_nic", tr("Network card per device"), true);
  nic_->set_optional(tr("shared by the node"));
  nic_->setToolTip(tr("Each way. For example 400 Gbit/s. Empty: the devices share the node's links."));
  rows->addRow(tr("Card each"), nic_);
  connect(nic_, &widgets::QuantityEdit::edited, this, &Properties::nic_edited);
  connect(devices_, &DeviceGroupsEdit::edited, this, &Properties::devices_edited);
  connect(inside_, &widgets::QuantityEdit::edited, this, [this](std::optional<double> value) {
    value ? emit inside_edited(value, {}) : show_common(inside_, facts_.inside);
  });
  connect(inside_latency_, &widgets::QuantityEdit::edited, this, [this](std::optional<double> value) {
    value ? emit inside_edited({}, value) : show_common(inside_latency_, facts_.inside_latency);
  });
  connect(bus_, &QCheckBox::clicked, this, [this] { emit bus_edited(bus_->checkState() != Qt::Unchecked); });
  column->addWidget(node_part_);
}

void Properties::make_items(QVBoxLayout* column) {
  auto* label = new QLabel(tr("CONTENTS"));
  label->setFont(widgets::section_font(font()));
  label->setForegroundRole(QPalette::PlaceholderText);  // the theme's muted colour, whichever style is active
  items_ = new QListWidget;
  items_->setObjectName(QStringLiteral("topology_items"));
  items_->setAccessibleName(tr("Contents of the cluster"));
  items_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  items_->setMinimumHeight(120);
  items_->setFrameShape(QFrame::NoFrame);
  items_->setSpacing(1);
  items_->setUniformItemSizes(true);
  label->setBuddy(items_);
  connect(items_, &QListWidget::itemSelectionChanged, this, [this] {
    models::topology::Selection chosen;
    for (const QListWidgetItem* item : items_->selectedItems()) {
      const models::topology::Selection& one = item_selections_[static_cast<std::size_t>(items_->row(item))];
      chosen.places.insert(one.places.begin(), one.places.end());
      chosen.links.insert(one.links.begin(), one.links.end());
    }
    emit item_chosen(chosen);
  });
  column->addWidget(label);
  column->addWidget(items_, 1);
}

void Properties::clear() {
  facts_ = {};
  title_->setText(tr("PROPERTIES"));
  detail_->clear();
  for (QWidget* part : {name_row_, node_part_, link_part_}) part->hide();
  for (DeviceTypeEdit* edit : type_edits_) edit->hide();
  const QSignalBlocker quiet(items_);
  items_->clear();
  item_selections_.clear();
}

void Properties::show_selection(const Cluster& cluster, const models::topology::Selection& selection,
                                const models::topology::Layout& drawing) {
  facts_ = models::topology::topology_facts(cluster, selection);
  title_->setText(facts_.title);
  detail_->setText(facts_.detail);
  detail_->setVisible(!facts_.detail.isEmpty());
  show_name(cluster);
  link_part_->setVisible(!facts_.links.empty());
  show_common(bandwidth_, facts_.bandwidth);
  show_common(latency_, facts_.latency);
  node_part_->setVisible(!facts_.nodes.empty());
  if (!facts_.nodes.empty()) devices_->show_groups(facts_.devices, cluster.device_types);
  show_common(inside_, facts_.inside);
  show_common(inside_latency_, facts_.inside_latency);
  show_common(nic_, facts_.nic);
  nic_->setEnabled(!cluster.bandwidth_matrix);
  const bool joined = facts_.several_inside || facts_.inside.value || facts_.inside.mixed;
  for (QWidget* field : std::initializer_list<QWidget*>{inside_, inside_latency_, bus_}) field->setEnabled(joined);
  bus_->setTristate(facts_.bus.mixed);
  bus_->setCheckState(facts_.bus.mixed                   ? Qt::PartiallyChecked
                      : facts_.bus.value.value_or(false) ? Qt::Checked
                                                         : Qt::Unchecked);
  show_types(cluster);
  show_items(cluster, selection, drawing);
}

void Properties::show_name(const Cluster& cluster) {
  const bool none = facts_.nodes.empty() && facts_.switches.empty() && facts_.links.empty();
  const bool one = facts_.nodes.size() + facts_.switches.size() == 1 && facts_.links.empty();
  name_row_->setVisible(none || one);
  if (!none && !one) return;
  const std::string& name = none ? cluster.name : facts_.nodes.empty() ? facts_.switches.front() : facts_.nodes.front();
  name_->setAccessibleName(none ? tr("Name of the cluster") : tr("Name"));
  if (!(name_->hasFocus() && name_->isModified())) name_->setText(text::to_qstring(name));
  name_->setCursorPosition(0);
}

void Properties::show_types(const Cluster& cluster) {
  while (type_edits_.size() < facts_.types.size()) {
    type_edits_.push_back(new DeviceTypeEdit);
    types_->addWidget(type_edits_.back());
    connect(type_edits_.back(), &DeviceTypeEdit::edited, this, &Properties::type_edited);
    connect(type_edits_.back(), &DeviceTypeEdit::removal_wanted, this, &Properties::type_removal_wanted);
  }
  for (std::size_t i = 0; i < type_edits_.size(); ++i) {
    const DeviceType* type = i < facts_.types.size() ? find_device_type(cluster, facts_.types[i]) : nullptr;
    if (type)
      type_edits_[i]->show_type(*type, static_cast<int>(type - cluster.device_types.data()), used_in(cluster, *type));
    type_edits_[i]->setVisible(type);
  }
}

/// Lists nodes and switches, and each group of alike nodes before its nodes. The nodes of a closed group are not
/// listed.
void Properties::list_boxes(const Cluster& cluster, const models::topology::Layout& drawing, QStringList& words) {
  std::set<int> listed;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    const Node& node = cluster.nodes[i];
    const int at = drawing.nodes[i].rack;
    const models::topology::Rack* rack = at < 0 ? nullptr : &drawing.racks[static_cast<std::size_t>(at)];
    if (rack && rack->alike && listed.insert(at).second) {
      words << QStringLiteral("%1 · %2").arg(rack->name, rack->lines.value(1));
      item_selections_.push_back({{rack->members.begin(), rack->members.end()}, {}});
    }
    if (rack && rack->alike && rack->collapsed) continue;
    QStringList groups;
    for (const DeviceGroup& group : node.devices)
      groups << QStringLiteral("%1 × %2").arg(group.count).arg(text::to_qstring(group.type));
    words << QStringLiteral("%1 · %2").arg(text::to_qstring(node.name), groups.join(QStringLiteral(", ")));
    item_selections_.push_back({{node.name}, {}});
  }
  for (const Switch& s : cluster.switches) {
    words << tr("%1 · switch").arg(text::to_qstring(s.name));
    item_selections_.push_back({{s.name}, {}});
  }
}

/// Lists links one by one, but those of a group together.
void Properties::list_links(const Cluster& cluster, const models::topology::Layout& drawing, QStringList& words) {
  std::set<int> bundled;
  for (const models::topology::TopologyLink& link : drawing.links) {
    const auto of_group = [&](const models::topology::End& end) {
      return end.kind == models::topology::End::rack && drawing.racks[static_cast<std::size_t>(end.index)].alike;
    };
    if (!of_group(link.from_end) && !of_group(link.to_end)) continue;
    bundled.insert(link.links.begin(), link.links.end());
    words << tr("%1 – %2 · %3").arg(drawing.name_of(link.from_end), drawing.name_of(link.to_end), link.text);
    item_selections_.push_back({{}, {link.links.begin(), link.links.end()}});
  }
  for (std::size_t i = 0; i < cluster.links.size(); ++i) {
    if (bundled.contains(static_cast<int>(i))) continue;
    const NetworkLink& link = cluster.links[i];
    words << tr("%1 – %2 · %3")
                 .arg(text::to_qstring(link.from), text::to_qstring(link.to),
                      models::topology::network_text(link.link.bandwidth));
    item_selections_.push_back({{}, {static_cast<int>(i)}});
  }
}

void Properties::show_items(const Cluster& cluster, const models::topology::Selection& selection,
                            const models::topology::Layout& drawing) {
  const QSignalBlocker quiet(items_);
  QStringList words;
  item_selections_.clear();
  list_boxes(cluster, drawing, words);
  list_links(cluster, drawing, words);
  // All items first, then the selection: otherwise the list is laid out once for each item.
  while (items_->count() > words.size()) delete items_->takeItem(items_->count() - 1);
  for (int i = 0; i < items_->count(); ++i)
    if (items_->item(i)->text() != words[i]) items_->item(i)->setText(words[i]);
  if (items_->count() < words.size()) items_->addItems(words.mid(items_->count()));
  QItemSelection chosen;
  for (int i = 0; i < words.size(); ++i) {
    const models::topology::Selection& one = item_selections_[static_cast<std::size_t>(i)];
    if (!std::ranges::includes(selection.places, one.places) || !std::ranges::includes(selection.links, one.links))
      continue;
    const QModelIndex index = items_->model()->index(i, 0);
    chosen.select(index, index);
  }
  items_->selectionModel()->select(chosen, QItemSelectionModel::ClearAndSelect);
  if (!chosen.isEmpty() && !items_->hasFocus()) items_->scrollTo(chosen.front().topLeft());
}

void Properties::start_editing() {
  const std::initializer_list<std::pair<QWidget*, QLineEdit*>> fields{{link_part_, bandwidth_}, {name_row_, name_}};
  if (node_part_->isVisible()) return devices_->start_editing();
  for (const auto& [part, field] : fields) {
    if (!part->isVisible()) continue;
    field->setFocus(Qt::OtherFocusReason);
    return field->selectAll();
  }
}

}  // namespace pipedeck::views::topology
