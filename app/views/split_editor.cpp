// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/split_editor.hpp"

#include <algorithm>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "app/models/format.hpp"
#include "app/models/gantt_geometry.hpp"
#include "app/views/split_painter.hpp"

namespace pipedeck::app {

namespace {

constexpr double reach = 8;  ///< pixels around a cut that take hold of it

}  // namespace

SplitEditor::SplitEditor(QWidget* parent) : QWidget(parent), empty_text_(tr("Select a plan to edit its split")) {
  setObjectName(QStringLiteral("split_editor"));
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Split editor"));
  setWhatsThis(
      tr("The model as a strip of layers: width is time, height is memory. Drag a cut, or Tab to it, move it "
         "with Left and Right, and press Enter; Esc puts it back."));
}

void SplitEditor::set_plan(std::shared_ptr<const Profile> profile, const Plan& plan,
                           std::vector<SplitStageFigure> figures) {
  profile_ = std::move(profile);
  plan_ = plan;
  places_ = stage_places(plan_);
  layers_ = split_layers(*profile_, plan_);
  std::vector<double> weights;
  for (Seconds time : layers_.times) weights.push_back(time.count);
  edges_ = strip_edges(weights);
  original_ = shown_ = firsts_of(plan_);
  figures_ = std::move(figures);
  figures_.resize(shown_.size());
  original_figures_ = figures_;
  feedback_.reset();
  dragged_.reset();
  stepped_ = false;
  hovered_.reset();
  if (focused_ && *focused_ >= static_cast<int>(shown_.size())) focused_.reset();
  if (!focused_ && hasFocus() && shown_.size() > 1) focused_ = 1;
  unsetCursor();
  update_accessible_text();
  update();
}

void SplitEditor::clear() {
  profile_.reset();
  plan_ = Plan{};
  places_.clear();
  layers_ = {};
  edges_.clear();
  original_.clear();
  shown_.clear();
  original_figures_.clear();
  figures_.clear();
  feedback_.reset();
  dragged_.reset();
  stepped_ = false;
  hovered_.reset();
  focused_.reset();
  unsetCursor();
  update_accessible_text();
  update();
}

void SplitEditor::set_empty_text(const QString& text) {
  empty_text_ = text;
  update();
}

void SplitEditor::set_figures(std::vector<SplitStageFigure> figures) {
  figures_ = std::move(figures);
  figures_.resize(shown_.size());
  update_accessible_text();
  update();
}

void SplitEditor::set_overflow(int stage, Bytes over) {
  if (stage < 0 || stage >= static_cast<int>(figures_.size())) return;
  figures_[static_cast<std::size_t>(stage)].over = over;
  update();
}

void SplitEditor::set_feedback(const SplitFeedback& feedback) {
  feedback_ = feedback;
  update();
}

void SplitEditor::clear_feedback() {
  feedback_.reset();
  update();
}

SplitAreas SplitEditor::areas() const { return split_areas(QRectF(rect()), font()); }

SplitStrip SplitEditor::strip() const {
  const QRectF area = areas().strip;
  return {area.left(), area.width(), edges_};
}

QPoint SplitEditor::handle_position(int stage) const {
  const QRectF area = areas().strip;
  return QPointF(strip().x_of(shown_[static_cast<std::size_t>(stage)]), area.top() - 4).toPoint();
}

int SplitEditor::stage_end(int stage) const {
  const auto next = static_cast<std::size_t>(stage) + 1;
  return next < shown_.size() ? shown_[next] : static_cast<int>(layers_.times.size());
}

/// The given figure, or the profile's proportional to the slowest replica's samples.
Seconds SplitEditor::stage_time(int stage) const {
  const auto i = static_cast<std::size_t>(stage);
  if (figures_[i].time.count > 0) return figures_[i].time;
  Seconds sum;
  for (int layer = shown_[i]; layer < stage_end(stage); ++layer) sum += layers_.times[static_cast<std::size_t>(layer)];
  int samples = plan_.micro_batch;
  if (plan_.synchronous()) {
    samples = 0;
    for (int share : replica_samples(plan_.stages[i], plan_.micro_batch)) samples = std::max(samples, share);
  }
  return sum * (static_cast<double>(samples) / std::max(profile_->micro_batch, 1));
}

Bytes SplitEditor::overflow(int stage) const { return figures_[static_cast<std::size_t>(stage)].over; }

QString SplitEditor::stage_name(int stage) const {
  const StagePlace& place = places_[static_cast<std::size_t>(stage)];
  if (place.chunks < 2) return tr("stage %1").arg(stage);
  return tr("stage %1 (chunk %2)").arg(stage).arg(chunk_letter(place.chunk));
}

std::vector<QString> SplitEditor::caption_variants(int stage) const {
  const int first = shown_[static_cast<std::size_t>(stage)], last = stage_end(stage) - 1;
  const QString layers = first == last ? tr("layer %1").arg(first) : tr("layers %1–%2").arg(first).arg(last);
  const QString short_layers = first == last ? QString::number(first) : QStringLiteral("%1–%2").arg(first).arg(last);
  const QString time = format_time(stage_time(stage));
  const QString dot = QStringLiteral(" · ");
  std::vector<QString> variants;
  if (const Bytes over = overflow(stage); over.count > 0) {
    const QString too_much = tr("%1 too much").arg(format_bytes(over));
    variants = {stage_name(stage) + dot + layers + dot + time + dot + too_much, layers + dot + too_much, too_much,
                QStringLiteral("+") + format_bytes(over)};
  }
  variants.insert(variants.end(), {stage_name(stage) + dot + layers + dot + time, layers + dot + time,
                                   short_layers + dot + time, time, short_layers, QString::number(stage)});
  return variants;
}

QString SplitEditor::caption(int stage) const {
  const SplitStrip s = strip();
  const double room = s.x_of(stage_end(stage)) - s.x_of(shown_[static_cast<std::size_t>(stage)]) - 6;
  const QFontMetricsF metrics(font());
  return fitting_text(caption_variants(stage), room,
                      [&](const QString& text) { return metrics.horizontalAdvance(text); });
}

QSize SplitEditor::sizeHint() const { return {900, split_height(font())}; }

QSize SplitEditor::minimumSizeHint() const { return {320, split_height(font())}; }

void SplitEditor::move_cut(int stage, int cut) {
  const Firsts moved = with_cut(shown_, stage, cut, static_cast<int>(layers_.times.size()));
  if (moved == shown_) return;
  shown_ = moved;
  // Times of the two stages beside the cut are no longer true; whoever listens to preview() brings new ones.
  for (int changed : {stage - 1, stage}) figures_[static_cast<std::size_t>(changed)].time = Seconds(0);
  update_accessible_text();
  update();
  stepped_ = !dragged_;
  emit preview(shown_);
}

void SplitEditor::finish() {
  dragged_.reset();
  stepped_ = false;
  if (shown_ == original_) {
    figures_ = original_figures_;
    feedback_.reset();
    emit cancelled();
  } else {
    emit committed(shown_);
  }
  update();
}

void SplitEditor::restore() {
  dragged_.reset();
  stepped_ = false;
  shown_ = original_;
  figures_ = original_figures_;
  feedback_.reset();
  update_accessible_text();
  update();
  emit cancelled();
}

void SplitEditor::mousePressEvent(QMouseEvent* event) {
  if (!profile_ || event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  const auto stage = strip().stage_cut_at(event->position().x(), shown_, reach);
  if (!stage || !areas().grip.contains(event->position())) return;
  dragged_ = focused_ = stage;
  grab_offset_ = event->position().x() - strip().x_of(shown_[static_cast<std::size_t>(*stage)]);
  update();
}

void SplitEditor::mouseMoveEvent(QMouseEvent* event) {
  if (!profile_) return;
  const SplitStrip s = strip();
  if (dragged_) {
    move_cut(*dragged_, s.nearest_cut(event->position().x() - grab_offset_, 1, s.layers() - 1));
    return;
  }
  const auto over = areas().grip.contains(event->position()) ? s.stage_cut_at(event->position().x(), shown_, reach)
                                                             : std::optional<int>();
  if (over == hovered_) return;
  hovered_ = over;
  if (over) {
    setCursor(Qt::SplitHCursor);
  } else {
    unsetCursor();
  }
  update();
}

void SplitEditor::mouseReleaseEvent(QMouseEvent* event) {
  if (!dragged_ || event->button() != Qt::LeftButton) return QWidget::mouseReleaseEvent(event);
  finish();
}

void SplitEditor::leaveEvent(QEvent*) {
  hovered_.reset();
  update();
}

void SplitEditor::keyPressEvent(QKeyEvent* event) {
  if (!profile_) return QWidget::keyPressEvent(event);
  if (event->key() == Qt::Key_Escape && (dragged_ || shown_ != original_)) return restore();
  if (!focused_ || dragged_) return QWidget::keyPressEvent(event);
  const int cut = shown_[static_cast<std::size_t>(*focused_)];
  const int step = event->modifiers() & Qt::ShiftModifier ? 5 : 1;
  switch (event->key()) {
    case Qt::Key_Left:
      return move_cut(*focused_, cut - step);
    case Qt::Key_Right:
      return move_cut(*focused_, cut + step);
    case Qt::Key_Home:
      return move_cut(*focused_, 0);
    case Qt::Key_End:
      return move_cut(*focused_, static_cast<int>(layers_.times.size()));
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (shown_ != original_) finish();
      return;
    default:
      QWidget::keyPressEvent(event);
  }
}

void SplitEditor::focusInEvent(QFocusEvent* event) {
  const int cuts = static_cast<int>(shown_.size()) - 1;
  if (cuts > 0 && !focused_) focused_ = event->reason() == Qt::BacktabFocusReason ? cuts : 1;
  update();
  QWidget::focusInEvent(event);
}

void SplitEditor::focusOutEvent(QFocusEvent* event) {
  // Another window in front is no decision; leaving the editor with an unfinished step is.
  const bool left = event->reason() != Qt::ActiveWindowFocusReason && event->reason() != Qt::PopupFocusReason;
  if (left) {
    if (stepped_) restore();
    focused_.reset();
  }
  update();
  QWidget::focusOutEvent(event);
}

bool SplitEditor::focusNextPrevChild(bool next) {
  const int cuts = static_cast<int>(shown_.size()) - 1;
  const int wanted = focused_.value_or(0) + (next ? 1 : -1);
  if (!focused_ || wanted < 1 || wanted > cuts) return QWidget::focusNextPrevChild(next);
  focused_ = wanted;
  update_accessible_text();
  update();
  return true;
}

bool SplitEditor::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip && profile_) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto layer = strip().layer_at(help->pos().x());
    if (!layer || dragged_) {
      QToolTip::hideText();
    } else {
      QToolTip::showText(help->globalPos(),
                         areas().grip.contains(help->pos()) ? layer_tip(*layer) : stage_tip(stage_of(*layer)), this);
    }
    return true;
  }
  return QWidget::event(event);
}

int SplitEditor::stage_of(int layer) const {
  int stage = 0;
  while (stage + 1 < static_cast<int>(shown_.size()) && shown_[static_cast<std::size_t>(stage) + 1] <= layer) ++stage;
  return stage;
}

QString SplitEditor::layer_tip(int position) const {
  const auto i = static_cast<std::size_t>(position);
  return tr("<b>layer %1 · %2</b><br>forward and backward %3 for %4 samples<br>weights and activations %5")
      .arg(position)
      .arg(layers_.names[i].toHtmlEscaped(), format_time(layers_.times[i]))
      .arg(profile_->micro_batch)
      .arg(format_bytes(layers_.bytes[i]));
}

QString SplitEditor::stage_tip(int stage) const {
  const Stage& s = plan_.stages[static_cast<std::size_t>(stage)];
  const StagePlace& place = places_[static_cast<std::size_t>(stage)];
  QString tip = QStringLiteral("<b>%1</b><br>").arg(caption_variants(stage).front().toHtmlEscaped()) +
                (s.replicas() == 1 ? tr("on %1").arg(short_devices_text(s.devices, 8))
                                   : tr("%1 replicas on %2").arg(s.replicas()).arg(short_devices_text(s.devices, 8)));
  if (s.tensor_parallel > 1) tip += tr("<br>tensor parallel over %1 devices").arg(s.tensor_parallel);
  if (!place.copies.empty()) tip += tr("<br>a second copy on %1").arg(short_devices_text(place.copies, 8));
  if (place.chunks > 1) tip += tr("<br>chunk %1 of %2 on its devices").arg(chunk_letter(place.chunk)).arg(place.chunks);
  return tip;
}

void SplitEditor::update_accessible_text() {
  QStringList stages;
  for (int stage = 0; stage < static_cast<int>(shown_.size()); ++stage) stages << caption_variants(stage).front();
  if (focused_ && hasFocus()) stages.prepend(tr("cut before stage %1").arg(*focused_));
  setAccessibleDescription(stages.isEmpty() ? empty_text_ : stages.join(QStringLiteral("; ")));
}

void SplitEditor::paintEvent(QPaintEvent*) {
  SplitPicture picture;
  picture.areas = areas();
  if (!profile_) {
    picture.empty_text = empty_text_;
  } else {
    picture.strip = strip();
    picture.layers = &layers_;
    picture.firsts = shown_;
    picture.ghosts = original_;
    picture.feedback = feedback_;
    picture.hot = dragged_ ? dragged_ : hovered_;
    picture.dragged = dragged_.has_value();
    if (hasFocus()) picture.focused = focused_;
    for (int stage = 0; stage < static_cast<int>(shown_.size()); ++stage) {
      const StagePlace& place = places_[static_cast<std::size_t>(stage)];
      std::vector<DeviceId> devices = place.devices;
      devices.insert(devices.end(), place.copies.begin(), place.copies.end());
      picture.stages.push_back(
          {caption(stage), devices, overflow(stage).count > 0, place.rank, place.chunk, place.chunks});
    }
  }
  QPainter painter(this);
  paint_split(painter, picture, Theme::of(palette()), font());
}

}  // namespace pipedeck::app
