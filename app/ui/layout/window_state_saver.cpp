// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/layout/window_state_saver.hpp"

#include <QHeaderView>
#include <QMainWindow>
#include <QScreen>
#include <QSettings>
#include <QSplitter>
#include <QStyle>

#include "app/views/compare/plan_table.hpp"

namespace pipedeck::ui::layout {

namespace {

const QSize first_size(1440, 900);
constexpr int layout_version = 2;  // 2: the jobs are a line of the status bar
const char* const moved = "moved_by_hand";
const QString geometry_key = QStringLiteral("window/geometry");
const QString state_key = QStringLiteral("window/state");
const QString sort_key = QStringLiteral("window/sorted_by");
const QString splitters_key = QStringLiteral("splitters");

/// Returns the splitters with names; the others are internal to a part.
QList<QSplitter*> splitters_of(const QMainWindow& window) {
  QList<QSplitter*> named;
  for (QSplitter* splitter : window.findChildren<QSplitter*>())
    if (!splitter->objectName().isEmpty()) named << splitter;
  return named;
}

QSize first_size_on_screen(const QMainWindow& window) {
  const QScreen* screen = window.screen();
  if (!screen) return first_size;
  return fitted_to_screen(first_size, screen->availableSize(),
                          window.style()->pixelMetric(QStyle::PM_TitleBarHeight, nullptr, &window));
}

}  // namespace

QSize fitted_to_screen(const QSize& size, const QSize& screen, int title_bar) {
  return size.boundedTo(screen - QSize(0, title_bar));
}

bool moved_by_hand(const QSplitter& splitter) { return splitter.property(moved).toBool(); }

WindowStateSaver::WindowStateSaver(QMainWindow& window, views::compare::PlanTable& table, QSettings& settings)
    : QObject(&window), window_(window), table_(table), settings_(settings), columns_(window, settings) {
  window_.resize(first_size);
  first_ = window_.saveState(layout_version);
  window_.resize(first_size_on_screen(window_));
  for (QSplitter* splitter : splitters_of(window_))
    connect(splitter, &QSplitter::splitterMoved, this, [splitter] { splitter->setProperty(moved, true); });
}

void WindowStateSaver::restore() {
  window_.restoreGeometry(settings_.value(geometry_key).toByteArray());
  window_.restoreState(settings_.value(state_key).toByteArray(), layout_version);
  for (QSplitter* splitter : splitters_of(window_)) {
    const QByteArray state = settings_.value(splitters_key + QLatin1Char('/') + splitter->objectName()).toByteArray();
    if (!state.isEmpty() && splitter->restoreState(state)) splitter->setProperty(moved, true);
  }
  columns_.restore();
  const QVariantList sort = settings_.value(sort_key).toList();
  if (sort.size() == 2) table_.sortByColumn(sort[0].toInt(), static_cast<Qt::SortOrder>(sort[1].toInt()));
}

void WindowStateSaver::save() const {
  settings_.setValue(geometry_key, window_.saveGeometry());
  settings_.setValue(state_key, window_.saveState(layout_version));
  for (const QSplitter* splitter : splitters_of(window_))
    if (moved_by_hand(*splitter))
      settings_.setValue(splitters_key + QLatin1Char('/') + splitter->objectName(), splitter->saveState());
  columns_.save();
  const QHeaderView* header = table_.horizontalHeader();
  settings_.setValue(sort_key,
                     QVariantList{header->sortIndicatorSection(), static_cast<int>(header->sortIndicatorOrder())});
}

void WindowStateSaver::reset() {
  window_.resize(first_size_on_screen(window_));
  window_.restoreState(first_, layout_version);
  for (QSplitter* splitter : splitters_of(window_)) splitter->setProperty(moved, false);
  columns_.reset();
  table_.share_out_columns();
  table_.sortByColumn(-1, Qt::AscendingOrder);
  settings_.remove(splitters_key);
  save();
}

}  // namespace pipedeck::ui::layout
