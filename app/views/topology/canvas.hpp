// SPDX-License-Identifier: GPL-3.0-or-later
// The interactive drawing of a cluster. It changes nothing itself: it only draws a gesture in progress, and emits a
// signal with the requested change on release.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <QPixmap>
#include <QWidget>

#include "app/models/topology/camera.hpp"
#include "app/models/topology/overlay.hpp"
#include "app/models/topology/snap.hpp"
#include "app/views/topology/painter.hpp"

class QLineEdit;
class QTimer;

namespace pipedeck::views::topology {

/// A name to change in the drawing.
struct Name {
  bool rack = false;
  QString name;
};

/// A preview of a drop, shown while it is dragged over the drawing.
struct Drop {
  QSizeF size;              ///< of the box in the drawing
  QString title;            ///< "8 × T4"
  bool onto_nodes = false;  ///< may be dropped on a node
};

class Canvas : public QWidget {
  Q_OBJECT

 public:
  explicit Canvas(QWidget* parent = nullptr);
  ~Canvas() override;

  void set_cluster(std::shared_ptr<const Cluster> cluster, const ClusterLayout& layout,
                   const std::vector<models::topology::TopologyProblem>& problems);
  /// Colours the devices of each group alike, and loaded links red with their bytes; null: by device type.
  void set_overlay(std::shared_ptr<const models::topology::Overlay> overlay);
  const models::topology::Overlay* overlay() const { return overlay_.get(); }
  /// Clears the selection, closes groups and fits the view, before another cluster is set.
  void forget_view();
  const Cluster* cluster() const { return cluster_.get(); }
  const models::topology::Layout& scene() const { return scene_; }
  const models::topology::Camera& camera() const { return camera_; }
  std::optional<models::topology::Hit> hovered() const { return hovered_; }

  const models::topology::Selection& selection() const { return selection_; }
  void select(const models::topology::Selection& selection);
  void select_all();
  /// Selects items and scrolls to them.
  void show_selection(const models::topology::Selection& selection);
  void fit();
  void zoom_by(double factor);
  /// Selects the next (+1) or previous (-1) item in reading order.
  void select_next(int step);
  void select_towards(QPointF direction);
  /// Returns true if nodes of a group of alike nodes are selected.
  bool group_selected() const;
  /// Opens the groups of at most that many alike nodes.
  void open_small_groups(std::size_t most_nodes);
  /// Opens or closes the groups of the selected nodes.
  void set_groups_open(bool open);
  void start_rename();
  /// Shows a message that fades: why a request was refused.
  void show_message(const QString& words);
  const QString& message() const { return said_; }
  bool busy() const { return gesture_ != Gesture::none; }
  void cancel();

  // -- a drop from outside (the palette), in pixels of this widget
  void drag_over(const Drop& drop, QPointF at);
  void drag_away();
  /// Returns the node under the pointer that receives the drop; empty: the ground.
  QString drop_target(const Drop& drop, QPointF at) const;
  /// Returns the place of a box that is dropped here.
  ClusterLayout::Place drop_place(const Drop& drop, QPointF at) const;

  std::function<QString(const QString& from, const QString& to)> not_joinable_reason;
  /// Renames an item. Returns why it cannot, or an empty string.
  std::function<QString(const Name& name, const QString& to)> rename;

 signals:
  void selection_changed();
  void move_requested(const models::topology::Places& places);
  void link_requested(const QString& from, const QString& to);
  void link_selection_requested();  ///< a group was dragged onto a switch: both are selected
  void toggle_requested(const QString& rack);
  void groups_changed();  ///< one was opened or closed
  void edit_requested();  ///< double click on an item whose parameters are edited elsewhere
  void menu_requested(const QPoint& global);
  void view_changed();  ///< panned or zoomed

 protected:
  bool event(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void keyReleaseEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  enum class Gesture { none, pressed, pan, move, rubber, link, nudge };

  // canvas.cpp
  QPointF to_drawing(QPointF point) const { return camera_.to_drawing(point); }
  QRectF seen() const { return camera_.to_drawing(QRectF(rect())); }
  void choose(const models::topology::Selection& selection);
  models::topology::Selection selection_of(const models::topology::Hit& hit) const;
  models::topology::Selection selection_of(const models::topology::End& end) const;
  void stale();
  void fit_camera();
  void refresh_scene();
  /// Opens or closes groups, by their positions in Layout::racks. The corner of the first stays in place on the screen.
  void set_open(const std::vector<std::size_t>& groups, bool open);
  void open_parts_of(const models::topology::Selection& selection);

  // canvas_mouse.cpp
  void press(QMouseEvent* event);
  void click_on(const models::topology::Hit& hit, Qt::KeyboardModifiers modifiers);
  void start_move();
  void move_to(QPointF at);
  void move_link_to(QPointF at);
  void finish_move();
  void finish_link();
  void nudge(QPointF by);
  bool dragging_boxes() const { return gesture_ == Gesture::move || gesture_ == Gesture::nudge; }
  bool moves(const models::topology::End& end) const;
  void update_cursor();

  // canvas_keys.cpp
  QString tip_of(const models::topology::Hit& hit) const;
  bool handle_key(QKeyEvent* event);
  void finish_rename(bool keep);

  // canvas_paint.cpp
  Painter painter_on(QPainter& painter, const QRectF& seen) const;
  void draw_base();
  void draw_base_part(const QRect& part);
  void shift_base(QPoint by);
  void draw_moving();
  void paint_overlay(QPainter& painter);
  void paint_crossing_links(QPainter& painter);
  void paint_selection(Painter& painter);
  bool is_selected(const models::topology::End& end) const;
  bool is_hovered(const models::topology::TopologyLink& link) const;
  std::optional<models::topology::End> hovered_end() const;
  void paint_gesture(QPainter& painter, Painter& strokes);
  void paint_drop(QPainter& painter, Painter& strokes);
  void paint_message(QPainter& painter);
  double heading_height() const;
  void paint_heading(QPainter& painter);
  void paint_empty(QPainter& painter);

  std::shared_ptr<const Cluster> cluster_;
  ClusterLayout layout_;
  std::set<std::string> opened_;  ///< nodes of the groups that are open
  models::topology::Layout scene_;
  Marks marks_;
  std::shared_ptr<const models::topology::Overlay> overlay_;  ///< null: none
  models::topology::Camera camera_;
  bool fitted_ = true;  ///< neither view nor drawing has changed: all of it is shown at every size
  bool fresh_ = true;   ///< the next cluster is another one
  models::topology::Selection selection_;
  std::optional<models::topology::Hit> hovered_;
  std::optional<models::topology::End> hovered_port_;

  Gesture gesture_ = Gesture::none;
  QPointF pressed_, current_index_;  ///< in pixels of this widget
  std::optional<models::topology::Hit> pressed_on_;
  bool pressed_on_selected_ = false;
  bool space_ = false;
  QPointF offset_;  ///< of the moving boxes, in pixels of the drawing
  QRectF moving_box_;
  std::vector<QRectF> others_;
  std::vector<models::topology::Guide> guides_;
  models::topology::Selection before_rubber_;
  std::optional<models::topology::End> link_from_, link_to_;
  QString link_problem_;
  std::optional<Drop> drop_;

  QPixmap base_, moving_;
  QRectF moving_area_;  ///< of the image of the moving boxes, in pixels of this widget
  bool base_stale_ = true;
  QString said_;
  QTimer* said_timer_;
  QLineEdit* name_edit_;
  Name renamed_;
};

}  // namespace pipedeck::views::topology
