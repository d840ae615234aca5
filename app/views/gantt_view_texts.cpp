// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of GanttView about operations and lanes.
#include <algorithm>

#include "app/models/format.hpp"
#include "app/models/gantt_wait.hpp"
#include "app/views/gantt_view.hpp"

namespace pipedeck::app {

QString GanttView::wait_text(const GanttRow& row, std::size_t operation) const {
  const auto lane = main_lane(*content_, row);
  if (!lane || row.kind == GanttRow::Kind::link) return {};
  const TimelineLane& compute = content_->timeline->lanes[*lane];
  if (operation < compute.begin || operation >= compute.end) return {};
  const GanttWait wait = wait_of(*content_, *lane, operation);
  const QString idle = format_time(wait.idle);
  const QString from = wait.group ? devices_text(content_->groups[*wait.group].devices, device_names_) : QString();
  switch (wait.cause) {
    case WaitFor::activation:
      return tr("waited %1 for the activation from %2").arg(idle, from);
    case WaitFor::gradient:
      return tr("waited %1 for the gradient from %2").arg(idle, from);
    case WaitFor::all_reduce:
      return tr("waited %1 for the all-reduce").arg(idle);
    case WaitFor::nothing:
      break;
  }
  return wait.idle.count > 0 ? tr("after %1 idle").arg(idle) : tr("started without waiting");
}

QString GanttView::row_text(std::size_t row) const { return row_name(*content_, geometry_.rows[row], device_names_); }

/// Returns the row's devices, or the link's ends: the name without the rest of the label.
QString GanttView::place_text(const GanttRow& row) const {
  if (row.kind == GanttRow::Kind::link) return row_name(*content_, row, device_names_);
  const std::vector<DeviceId>& devices = content_->groups[row.group].devices;
  return row.kind == GanttRow::Kind::device ? device_name(devices[row.device], device_names_)
                                            : devices_text(devices, device_names_);
}

QStringList GanttView::describe(const GanttHit& hit) const {
  const GanttRow& row = geometry_.rows[hit.row];
  const TimelineRow operation = content_->timeline->row(hit.operation);
  const OpKind kind = operation.operation.kind;
  QStringList title{kind_text(kind)};
  if (kind != OpKind::all_reduce && kind != OpKind::optimizer)
    title << tr("micro-batch %1").arg(operation.operation.micro_batch);
  title << tr("stage %1").arg(operation.operation.stage.value) << place_text(row);
  if (row.kind != GanttRow::Kind::link) {
    const GanttGroup& group = content_->groups[row.group];
    if (group.stages.size() > 1)
      title << tr("chunk %1 of %2")
                   .arg(chunk_letter(group.chunk_of(operation.operation.stage.value)))
                   .arg(group.stages.size());
  }
  QStringList lines{title.join(QStringLiteral(" · "))};
  lines << tr("%1  (%2)").arg(format_span(operation.start, operation.end()), format_time(operation.duration));
  if (const QString wait = wait_text(row, hit.operation); !wait.isEmpty()) lines << wait;
  if (const QString critical = critical_line(hit.operation); !critical.isEmpty()) lines << critical;
  return lines;
}

QString GanttView::spoken(const GanttHit& hit) const {
  const GanttRow& row = geometry_.rows[hit.row];
  const TimelineRow told = content_->timeline->row(hit.operation);
  QString kind = kind_text(told.operation.kind);
  kind.replace(0, 1, kind.left(1).toUpper());
  const bool whole = told.operation.kind == OpKind::all_reduce || told.operation.kind == OpKind::optimizer;
  const QString when = format_span(told.start, told.end());
  QStringList parts{
      whole ? tr("%1, stage %2 on %3, %4").arg(kind).arg(told.operation.stage.value).arg(place_text(row), when)
            : tr("%1 %2, stage %3 on %4, %5")
                  .arg(kind)
                  .arg(told.operation.micro_batch)
                  .arg(told.operation.stage.value)
                  .arg(place_text(row), when)};
  for (const QString& more : {wait_text(row, hit.operation), critical_line(hit.operation)})
    if (!more.isEmpty()) parts << more;
  return parts.join(QStringLiteral(", "));
}

QStringList GanttView::describe_fold(const GanttRow& row) const {
  const GanttGroup& group = content_->groups[row.group];
  return {tr("stage %1 · %2 of %3 devices shown")
              .arg(group.stage)
              .arg(group.devices.size())
              .arg(group.devices.size() + content_->followers(row.group)),
          tr("The others take other micro-batches in turn."), tr("Click to see a lane a device.")};
}

QString GanttView::critical_text(const CriticalLink& link) const {
  const QString from = device_name(link.device, device_names_);
  switch (link.cause) {
    case WaitCause::start:
      return tr("begins the critical path");
    case WaitCause::device:
      return tr("waited for the operation before it on %1").arg(from);
    case WaitCause::activation:
      return tr("waited for what the stage before hands on");
    case WaitCause::gradient:
      return tr("waited for the gradient of the stage behind");
    case WaitCause::channel:
      return tr("waited until another transfer let it pass");
    case WaitCause::all_reduce:
      return tr("waited for the all-reduce of its stage");
    case WaitCause::joined:
      return tr("waited with the operation that it is joined to");
  }
  return {};
}

/// Returns the operation's position on the critical path and why it did not start earlier; empty off the path.
QString GanttView::critical_line(std::size_t operation) const {
  const auto on = std::ranges::find(critical_, operation, &CriticalBox::operation);
  if (on == critical_.end()) return {};
  const CriticalLink& link = critical_path_->links[on->link];
  return tr("critical path, %L1 of %L2: %3")
      .arg(on->link + 1)
      .arg(critical_path_->links.size())
      .arg(critical_text(link));
}

}  // namespace pipedeck::app
