// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/gantt/operation_table_model.hpp"

#include <algorithm>
#include <utility>

#include <QLocale>

#include "app/models/format.hpp"
#include "app/models/gantt/wait.hpp"

namespace pipedeck::models::gantt {

namespace {

constexpr std::int64_t in_microseconds_below = 10'000'000;  // ns: shorter timelines are shown in microseconds

std::int64_t idle_before(const Timeline& timeline, const TimelineLane& lane, std::size_t i) {
  return timeline.start[i] - (i == lane.begin ? 0 : timeline.start[i - 1] + timeline.duration[i - 1]);
}

const TimelineLane& lane_at(const Timeline& timeline, std::size_t i) {
  const auto after = std::ranges::upper_bound(timeline.lanes, i, {}, &TimelineLane::begin);
  auto lane = after - 1;
  while (lane->size() == 0) --lane;  // an empty lane has the begin of the next one
  return *lane;
}

std::int64_t key_of(const Timeline& timeline, std::size_t i, int column) {
  switch (column) {
    case OperationTableModel::kind:
      return static_cast<std::int64_t>(timeline.kind[i]);
    case OperationTableModel::micro_batch:
      return timeline.micro_batch[i];
    case OperationTableModel::stage:
      return timeline.stage[i];
    case OperationTableModel::start:
      return timeline.start[i];
    case OperationTableModel::end:
      return timeline.start[i] + timeline.duration[i];
    case OperationTableModel::duration:
      return timeline.duration[i];
    case OperationTableModel::idle:
    case OperationTableModel::waited:
      return idle_before(timeline, lane_at(timeline, i), i);
    default:
      return static_cast<std::int64_t>(i);
  }
}

std::vector<std::uint32_t> ordered(const Timeline& timeline, const OperationSet* filter, int column, bool descending) {
  std::vector<std::uint32_t> order;
  const std::size_t count = filter ? filter->count() : timeline.size();
  order.reserve(count);
  std::vector<std::pair<std::int64_t, std::uint32_t>> keys;
  keys.reserve(count);
  const auto add = [&](std::size_t i) {
    keys.emplace_back(key_of(timeline, i, column), static_cast<std::uint32_t>(i));
  };
  if (filter)
    for (auto i = filter->next(0, filter->size()); i; i = filter->next(*i + 1, filter->size())) add(*i);
  else
    for (std::size_t i = 0; i < timeline.size(); ++i) add(i);
  std::ranges::stable_sort(
      keys, [descending](const auto& a, const auto& b) { return descending ? a.first > b.first : a.first < b.first; });
  for (const auto& [key, i] : keys) order.push_back(i);
  return order;
}

}  // namespace

OperationTableModel::OperationTableModel(QObject* parent) : QAbstractTableModel(parent), background_(this) {}

void OperationTableModel::set_content(std::shared_ptr<const Content> content, const QStringList& kind_names,
                                      const QStringList& device_names) {
  background_.cancel();
  beginResetModel();
  content_ = content && !content->preview ? std::move(content) : nullptr;
  kind_names_ = kind_names;
  device_names_ = device_names;
  filter_.reset();
  order_.clear();
  page_ = 0;
  endResetModel();
  if (sort_column_ >= 0) sort(sort_column_, sort_order_);
}

void OperationTableModel::set_filter(std::shared_ptr<const OperationSet> filter) {
  background_.cancel();
  beginResetModel();
  filter_ = std::move(filter);
  order_.clear();
  page_ = 0;
  endResetModel();
  if (sort_column_ >= 0) sort(sort_column_, sort_order_);
}

std::size_t OperationTableModel::total() const {
  return filter_ ? filter_->count() : content_ ? content_->timeline->size() : 0;
}

void OperationTableModel::set_page(std::size_t page) {
  page = std::min(page, std::max<std::size_t>(pages(), 1) - 1);
  if (page == page_) return;
  beginResetModel();
  page_ = page;
  endResetModel();
}

std::size_t OperationTableModel::at(std::size_t row) const {
  if (!order_.empty()) return order_[row];
  return filter_ ? filter_->select(row) : row;
}

std::size_t OperationTableModel::operation(int row) const {
  return at(page_ * page_size + static_cast<std::size_t>(row));
}

std::optional<std::size_t> OperationTableModel::row_of(std::size_t operation) const {
  if (!content_ || operation >= content_->timeline->size()) return std::nullopt;
  if (filter_ && !filter_->contains(operation)) return std::nullopt;
  if (order_.empty()) return filter_ ? filter_->rank(operation) : operation;
  const auto found = std::ranges::find(order_, static_cast<std::uint32_t>(operation));
  return static_cast<std::size_t>(found - order_.begin());
}

int OperationTableModel::rowCount(const QModelIndex& parent) const {
  if (parent.isValid()) return 0;
  return static_cast<int>(std::min(page_size, total() - std::min(total(), page_ * page_size)));
}

int OperationTableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

std::size_t OperationTableModel::lane_of(std::size_t operation) const {
  return static_cast<std::size_t>(&lane_at(*content_->timeline, operation) - content_->timeline->lanes.data());
}

QString OperationTableModel::place_of(const TimelineLane& lane) const {
  const QString from = device_name(lane.device, device_names_);
  return lane.role == LaneRole::link ? tr("%1 → %2").arg(from, device_name(lane.to, device_names_)) : from;
}

QString OperationTableModel::time_text(std::int64_t nanoseconds) const {
  const bool fine = content_->end < in_microseconds_below;
  return QLocale().toString(static_cast<double>(nanoseconds) / (fine ? 1e3 : 1e6), 'f', 3);
}

QString OperationTableModel::waited_for(std::size_t operation) const {
  const std::size_t lane = lane_of(operation);
  if (content_->timeline->lanes[lane].role != LaneRole::compute) return {};
  const Wait wait = wait_reason(*content_, lane, operation);
  const QString from = wait.group ? devices_text(content_->groups[*wait.group].devices, device_names_) : QString();
  switch (wait.cause) {
    case WaitFor::activation:
      return tr("the activation from %1").arg(from);
    case WaitFor::gradient:
      return tr("the gradient from %1").arg(from);
    case WaitFor::all_reduce:
      return tr("the all-reduce");
    case WaitFor::nothing:
      break;
  }
  return {};
}

QString OperationTableModel::text(std::size_t operation, int column) const {
  const Timeline& timeline = *content_->timeline;
  const TimelineLane& lane = timeline.lanes[lane_of(operation)];
  switch (column) {
    case place:
      return place_of(lane);
    case kind:
      return kind_names_.value(static_cast<int>(timeline.kind[operation]));
    case micro_batch:
      return timeline.micro_batch[operation] < 0 || timeline.kind[operation] == OpKind::all_reduce ||
                     timeline.kind[operation] == OpKind::optimizer
                 ? QString()
                 : QString::number(timeline.micro_batch[operation]);
    case stage:
      return QString::number(timeline.stage[operation]);
    case start:
      return time_text(timeline.start[operation]);
    case end:
      return time_text(timeline.start[operation] + timeline.duration[operation]);
    case duration:
      return time_text(timeline.duration[operation]);
    case idle:
      return time_text(idle_before(timeline, lane, operation));
    case waited:
      return waited_for(operation);
    default:
      return {};
  }
}

QVariant OperationTableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const int column = index.column();
  if (role == Qt::TextAlignmentRole) {
    const bool words = column == place || column == kind || column == waited;
    return QVariant::fromValue(Qt::Alignment((words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
  }
  if (role == Qt::DisplayRole) return text(operation(index.row()), column);
  if (role == Qt::ToolTipRole && column >= start && column <= idle)
    return tr("%1 ns").arg(
        QLocale().toString(static_cast<qlonglong>(key_of(*content_->timeline, operation(index.row()), column))));
  return {};
}

QVariant OperationTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation == Qt::Vertical) {
    if (role != Qt::DisplayRole) return {};
    return static_cast<qulonglong>(page_ * page_size + static_cast<std::size_t>(section) + 1);
  }
  if (role == Qt::TextAlignmentRole) {
    const bool words = section == place || section == kind || section == waited;
    return QVariant::fromValue(Qt::Alignment((words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
  }
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  const bool fine = content_ && content_->end < in_microseconds_below;
  const QString unit = fine ? tr("µs") : tr("ms");
  switch (section) {
    case place:
      return tr("Where");
    case kind:
      return tr("Operation");
    case micro_batch:
      return tr("Micro-batch");
    case stage:
      return tr("Stage");
    case start:
      return tr("Start, %1").arg(unit);
    case end:
      return tr("End, %1").arg(unit);
    case duration:
      return tr("Duration, %1").arg(unit);
    case idle:
      return tr("Idle before, %1").arg(unit);
    case waited:
      return tr("Waited for");
    default:
      return {};
  }
}

void OperationTableModel::sort(int column, Qt::SortOrder order) {
  sort_column_ = column < column_count ? column : -1;
  sort_order_ = order;
  background_.cancel();
  if (!content_) return;
  const auto put = [this](std::vector<std::uint32_t> rows) {
    beginResetModel();
    order_ = std::move(rows);
    page_ = 0;
    endResetModel();
    emit sorted();
  };
  if (sort_column_ < 0) return put({});
  if (total() > max_sorted) {
    sort_column_ = -1;
    emit sort_refused(tr("Too many operations to sort: %L1. Filter them down to %L2.").arg(total()).arg(max_sorted));
    return;
  }
  const bool descending = order == Qt::DescendingOrder;
  background_.start([content = content_, filter = filter_, column, descending, put](const std::stop_token&) {
    auto rows =
        std::make_shared<std::vector<std::uint32_t>>(ordered(*content->timeline, filter.get(), column, descending));
    return [put, rows] { put(std::move(*rows)); };
  });
}

}  // namespace pipedeck::models::gantt
