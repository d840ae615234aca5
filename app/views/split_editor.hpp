// SPDX-License-Identifier: GPL-3.0-or-later
// A model as a strip of layers cut into stages. A drag of a cut is a preview until it is let go: whoever listens
// simulates and hands figures back; nothing changes before `committed`.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QWidget>

#include "app/models/split_geometry.hpp"
#include "app/views/split_painter.hpp"
#include "core/domain/plan.hpp"
#include "core/domain/profile.hpp"

namespace pipedeck::app {

/// What is known of a stage of the split shown.
struct SplitStageFigure {
  Seconds time;  ///< forward and backward of one micro-batch; 0: unknown
  Bytes over;    ///< more than its fullest device holds; 0: fits
  bool operator==(const SplitStageFigure&) const = default;
};

class SplitEditor : public QWidget {
  Q_OBJECT

 public:
  explicit SplitEditor(QWidget* parent = nullptr);

  /// The plan to edit; a drag at hand ends without a signal. `figures` has one entry a stage, or is empty.
  void set_plan(std::shared_ptr<const Profile> profile, const Plan& plan, std::vector<SplitStageFigure> figures);
  void clear();
  /// Why nothing can be edited; shown in the middle while there is no plan.
  void set_empty_text(const QString& text);

  /// Figures of the split that preview() told of last.
  void set_figures(std::vector<SplitStageFigure> figures);
  void set_overflow(int stage, Bytes over);
  void set_feedback(const SplitFeedback& feedback);
  void clear_feedback();

  bool dragging() const { return dragged_.has_value(); }
  const Firsts& firsts() const { return shown_; }
  /// Centre of a cut's handle in widget coordinates: stage in 1..S-1.
  QPoint handle_position(int stage) const;
  /// What is written under a stage now.
  QString caption(int stage) const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 signals:
  void preview(std::vector<int> firsts);    ///< while dragging or stepping, whenever the split changed
  void committed(std::vector<int> firsts);  ///< let go, or Enter, with a split other than the plan's
  void cancelled();                         ///< Esc, or let go at the old place

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  bool focusNextPrevChild(bool next) override;
  bool event(QEvent* event) override;

 private:
  SplitAreas areas() const;
  SplitStrip strip() const;
  void move_cut(int stage, int cut);
  void finish();
  void restore();
  void update_accessible_text();
  int stage_end(int stage) const;
  int stage_of(int layer) const;
  QString layer_tip(int position) const;
  QString stage_tip(int stage) const;
  /// "stage 7", and which of its devices' chunks that is.
  QString stage_name(int stage) const;
  std::vector<QString> caption_variants(int stage) const;
  Seconds stage_time(int stage) const;
  Bytes overflow(int stage) const;

  std::shared_ptr<const Profile> profile_;
  Plan plan_;
  std::vector<StagePlace> places_;
  SplitLayers layers_;
  std::vector<double> edges_;
  Firsts original_, shown_;
  std::vector<SplitStageFigure> original_figures_, figures_;
  std::optional<SplitFeedback> feedback_;
  QString empty_text_;
  std::optional<int> dragged_;  ///< stage whose first cut is under the pointer, button down
  std::optional<int> hovered_;
  std::optional<int> focused_;  ///< stage whose first cut has the keyboard
  bool stepped_ = false;        ///< moved by key, neither committed nor restored
  double grab_offset_ = 0;
};

}  // namespace pipedeck::app
