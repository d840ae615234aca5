// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/compare/schedule_title.hpp"

#include <QCoreApplication>

namespace pipedeck::models::compare {

QString schedule_title(ScheduleKind kind) {
  switch (kind) {
    case ScheduleKind::gpipe:
      return QStringLiteral("GPipe");
    case ScheduleKind::one_f_one_b:
      return QStringLiteral("1F1B");
    case ScheduleKind::interleaved:
      return QCoreApplication::translate("ScheduleTitle", "Interleaved 1F1B");
    case ScheduleKind::zb_h1:
      return QStringLiteral("ZB-H1");
    case ScheduleKind::zb_h2:
      return QStringLiteral("ZB-H2");
    case ScheduleKind::zb_v:
      return QStringLiteral("ZB-V");
    case ScheduleKind::v_half:
      return QStringLiteral("V-Half");
    case ScheduleKind::v_min:
      return QStringLiteral("V-Min");
    case ScheduleKind::dualpipe:
      return QStringLiteral("DualPipe");
    case ScheduleKind::dualpipe_v:
      return QStringLiteral("DualPipeV");
    case ScheduleKind::chimera:
      return QStringLiteral("Chimera");
    case ScheduleKind::adaptive:
      return QCoreApplication::translate("ScheduleTitle", "Adaptive");
    case ScheduleKind::pipedream:
      return QStringLiteral("PipeDream");
    case ScheduleKind::pipedream_vertical:
      return QCoreApplication::translate("ScheduleTitle", "PipeDream with vertical sync");
    case ScheduleKind::pipedream_2bw:
      return QStringLiteral("PipeDream-2BW");
    case ScheduleKind::explicit_order:
      return QCoreApplication::translate("ScheduleTitle", "Explicit order");
  }
  return {};
}

}  // namespace pipedeck::models::compare
