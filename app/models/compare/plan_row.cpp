// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/compare/plan_row.hpp"

#include <algorithm>

#include <QCoreApplication>

namespace pipedeck::models::compare {

QString shape_text(const Plan& plan) {
  if (plan.stages.empty()) return {};
  if (std::string degrees = degrees_text(plan); !degrees.empty()) return QString::fromStdString(degrees);
  const Stage& first = plan.stages.front();
  const bool even = std::ranges::all_of(plan.stages, [&](const Stage& stage) {
    return stage.replicas() == first.replicas() && stage.tensor_parallel == first.tensor_parallel;
  });
  if (!even) return QString::fromStdString(stage_shape_text(plan));
  QStringList degrees;
  const auto add = [&](const char* name, std::size_t degree) {
    if (degree > 1) degrees << QStringLiteral("%1 %2").arg(QLatin1String(name)).arg(degree);
  };
  add("TP", static_cast<std::size_t>(first.tensor_parallel));
  add("PP", plan.stages.size());
  add("DP", static_cast<std::size_t>(first.replicas()));
  if (plan.zero > 0) degrees << QStringLiteral("ZeRO-%1").arg(plan.zero);
  return degrees.isEmpty() ? QStringLiteral("DP 1") : degrees.join(QStringLiteral(" · "));
}

std::pair<QString, QString> name_parts(const PlanRow& row) {
  const QString name = QString::fromStdString(row.plan.name.empty() ? row.plan.planner : row.plan.name);
  const bool own = row.planner.isEmpty() || !name.startsWith(row.planner) || !row.has_plan();
  return own ? std::pair(name, QString()) : std::pair(row.planner, shape_text(row.plan));
}

QString plan_title(const PlanRow& row) {
  auto [name, shape] = name_parts(row);
  if (shape.isEmpty()) shape = QString::fromStdString(stage_shape_text(row.plan));
  if (shape.isEmpty() || name.contains(shape.section(QStringLiteral(" · "), 0, 0))) return name;
  constexpr std::size_t max_spelled = 8;  // stages
  if (row.plan.stages.size() > max_spelled && name != row.planner)
    return QCoreApplication::translate("PlanTitle", "%1, %2 stages").arg(name).arg(row.plan.stages.size());
  return name + u' ' + shape;
}

QString first_clause(const QString& reason) {
  qsizetype end = reason.size();
  for (const char* mark : {"; ", ". ", " ("})
    if (const qsizetype at = reason.indexOf(QLatin1String(mark)); at > 0) end = std::min(end, at);
  QString clause = reason.left(end);
  while (clause.endsWith(QLatin1Char('.'))) clause.chop(1);
  return clause;
}

}  // namespace pipedeck::models::compare
