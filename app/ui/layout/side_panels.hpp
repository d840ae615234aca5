// SPDX-License-Identifier: GPL-3.0-or-later
// The panels at the sides of the pages: the project at the left, the inspector at the right. A narrow window shows the
// project as a rail, whose buttons open it. A page with its own panel at the right hides the inspector.
#pragma once

#include <QObject>

class QAction;
class QDockWidget;
class QMainWindow;
class QSettings;
class QToolBar;

namespace pipedeck::ui::layout {

/// Widths of the window, in pixels of an interface without zoom, below which parts give way.
inline constexpr int rail_below = 1500;       ///< the project is a rail
inline constexpr int dense_below = 1360;      ///< rows are low, the inspector is narrow
inline constexpr int inspector_below = 1000;  ///< the inspector opens on demand
inline constexpr int dense_height = 800;      ///< rows are low, captions are tool tips

/// Returns true if a window of this size has little room.
bool is_dense(const QSize& window);

class SidePanels : public QObject {
  Q_OBJECT

 public:
  struct Parts {
    QMainWindow* window;
    QDockWidget *project, *inspector;
    QToolBar* rail;
    QSettings* settings;
  };
  explicit SidePanels(const Parts& parts);

  /// Sets which panels the visible page has.
  void set_context(bool project, bool inspector);
  /// Hides both panels and the rail.
  void set_charts_only(bool on);
  void show_project();
  void show_inspector();
  /// Applies the window's width. Must be called after the window's state was restored.
  void update();
  /// Takes the shown panels from the settings.
  void restore();
  void reset();

  QAction* project_action() const { return show_project_; }
  QAction* inspector_action() const { return show_inspector_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void set_project(bool shown);
  void set_inspector(bool shown);
  bool rail() const;
  bool narrow_inspector() const;
  /// Gives a shown panel its width, once for each width: the user may have dragged it since.
  void size(QDockWidget& panel, bool shown, int width, int& set);

  Parts parts_;
  QAction *show_project_, *show_inspector_;
  bool project_wanted_, inspector_wanted_;                  ///< in a wide window
  bool project_opened_ = false, inspector_opened_ = false;  ///< on demand, in a narrow one
  bool has_project_ = true, has_inspector_ = true, charts_only_ = false;
  int project_width_ = 0, inspector_width_ = 0;  ///< as set last; 0: not yet
};

}  // namespace pipedeck::ui::layout
