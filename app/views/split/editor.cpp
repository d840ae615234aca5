// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/split/editor.hpp"

#include <algorithm>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QToolTip>

#include "app/views/split/accessible.hpp"
#include "app/views/split/painter.hpp"

namespace pipedeck::views::split {

namespace {

constexpr int scroll_steps = 10000;  ///< of the scroll bar for the whole strip

}  // namespace

Editor::Editor(QWidget* parent)
    : QWidget(parent),
      scroll_(new QScrollBar(Qt::Horizontal, this)),
      empty_text_(tr("Select a plan to edit its split")) {
  install_split_accessible();
  setObjectName(QStringLiteral("split_editor"));
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Split editor"));
  setWhatsThis(
      tr("The model as a strip of layers: width is time, height is memory. Drag a cut or a device. Double-click a "
         "layer to split its stage there. Ctrl+click a layer to recompute it. Ctrl+wheel zooms. By keyboard: Tab goes "
         "to the next item, arrows move it, Enter keeps the change, Esc reverts it."));
  scroll_->setObjectName(QStringLiteral("split_scroll"));
  scroll_->setAccessibleName(tr("Visible part of the model"));
  scroll_->setFocusPolicy(Qt::NoFocus);
  scroll_->setRange(0, 0);
  scroll_->hide();
  connect(scroll_, &QScrollBar::valueChanged, this, [this](int value) {
    models::split::Window window = window_;
    window.pan(static_cast<double>(value) / scroll_steps - window.begin);
    set_window(window);
  });
}

void Editor::set_plan(std::shared_ptr<const Profile> profile, std::shared_ptr<const Cluster> cluster, const Plan& plan,
                      std::shared_ptr<const Simulation> simulation) {
  const bool another_model = draft_.empty() || profile.get() != &draft_.profile();
  const bool another_plan = another_model || plan != draft_.original();
  draft_ = models::split::Draft(std::move(profile), std::move(cluster), plan);
  if (another_model || draft_.original().order) {
    layers_ = models::split::split_layers(draft_.profile(), plan);
    std::vector<double> weights;
    for (Seconds time : layers_.times) weights.push_back(time.count);
    edges_ = models::split::strip_edges(weights);
  }
  if (another_model) window_ = {};
  if (another_plan) refusal_.clear();
  drag_.reset();
  hovered_ = {};
  unsimulated_.clear();
  original_simulation_ = simulation_ = std::move(simulation);
  memory_ = models::split::layer_memory(draft_.profile(), plan, simulation_.get());
  relayout();
  select_stage(std::clamp(selected_, 0, stages() - 1));
  if (focus_) set_focused(*focus_);
  if (!focus_ && hasFocus()) set_focused(items().front());
  update_cursor();
}

void Editor::clear() {
  draft_ = {};
  places_.clear();
  layers_ = {};
  edges_.clear();
  layout_ = {};
  figures_.clear();
  memory_.clear();
  original_simulation_ = simulation_ = nullptr;
  refusal_.clear();
  unsimulated_.clear();
  drag_.reset();
  hovered_ = {};
  focus_.reset();
  window_ = {};
  relayout();
  update_cursor();
}

void Editor::set_empty_text(const QString& text) {
  empty_text_ = text;
  update_accessible_text();
  update();
}

void Editor::show_preview(const Plan& plan, const std::shared_ptr<const Simulation>& simulation, const QString& why) {
  // A late answer is still the latest available, but does not apply if the number of stages has changed.
  if (draft_.empty() || plan.stages.size() != draft_.shown().stages.size()) return;
  simulation_ = simulation;
  unsimulated_ = why;
  if (simulation) {
    figures_ = models::split::stage_figures(plan, *simulation);
    memory_ = models::split::layer_memory(draft_.profile(), plan, simulation.get());
  }
  update_accessible_text();
  update();
}

void Editor::show_refusal(const QString& why) {
  refusal_ = why;
  update_accessible_text();
  update();
}

models::split::Metrics Editor::metrics() const { return split_metrics(font()); }

/// Recomputes everything that depends on plan, size and zoom.
void Editor::relayout() {
  const models::split::Areas areas = models::split::split_areas(QRectF(rect()), metrics());
  const QSignalBlocker quiet(scroll_);
  scroll_->setGeometry(areas.scroll.toRect());
  scroll_->setVisible(!draft_.empty() && !window_.whole());
  scroll_->setPageStep(static_cast<int>(window_.span() * scroll_steps));
  scroll_->setSingleStep(std::max(1, scroll_->pageStep() / 10));
  scroll_->setRange(0, scroll_steps - scroll_->pageStep());
  scroll_->setValue(static_cast<int>(window_.begin * scroll_steps));
  if (draft_.empty()) {
    layout_ = {};
    layout_.areas = areas;
  } else {
    const QFontMetricsF texts(widgets::caption_font(font()));
    places_ = models::split::stage_places(draft_.shown());
    layout_ = models::split::split_layout(areas, window_.strip(areas.strip, edges_), draft_.shown(), places_,
                                          plan::unused_devices(draft_.shown(), draft_.cluster()),
                                          tray_label_width(font()), chip_style(font()),
                                          [&](const QString& text) { return texts.horizontalAdvance(text); });
    if (figures_.size() != draft_.shown().stages.size() || !draft_.pending()) {
      figures_.assign(draft_.shown().stages.size(), {});
      if (simulation_ && !draft_.pending()) figures_ = models::split::stage_figures(draft_.shown(), *simulation_);
    }
  }
  update_accessible_text();
  update();
}

/// Updates the view after an edit was proposed.
void Editor::took(bool changed) {
  if (!changed) return;
  refusal_.clear();
  unsimulated_.clear();
  for (models::split::StageFigure& figure : figures_) figure.time = Seconds(0);  // a listener sends new ones
  relayout();
  emit preview(draft_.shown());
}

void Editor::finish() {
  const bool dragged = drag_.has_value();
  drag_.reset();
  if (!draft_.pending()) {
    if (dragged) emit cancelled();
    return update();
  }
  const QString why = draft_.refusal();
  if (!why.isEmpty()) {
    restore();
    show_refusal(why);
    emit refused(why);
  } else if (draft_.shown() == draft_.original()) {
    restore();
  } else {
    const plan::PlanEdit edit = *draft_.edit();
    draft_.accept();
    original_simulation_ = simulation_;
    relayout();
    emit committed(edit);
  }
}

void Editor::restore() {
  drag_.reset();
  draft_.restore();
  refusal_.clear();
  unsimulated_.clear();
  simulation_ = original_simulation_;
  if (!draft_.empty()) memory_ = models::split::layer_memory(draft_.profile(), draft_.original(), simulation_.get());
  relayout();
  select_stage(std::clamp(selected_, 0, std::max(0, stages() - 1)));
  emit cancelled();
}

void Editor::apply(const plan::PlanEdit& edit) {
  if (draft_.empty()) return;
  if (draft_.pending()) finish();  // commits the pending edit
  draft_.propose(edit);
  finish();
}

void Editor::select_stage(int stage) {
  if (draft_.empty() || stage < 0 || stage >= stages()) return;
  const bool another = selected_ != stage;
  selected_ = stage;
  update();
  if (another) emit stage_selected(stage);
}

int Editor::stage_of(int layer) const {
  return static_cast<int>(std::ranges::upper_bound(layout_.firsts, layer) - layout_.firsts.begin()) - 1;
}

void Editor::set_window(const models::split::Window& window) {
  if (window == window_) return;
  window_ = window;
  relayout();
}

void Editor::reveal_focus() {
  if (!focus_ || window_.whole() || draft_.empty()) return;
  int first = 0, last = 0;
  if (focus_->part == models::split::Part::cut) {
    first = last = layout_.firsts[static_cast<std::size_t>(focus_->stage)];
  } else if (focus_->part == models::split::Part::stage) {
    first = focus_->layer, last = focus_->layer + 1;
  } else if (focus_->part == models::split::Part::chip && focus_->stage >= 0) {
    first = stage_at(focus_->stage).first, last = stage_at(focus_->stage).last;
  } else {
    return;
  }
  models::split::Window window = window_;
  window.reveal(edges_[static_cast<std::size_t>(first)], edges_[static_cast<std::size_t>(last)]);
  set_window(window);
}

void Editor::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  relayout();
}

void Editor::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) relayout();
}

bool Editor::event(QEvent* event) {
  // Keys used here are not the window's shortcuts while the editor has the focus.
  if (event->type() == QEvent::ShortcutOverride && takes_key(*static_cast<QKeyEvent*>(event))) {
    event->accept();
    return true;
  }
  // The editor's own menu has priority.
  if (event->type() == QEvent::ContextMenu) {
    contextMenuEvent(static_cast<QContextMenuEvent*>(event));
    return true;
  }
  if (event->type() == QEvent::ToolTip && !draft_.empty()) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString tip = drag_ ? QString() : tip_of(models::split::hit(layout_, help->pos(), reach));
    if (tip.isEmpty()) {
      QToolTip::hideText();
    } else {
      QToolTip::showText(help->globalPos(), tip, this);
    }
    return true;
  }
  return QWidget::event(event);
}

QSize Editor::sizeHint() const { return {900, models::split::split_height(metrics())}; }

QSize Editor::minimumSizeHint() const { return {320, models::split::split_height(metrics())}; }

QPoint Editor::handle_position(int stage) const {
  return QPointF(layout_.strip.x_of(layout_.firsts[static_cast<std::size_t>(stage)]), layout_.areas.strip.top() - 4)
      .toPoint();
}

QPoint Editor::chip_position(DeviceId device) const {
  for (const models::split::Chip& chip : layout_.chips)
    if (!chip.copy && std::ranges::count(chip.devices, device) > 0) return chip.rect.center().toPoint();
  return {};
}

Picture Editor::picture() const {
  Picture picture;
  picture.layout = &layout_;
  picture.empty_text = empty_text_;
  if (draft_.empty()) return picture;
  std::vector<double> shares;
  std::int64_t most = 1;
  for (const models::split::LayerMemoryShare& share : memory_) most = std::max(most, share.total().count);
  for (const models::split::LayerMemoryShare& share : memory_)
    shares.push_back(static_cast<double>(share.total().count) / static_cast<double>(most));
  const QRectF& strip = layout_.areas.strip;
  picture.has_plan = true;
  picture.boxes =
      models::split::layer_boxes(layout_.strip, layout_.firsts, shares,
                                 models::split::recomputed_layers(draft_.shown()), strip.left(), strip.right());
  picture.old_cuts = models::split::stage_starts(draft_.original());
  for (int s = 0; s < stages(); ++s) {
    const models::split::StagePlace& place = places_[static_cast<std::size_t>(s)];
    picture.stages.push_back(
        {caption(s), figures_[static_cast<std::size_t>(s)].over.count > 0, place.rank, place.chunk, place.chunks});
  }
  picture.message = message();
  picture.warns = !refusal_.isEmpty() || !draft_.refusal().isEmpty() || !unsimulated_.isEmpty() ||
                  (simulation_ && !simulation_->fits);
  if (draft_.pending() && draft_.refusal().isEmpty() && simulation_ && original_simulation_)
    picture.feedback = models::split::split_feedback(*original_simulation_, *simulation_);
  picture.pending = draft_.pending();
  picture.selected = selected_;
  picture.hovered = hovered_;
  if (hasFocus() && focus_) picture.focused = focus_;
  if (!drag_ || !drag_->moved) return picture;
  picture.refused = !draft_.refusal().isEmpty();
  picture.dragged = drag_->item;
  picture.pointer = drag_->at;
  picture.ghost_chip = drag_->ghost;
  picture.ghost_text = drag_->text;
  picture.moved_devices = drag_->devices;
  if (drag_->drop) picture.drop = drag_->drop;
  return picture;
}

void Editor::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paint_split(painter, picture(), widgets::Theme::of(palette()), font());
}

}  // namespace pipedeck::views::split
