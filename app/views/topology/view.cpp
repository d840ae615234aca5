// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/topology/view.hpp"

#include <algorithm>

#include <QEvent>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::views::topology {

View::View(QWidget* parent)
    : QWidget(parent),
      palette_(new Palette),
      group_bar_(new GroupBar),
      canvas_(new Canvas),
      summary_(new Summary),
      properties_(new Properties),
      new_cluster_(new QPushButton(tr("New cluster"), canvas_)) {
  setObjectName(QStringLiteral("topology_view"));
  auto* centre = new QSplitter(Qt::Vertical);
  centre->setObjectName(QStringLiteral("topology_rows"));
  centre->addWidget(canvas_);
  centre->addWidget(summary_);
  centre->setStretchFactor(0, 3);
  centre->setStretchFactor(1, 1);
  centre->setChildrenCollapsible(true);
  canvas_->setMinimumSize(240, 160);
  centre->setSizes({560, 230});
  auto* columns = new QSplitter(Qt::Horizontal);
  columns->setObjectName(QStringLiteral("topology_columns"));
  columns->addWidget(palette_);
  auto* middle_column = new QWidget;
  auto* parts = new QVBoxLayout(middle_column);
  parts->setContentsMargins({});
  parts->setSpacing(0);
  group_bar_->hide();
  parts->addWidget(group_bar_);
  parts->addWidget(centre, 1);
  columns->addWidget(middle_column);
  columns->addWidget(properties_);
  columns->setStretchFactor(1, 1);
  columns->setSizes({168, 760, 250});
  palette_->setMinimumWidth(120);
  properties_->setMinimumWidth(220);
  for (QSplitter* splitter : {centre, columns}) splitter->setHandleWidth(1);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins({});
  row->addWidget(columns);
  make_zoom_buttons();
  connect_palette();
  connect(canvas_, &Canvas::selection_changed, this, &View::refresh_properties);
  connect(canvas_, &Canvas::groups_changed, this, &View::refresh_properties);
  connect(canvas_, &Canvas::edit_requested, properties_, &Properties::start_editing);
  connect(properties_, &Properties::item_chosen, canvas_, &Canvas::show_selection);
  connect(summary_, &Summary::problem_chosen, this, [this](const models::topology::Selection& at) {
    canvas_->show_selection(at);
    canvas_->setFocus(Qt::OtherFocusReason);
  });
  new_cluster_->setObjectName(QStringLiteral("topology_new_cluster"));
  connect(new_cluster_, &QPushButton::clicked, this, &View::new_requested);
  auto* middle = new QVBoxLayout(canvas_);
  middle->addStretch(3);
  middle->addWidget(new_cluster_, 0, Qt::AlignHCenter);
  middle->addStretch(2);
  setTabOrder(palette_, canvas_);
  setTabOrder(canvas_, properties_);
  clear();
}

void View::make_zoom_buttons() {
  auto* bar = new QWidget(canvas_);
  bar->setObjectName(QStringLiteral("topology_zoom"));
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins({});
  row->setSpacing(2);
  const auto add = [&](const QString& text, const QString& tip, const char* name, const std::function<void()>& run) {
    auto* button = new QToolButton;
    button->setText(text);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setObjectName(QLatin1String(name));
    button->setFocusPolicy(Qt::TabFocus);
    connect(button, &QToolButton::clicked, this, run);
    row->addWidget(button);
  };
  add(QStringLiteral("−"), tr("Smaller (Ctrl+wheel)"), "topology_zoom_out", [this] { canvas_->zoom_by(1 / 1.25); });
  add(tr("Fit"), tr("All of it (F)"), "topology_fit", [this] { canvas_->fit(); });
  add(QStringLiteral("+"), tr("Larger (Ctrl+wheel)"), "topology_zoom_in", [this] { canvas_->zoom_by(1.25); });
  canvas_->installEventFilter(this);
  bar->installEventFilter(this);
}

bool View::eventFilter(QObject* watched, QEvent* event) {
  // A style sheet may have changed the width of the buttons.
  if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest)
    if (auto* bar = canvas_->findChild<QWidget*>(QStringLiteral("topology_zoom"))) {
      const QSize size = bar->sizeHint();
      bar->setGeometry(canvas_->width() - size.width() - 10, 10, size.width(), size.height());
    }
  return QWidget::eventFilter(watched, event);
}

void View::set_cluster(std::shared_ptr<const Cluster> cluster, const ClusterLayout& layout, int id) {
  if (!cluster) return clear();
  if (cluster.get() == canvas_->cluster() && layout == layout_ && id == id_) return;
  const bool same_cluster = cluster.get() == canvas_->cluster();
  if (id != id_ || id == 0) canvas_->forget_view();  // without an id it may be another one each time
  layout_ = layout;
  id_ = id;
  if (!same_cluster) problems_ = models::topology::topology_problems(*cluster);
  canvas_->set_cluster(cluster, layout, problems_);
  if (!same_cluster) summary_->set_problems(true, problems_);
  new_cluster_->hide();
  canvas_->findChild<QWidget*>(QStringLiteral("topology_zoom"))->show();
  refresh_properties();
  emit cluster_shown(id_);
}

void View::clear() {
  layout_ = {};
  id_ = 0;
  problems_.clear();
  canvas_->set_cluster(nullptr, {}, {});
  summary_->set_problems(false, {});
  summary_->set_bandwidths({});
  summary_->set_strengths({});
  properties_->clear();
  new_cluster_->setStyleSheet(widgets::primary_button_style(widgets::Theme::of(palette())));
  new_cluster_->show();
  canvas_->findChild<QWidget*>(QStringLiteral("topology_zoom"))->hide();
  emit cluster_shown(0);
}

void View::show_picture_only() {
  palette_->hide();
  properties_->hide();
}

void View::refresh_properties() {
  if (cluster()) properties_->show_selection(*cluster(), canvas_->selection(), scene());
}

// ---- the palette

Drop View::drop_of(const PaletteEntry& entry) const {
  Node node;
  node.devices = {{entry.type.name, devices_of_a_new_node}};
  const QString devices = tr("%1 × %2").arg(devices_of_a_new_node).arg(QString::fromStdString(entry.type.name));
  switch (entry.kind) {
    case PaletteEntry::device:
      return {models::topology::topology_size(node), devices, true};
    case PaletteEntry::node:
      return {models::topology::topology_size(node), devices, false};
    case PaletteEntry::network_switch:
      return {models::topology::switch_size(), tr("Switch"), false};
    case PaletteEntry::rack:
    case PaletteEntry::import_files:  // cannot be dragged
    case PaletteEntry::import_this_machine:
    case PaletteEntry::import_cloud:
      break;
  }
  const QSizeF one = models::topology::topology_size(node);
  return {QSizeF(2 * one.width() + 4 * models::topology::topology_grid,
                 2 * one.height() + 14 * models::topology::topology_grid),
          tr("Rack of %1 nodes").arg(nodes_of_a_new_rack), false};
}

void View::connect_palette() {
  connect(palette_, &Palette::add_requested, this, &View::add_in_the_middle);
  connect(palette_, &Palette::drag_cancelled, canvas_, &Canvas::drag_away);
  connect(palette_, &Palette::dragged, this, [this](const PaletteEntry& entry, const QPoint& global) {
    const QPoint at = canvas_->mapFromGlobal(global);
    cluster() && canvas_->rect().contains(at) ? canvas_->drag_over(drop_of(entry), at) : canvas_->drag_away();
  });
  connect(palette_, &Palette::dropped, this, [this](const PaletteEntry& entry, const QPoint& global) {
    const QPoint at = canvas_->mapFromGlobal(global);
    canvas_->drag_away();
    if (!cluster() || !canvas_->rect().contains(at)) return;
    const Drop drop = drop_of(entry);
    emit drop_requested(entry, canvas_->drop_place(drop, at), canvas_->drop_target(drop, at));
    canvas_->setFocus(Qt::OtherFocusReason);
  });
}

/// Adds an entry where it hides nothing, as near to the middle of the view as there is room.
void View::add_in_the_middle(const PaletteEntry& entry) {
  if (!cluster()) return;
  const models::topology::Selection& chosen = canvas_->selection();
  if (entry.kind == PaletteEntry::device && chosen.places.size() == 1 && chosen.links.empty()) {
    const auto end = scene().find_end(*chosen.places.begin());
    if (end && end->kind == models::topology::End::node) return emit drop_requested(entry, {}, scene().name_of(*end));
  }
  emit drop_requested(entry, canvas_->drop_place(drop_of(entry), QRectF(canvas_->rect()).center()), {});
}

}  // namespace pipedeck::views::topology
