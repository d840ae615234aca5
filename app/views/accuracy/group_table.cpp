// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/accuracy/group_table.hpp"

#include <algorithm>
#include <utility>

#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QPainter>

#include "app/models/format.hpp"
#include "app/views/widgets/table_style.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::accuracy {

namespace {

constexpr int min_name = 60, min_strip = 90;
constexpr int name_signs = 16;        ///< of a name, before figures are hidden
constexpr double mark_share = 0.55;   ///< height of a strip's marks, of the row
constexpr double mark_opacity = 0.4;  ///< crowds are darker

class GroupDelegate : public widgets::FlatDelegate {
 public:
  explicit GroupDelegate(GroupTable* table) : FlatDelegate(table), table_(*table) {}

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const widgets::Theme& theme = widgets::Theme::of(option.palette);
    painter->save();
    paint_background(painter, option, theme);
    const QRect cell = content_rect(option);
    if (index.column() == GroupTable::strip) {
      paint_strip(*painter, QRectF(cell), table_.groups()[static_cast<std::size_t>(index.row())], theme);
    } else {
      painter->setFont(index.column() == GroupTable::mean ? widgets::title_font(option.font) : option.font);
      painter->setPen(theme.text);
      paint_text(painter, cell, index.data().toString(),
                 (index.column() == GroupTable::name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    painter->restore();
  }

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyleOptionViewItem own = option;
    if (index.column() == GroupTable::mean)
      own.font = widgets::title_font(option.font), own.fontMetrics = QFontMetrics(own.font);
    return FlatDelegate::sizeHint(own, index);
  }

 private:
  static void paint_strip(QPainter& painter, const QRectF& cell, const models::accuracy::ErrorGroup& group,
                          const widgets::Theme& theme) {
    const auto x = [&](double error) {
      return cell.center().x() + std::clamp(error / GroupTable::strip_edge, -1.0, 1.0) * (cell.width() / 2 - 1);
    };
    const double half = cell.height() * mark_share / 2, middle = cell.center().y();
    painter.fillRect(QRectF(x(-models::accuracy::narrow_band), middle - half,
                            x(models::accuracy::narrow_band) - x(-models::accuracy::narrow_band), 2 * half),
                     theme.raised);
    QColor ink = theme.text;
    ink.setAlphaF(static_cast<float>(mark_opacity));
    for (const double error : group.errors) painter.fillRect(QRectF(x(error) - 0.5, middle - half, 1, 2 * half), ink);
    painter.fillRect(QRectF(x(0) - 0.75, middle - half - 2, 1.5, 2 * half + 4), theme.muted);
  }

  const GroupTable& table_;
};

QStringList texts_of(const models::accuracy::ErrorGroup& group) {
  const models::accuracy::ErrorFigures& figures = group.figures;
  return {group.name,
          QLocale().toString(figures.runs),
          models::format_percent(figures.mean),
          models::format_percent(figures.nine_in_ten),
          models::format_change(figures.bias),
          models::format_percent(figures.within)};
}

}  // namespace

GroupTable::GroupTable(QWidget* parent) : QTableWidget(0, column_count, parent) {
  setObjectName(QStringLiteral("accuracy_groups"));
  setAccessibleName(tr("Errors by group"));
  widgets::make_flat(*this);
  setItemDelegate(new GroupDelegate(this));
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  horizontalHeader()->setSectionsClickable(false);
  horizontalHeader()->setMinimumSectionSize(min_name);
  horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
}

void GroupTable::set_groups(models::accuracy::GroupBy by, std::vector<models::accuracy::ErrorGroup> groups) {
  setRowCount(0);
  groups_ = std::move(groups);
  setRowCount(static_cast<int>(groups_.size()));
  const QString edge = models::format_percent(strip_edge);
  const QStringList header{models::accuracy::group_by_text(by),
                           tr("Runs"),
                           tr("Mean"),
                           tr("9 in 10 below"),
                           tr("Bias"),
                           tr("Within %1").arg(models::format_percent(models::accuracy::wide_band)),
                           tr("−%1 to +%1").arg(edge)};
  const QStringList tips{
      QString(),
      tr("Runs with a measured and a predicted time"),
      tr("Mean of the absolute errors"),
      tr("Absolute error that nine in ten runs do not exceed"),
      tr("Mean of the errors with their signs; above 0: predicted too fast"),
      tr("Share of runs with an absolute error of at most %1").arg(models::format_percent(models::accuracy::wide_band)),
      tr("A mark per run. The grey field is within %1, marks beyond the ends are at the ends")
          .arg(models::format_percent(models::accuracy::narrow_band))};
  for (int column = 0; column < column_count; ++column) {
    auto* title = new QTableWidgetItem(header[column]);
    title->setTextAlignment(column == name ? Qt::AlignLeft : column == strip ? Qt::AlignHCenter : Qt::AlignRight);
    title->setToolTip(tips[column]);
    setHorizontalHeaderItem(column, title);
  }
  for (int row = 0; row < rowCount(); ++row) {
    const QStringList texts = texts_of(groups_[static_cast<std::size_t>(row)]);
    for (int column = 0; column < column_count; ++column) {
      auto* item = new QTableWidgetItem(texts.value(column));
      if (column == name) item->setToolTip(texts[column]);
      setItem(row, column, item);
    }
  }
  fit_columns();
}

/// Gives figures the room they need, two fifths of the rest to the strip, and the remainder to the names. A narrow
/// table hides figures first.
void GroupTable::fit_columns() {
  const int room = viewport()->width(), names = fontMetrics().averageCharWidth() * name_signs;
  int figures = 0;
  for (int column = runs; column < strip; ++column) {
    const int wanted = std::max(sizeHintForColumn(column), horizontalHeader()->sectionSizeHint(column));
    setColumnHidden(column, false);
    horizontalHeader()->resizeSection(column, wanted);
    figures += wanted;
  }
  const int least_strip = std::max(min_strip, horizontalHeader()->sectionSizeHint(strip));
  for (const int column : {nine_in_ten, bias, within}) {
    if (figures + least_strip + names <= room) break;
    figures -= columnWidth(column);
    setColumnHidden(column, true);
  }
  const int rest = std::max(0, room - figures);
  const int marks = std::max(least_strip, rest * 2 / 5);
  horizontalHeader()->resizeSection(strip, marks);
  horizontalHeader()->resizeSection(name, std::max(min_name, rest - marks));
}

QString GroupTable::copied_text() const {
  QStringList lines;
  QStringList header;
  for (int column = 0; column < strip; ++column)
    if (const QTableWidgetItem* title = horizontalHeaderItem(column)) header << title->text();
  lines << header.join(u'\t');
  for (const models::accuracy::ErrorGroup& group : groups_) lines << texts_of(group).join(u'\t');
  return lines.join(u'\n') + u'\n';
}

void GroupTable::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) return QApplication::clipboard()->setText(copied_text());
  QTableWidget::keyPressEvent(event);
}

void GroupTable::resizeEvent(QResizeEvent* event) {
  QTableWidget::resizeEvent(event);
  fit_columns();
}

void GroupTable::changeEvent(QEvent* event) {
  QTableWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) fit_columns();
}

}  // namespace pipedeck::views::accuracy
