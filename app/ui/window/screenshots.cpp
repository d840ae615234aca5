// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/window/screenshots.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include <QAction>
#include <QApplication>
#include <QTimer>

#include "app/ui/layout/picture.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/ui/window/main_window.hpp"
#include "app/views/compare/comparison_pane.hpp"
#include "app/views/compare/plan_panel.hpp"
#include "app/views/split/editor.hpp"

namespace pipedeck::ui::window {

namespace {

constexpr int poll_interval_ms = 50;
const QSize picture_size(1680, 1050);

Page find_page(const QString& view) {
  for (const PageInfo& info : page_table)
    if (view == QLatin1String(info.id)) return info.page;
  return Page::compare;
}

/// Returns the chart of the selected plan, else of the first drawn one; null if there is none.
views::compare::PlanPanel* chart_of(MainWindow& window) {
  const views::compare::Pane& charts = window.compare_page().charts();
  if (views::compare::PlanPanel* selected = charts.panel(window.session().state().selected_plan)) return selected;
  return charts.panels().empty() ? nullptr : charts.panels().front();
}

QWidget* widget_of(MainWindow& window, const QString& view) {
  if (view == QLatin1String("window")) return &window;
  if (view == QLatin1String("split")) return &window.compare_page().split();
  views::compare::PlanPanel* chart = chart_of(window);
  if (view == QLatin1String("gantt")) return chart ? &chart->gantt() : nullptr;
  return window.page_widget(window.page());
}

/// A queue that draws one picture after another, each when no job runs: showing a page may start a job that fills it.
class Photographer {
 public:
  Photographer(MainWindow& window, std::vector<Screenshot> screenshots)
      : window_(window), screenshots_(std::move(screenshots)) {}

  /// Returns the exit status when all are drawn.
  std::optional<int> poll() {
    if (window_.session().jobs().any_running()) return std::nullopt;
    if (next_ == screenshots_.size()) return failed_ > 0 ? 1 : 0;
    const Screenshot& wanted = screenshots_[next_];
    if (!shown_) {
      window_.show_page(find_page(wanted.view));
      show_items(wanted.view == QLatin1String("memory"));
      shown_ = true;
      return std::nullopt;
    }
    draw(wanted);
    shown_ = false;
    ++next_;
    return std::nullopt;
  }

 private:
  /// Applies only to this picture: the window's stored setting is unchanged.
  void show_items(bool on) {
    const auto* remembered = window_.findChild<QAction*>(QStringLiteral("action_memory_by_item"));
    auto* page = qobject_cast<pages::ComparePage*>(window_.page_widget(Page::compare));
    if (page) page->set_memory_by_item(on || (remembered && remembered->isChecked()));
  }

  void draw(const Screenshot& wanted) {
    QWidget* widget = widget_of(window_, wanted.view);
    const QString failure =
        widget ? layout::write_picture(*widget, wanted.file)
               : QStringLiteral("%1: there is no plan to draw; give --compare").arg(wanted.view);  // not visible
    if (failure.isEmpty()) return;
    ++failed_;
    std::fputs(QStringLiteral("pipedeck: %1\n").arg(failure).toUtf8().constData(), stderr);
  }

  MainWindow& window_;
  std::vector<Screenshot> screenshots_;
  std::size_t next_ = 0;
  bool shown_ = false;
  int failed_ = 0;
};

}  // namespace

void take_screenshots(MainWindow& window, const std::vector<Screenshot>& screenshots) {
  window.resize(picture_size);
  auto* timer = new QTimer(&window);
  const auto photographer = std::make_shared<Photographer>(window, screenshots);
  QObject::connect(timer, &QTimer::timeout, &window, [timer, photographer] {
    const std::optional<int> status = photographer->poll();
    if (!status) return;
    timer->stop();
    QApplication::exit(*status);
  });
  timer->start(poll_interval_ms);
}

}  // namespace pipedeck::ui::window
