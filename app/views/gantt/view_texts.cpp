// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of View about operations and lanes.
#include <algorithm>

#include "app/models/format.hpp"
#include "app/models/gantt/wait.hpp"
#include "app/views/gantt/view.hpp"

namespace pipedeck::views::gantt {

QString View::wait_text(const models::gantt::Row& row, std::size_t operation) const {
  const auto lane = models::gantt::main_lane(*content_, row);
  if (!lane || row.kind == models::gantt::Row::Kind::link) return {};
  const TimelineLane& compute = content_->timeline->lanes[*lane];
  if (operation < compute.begin || operation >= compute.end) return {};
  const models::gantt::Wait wait = models::gantt::wait_reason(*content_, *lane, operation);
  const QString idle = models::format_time(wait.idle);
  const QString from =
      wait.group ? models::devices_text(content_->groups[*wait.group].devices, device_names_) : QString();
  switch (wait.cause) {
    case models::gantt::WaitFor::activation:
      return tr("waited %1 for the activation from %2").arg(idle, from);
    case models::gantt::WaitFor::gradient:
      return tr("waited %1 for the gradient from %2").arg(idle, from);
    case models::gantt::WaitFor::all_reduce:
      return tr("waited %1 for the all-reduce").arg(idle);
    case models::gantt::WaitFor::nothing:
      break;
  }
  return wait.idle.count > 0 ? tr("after %1 idle").arg(idle) : tr("started without waiting");
}

QString View::reduced_text(const models::gantt::Row& row, std::size_t operation) const {
  const auto lane = models::gantt::main_lane(*content_, row);
  const double share = lane ? content_->reduced_share(*lane, operation) : 0;
  if (share <= 0) return {};
  const Seconds whole = to_seconds(content_->timeline->row(operation).duration);
  return tr("%1 of it for tensor-parallel all-reduces").arg(models::format_time(whole * share));
}

QString View::row_text(std::size_t row) const { return row_text(geometry_.rows[row]); }

QString View::row_text(const models::gantt::Row& row) const {
  const models::gantt::PartLane* const part = part_of(row);
  return part ? models::gantt::part_name(*content_, *part, device_names_)
              : models::gantt::row_name(*content_, row, device_names_);
}

QStringList View::describe_part(const models::gantt::Row& row, const QPointF& position) const {
  const models::gantt::PartLane* const part = part_of(row);
  if (!part || position.y() >= row.bottom()) return {};
  const models::gantt::Content& parts = *divided_.at(models::gantt::lane_key(*content_, row))->content;
  const TimelineLane& lane = parts.timeline->lanes[row.part];
  if (position.x() < plot().left()) {
    const auto share = static_cast<double>(part->time) / static_cast<double>(std::max<std::int64_t>(1, content_->end));
    return {QStringLiteral("%1 · %2").arg(row_text(row), place_text(row)),
            tr("%1 in all, %2 of the chart's time")
                .arg(models::format_time(to_seconds(Nanoseconds(part->time))), models::format_percent(share)),
            models::gantt::part_text(part->part)};
  }
  const double time = time_at(position.x());
  const std::size_t at = models::gantt::first_ending_after(*parts.timeline, lane, time);
  if (at >= lane.end || static_cast<double>(parts.timeline->start[at]) > time) return {};
  const TimelineRow operation = parts.timeline->row(at);
  QStringList title{row_text(row)};
  if (part->part != models::gantt::LanePart::data) title << widgets::kind_text(operation.operation.kind);
  if (operation.operation.micro_batch >= 0 && part->part != models::gantt::LanePart::data)
    title << tr("micro-batch %1").arg(operation.operation.micro_batch);
  title << tr("stage %1").arg(operation.operation.stage.value) << place_text(row);
  return {title.join(QStringLiteral(" · ")),
          tr("%1  (%2)")
              .arg(models::format_span(operation.start, operation.end()), models::format_time(operation.duration)),
          models::gantt::part_text(part->part)};
}

/// Returns the row's devices, or the link's ends: the name without the rest of the label.
QString View::place_text(const models::gantt::Row& row) const {
  if (row.kind == models::gantt::Row::Kind::link) return models::gantt::row_name(*content_, row, device_names_);
  const std::vector<DeviceId>& devices = content_->groups[row.group].devices;
  return row.kind == models::gantt::Row::Kind::device ? models::device_name(devices[row.device], device_names_)
                                                      : models::devices_text(devices, device_names_);
}

QStringList View::describe(const models::gantt::Hit& hit) const {
  const models::gantt::Row& row = geometry_.rows[hit.row];
  const TimelineRow operation = content_->timeline->row(hit.operation);
  const OpKind kind = operation.operation.kind;
  QStringList title{widgets::kind_text(kind)};
  if (kind != OpKind::all_reduce && kind != OpKind::optimizer)
    title << tr("micro-batch %1").arg(operation.operation.micro_batch);
  title << tr("stage %1").arg(operation.operation.stage.value) << place_text(row);
  if (row.kind != models::gantt::Row::Kind::link) {
    const models::gantt::Group& group = content_->groups[row.group];
    if (group.stages.size() > 1)
      title << tr("chunk %1 of %2")
                   .arg(models::gantt::chunk_letter(group.chunk_of(operation.operation.stage.value)))
                   .arg(group.stages.size());
  }
  QStringList lines{title.join(QStringLiteral(" · "))};
  lines << tr("%1  (%2)")
               .arg(models::format_span(operation.start, operation.end()), models::format_time(operation.duration));
  if (const QString reduced = reduced_text(row, hit.operation); !reduced.isEmpty()) lines << reduced;
  if (const QString wait = wait_text(row, hit.operation); !wait.isEmpty()) lines << wait;
  if (const QString critical = critical_line(hit.operation); !critical.isEmpty()) lines << critical;
  return lines;
}

QString View::spoken(const models::gantt::Hit& hit) const {
  const models::gantt::Row& row = geometry_.rows[hit.row];
  const TimelineRow told = content_->timeline->row(hit.operation);
  QString kind = widgets::kind_text(told.operation.kind);
  kind.replace(0, 1, kind.left(1).toUpper());
  const bool whole = told.operation.kind == OpKind::all_reduce || told.operation.kind == OpKind::optimizer;
  const QString when = models::format_span(told.start, told.end());
  QStringList parts{
      whole ? tr("%1, stage %2 on %3, %4").arg(kind).arg(told.operation.stage.value).arg(place_text(row), when)
            : tr("%1 %2, stage %3 on %4, %5")
                  .arg(kind)
                  .arg(told.operation.micro_batch)
                  .arg(told.operation.stage.value)
                  .arg(place_text(row), when)};
  for (const QString& more :
       {reduced_text(row, hit.operation), wait_text(row, hit.operation), critical_line(hit.operation)})
    if (!more.isEmpty()) parts << more;
  return parts.join(QStringLiteral(", "));
}

QStringList View::describe_fold(const models::gantt::Row& row) const {
  const models::gantt::Group& group = content_->groups[row.group];
  return {tr("stage %1 · %2 of %3 devices shown")
              .arg(group.stage)
              .arg(group.devices.size())
              .arg(group.devices.size() + content_->represented_devices(row.group)),
          tr("The others process other micro-batches in turn."), tr("Click to see a lane per device.")};
}

QString View::critical_text(const CriticalSegment& link) const {
  const QString from = models::device_name(link.device, device_names_);
  switch (link.cause) {
    case WaitCause::start:
      return tr("begins the critical path");
    case WaitCause::device:
      return tr("waited for the previous operation on %1").arg(from);
    case WaitCause::activation:
      return tr("waited for the activation from the previous stage");
    case WaitCause::gradient:
      return tr("waited for the gradient from the next stage");
    case WaitCause::channel:
      return tr("waited for another transfer on its link");
    case WaitCause::all_reduce:
      return tr("waited for the all-reduce of its stage");
    case WaitCause::overlapped_operation:
      return tr("waited for the operation that it overlaps with");
  }
  return {};
}

/// Returns the operation's position on the critical path and why it did not start earlier; empty off the path.
QString View::critical_line(std::size_t operation) const {
  const auto on = std::ranges::find(critical_, operation, &models::gantt::CriticalBox::operation);
  if (on == critical_.end()) return {};
  const CriticalSegment& link = critical_path_->links[on->link];
  return tr("critical path, %L1 of %L2: %3")
      .arg(on->link + 1)
      .arg(critical_path_->links.size())
      .arg(critical_text(link));
}

}  // namespace pipedeck::views::gantt
