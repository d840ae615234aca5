// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/actions/topology_text.hpp"

#include <QCoreApplication>

#include "app/models/format.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::ui::actions {

namespace {

struct TopologyText {
  Q_DECLARE_TR_FUNCTIONS(TopologyWords)
};

constexpr double notable = 1.05;  ///< smaller slowdowns count as equal

void types_text(QStringList& to, const std::vector<session::cluster::Strengths::Type>& types) {
  if (types.empty()) return;
  const auto counted = [](const session::cluster::Strengths::Type& type) {
    return QStringLiteral("%1 × %2").arg(type.devices).arg(text::to_qstring(type.name));
  };
  const session::cluster::Strengths::Type& slowest = types.back();
  if (types.size() == 1) {
    to << (slowest.devices == 1 ? TopologyText::tr("One device, a %1.").arg(text::to_qstring(slowest.name))
                                : TopologyText::tr("%1, all alike: equal stages fit best.").arg(counted(slowest)));
    return;
  }
  QStringList all;
  for (const auto& type : types) all << counted(type);
  const QString list = all.join(QStringLiteral(", "));
  to << (slowest.slowdown < notable
             ? TopologyText::tr("%1, about equally fast.").arg(list)
             : TopologyText::tr("%1: a %2 is %3 times slower than a %4. Planners give it fewer layers or samples.")
                   .arg(list, text::to_qstring(slowest.name), models::format_number(slowest.slowdown, 2),
                        text::to_qstring(types.front().name)));
}

void all_reduce_text(QStringList& to, const session::cluster::Strengths::AllReduce& found, const QString& model) {
  const QString what =
      model.isEmpty() ? TopologyText::tr("%1 of gradients").arg(models::format_bytes(found.bytes))
                      : TopologyText::tr("the %1 of gradients of %2").arg(models::format_bytes(found.bytes), model);
  if (!found.between) {
    to << TopologyText::tr("All-reduce of %1 takes %2.").arg(what, models::format_time(found.everywhere));
    return;
  }
  constexpr double far_slower = 2;
  if (found.inside && found.everywhere.count > far_slower * found.inside->count) {
    to << TopologyText::tr(
              "Across nodes %1: all-reduce of %2 over all devices takes %3, inside a node %4. Keep replicas inside "
              "nodes.")
              .arg(models::format_rate(*found.between), what, models::format_time(found.everywhere),
                   models::format_time(*found.inside));
  } else {
    to << TopologyText::tr("Across nodes %1: all-reduce of %2 over all devices takes %3.")
              .arg(models::format_rate(*found.between), what, models::format_time(found.everywhere));
  }
}

void cut_text(QStringList& to, const session::cluster::Strengths::MinCut& cut) {
  constexpr std::size_t max_names = 4;
  QStringList names;
  for (std::size_t i = 0; i < std::min(cut.side.size(), max_names); ++i) names << text::to_qstring(cut.side[i]);
  if (cut.side.size() > max_names)
    names << TopologyText::tr("%1 more").arg(static_cast<qlonglong>(cut.side.size() - max_names));
  to << TopologyText::tr("Narrowest cut: %1 | rest, %2 each way.")
            .arg(names.join(QStringLiteral(", ")), models::format_rate(cut.bandwidth));
}

}  // namespace

QStringList cluster_summary_texts(const session::cluster::Strengths& strengths, const QString& model) {
  QStringList sentences;
  types_text(sentences, strengths.types);
  if (strengths.all_reduce) all_reduce_text(sentences, *strengths.all_reduce, model);
  if (strengths.narrowest) cut_text(sentences, *strengths.narrowest);
  if (!strengths.all_reduce && !strengths.types.empty())
    sentences << TopologyText::tr("Connect all devices to make plans for this cluster.");
  return sentences;
}

views::topology::PaletteEntry palette_entry(const session::cluster::DeviceOption& offer) {
  views::topology::PaletteEntry entry;
  entry.kind = views::topology::PaletteEntry::device;
  entry.type = offer.type;
  entry.inside = offer.inside;
  entry.title = text::to_qstring(offer.type.name);
  QStringList detail{models::format_bytes(offer.type.memory)};
  for (const char* precision : {"bf16", "fp16", "fp32"}) {
    const auto peak = offer.type.peak_tflops.find(precision);
    if (peak == offer.type.peak_tflops.end()) continue;
    detail << TopologyText::tr("%1 TF").arg(models::format_number(peak->second));
    break;
  }
  entry.detail = detail.join(QStringLiteral(" · "));
  entry.tip = offer.about.empty() ? entry.detail : text::to_qstring(offer.about);
  return entry;
}

QString message(const Error& error) { return text::to_qstring(error.message); }

}  // namespace pipedeck::ui::actions
