// SPDX-License-Identifier: GPL-3.0-or-later
// The Gantt chart: one lane per device. Replicas with the same work share a lane until it is opened. A second timeline
// appears as pale half-height lanes, an old one as a ghost behind the chart.
//
// Keys: W and S zoom at the cursor; A and D pan; F fits. Arrows step through the operations, along the critical path
// while it is shown. Enter or a click on a lane's name opens and closes it, a drag of the name moves the lane. L shows
// the links; Esc clears. The arrow behind a name shows the lane's parts, as do Right and Left over the name. A huge
// timeline is shown by samples until its content is built.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>

#include <QStringList>

#include "app/models/background_task.hpp"
#include "app/models/gantt/critical.hpp"
#include "app/models/gantt/geometry.hpp"
#include "app/models/gantt/matches.hpp"
#include "app/views/gantt/painter.hpp"
#include "app/views/gantt/time_view.hpp"

namespace pipedeck::views::widgets {
class HoverCard;
}  // namespace pipedeck::views::widgets

namespace pipedeck::views::gantt {

class View : public TimeView {
  Q_OBJECT

 public:
  explicit View(TimeAxisController* link, QWidget* parent = nullptr);

  /// Sets the content; null shows the empty text. The owner sets the link's full span (TimeAxisController::set_full).
  void set_content(std::shared_ptr<const models::gantt::Content> content);
  void set_timeline(std::shared_ptr<const Timeline> timeline);
  void set_simulation(const std::shared_ptr<const Simulation>& simulation);
  /// Sets a second timeline as pale half-height lanes below: the prediction under a measured run.
  void set_pale(std::shared_ptr<const models::gantt::Content> content);
  /// Shows the old plan's timeline faintly behind the new one during a drag; null ends it.
  void set_ghost(std::shared_ptr<const models::gantt::Content> content);
  /// Highlights the critical path; null clears it.
  void set_critical(std::shared_ptr<const CriticalPath> path);
  const std::vector<models::gantt::CriticalBox>& critical() const { return critical_; }
  /// Highlights the matches of a search; null clears them. Matches of another content are not shown.
  void set_matches(std::shared_ptr<const models::gantt::Matches> matches);
  const std::shared_ptr<const models::gantt::Matches>& matches() const { return matches_; }
  /// Unfolds the lane of an operation, selects the operation and centres it.
  void show_operation(std::size_t operation);
  /// Sets names by device number instead of "G0".
  void set_device_names(const QStringList& names);
  void set_empty_text(const QString& text);
  /// Sets which of several charts on one link this is (the plan's id).
  void set_chart_id(int id) { chart_id_ = id; }
  void set_links_visible(bool visible);
  void set_opened(DeviceId first_device, bool opened);
  /// Shows a lane below for each part of a lane's time, or hides them; `lane` by models::gantt::lane_key().
  void set_divided(DeviceId lane, bool divided);
  const models::gantt::DividedLanes& divided() const { return divided_; }
  /// Opens or closes all lanes of several devices.
  void set_all_opened(bool opened);

  // -- the user's lanes (view_lanes.cpp), by models::gantt::lane_key()
  const std::set<DeviceId>& pinned() const { return pinned_; }
  void set_pinned(DeviceId lane, bool pinned);
  /// Moves a lane, with the others of its stage, up (-1) or down (1).
  void move_lane(DeviceId lane, int by);
  /// Shows the lanes in their own order again.
  void reset_order();
  bool reordered() const { return !choice_.order.empty(); }
  /// Returns the lane at a widget position, or that of the selected operation without one.
  std::optional<DeviceId> lane_at(const std::optional<QPointF>& position) const;
  QString lane_text(DeviceId lane) const;
  /// Shows the pinned lanes of another chart, and everything that it highlights.
  void show_pinned_of(const View& chart);
  /// Returns the time of the operations' edge nearest to `time`, within a few pixels, or `time`.
  double snapped_time(double time) const;

  const QStringList& device_names() const { return device_names_; }
  const std::optional<models::gantt::Hit>& selected() const { return selected_; }
  QString row_text(std::size_t row) const;
  QString row_text(const models::gantt::Row& row) const;
  QRectF box_of(const models::gantt::Hit& hit) const;
  int chart_id() const { return chart_id_; }
  const std::shared_ptr<const models::gantt::Content>& content() const { return content_; }
  const models::gantt::Geometry& geometry_of_lanes() const { return geometry_; }
  bool links_visible() const { return links_visible_; }
  /// Returns the width of the longest lane name. Owners give the link the maximum over all charts.
  int wanted_label_width() const;
  /// Returns the operation at a widget position.
  std::optional<models::gantt::Hit> hit(const QPointF& position) const;
  /// Returns the tooltip of an operation, one fact per line.
  QStringList describe(const models::gantt::Hit& hit) const;
  /// Returns the tooltip of a part of a lane: its sum, or the operation at that position.
  QStringList describe_part(const models::gantt::Row& row, const QPointF& position) const;
  /// Returns the tooltip as one sentence, for screen readers.
  QString spoken(const models::gantt::Hit& hit) const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 signals:
  /// The user opened or closed a lane, or showed or hid the links. The label width may have changed.
  void lanes_changed();
  void content_changed();
  void pins_changed();
  void highlights_changed();  ///< matches, critical path, ghost, names
  void search_requested();
  /// A key or a search moved to an operation whose lane is here.
  void row_shown(int top, int bottom);

 protected:
  void draw_content(QPainter& painter, QImage& canvas) override;
  void draw_overlay(QPainter& painter) override;
  void hovered(const QPointF& position) override;
  void unhovered() override;
  void clicked(const QPointF& position) override;
  bool key(QKeyEvent* event) override;
  double snapped(const QPointF& position) const override;
  bool takes_label_drag(const QPointF& at) override;
  void label_dragged(const QPointF& at) override;
  void label_dropped(const QPointF& at) override;

 private:
  void lay_out_again();
  void select(const models::gantt::Hit& hit);
  void selection_moved();
  std::optional<models::gantt::Hit> find_selected() const;
  void step(models::gantt::Step step);
  void step_to(models::gantt::Step step);
  bool step_critical(models::gantt::Step step);
  void show_selected_card();
  bool shows(std::size_t row, std::size_t operation) const;
  std::optional<std::size_t> find_row(std::size_t operation) const;
  void uncover(std::size_t operation);
  void toggle_row(const models::gantt::Row& row);
  void divide_lanes();
  /// Returns the row whose arrow to its parts is at a position.
  std::optional<std::size_t> arrow_at(const QPointF& position) const;
  const models::gantt::PartLane* part_of(const models::gantt::Row& row) const;
  /// Opens or closes the parts of the lane whose name is under the mouse. Returns true if there is one.
  bool divide_at_pointer(bool divided);
  QString place_text(const models::gantt::Row& row) const;
  /// Describes the all-reduces inside a pass; empty: none.
  QString reduced_text(const models::gantt::Row& row, std::size_t operation) const;
  QString wait_text(const models::gantt::Row& row, std::size_t operation) const;
  /// Returns what is hidden while a stage is folded.
  QStringList describe_fold(const models::gantt::Row& row) const;
  void draw_labels(QPainter& painter) const;
  int badge_width(const models::gantt::Row& row) const;  ///< of the stage before the name; 0: none
  void draw_drop_place(QPainter& painter) const;
  std::optional<models::gantt::Row> row_of_lane(DeviceId lane) const;
  /// Returns the row after whose block, or before whose block, a dragged lane is put.
  std::size_t drop_position(double y) const;
  void find_critical();
  QString critical_text(const CriticalSegment& link) const;
  QString critical_line(std::size_t operation) const;

  std::shared_ptr<const models::gantt::Content> content_, secondary_, reference_overlay_;
  models::gantt::Geometry geometry_;
  using MakeContent = std::function<std::shared_ptr<const models::gantt::Content>()>;
  /// Sets the content that `make` returns. A long timeline is drawn as a preview until then.
  void make_content(const Timeline* timeline, MakeContent make);

  models::gantt::Metrics metrics_;
  Painter painter_;
  std::set<DeviceId> opened_, pinned_, wanted_divided_;
  models::gantt::DividedLanes divided_;  ///< of `wanted_divided_`, those that the content has
  const models::gantt::Content* divided_content_ = nullptr;
  std::optional<QPointF> pointer_;
  models::gantt::LaneChoice choice_;
  std::optional<DeviceId> dragged_block_;
  std::optional<std::size_t> drop_at_;  ///< position among the blocks
  std::shared_ptr<const CriticalPath> critical_path_;
  std::vector<models::gantt::CriticalBox> critical_;
  std::shared_ptr<const models::gantt::Matches> matches_;
  models::BackgroundTask making_;
  QStringList device_names_;
  QString empty_text_;
  int chart_id_ = 0;
  bool links_visible_ = false;
  std::optional<models::gantt::Hit> hover_, selected_;
  std::size_t selected_row_ = 0;  ///< where the last operation was selected
  widgets::HoverCard* card_;
  bool card_of_key_ = false;  ///< it describes the selection, not the operation under the mouse
};

}  // namespace pipedeck::views::gantt
