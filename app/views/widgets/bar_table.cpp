// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/widgets/bar_table.hpp"

#include <algorithm>
#include <utility>

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QPainter>

#include "app/views/widgets/table_style.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::widgets {

namespace {

constexpr int bar_column = 1, more_column = 3;
constexpr int min_bar = 24;         // minimum width of the bar column, in pixels
constexpr double bar_share = 0.56;  // of the row height

class BarDelegate : public FlatDelegate {
 public:
  explicit BarDelegate(BarTable* table) : FlatDelegate(table), table_(*table) {}

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const Theme& theme = Theme::of(option.palette);
    const models::whatif::BarRow& row = table_.rows()[static_cast<std::size_t>(index.row())];
    painter->save();
    paint_background(painter, option, theme);
    const QRect cell = content_rect(option);
    if (index.column() != bar_column) {
      painter->setFont(is_bold(index) ? title_font(option.font) : option.font);
      painter->setPen(row.heading ? theme.muted : theme.text);
      paint_text(painter, cell, index.data().toString(),
                 (index.column() == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    } else if (!row.heading && (row.from != row.to || row.mark != 0) && table_.most() > table_.least()) {
      paint_one(*painter, QRectF(cell), row, theme);
    }
    painter->restore();
  }

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyleOptionViewItem own = option;
    if (is_bold(index)) own.font = title_font(option.font), own.fontMetrics = QFontMetrics(own.font);
    return FlatDelegate::sizeHint(own, index);
  }

 private:
  bool is_bold(const QModelIndex& index) const {
    const models::whatif::BarRow& row = table_.rows()[static_cast<std::size_t>(index.row())];
    return row.heading || (row.meaning == models::whatif::BarMeaning::total && !row.part && index.column() == 0);
  }

  void paint_one(QPainter& painter, const QRectF& cell, const models::whatif::BarRow& row, const Theme& theme) const {
    const auto x = [&](double value) {
      return cell.left() + (value - table_.least()) / (table_.most() - table_.least()) * cell.width();
    };
    const double height = cell.height() * bar_share;
    const double left = x(std::min(row.from, row.to)), right = x(std::max(row.from, row.to));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    // Blue and orange, as in the charts' difference lane: some readers cannot distinguish red from green.
    painter.setBrush(row.part                                            ? theme.of(*row.part)
                     : row.meaning == models::whatif::BarMeaning::total  ? theme.muted
                     : row.meaning == models::whatif::BarMeaning::better ? theme.of(OpKind::forward)
                                                                         : theme.of(OpKind::backward));
    painter.drawRoundedRect(QRectF(left, cell.center().y() - height / 2, std::max(1.5, right - left), height),
                            ThemeSizes::box_radius, ThemeSizes::box_radius);
    painter.setRenderHint(QPainter::Antialiasing, false);
    const auto mark = [&](double value, const QPen& pen) {
      if (value == 0) return;
      painter.setPen(pen);
      painter.drawLine(QPointF(x(value), cell.top() + 1), QPointF(x(value), cell.bottom() - 1));
    };
    mark(row.faint_mark, QPen(theme.muted, 1, Qt::DashLine));
    mark(row.mark, QPen(theme.text, 2));
  }

  const BarTable& table_;
};

}  // namespace

BarTable::BarTable(const QStringList& header, QWidget* parent) : QTableWidget(parent) {
  setColumnCount(static_cast<int>(header.size()));
  setHorizontalHeader(new FlatHeader(Qt::Horizontal, this));
  setHorizontalHeaderLabels(header);
  make_flat(*this);
  setItemDelegate(new BarDelegate(this));
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  horizontalHeader()->setStretchLastSection(false);
  horizontalHeader()->setMinimumSectionSize(min_bar);
  horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
}

void BarTable::resizeEvent(QResizeEvent* event) {
  QTableWidget::resizeEvent(event);
  fit_columns();
}

/// Shows values in full and gives bars the room that labels leave. If that is too little, labels are elided (tooltips
/// have them).
void BarTable::fit_columns() {
  const auto wanted = [&](int column) {
    return std::max(sizeHintForColumn(column), horizontalHeader()->sectionSizeHint(column));
  };
  const int room = viewport()->width();
  int figures = 0;
  for (int column = bar_column + 1; column < columnCount(); ++column) {
    if (isColumnHidden(column)) continue;
    horizontalHeader()->resizeSection(column, wanted(column));
    figures += wanted(column);
  }
  const int label = std::clamp(wanted(0), min_bar, std::max(min_bar, room - figures - min_bar));
  horizontalHeader()->resizeSection(0, label);
  horizontalHeader()->resizeSection(bar_column, std::max(min_bar, room - figures - label));
}

void BarTable::set_rows(const std::vector<models::whatif::BarRow>& rows, double scale) {
  if (rows == rows_ && scale == scale_) return;
  scale_ = scale;
  clearSpans();
  setRowCount(0);
  rows_ = rows;
  find_limits();
  setRowCount(static_cast<int>(rows_.size()));
  for (int i = 0; i < rowCount(); ++i) {
    const models::whatif::BarRow& row = rows_[static_cast<std::size_t>(i)];
    const QString texts[] = {row.label, QString(), row.text, row.more};
    for (int column = 0; column < columnCount(); ++column) {
      auto* item = new QTableWidgetItem(texts[column]);
      item->setToolTip(column < more_column ? row.tool_tip : row.more_tip);
      if (row.heading) item->setFlags(Qt::ItemIsEnabled);
      setItem(i, column, item);
    }
    if (row.heading) setSpan(i, 0, 1, columnCount());
  }
  if (columnCount() > more_column)
    setColumnHidden(more_column, std::ranges::all_of(rows_, &QString::isEmpty, &models::whatif::BarRow::more));
  fit_columns();
}

/// Computes limits that include every end and mark. `among_bars` adds a margin on both sides.
void BarTable::find_limits() {
  least_ = most_ = 0;
  bool first = axis_ == Axis::among_bars;
  for (const models::whatif::BarRow& row : rows_) {
    if (row.heading) continue;
    if (std::exchange(first, false)) least_ = most_ = row.from;
    for (const double value : {row.from, row.to, row.mark, row.faint_mark}) {
      if (value == 0 && axis_ == Axis::among_bars) continue;
      least_ = std::min(least_, value);
      most_ = std::max(most_, value);
    }
  }
  most_ = std::max(most_, scale_);
  if (axis_ == Axis::from_zero) return;
  const double room = (most_ - least_) * 0.05;
  least_ -= room;
  most_ += room;
}

void BarTable::copy() const { QApplication::clipboard()->setText(models::whatif::copied_text(rows_)); }

void BarTable::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) return copy();
  QTableWidget::keyPressEvent(event);
}

}  // namespace pipedeck::views::widgets
