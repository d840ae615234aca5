// SPDX-License-Identifier: GPL-3.0-or-later
// An editor of a plan's stages. The layers are a strip divided by cuts; each stage's devices are below it, unused
// devices in a tray. Cuts and chips are moved by mouse or keys. Until the user lets go the result is a preview: a
// listener simulates it and returns the metrics. Nothing changes before `committed`.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QWidget>

#include "app/models/split/draft.hpp"
#include "app/models/split/figures.hpp"
#include "app/models/split/layout.hpp"
#include "app/models/split/window.hpp"

class QMenu;
class QScrollBar;

namespace pipedeck::views::split {

struct Picture;

class Editor : public QWidget {
  Q_OBJECT

 public:
  explicit Editor(QWidget* parent = nullptr);

  /// Sets the plan to edit and ends a pending edit without a signal. `simulation` is null until the plan is simulated.
  void set_plan(std::shared_ptr<const Profile> profile, std::shared_ptr<const Cluster> cluster, const Plan& plan,
                std::shared_ptr<const Simulation> simulation);
  void clear();
  /// Sets why nothing can be edited; shown in the middle while there is no plan.
  void set_empty_text(const QString& text);

  /// Sets the simulation of a plan that preview() emitted; null with the reason if it cannot be simulated.
  void show_preview(const Plan& plan, const std::shared_ptr<const Simulation>& simulation, const QString& why);
  /// Shows why an edit was rejected, until the next action.
  void show_refusal(const QString& why);

  /// Proposes and commits an edit at once: menus, fields, double clicks.
  void apply(const plan::PlanEdit& edit);
  void select_stage(int stage);
  int selected_stage() const { return selected_; }

  bool dragging() const { return drag_.has_value(); }
  const models::split::Draft& draft() const { return draft_; }
  const models::split::StageStarts& firsts() const { return layout_.firsts; }
  const models::split::Layout& layout_now() const { return layout_; }
  const models::split::Window& window_now() const { return window_; }
  const std::optional<models::split::Item>& focused() const { return focus_; }
  /// Returns the text of an item, for tooltips and assistive technology.
  QString item_text(const models::split::Item& item) const;
  /// Returns the items in tab order: cuts, stages, chips, unused devices.
  std::vector<models::split::Item> items() const;
  QRectF item_rect(const models::split::Item& item) const;
  void set_focused(const models::split::Item& item);
  /// Returns the message at the left: a reason, what does not fit, or what the user can do.
  QString message() const;
  /// Returns the centre of a cut's handle in widget coordinates; stage in 1..S-1.
  QPoint handle_position(int stage) const;
  QPoint chip_position(DeviceId device) const;
  /// Returns the current caption of a stage.
  QString caption(int stage) const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 signals:
  void preview(const pipedeck::Plan& plan);    ///< whenever the plan under the pointer changed
  void committed(const plan::PlanEdit& edit);  ///< released, or Enter, with a changed plan
  void cancelled();                            ///< Esc, or released at the old place
  void refused(const QString& why);            ///< released where it is not allowed
  void stage_selected(int stage);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool focusNextPrevChild(bool next) override;
  bool event(QEvent* event) override;

 private:
  static constexpr double reach = 8;  ///< pixels around a cut in which it can be grabbed

  struct Drag {
    models::split::Item item;
    QPointF press, at;
    double grab_offset = 0;         ///< of a cut: distance from pointer to cut
    std::vector<DeviceId> devices;  ///< of a chip
    QRectF ghost;                   ///< where the chip was
    QString text;
    bool moved = false;
    std::optional<models::split::ChipDrop> drop{};
  };

  // editor.cpp
  void relayout();
  void took(bool changed);
  void finish();
  void restore();
  void drag_cut(double x);
  void drag_chip(const QPointF& at, bool exchange);
  void set_window(const models::split::Window& window);
  void reveal_focus();
  void update_cursor();
  models::split::Metrics metrics() const;
  int stages() const { return static_cast<int>(draft_.shown().stages.size()); }
  const Stage& stage_at(int stage) const { return draft_.shown().stages[static_cast<std::size_t>(stage)]; }
  int stage_of(int layer) const;
  std::vector<std::int64_t> layer_bytes() const;
  Picture picture() const;

  // editor_keys.cpp
  bool takes_key(const QKeyEvent& event) const;
  bool cut_key(const QKeyEvent& event);
  bool stage_key(const QKeyEvent& event);
  bool chip_key(const QKeyEvent& event);
  bool row_key(const QKeyEvent& event);
  void move_chip_by(int steps);
  void reorder_chip_by(int steps);
  void move_layer_cursor(int layer);
  void cycle_recompute(int stage);

  // editor_menu.cpp
  void open_menu(const models::split::Item& item, const QPoint& at);
  void add_stage_actions(QMenu* menu, int stage, int layer);
  void add_chip_actions(QMenu* menu, const models::split::Chip& chip);
  void add_edit(QMenu* menu, const QString& text, const char* name, const plan::PlanEdit& edit);

  // editor_texts.cpp
  void update_accessible_text();
  QString tip_of(const models::split::Item& item) const;
  QString layer_tip(int position) const;
  QString stage_tip(int stage) const;
  QString chip_tip(const models::split::Chip& chip) const;
  /// Returns "stage 7", with the chunk of its devices that it is.
  QString stage_name(int stage) const;
  QString layer_name(int position) const;
  std::vector<QString> caption_variants(int stage) const;
  Seconds stage_time(int stage) const;

  models::split::Draft draft_;
  std::vector<models::split::StagePlace> places_;
  models::split::Layers layers_;
  std::vector<double> edges_;
  models::split::Window window_;
  models::split::Layout layout_;
  QScrollBar* scroll_;

  std::shared_ptr<const Simulation> original_simulation_, simulation_;
  std::vector<models::split::StageFigure> figures_;      ///< of the plan shown; time 0 while they are unknown
  std::vector<models::split::LayerMemoryShare> memory_;  ///< the latest known
  QString unsimulated_;                                  ///< why the plan shown cannot be simulated
  QString refusal_;
  QString empty_text_;

  std::optional<Drag> drag_;
  models::split::Item hovered_;
  std::optional<models::split::Item> focus_;
  int selected_ = 0;
};

}  // namespace pipedeck::views::split
