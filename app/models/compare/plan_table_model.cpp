// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/compare/plan_table_model.hpp"

#include <algorithm>

#include "app/models/compare/plan_columns.hpp"
#include "app/models/format.hpp"
#include "app/text/in_qt.hpp"
#include "core/model/memory_verdict.hpp"

namespace pipedeck::models::compare {

namespace {

const QString computing = QStringLiteral("…");
const QString unknown = QStringLiteral("–");

int verdict_of(const PlanRow& row) {
  if (!row.simulation) return row.has_plan() ? PlanTableModel::pending : PlanTableModel::bad;
  switch (fit_of(*row.simulation)) {
    case Fit::surely:
      return memory_margin(*row.simulation) < thin_margin ? PlanTableModel::unsure : PlanTableModel::good;
    case Fit::expected:
      return PlanTableModel::unsure;
    case Fit::no:
      return PlanTableModel::bad;
  }
  return PlanTableModel::bad;
}

}  // namespace

const SimulatedDevice* most_loaded_device(const PlanRow& row) {
  return row.simulation ? pipedeck::most_loaded_device(*row.simulation) : nullptr;
}

PlanTableModel::PlanTableModel(QObject* parent) : QAbstractTableModel(parent) {}

void PlanTableModel::set_rows(std::vector<PlanRow> rows) {
  // The rows that stay, in their old and in their new order.
  std::vector<int> old_order, new_order;
  for (const PlanRow& row : rows_)
    if (std::ranges::find(rows, row.id, &PlanRow::id) != rows.end()) old_order.push_back(row.id);
  for (const PlanRow& row : rows)
    if (find(row.id)) new_order.push_back(row.id);
  if (old_order != new_order || old_order.empty()) {
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
    return;
  }
  add_and_remove(rows);
  rows_ = std::move(rows);
  emit dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
}

/// Brings the model to the ids of `rows`, whose common ids have the same order.
void PlanTableModel::add_and_remove(std::vector<PlanRow>& rows) {
  for (int at = rowCount() - 1; at >= 0; --at) {
    const int id = rows_[static_cast<std::size_t>(at)].id;
    if (std::ranges::find(rows, id, &PlanRow::id) == rows.end()) remove_row(id);
  }
  for (std::size_t at = 0; at < rows.size(); ++at) {
    if (at < rows_.size() && rows_[at].id == rows[at].id) continue;
    beginInsertRows({}, static_cast<int>(at), static_cast<int>(at));
    rows_.insert(rows_.begin() + static_cast<std::ptrdiff_t>(at), rows[at]);
    endInsertRows();
  }
}

void PlanTableModel::update_row(const PlanRow& row) {
  if (const auto at = position_of(row.id)) {
    rows_[static_cast<std::size_t>(*at)] = row;
    emit dataChanged(index(*at, 0), index(*at, column_count - 1));
    return;
  }
  beginInsertRows({}, rowCount(), rowCount());
  rows_.push_back(row);
  endInsertRows();
}

void PlanTableModel::remove_row(int id) {
  const auto at = position_of(id);
  if (!at) return;
  beginRemoveRows({}, *at, *at);
  rows_.erase(rows_.begin() + *at);
  endRemoveRows();
}

std::optional<int> PlanTableModel::position_of(int id) const {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [id](const PlanRow& row) { return row.id == id; });
  if (found == rows_.end()) return std::nullopt;
  return static_cast<int>(found - rows_.begin());
}

const PlanRow* PlanTableModel::find(int id) const {
  const auto at = position_of(id);
  return at ? &rows_[static_cast<std::size_t>(*at)] : nullptr;
}

const PlanRow* PlanTableModel::baseline() const {
  const auto found = std::ranges::find_if(rows_, &PlanRow::baseline);
  return found == rows_.end() ? nullptr : &*found;
}

int PlanTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int PlanTableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

/// Returns "DAPPLE 8:8", or for equal plans "DAPPLE, Whale, Megatron".
QString PlanTableModel::name_of(const PlanRow& row) {
  if (row.agreeing.size() > 1) return row.agreeing.join(QStringLiteral(", "));
  return QString::fromStdString(row.plan.name);
}

QVariant PlanTableModel::sort_value(const PlanRow& row, Column column) {
  if (column == name) return name_of(row);
  const auto& number = plan_column(column).number;
  const std::optional<double> value = number ? number(row) : std::nullopt;
  return value ? QVariant(*value) : QVariant();
}

QString PlanTableModel::text(const PlanRow& row, Column column) {
  if (column == name) return name_of(row);
  const PlanColumn& of = plan_column(column);
  if (!of.text) return {};
  if (const auto value = of.number(row)) return of.text(*value, row);
  if (row.simulation || column == measured) return unknown;
  if (row.has_plan()) return computing;
  if (column != iteration) return {};
  if (row.search) return row.search->running ? tr("running") : tr("waiting");
  return row.note.isEmpty() ? tr("no plan") : tr("no plan: %1").arg(first_clause(row.note));
}

QString PlanTableModel::tool_tip(const PlanRow& row, Column column) {
  if (column == name) return name_tip(row);
  const PlanColumn& of = plan_column(column);
  if (column == tick || column == pin) return of.tip;
  if (row.simulation || column == measured) {
    const QString tip = of.tip_of ? of.tip_of(row) : QString();
    const QString source = column == measured ? (row.measured ? tr("Measured") : QString())
                                              : row.provenance.section(QLatin1Char('.'), 0, 0);
    return source.isEmpty() ? tip : tip + QLatin1Char('\n') + source;
  }
  return row.has_plan() && row.note.isEmpty() ? tr("Being simulated") : row.note;
}

QString PlanTableModel::name_tip(const PlanRow& row) {
  QStringList lines{QString::fromStdString(row.plan.name)};
  if (row.agreeing.size() > 1) lines << tr("%1 agree on this plan").arg(row.agreeing.join(QStringLiteral(", ")));
  if (!row.plan.synchronous()) lines << tr("Changes training: an update uses gradients of older weights");
  if (row.can_continue) lines << tr("The search ended at its time budget: more time may find a better plan");
  if (row.has_plan())
    lines << tr("%1 · %2 of %3 · %4")
                 .arg(QString::fromStdString(stage_shape_text(row.plan)),
                      counted(row.plan.micro_batches, tr("1 micro-batch"), tr("%1 micro-batches")),
                      counted(row.plan.micro_batch, tr("1 sample"), tr("%1 samples")))
                 .arg(text::to_qstring(std::string(traits_of(row.plan.schedule).title)));
  for (const QString& more : {row.note, row.remarks}) {
    if (!more.isEmpty()) lines << more;
  }
  return lines.join(QLatin1Char('\n'));
}

QString PlanTableModel::accessible_text(const PlanRow& row, Column column) {
  switch (column) {
    case tick:
      return tr("show %1 below").arg(name_of(row));
    case pin:
      return row.baseline ? tr("%1 is the baseline").arg(name_of(row)) : QString();
    case fits:
      if (!row.simulation) return {};
      return !row.simulation->fits                      ? tr("does not fit")
             : fit_of(*row.simulation) == Fit::expected ? tr("fits, but not by the upper estimate")
                                                        : tr("fits, %1").arg(text(row, column));
    case name:
      return row.remarks.isEmpty() ? text(row, column) : tr("%1, with notes").arg(text(row, column));
    default:
      return text(row, column);
  }
}

QVariant PlanTableModel::difference(const PlanRow& row, Column column, int role) const {
  const PlanRow* from = baseline();
  const auto known = from ? difference_to(*from, row, column) : std::nullopt;
  if (!known) return {};
  return role == better_role ? QVariant(known->better) : QVariant(known->text);
}

QVariant PlanTableModel::data(const QModelIndex& at, int role) const {
  if (!checkIndex(at, CheckIndexOption::IndexIsValid)) return {};
  const PlanRow& row = rows_[static_cast<std::size_t>(at.row())];
  const auto column = static_cast<Column>(at.column());
  const SimulatedDevice* fullest = most_loaded_device(row);
  switch (role) {
    case Qt::DisplayRole:
      return column == tick || column == pin ? QVariant() : QVariant(text(row, column));
    case Qt::ToolTipRole:
      return tool_tip(row, column);
    case Qt::EditRole:
      return column == name ? QVariant(QString::fromStdString(row.plan.name)) : QVariant();
    case Qt::CheckStateRole:
      if (column == pin) return static_cast<int>(row.baseline ? Qt::Checked : Qt::Unchecked);
      return column == tick ? QVariant(static_cast<int>(row.ticked ? Qt::Checked : Qt::Unchecked)) : QVariant();
    case Qt::AccessibleTextRole:
      return accessible_text(row, column);
    case sort_role:
      return sort_value(row, column);
    case rank_role:  // the groups, and in them what has no figures yet last; by time, plans that fit come first
      return 4 * static_cast<int>(row.group()) + (row.has_plan() ? 0 : 2) +
             (row.has_plan() && (!row.simulation || (column == iteration && !row.simulation->fits)) ? 1 : 0);
    case id_role:
      return row.id;
    case share_role:
      return fullest ? QVariant(share_of_capacity(fullest->peak, *fullest)) : QVariant();
    case share_upper_role: {
      const SimulatedDevice* most = fullest ? fullest_device_at_most(*row.simulation) : nullptr;
      return most ? QVariant(share_of_capacity(most->peak_upper_bound, *most)) : QVariant();
    }
    case verdict_role:
      return verdict_of(row);
    case steady_role:
      return !row.plan.synchronous();
    case remarks_role:
      return row.remarks;
    case alarm_role:
      return (column == mfu || column == tokens) && row.utilization && row.utilization->above_peak();
    case difference_role:
    case better_role:
      return difference(row, column, role);
    default:
      return {};
  }
}

bool PlanTableModel::setData(const QModelIndex& at, const QVariant& value, int role) {
  if (role == Qt::EditRole && at.column() == name && checkIndex(at, CheckIndexOption::IndexIsValid)) {
    const QString wanted = value.toString().trimmed();
    if (wanted.isEmpty()) return false;
    if (wanted != at.data(Qt::EditRole).toString()) emit renamed(at.data(id_role).toInt(), wanted);
    return true;
  }
  if (role == Qt::CheckStateRole && at.column() == pin && checkIndex(at, CheckIndexOption::IndexIsValid)) {
    const PlanRow& row = rows_[static_cast<std::size_t>(at.row())];
    if (!row.has_plan()) return false;
    emit baseline_chosen(value.toInt() == Qt::Checked ? row.id : 0);
    return true;
  }
  if (role != Qt::CheckStateRole || at.column() != tick || !checkIndex(at, CheckIndexOption::IndexIsValid))
    return false;
  PlanRow& row = rows_[static_cast<std::size_t>(at.row())];
  const bool on = value.toInt() == Qt::Checked;
  if (row.ticked == on) return true;
  row.ticked = on;
  emit dataChanged(at, at, {Qt::CheckStateRole, sort_role});
  emit ticked(row.id, on);
  return true;
}

QVariant PlanTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  const PlanColumn& of = plan_column(section);
  if (role == Qt::DisplayRole) return of.title;
  if (role == Qt::ToolTipRole) return of.tip;
  if (role == Qt::TextAlignmentRole)
    return int(Qt::AlignVCenter | (section == fits ? Qt::AlignHCenter : Qt::AlignLeft));
  return {};
}

Qt::ItemFlags PlanTableModel::flags(const QModelIndex& at) const {
  const Qt::ItemFlags common = QAbstractTableModel::flags(at);
  if (!at.isValid()) return common;
  const bool check = at.column() == tick || at.column() == pin;
  const bool plan = rows_[static_cast<std::size_t>(at.row())].id > 0;
  return check ? common | Qt::ItemIsUserCheckable : at.column() == name && plan ? common | Qt::ItemIsEditable : common;
}

}  // namespace pipedeck::models::compare
