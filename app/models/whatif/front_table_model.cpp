// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/whatif/front_table_model.hpp"

#include <algorithm>

#include <QStringList>

#include "app/models/format.hpp"
#include "app/models/rates.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::models::whatif {

void FrontTableModel::set_content(const ParetoContent& content) {
  beginResetModel();
  content_ = content;
  endResetModel();
}

bool FrontTableModel::has_rates() const {
  return std::ranges::any_of(content_.plans, [](const PlanCandidate& plan) { return plan.utilization.has_value(); });
}

int FrontTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(content_.plans.size());
}

int FrontTableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QString FrontTableModel::text(std::size_t row, Column column) const {
  const PlanCandidate& plan = content_.plans[row];
  const auto to_qstring = [](std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
  };
  switch (column) {
    case front:
      return content_.on_front[row] ? QStringLiteral("●") : QString();
    case name:
      return to_qstring(plan.plan->name);
    case samples:
      return format_number(plan.samples_per_second);
    case tokens:
      return plan.utilization ? format_number(plan.utilization->tokens_per_second, 4) : QString();
    case mfu:
      return mfu_of(plan.utilization) ? mfu_text(*mfu_of(plan.utilization)) : QString();
    case iteration:
      return format_time(plan.iteration);
    case memory:
      return measure_text(plan, FrontMeasure::memory);
    case price:
      return measure_text(plan, FrontMeasure::price);
    case per_million:
      return measure_text(plan, FrontMeasure::price_per_million);
    case devices:
      return QString::number(plan.devices);
    case nodes:
      return QString::number(plan.nodes);
    case schedule:
      return text::to_qstring(std::string(traits_of(plan.plan->schedule).title));
    case micro_batch:
      return QString::number(plan.plan->micro_batch);
    case column_count:
      break;
  }
  return {};
}

QVariant FrontTableModel::number(std::size_t row, Column column) const {
  const PlanCandidate& plan = content_.plans[row];
  const auto known = [](const std::optional<double>& value) { return value ? QVariant(*value) : QVariant(); };
  switch (column) {
    case front:
      return content_.on_front[row] ? 0 : 1;
    case samples:
      return plan.samples_per_second;
    case tokens:
      return plan.utilization ? QVariant(plan.utilization->tokens_per_second) : QVariant();
    case mfu:
      return known(mfu_of(plan.utilization));
    case iteration:
      return plan.iteration.count;
    case memory:
      return known(measure_of(plan, FrontMeasure::memory));
    case price:
      return known(plan.price_per_hour);
    case per_million:
      return known(plan.price_per_million_samples());
    case devices:
      return plan.devices;
    case nodes:
      return plan.nodes;
    case micro_batch:
      return plan.plan->micro_batch;
    default:
      return text(row, column);
  }
}

QVariant FrontTableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto row = static_cast<std::size_t>(index.row());
  const auto column = static_cast<Column>(index.column());
  if (role == Qt::DisplayRole) return text(row, column);
  if (role == sort_role) return number(row, column);
  if (role == Qt::ToolTipRole && column == mfu) return mfu_tip(content_.plans[row].utilization);
  if (role == Qt::ToolTipRole) return describe_point(content_.plans[row], content_.on_front[row]).join('\n');
  if (role == Qt::AccessibleTextRole && column == front)
    return content_.on_front[row] ? tr("on the front") : tr("beaten by another");
  if (role != Qt::TextAlignmentRole) return {};
  const bool words = column == name || column == schedule || column == front;
  return QVariant::fromValue(static_cast<int>((words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
}

QVariant FrontTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  if (role == Qt::ToolTipRole && section == front) return tr("Pareto-optimal in throughput, memory and price");
  if (role == Qt::ToolTipRole && section == mfu) return mfu_title_tip();
  if (role != Qt::DisplayRole) return {};
  const QString titles[] = {tr("Front"),     tr("Plan"),        tr("Samples/s"),  tr("Tokens/s"),  tr("MFU"),
                            tr("Iteration"), tr("Peak memory"), tr("Price/h"),    tr("Price/1 M"), tr("Devices"),
                            tr("Nodes"),     tr("Schedule"),    tr("Micro-batch")};
  return titles[section];
}

QString copied_text(const QAbstractItemModel& model) {
  QStringList lines, cells;
  for (int column = 0; column < model.columnCount(); ++column)
    cells << model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
  lines << cells.join(QLatin1Char('\t'));
  for (int row = 0; row < model.rowCount(); ++row) {
    cells.clear();
    for (int column = 0; column < model.columnCount(); ++column) cells << model.index(row, column).data().toString();
    lines << cells.join(QLatin1Char('\t'));
  }
  return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

}  // namespace pipedeck::models::whatif
