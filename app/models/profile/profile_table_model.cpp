// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/profile/profile_table_model.hpp"

#include <algorithm>

#include <QLocale>

#include "app/models/format.hpp"
#include "core/base/quantity_text.hpp"

namespace pipedeck::models::profile {

TableModel::TableModel(QObject* parent) : QAbstractTableModel(parent) {}

void TableModel::find_largest() {
  std::fill(std::begin(largest_), std::end(largest_), 0.0);
  for (int row = 0; profile_ && row < static_cast<int>(profile_->layers.size()); ++row)
    for (int column = 0; column < column_count; ++column)
      largest_[column] = std::max(
          largest_[column], number(profile_->layers[static_cast<std::size_t>(row)], row, static_cast<Column>(column)));
}

/// Keeps the selection and an open cell editor if the number of layers does not change.
void TableModel::set_profile(std::shared_ptr<const Profile> profile) {
  const bool same_rows = profile_ && profile && profile_->layers.size() == profile->layers.size() && rowCount() > 0;
  if (!same_rows) beginResetModel();
  profile_ = std::move(profile);
  find_largest();
  if (same_rows)
    emit dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
  else
    endResetModel();
}

int TableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !profile_ ? 0 : static_cast<int>(profile_->layers.size());
}

int TableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

double TableModel::number(const Layer& layer, int row, Column column) const {
  switch (column) {
    case position:
      return row;
    case forward:
      return layer.forward.count;
    case backward:
      return layer.backward.count;
    case output:
      return static_cast<double>(layer.output.count);
    case saved:
      return static_cast<double>(layer.saved.count);
    case parameters:
      return static_cast<double>(layer.parameters.count);
    default:
      return 0;
  }
}

QString TableModel::text(const Layer& layer, int row, Column column) const {
  switch (column) {
    case position:
      return QString::number(row);
    case name:
      return QString::fromStdString(layer.name);
    case kind:
      return QString::fromStdString(layer.kind);
    case forward:
      return format_time(layer.forward);
    case backward:
      return format_time(layer.backward);
    case output:
      return format_bytes(layer.output);
    case saved:
      return format_bytes(layer.saved);
    case parameters:
      return format_bytes(layer.parameters);
    case column_count:
      break;
  }
  return {};
}

QString TableModel::spread_text(const Quartiles& quartiles, int repetitions) {
  return tr("Median of %1; half of them between %2 and %3")
      .arg(repetitions)
      .arg(format_time(quartiles.lower), format_time(quartiles.upper));
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto column = static_cast<Column>(index.column());
  const Layer& layer = profile_->layers[static_cast<std::size_t>(index.row())];
  const bool numeric = column != name && column != kind;
  switch (role) {
    case Qt::DisplayRole:
      return text(layer, index.row(), column);
    case Qt::TextAlignmentRole:
      return int(Qt::AlignVCenter) | int(numeric ? Qt::AlignRight : Qt::AlignLeft);
    case Qt::EditRole:
      return numeric ? QVariant(number(layer, index.row(), column)) : QVariant(text(layer, index.row(), column));
    case measure_role:
      return column < forward ? QVariant() : QVariant(int(column < output ? QuantityKind::time : QuantityKind::bytes));
    case sort_role:
      return numeric ? QVariant(number(layer, index.row(), column)) : QVariant(text(layer, 0, column));
    case share_role:
      return column >= forward && largest_[column] > 0 ? QVariant(number(layer, index.row(), column) / largest_[column])
                                                       : QVariant();
    case Qt::ToolTipRole:
      if (column == forward && layer.spread) return spread_text(layer.spread->forward, layer.spread->repetitions);
      if (column == backward) {
        const QString parts = tr("%1, of which %2 for the weight gradient")
                                  .arg(format_time(layer.backward), format_time(layer.backward_weight));
        if (!layer.spread) return parts;
        return parts + QLatin1Char('\n') + spread_text(layer.spread->backward, layer.spread->repetitions);
      }
      if (column == parameters && layer.replicated_parameters.count > 0)
        return tr("%1 bytes, of which %2 stay whole on each tensor-parallel device")
            .arg(QLocale().toString(static_cast<qlonglong>(layer.parameters.count)),
                 QLocale().toString(static_cast<qlonglong>(layer.replicated_parameters.count)));
      if (column >= output)
        return tr("%1 bytes").arg(QLocale().toString(static_cast<qlonglong>(number(layer, 0, column))));
      return {};
    default:
      return {};
  }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) {
    const bool numeric = section != name && section != kind;
    return int(Qt::AlignVCenter) | int(numeric ? Qt::AlignRight : Qt::AlignLeft);
  }
  if (role == Qt::ToolTipRole) {
    switch (static_cast<Column>(section)) {
      case forward:
        return tr("Time of one forward pass of one micro-batch");
      case backward:
        return tr("Time of one backward pass: input and weight gradient");
      case output:
        return tr("Output to the next layer, per micro-batch");
      case saved:
        return tr("Activations saved for backward, per micro-batch");
      case parameters:
        return tr("Weights in the precision of the profile");
      default:
        return {};
    }
  }
  if (role != Qt::DisplayRole) return {};
  switch (static_cast<Column>(section)) {
    case position:
      return tr("#");
    case name:
      return tr("Layer");
    case kind:
      return tr("Kind");
    case forward:
      return tr("Forward");
    case backward:
      return tr("Backward");
    case output:
      return tr("Output");
    case saved:
      return tr("Saved");
    case parameters:
      return tr("Parameters");
    case column_count:
      break;
  }
  return {};
}

Qt::ItemFlags TableModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  return index.isValid() && index.column() != position ? flags | Qt::ItemIsEditable : flags;
}

bool TableModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::EditRole || !checkIndex(index, CheckIndexOption::IndexIsValid)) return false;
  if (!(flags(index) & Qt::ItemIsEditable) || value == data(index, Qt::EditRole)) return false;
  emit edited(index.row(), index.column(), value);
  return true;
}

Totals totals_of(const Profile& profile) {
  Totals totals;
  totals.layers = static_cast<int>(profile.layers.size());
  for (const Layer& layer : profile.layers) {
    totals.forward += layer.forward;
    totals.backward += layer.backward;
    totals.saved += layer.saved;
    totals.parameters += layer.parameters;
    totals.largest_output = std::max(totals.largest_output, layer.output);
    if (layer.parameters.count == 0) ++totals.without_parameters;
  }
  return totals;
}

std::vector<Gap> missing_data(const Profile& profile) {
  const auto layers = static_cast<int>(profile.layers.size());
  const auto where = [&](auto holds) {
    std::vector<int> found;
    for (int i = 0; i < layers; ++i)
      if (holds(profile.layers[static_cast<std::size_t>(i)])) found.push_back(i);
    return found;
  };
  std::vector<Gap> gaps;
  const auto add = [&](Gap::Kind kind, const QString& words, std::vector<int> found, const QString& offer) {
    if (!found.empty()) gaps.push_back({kind, words.arg(found.size()).arg(layers), std::move(found), offer});
  };
  add(Gap::one_size,
      TableModel::tr(
          "%1 of %2 layers were measured at one micro-batch size only. Times at other sizes are scaled in proportion."),
      where([](const Layer& l) { return l.at.size() < 2; }), {});
  add(Gap::no_splits, TableModel::tr("%1 of %2 layers have no tensor-parallel times and cannot be sharded."),
      where([](const Layer& l) { return l.tensor_parallel.empty(); }), TableModel::tr("Assume even shares"));
  add(Gap::no_time, TableModel::tr("%1 of %2 layers take no time."),
      where([](const Layer& l) { return l.forward.count == 0 && l.backward.count == 0; }),
      TableModel::tr("Delete them"));
  if (profile.device.empty())
    gaps.push_back({Gap::no_device,
                    TableModel::tr("The profile does not name the device of its times."),
                    {},
                    TableModel::tr("Name it…")});
  return gaps;
}

}  // namespace pipedeck::models::profile
