// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of the split editor: captions, tooltips, the message line, and their versions for assistive technology.
#include <QFontMetricsF>

#include "app/models/format.hpp"
#include "app/models/gantt/geometry.hpp"
#include "app/views/split/editor.hpp"
#include "app/views/split/painter.hpp"

namespace pipedeck::views::split {

namespace {

const QString dot = QStringLiteral(" · ");
constexpr int max_described = 64;  ///< stages that the widget's description lists

}  // namespace

/// Returns the simulated time, or the profile's in proportion to the slowest replica's samples.
Seconds Editor::stage_time(int stage) const {
  const Seconds known = figures_[static_cast<std::size_t>(stage)].time;
  if (known.count > 0) return known;
  const Plan& plan = draft_.shown();
  const Stage& own = stage_at(stage);
  Seconds sum;
  for (int layer = own.first; layer < own.last; ++layer) sum += layers_.times[static_cast<std::size_t>(layer)];
  int samples = plan.micro_batch;
  if (plan.synchronous()) {
    samples = 0;
    for (int share : replica_samples(own, plan.micro_batch)) samples = std::max(samples, share);
  }
  return sum * (static_cast<double>(samples) / std::max(draft_.profile().micro_batch, 1));
}

QString Editor::layer_name(int position) const { return layers_.names[static_cast<std::size_t>(position)]; }

QString Editor::stage_name(int stage) const {
  const models::split::StagePlace& place = places_[static_cast<std::size_t>(stage)];
  if (place.chunks < 2) return tr("stage %1").arg(stage);
  return tr("stage %1 (chunk %2)").arg(stage).arg(models::gantt::chunk_letter(place.chunk));
}

std::vector<QString> Editor::caption_variants(int stage) const {
  const models::split::StageFigure& figure = figures_[static_cast<std::size_t>(stage)];
  const int first = stage_at(stage).first, last = stage_at(stage).last - 1;
  const QString layers = first == last ? tr("layer %1").arg(first) : tr("layers %1–%2").arg(first).arg(last);
  const QString short_layers = first == last ? QString::number(first) : QStringLiteral("%1–%2").arg(first).arg(last);
  const QString time = models::format_time(stage_time(stage)), name = stage_name(stage);
  std::vector<QString> variants;
  if (figure.over.count > 0) {
    const QString too_much =
        tr("%1 %2 above its memory").arg(models::device_name(figure.device), models::format_bytes(figure.over));
    variants = {name + dot + layers + dot + time + dot + too_much, layers + dot + too_much, too_much,
                tr("%1 above the limit").arg(models::format_bytes(figure.over)),
                QStringLiteral("+") + models::format_bytes(figure.over)};
  } else if (figure.peak.count > 0) {
    variants.push_back(name + dot + layers + dot + time + dot + models::format_bytes(figure.peak));
  }
  variants.insert(variants.end(), {name + dot + layers + dot + time, layers + dot + time, short_layers + dot + time,
                                   time, short_layers, QString::number(stage)});
  return variants;
}

QString Editor::caption(int stage) const {
  const QRectF& column = layout_.columns[static_cast<std::size_t>(stage)];
  if (column.isEmpty()) return {};
  const QFontMetricsF metrics(font());
  return models::split::fitting_text(caption_variants(stage), column.width() - 2,
                                     [&](const QString& text) { return metrics.horizontalAdvance(text); });
}

QString Editor::message() const {
  if (draft_.empty()) return {};
  for (const QString& why : {draft_.refusal(), refusal_, unsimulated_})
    if (!why.isEmpty()) return why;
  if (simulation_ && !simulation_->fits)
    if (const QString over = models::split::overflow_text(draft_.shown(), *simulation_); !over.isEmpty()) return over;
  if (draft_.pending() && !drag_) return tr("Enter keeps the change, Esc reverts it");
  if (drag_ && drag_->item.part == models::split::Part::chip)
    return tr("Drop %1 on a stage or the tray. Ctrl: drop it on a device to swap both").arg(drag_->text);
  return {};
}

QString Editor::tip_of(const models::split::Item& item) const {
  if (item.part == models::split::Part::cut)
    return tr("<b>Cut before %1</b><br>Drag it. Drop it on its neighbour to merge two stages")
        .arg(layer_name(stage_at(item.stage).first).toHtmlEscaped());
  if (item.part == models::split::Part::stage)
    return layer_tip(item.layer) + QStringLiteral("<br>") + stage_tip(item.stage);
  const models::split::Chip* chip = models::split::chip_of(layout_, item);
  return chip                                     ? chip_tip(*chip)
         : item.part == models::split::Part::tray ? tr("Unused devices: drag them into a stage, or out of one")
                                                  : QString();
}

QString Editor::layer_tip(int position) const {
  const auto i = static_cast<std::size_t>(position);
  QString tip = tr("<b>layer %1 · %2</b><br>forward and backward %3 for %4 samples")
                    .arg(position)
                    .arg(layer_name(position).toHtmlEscaped(), models::format_time(layers_.times[i]))
                    .arg(draft_.profile().micro_batch);
  tip += simulation_ ? tr("<br>at its device's peak %1: weights and their state %2, activations %3")
                           .arg(models::format_bytes(memory_[i].total()), models::format_bytes(memory_[i].state),
                                models::format_bytes(memory_[i].activations))
                     : tr("<br>weights %1, activations %2")
                           .arg(models::format_bytes(memory_[i].state), models::format_bytes(memory_[i].activations));
  if (models::split::recomputed_layers(draft_.shown())[i]) tip += tr("<br>recomputed before its backward");
  return tip;
}

QString Editor::stage_tip(int stage) const {
  const Stage& own = stage_at(stage);
  const models::split::StagePlace& place = places_[static_cast<std::size_t>(stage)];
  const QString devices = models::split::short_devices_text(own.devices, 8);
  QString tip =
      QStringLiteral("<b>%1</b><br>").arg(caption_variants(stage).front().toHtmlEscaped()) +
      (own.replicas() == 1 ? tr("on %1").arg(devices) : tr("%1 replicas on %2").arg(own.replicas()).arg(devices));
  if (own.tensor_parallel > 1) tip += tr("<br>tensor parallel over %1 devices").arg(own.tensor_parallel);
  if (!place.copies.empty())
    tip += tr("<br>a second copy on %1").arg(models::split::short_devices_text(place.copies, 8));
  if (place.chunks > 1)
    tip += tr("<br>chunk %1 of %2 on its devices").arg(models::gantt::chunk_letter(place.chunk)).arg(place.chunks);
  return tip;
}

QString Editor::chip_tip(const models::split::Chip& chip) const {
  const QString devices = QStringLiteral("<b>%1</b><br>").arg(models::split::short_devices_text(chip.devices, 8));
  if (!chip.stage) return devices + tr("spare: drag it into a stage");
  const QString drag = chip.folded ? tr("drag takes %1; zoom in to see each device")
                                         .arg(models::split::short_devices_text(models::split::grabbed(layout_, chip)))
                                   : tr("drag it to another stage or to the spare devices");
  return devices + tr("in stage %1").arg(*chip.stage) + QStringLiteral("<br>") + drag;
}

QString Editor::item_text(const models::split::Item& item) const {
  switch (item.part) {
    case models::split::Part::cut:
      return tr("cut before %1, where stage %2 begins").arg(layer_name(stage_at(item.stage).first)).arg(item.stage);
    case models::split::Part::stage: {
      QString text = caption_variants(item.stage).front();
      const Recompute& recompute = stage_at(item.stage).recompute;
      if (recompute.all)
        text += dot + (recompute.each == RecomputeUnit::stage ? tr("recomputed at once") : tr("recomputed"));
      if (!recompute.layers.empty()) text += dot + tr("partly recomputed");
      return text;
    }
    case models::split::Part::chip:
      if (const models::split::Chip* chip = models::split::chip_of(layout_, item))
        return chip->stage
                   ? tr("%1 in stage %2").arg(models::split::short_devices_text(chip->devices)).arg(*chip->stage)
                   : tr("%1, spare").arg(models::split::short_devices_text(chip->devices));
      return {};
    case models::split::Part::tray:
      return tr("Spare devices");
    case models::split::Part::none:
      return {};
  }
  return {};
}

QRectF Editor::item_rect(const models::split::Item& item) const {
  if (const models::split::Chip* chip = models::split::chip_of(layout_, item)) return chip->rect;
  if (item.part == models::split::Part::cut) {
    const double x = layout_.strip.x_of(layout_.firsts[static_cast<std::size_t>(item.stage)]);
    return {x - 6, layout_.areas.columns.top(), 12, layout_.areas.strip.bottom() - layout_.areas.columns.top()};
  }
  if (item.part == models::split::Part::stage) return layout_.columns[static_cast<std::size_t>(item.stage)];
  return layout_.areas.tray;
}

void Editor::update_accessible_text() {
  QStringList texts;
  if (const QString said = message(); !said.isEmpty()) texts << said;
  if (!draft_.empty()) {
    if (focus_ && hasFocus()) {
      texts << item_text(*focus_);
      if (focus_->part == models::split::Part::stage)
        texts << tr("at layer %1, %2").arg(focus_->layer).arg(layer_name(focus_->layer));
    }
    for (int stage = 0; stage < std::min(stages(), max_described); ++stage)
      texts << item_text({models::split::Part::stage, stage, 0, {}});
  }
  const QString text = draft_.empty() ? empty_text_ : texts.join(QStringLiteral("; "));
  if (text != accessibleDescription()) setAccessibleDescription(text);
}

}  // namespace pipedeck::views::split
