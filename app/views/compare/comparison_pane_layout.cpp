// SPDX-License-Identifier: GPL-3.0-or-later
// Layout of the compared plans: stacked or side by side, with overview, rulers and pinned lanes above and the legend
// below.
#include "app/views/compare/comparison_pane.hpp"

#include <algorithm>

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include "app/views/compare/plan_panel.hpp"
#include "app/views/gantt/chart_search.hpp"
#include "app/views/gantt/difference_view.hpp"
#include "app/views/gantt/legend_view.hpp"
#include "app/views/gantt/minimap_view.hpp"
#include "app/views/gantt/ruler_view.hpp"
#include "app/views/gantt/span_panel.hpp"

namespace pipedeck::views::compare {

namespace {

constexpr int min_column = 420;  // minimum width of charts side by side, in pixels

/// An empty space below the last plan, through which the cursor continues to the ruler.
class CursorSpace : public gantt::TimeView {
 public:
  CursorSpace(gantt::TimeAxisController* link, QWidget* parent) : gantt::TimeView(link, parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setFocusPolicy(Qt::NoFocus);
  }

 protected:
  void draw_content(QPainter&, QImage&) override {}
};

}  // namespace

void Pane::build() {
  column_ = new QWidget;
  column_->setObjectName(QStringLiteral("comparison_column"));
  layout_ = new QGridLayout(column_);
  layout_->setContentsMargins(0, 4, 0, 0);
  layout_->setSpacing(0);
  scroll_ = new QScrollArea(this);
  scroll_->setObjectName(QStringLiteral("comparison_scroll"));
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setWidgetResizable(true);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setWidget(column_);
  scroll_->viewport()->installEventFilter(this);
  empty_ = new QLabel(tr("Tick plans in the table to compare their charts here."), this);
  empty_->setObjectName(QStringLiteral("comparison_empty"));
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  search_ = new gantt::ChartSearch(
      link_, [this] { return charts(); }, this);
  // Returns the focus to where it was.
  connect(search_, &gantt::ChartSearch::closed, this, [this] {
    const PlanPanel* shown = selected_ ? panel(*selected_) : nullptr;
    if (!shown && !panels_.empty()) shown = panels_.front();
    if (shown) shown->gantt().setFocus();
  });
  build_header();
  build_footer();
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 0, 0, 0);
  whole->setSpacing(0);
  whole->addWidget(search_);
  whole->addWidget(header_);
  whole->addWidget(scroll_, 1);
  whole->addWidget(empty_, 1);
  whole->addWidget(footer_);
}

void Pane::build_header() {
  header_ = new QWidget(this);
  header_->setObjectName(QStringLiteral("comparison_header"));
  minimap_ = new gantt::MinimapView(link_, header_);
  rulers_ = new QHBoxLayout;
  rulers_->setSpacing(0);
  place_rulers(1);
  auto* header = new QVBoxLayout(header_);
  header->setContentsMargins(0, 0, 0, 0);
  header->setSpacing(0);
  header->addWidget(minimap_);
  header->addLayout(rulers_);
}

void Pane::build_footer() {
  footer_ = new QWidget(this);
  footer_->setObjectName(QStringLiteral("comparison_footer"));
  legend_ = new gantt::LegendView(footer_);
  span_panel_ = new gantt::SpanPanel(link_, footer_);
  auto* footer = new QVBoxLayout(footer_);
  footer->setContentsMargins(0, 0, 0, 4);
  footer->setSpacing(0);
  footer->addWidget(legend_);
  footer->addWidget(span_panel_);
}

void Pane::set_side_by_side(bool on) {
  if (on == side_by_side_) return;
  side_by_side_ = on;
  place_panels();
}

int Pane::columns() const {
  if (!side_by_side_ || panels_.empty()) return 1;
  return std::clamp(scroll_->viewport()->width() / min_column, 1, static_cast<int>(panels_.size()));
}

void Pane::arrange(const std::vector<PlanPanel*>& wanted) {
  if (wanted == panels_) return;
  for (PlanPanel* panel : panels_) {
    layout_->removeWidget(panel);
    if (std::find(wanted.begin(), wanted.end(), panel) != wanted.end()) continue;
    panel->hide();
    panel->deleteLater();
  }
  panels_ = wanted;
  place_panels();
}

void Pane::place_panels() {
  while (QLayoutItem* item = layout_->takeAt(0)) {
    if (item->widget() && item->widget()->property("space").toBool()) item->widget()->deleteLater();
    delete item;
  }
  const int count = columns(), before = layout_->columnCount();
  for (int column = 0; column < std::max(count, before); ++column) layout_->setColumnStretch(column, column < count);
  for (int row = 0; row < layout_->rowCount(); ++row) layout_->setRowStretch(row, 0);
  int place = 0;
  for (PlanPanel* panel : panels_) {
    layout_->addWidget(panel, place / count, place % count, Qt::AlignTop);
    panel->show();
    ++place;
  }
  const int last = (place + count - 1) / count;
  for (int column = 0; column < count; ++column) {
    auto* space = new CursorSpace(link_, column_);
    space->setProperty("space", true);
    layout_->addWidget(space, last, column);
    space->show();
  }
  layout_->setRowStretch(last, 1);
  place_rulers(count);
  placed_columns_ = count;
  show_pinned();
}

/// Places one ruler above each column. Spans snap to the selected chart.
void Pane::place_rulers(int columns) {
  while (rulers_->count() > columns) {
    QLayoutItem* item = rulers_->takeAt(rulers_->count() - 1);
    item->widget()->deleteLater();
    delete item;
  }
  while (rulers_->count() < columns) {
    auto* ruler = new gantt::RulerView(link_, header_);
    ruler->set_snap([this](double time) {
      const PlanPanel* shown = selected_ ? panel(*selected_) : panels_.empty() ? nullptr : panels_.front();
      return shown ? shown->gantt().snapped_time(time) : time;
    });
    rulers_->addWidget(ruler, 1);
  }
}

}  // namespace pipedeck::views::compare
