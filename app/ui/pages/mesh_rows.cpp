// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/pages/mesh_rows.hpp"

#include <cmath>

#include <QCoreApplication>
#include <QStringList>

#include "app/models/format.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::ui::pages {

namespace {

struct MeshText {
  Q_DECLARE_TR_FUNCTIONS(MeshRows)
};

using study::mesh_editing::Candidate;
using study::mesh_editing::Dimension;
using study::mesh_editing::Mesh;
using study::mesh_editing::Sheet;

const QString none = QStringLiteral("–");
constexpr Seconds least_shown{1e-8};  ///< less is rounding to nanoseconds

QString dimension_name(Dimension dimension) {
  return text::to_qstring(std::string(study::mesh_editing::name_of(dimension)));
}

QString about(Dimension dimension) {
  switch (dimension) {
    case Dimension::tensor:
      return MeshText::tr("tensor");
    case Dimension::sequence:
      return MeshText::tr("tokens within TP");
    case Dimension::context:
      return MeshText::tr("tokens of a sample");
    case Dimension::context_kind:
      return MeshText::tr("keys and values");
    case Dimension::expert:
      return MeshText::tr("experts");
    case Dimension::expert_tensor:
      return MeshText::tr("columns of an expert");
    case Dimension::pipeline:
      return MeshText::tr("pipeline");
    case Dimension::virtual_stages:
      return MeshText::tr("stages per rank");
    case Dimension::data:
      return MeshText::tr("what is left");
    case Dimension::sharding:
      return MeshText::tr("of model states");
    case Dimension::sharding_group:
      return MeshText::tr("ranks that share states");
    case Dimension::micro_batch:
      return MeshText::tr("samples of a replica");
    case Dimension::products:
      return MeshText::tr("of large products");
    case Dimension::recompute:
      return MeshText::tr("made again in backward");
    case Dimension::overlap:
      return MeshText::tr("hidden behind compute");
  }
  return {};
}

int group_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::tensor:
    case Dimension::sequence:
      return 0;
    case Dimension::context:
    case Dimension::context_kind:
      return 1;
    case Dimension::expert:
    case Dimension::expert_tensor:
      return 2;
    case Dimension::pipeline:
    case Dimension::virtual_stages:
      return 3;
    case Dimension::data:
    case Dimension::sharding:
    case Dimension::sharding_group:
      return 4;
    default:
      return -1;
  }
}

QString of_capacity(Bytes memory, Bytes capacity) {
  return MeshText::tr("%1 of %2").arg(models::format_bytes(memory), models::format_bytes(capacity));
}

QString value_text(const Mesh& mesh, Dimension dimension, int value) {
  return dimension_name(dimension) + QLatin1Char(' ') +
         text::to_qstring(study::mesh_editing::text_of(mesh, dimension, value));
}

QString followers(const Mesh& mesh, const Candidate& one) {
  QStringList parts;
  for (const auto& [dimension, value] : one.follows) {
    if (dimension != Dimension::overlap) {
      parts << value_text(mesh, dimension, value);
      continue;
    }
    const bool was = is_hidden(mesh.question.training.hidden, static_cast<study::mesh_editing::HiddenLane>(value));
    const QString lane = text::to_qstring(study::mesh_editing::text_of(mesh, dimension, value));
    parts << (was ? MeshText::tr("%1 exposed") : MeshText::tr("%1 hidden")).arg(lane);
  }
  if (one.order) parts << text::to_qstring(std::string(traits_of(*one.order).title));
  return parts.join(QStringLiteral(", "));
}

/// Returns the rule that a value breaks, whose it is, and the nearest choices that are possible.
QString refusal(const Mesh& mesh, Dimension dimension, const Candidate& one) {
  const study::mesh_editing::BrokenRule& rule = *one.broken;
  const QString source = text::to_qstring(rule.source);
  QStringList lines{MeshText::tr("%1 is not possible here").arg(value_text(mesh, dimension, one.value)),
                    text::to_qstring(rule.text)};
  if (!rule.engine.empty())
    lines << MeshText::tr("Rule of %1: %2").arg(text::to_qstring(rule.engine), source);
  else if (!rule.source.empty())
    lines << MeshText::tr("Rule of every engine: %1").arg(source);
  if (one.with) lines << MeshText::tr("Possible with %1").arg(value_text(mesh, one.with->dimension, one.with->value));
  if (one.nearest) lines << MeshText::tr("Nearest: %1").arg(value_text(mesh, dimension, *one.nearest));
  return lines.join(QLatin1Char('\n'));
}

QString tip(const Mesh& mesh, Dimension dimension, const Candidate& one, const Sheet& sheet) {
  const QString name = value_text(mesh, dimension, one.value);
  if (one.broken) return refusal(mesh, dimension, one);
  const QString memory = of_capacity(one.memory, sheet.now.capacity);
  const bool is_switch = dimension == Dimension::overlap;
  if (one.is_now && !is_switch)
    return MeshText::tr("%1: now, %2, %3").arg(name, models::format_time(one.iteration), memory);
  QStringList lines;
  if (is_switch)
    lines << (one.is_now ? MeshText::tr("%1: hidden now. Without:") : MeshText::tr("%1: exposed now. Hidden:"))
                 .arg(text::to_qstring(one.text));
  lines << MeshText::tr("%1%2, %3, %4")
               .arg(is_switch ? QString() : name + QStringLiteral(": "), models::format_time(one.iteration),
                    models::format_change(one.change), memory);
  if (!one.fits) lines << MeshText::tr("This does not fit.");
  if (!one.follows.empty() || one.order) lines << MeshText::tr("Follows: %1").arg(followers(mesh, one));
  return lines.join(QLatin1Char('\n'));
}

models::mesh::Degree degree_of(const Mesh& mesh, Dimension dimension, const Candidate& one, const Sheet& sheet) {
  constexpr double visible = 0.0005;
  models::mesh::Degree shown;
  shown.value = one.value, shown.text = text::to_qstring(one.text);
  shown.tip = tip(mesh, dimension, one, sheet);
  shown.on = dimension == Dimension::overlap && one.is_now;
  if (one.broken) {
    shown.below = none, shown.tone = models::mesh::Tone::impossible;
  } else if (one.is_now && dimension != Dimension::overlap) {
    shown.below = MeshText::tr("now"), shown.tone = models::mesh::Tone::now;
  } else if (!one.fits) {
    shown.below = models::format_bytes(one.memory), shown.tone = models::mesh::Tone::too_large;
  } else {
    shown.below = models::format_change(one.change);
    shown.tone = one.change < -visible ? models::mesh::Tone::better : models::mesh::Tone::plain;
  }
  return shown;
}

/// Returns false for rows without a choice: kinds of a context of one rank, groups that share nothing.
bool is_shown(const Mesh& mesh, Dimension dimension) {
  const mesh::Question& question = mesh.question;
  if (dimension == Dimension::context_kind) return question.shard().context > 1;
  if (dimension == Dimension::sharding_group)
    return question.sharding.level > 0 && question.data * question.shard().context > 1;
  return true;
}

QString memory_text(const std::optional<Bytes>& memory) {
  if (!memory || memory->count == 0) return none;
  return (memory->count < 0 ? QStringLiteral("−") : QStringLiteral("+")) +
         models::format_bytes(Bytes(std::abs(memory->count)));
}

}  // namespace

models::mesh::Sheet mesh_rows(const Mesh& mesh, const Sheet& sheet) {
  const mesh::Question& question = mesh.question;
  models::mesh::Sheet shown;
  const auto factor = [&](Dimension dimension) {
    shown.product.push_back(
        {dimension_name(dimension), study::mesh_editing::value_of(mesh, dimension), group_of(dimension)});
  };
  for (const Dimension dimension : {Dimension::tensor, Dimension::context, Dimension::pipeline, Dimension::data})
    factor(dimension);
  shown.total = models::counted(sheet.devices, MeshText::tr("1 GPU"), MeshText::tr("%1 GPUs"));
  shown.fits = sheet.now.fits;
  shown.verdict = QStringLiteral("%1 · %2 · %3")
                      .arg(models::format_time(sheet.now.iteration), of_capacity(sheet.memory, sheet.now.capacity),
                           sheet.now.fits ? MeshText::tr("fits") : MeshText::tr("does not fit"));
  for (const study::mesh_editing::Row& row : sheet.rows) {
    if (!is_shown(mesh, row.dimension)) continue;
    models::mesh::Row& made = shown.rows.emplace_back();
    made.dimension = static_cast<int>(row.dimension), made.group = group_of(row.dimension);
    made.name = dimension_name(row.dimension), made.about = about(row.dimension);
    made.locked = mesh.locked.contains(row.dimension);
    made.switches = row.dimension == Dimension::overlap;
    for (const Candidate& one : row.candidates) made.degrees.push_back(degree_of(mesh, row.dimension, one, sheet));
    if (row.dimension == Dimension::data)
      made.note = MeshText::tr("follows the others; lock it and another one follows");
    if (row.dimension == Dimension::expert_tensor && question.shard().expert_tensor > 1 && row.bytes == 0)
      made.note = MeshText::tr("gathered together with EP");
    if (row.dimension == Dimension::micro_batch)
      made.note = models::counted(question.micro_batches, MeshText::tr("1 micro-batch per step"),
                                  MeshText::tr("%1 micro-batches per step"));
    made.bytes = row.bytes > 0 ? models::format_bytes(Bytes(static_cast<std::int64_t>(row.bytes))) : none;
    made.exposed = row.exposed >= least_shown ? models::format_time(row.exposed) : none;
    made.share = row.exposed.count / sheet.now.iteration.count;
    made.memory = memory_text(row.memory);
  }
  return shown;
}

}  // namespace pipedeck::ui::pages
