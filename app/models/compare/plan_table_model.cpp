// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/compare/plan_table_model.hpp"

#include <algorithm>

#include "app/models/format.hpp"
#include "core/model/memory_verdict.hpp"

namespace pipedeck::models::compare {

namespace {

const QString computing = QStringLiteral("…");
const QString unknown = QStringLiteral("–");

bool has_plan(const PlanRow& row) { return !row.plan.stages.empty(); }

int verdict_of(const PlanRow& row) {
  if (!row.simulation) return has_plan(row) ? PlanTableModel::pending : PlanTableModel::bad;
  switch (fit_of(*row.simulation)) {
    case Fit::surely:
      return PlanTableModel::good;
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
  const auto same_id = [](const PlanRow& a, const PlanRow& b) { return a.id == b.id; };
  if (rows.size() == rows_.size() && std::equal(rows.begin(), rows.end(), rows_.begin(), same_id)) {
    rows_ = std::move(rows);
    if (!rows_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
    return;
  }
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
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

int PlanTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int PlanTableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant PlanTableModel::number(const PlanRow& row, Column column) const {
  if (column == name) return QString::fromStdString(row.plan.name);
  if (column == tick) return row.ticked ? 0 : 1;
  if (column == measured) return row.measured ? QVariant(row.measured->count) : QVariant();
  const Simulation* s = row.simulation.get();
  if (!s) return {};
  const double seconds = to_seconds(s->iteration).count;
  switch (column) {
    case iteration:
      return seconds;
    case samples:
      return s->samples_per_second;
    case speed_up:
      return row.single_device.count > 0 && seconds > 0 ? QVariant(row.single_device.count / seconds) : QVariant();
    case bubble:
      return s->bubble_fraction;
    case communication:
      return s->communication_fraction;
    case peak: {
      const SimulatedDevice* fullest = most_loaded_device(row);
      return fullest ? QVariant(static_cast<double>(fullest->peak.count)) : QVariant();
    }
    case over_bound:
      return row.lower_bound.count > 0 ? QVariant(seconds / row.lower_bound.count - 1) : QVariant();
    case fits:
      return static_cast<int>(fit_of(*s));
    default:
      return {};
  }
}

QString PlanTableModel::text(const PlanRow& row, Column column) const {
  if (column == tick || column == fits) return {};
  if (column == name) return QString::fromStdString(row.plan.name);
  if (column == measured) {
    if (!row.measured) return unknown;
    const QString time = format_time(*row.measured);
    return row.fastest ? tr("%1 fastest", "a measured time").arg(time) : time;
  }
  if (!row.simulation) return has_plan(row) ? computing : column == iteration ? tr("no plan") : unknown;
  const QVariant value = number(row, column);
  if (!value.isValid()) return unknown;
  switch (column) {
    case iteration:
      return format_time(Seconds(value.toDouble()));
    case samples:
      return format_number(value.toDouble());
    case speed_up:
      return format_factor(value.toDouble());
    case peak:
      return format_bytes(most_loaded_device(row)->peak);
    default:
      return format_percent(value.toDouble());
  }
}

QString PlanTableModel::tool_tip(const PlanRow& row, Column column) const {
  if (column == name) return name_tip(row);
  if (column == measured)
    return row.measured ? tr("A step of the newest run of this plan on this machine took %1. The list of runs shows "
                             "that run's own prediction.")
                              .arg(format_time(*row.measured))
                        : tr("No run of this plan has finished on this machine");
  if (!row.simulation && has_plan(row)) return row.note.isEmpty() ? tr("Being simulated") : row.note;
  if (!row.simulation) return row.note;
  const Simulation& s = *row.simulation;
  const SimulatedDevice* fullest = most_loaded_device(row);
  switch (column) {
    case samples:
      return tr("%1 samples/s: %2 samples in %3 ms")
          .arg(format_number(s.samples_per_second))
          .arg(row.plan.global_batch)
          .arg(decimal(in_milliseconds(s.iteration), 3));
    case speed_up:
      return row.single_device.count > 0 ? tr("One device would take %1").arg(format_time(row.single_device))
                                         : tr("The time on one device is unknown");
    case bubble:
      return tr("Devices are idle for %1 % of their time").arg(decimal(100 * s.bubble_fraction, 2));
    case communication:
      return tr("Communication is exposed for %1 % of the iteration: data moves while no device computes")
          .arg(decimal(100 * s.communication_fraction, 2));
    case iteration:
      return (row.plan.synchronous()
                  ? tr("%1 ms from the first forward to the end of the last optimizer step, %2 samples/s")
                  : tr("Steady state: %1 ms per global batch, %2 samples/s"))
          .arg(decimal(in_milliseconds(s.iteration), 3))
          .arg(format_number(s.samples_per_second));
    case peak:
      if (!fullest) return {};
      return tr("G%1 holds %2 of %3 at %4. Upper estimate, whatever the operation times: %5")
          .arg(fullest->device.value)
          .arg(format_bytes(fullest->peak), format_bytes(fullest->capacity),
               format_time(to_seconds(fullest->peak_time)), format_bytes(fullest->peak_upper_bound));
    case over_bound:
      return row.lower_bound.count > 0
                 ? tr("No plan of this problem can be faster than %1").arg(format_time(row.lower_bound))
                 : tr("No lower bound is known");
    case fits:
      if (fit_of(s) == Fit::expected)
        return tr("Expected to fit, but %n devices may exceed their memory: G%1 up to %2 of %3", nullptr,
                  num_devices_over_capacity(s))
            .arg(fullest_device_at_most(s)->device.value)
            .arg(format_bytes(fullest_device_at_most(s)->peak_upper_bound),
                 format_bytes(fullest_device_at_most(s)->capacity));
      if (s.fits || !fullest) return tr("Fits on every device, whatever the operation times");
      return tr("G%1 needs %2 more than its memory")
          .arg(fullest->device.value)
          .arg(format_bytes(fullest->peak - fullest->capacity));
    default:
      return {};
  }
}

QString PlanTableModel::name_tip(const PlanRow& row) {
  QStringList lines{QString::fromStdString(row.plan.name)};
  if (has_plan(row))
    lines << tr("%1 · %2 micro-batches of %3 samples · %4")
                 .arg(QString::fromStdString(stage_shape_text(row.plan)))
                 .arg(row.plan.micro_batches)
                 .arg(row.plan.micro_batch)
                 .arg(text::to_qstring(std::string(traits_of(row.plan.schedule).title)));
  for (const QString& more : {row.note, row.remarks}) {
    if (!more.isEmpty()) lines << more;
  }
  return lines.join(QLatin1Char('\n'));
}

QVariant PlanTableModel::data(const QModelIndex& at, int role) const {
  if (!checkIndex(at, CheckIndexOption::IndexIsValid)) return {};
  const PlanRow& row = rows_[static_cast<std::size_t>(at.row())];
  const auto column = static_cast<Column>(at.column());
  const SimulatedDevice* fullest = most_loaded_device(row);
  switch (role) {
    case Qt::DisplayRole:
      return column == tick ? QVariant() : QVariant(text(row, column));
    case Qt::ToolTipRole:
      return tool_tip(row, column);
    case Qt::EditRole:
      return column == name ? QVariant(QString::fromStdString(row.plan.name)) : QVariant();
    case Qt::CheckStateRole:
      return column == tick ? QVariant(static_cast<int>(row.ticked ? Qt::Checked : Qt::Unchecked)) : QVariant();
    case Qt::AccessibleTextRole:
      if (column == fits && row.simulation)
        return !row.simulation->fits       ? tr("does not fit")
               : verdict_of(row) == unsure ? tr("fits, but not by the upper estimate")
                                           : tr("fits");
      if (column == name && !row.remarks.isEmpty()) return tr("%1, with notes").arg(text(row, column));
      return column == tick ? tr("show %1 below").arg(QString::fromStdString(row.plan.name)) : text(row, column);
    case sort_role:
      return number(row, column);
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
  const struct {
    QString title, tip;
  } headers[column_count] = {
      {QString(), tr("Shown as Gantt chart and memory curves below")},
      {tr("Plan"), tr("Planner, devices per stage and layers per stage")},
      {tr("Iteration"), tr("Simulated time of one global batch")},
      {tr("Measured"), tr("Time per step of the plan's newest run on this machine, from its throughput")},
      {tr("Samples/s"), tr("Global batch divided by the iteration time")},
      {tr("Speed-up"), tr("Compared with the whole model on one device")},
      {tr("Bubble"), tr("Share of device time spent idle")},
      {tr("Comm."), tr("Exposed communication: share of the iteration in which data moves and no device computes")},
      {tr("Peak memory"), tr("Peak memory of the most loaded device, out of its capacity")},
      {tr("Over bound"), tr("Iteration above the lower bound of all plans")},
      {tr("Fits"), tr("Fits into the memory of every device")},
  };
  if (role == Qt::DisplayRole) return headers[section].title;
  if (role == Qt::ToolTipRole) return headers[section].tip;
  if (role == Qt::TextAlignmentRole)
    return int(Qt::AlignVCenter | (section == fits ? Qt::AlignHCenter : Qt::AlignLeft));
  return {};
}

Qt::ItemFlags PlanTableModel::flags(const QModelIndex& at) const {
  const Qt::ItemFlags common = QAbstractTableModel::flags(at);
  if (!at.isValid()) return common;
  return at.column() == tick   ? common | Qt::ItemIsUserCheckable
         : at.column() == name ? common | Qt::ItemIsEditable
                               : common;
}

}  // namespace pipedeck::models::compare
