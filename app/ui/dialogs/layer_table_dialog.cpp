// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/dialogs/layer_table_dialog.hpp"

#include <algorithm>

#include <QComboBox>
#include <QDialogButtonBox>
#include <QEvent>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QTableWidget>
#include <QVBoxLayout>

#include "app/ui/dialogs/profile_preview.hpp"
#include "app/ui/layout/dialog_size.hpp"
#include "app/views/widgets/table_style.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::ui::dialogs {

namespace {

constexpr int max_table_samples = 1 << 20;
constexpr int max_shown = 50;                            ///< rows
constexpr int meaning_row = 0, unit_row = 1, boxes = 2;  ///< rows of the table above those of the file
constexpr int min_width = 130;                           ///< of a column, for its boxes

/// Returns a sign, which distinguishes findings in addition to their colours.
QString sign_of(session::profile::TableFinding::Kind kind) {
  constexpr const char* signs[] = {"✗", "≈", "✓"};
  return QString::fromUtf8(signs[kind]);
}

QColor colour_of(session::profile::TableFinding::Kind kind, const views::widgets::Theme& theme) {
  if (kind == session::profile::TableFinding::wrong) return theme.bad;
  return kind == session::profile::TableFinding::assumed ? theme.warning : theme.text;
}

}  // namespace

LayerTableDialog::LayerTableDialog(session::profile::TablePreview preview, QWidget* parent)
    : QDialog(parent),
      preview_(std::move(preview)),
      name_(new QLineEdit),
      micro_batch_(new QSpinBox),
      summary_(new QLabel),
      table_(new QTableWidget),
      findings_(new QListWidget),
      buttons_(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel)) {
  setObjectName(QStringLiteral("layer_table_dialog"));
  setWindowTitle(tr("Profile of the table %1").arg(preview_.name));
  summary_->setObjectName(QStringLiteral("layer_table_summary"));
  summary_->setWordWrap(true);
  summary_->setFont(views::widgets::title_font(font()));
  buttons_->button(QDialogButtonBox::Ok)->setText(tr("&Add profile"));
  connect(buttons_, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* splitter = new QSplitter(Qt::Vertical);
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(make_table());
  splitter->addWidget(make_findings());
  splitter->setStretchFactor(0, 3);
  splitter->setStretchFactor(1, 2);
  auto* column = new QVBoxLayout(this);
  column->addWidget(make_questions());
  column->addWidget(summary_);
  column->addWidget(splitter, 1);
  column->addWidget(buttons_);
  layout::resize_within_window(*this, {1040, 680});
  splitter->setSizes({340, 210});
  refresh();
}

QWidget* LayerTableDialog::make_questions() {
  auto* fields = new QWidget;
  auto* form = new QFormLayout(fields);
  form->setContentsMargins({});
  name_->setObjectName(QStringLiteral("layer_table_name"));
  name_->setPlaceholderText(preview_.name);
  micro_batch_->setObjectName(QStringLiteral("layer_table_micro_batch"));
  micro_batch_->setRange(1, max_table_samples);
  micro_batch_->setValue(preview_.micro_batch.value_or(1));
  micro_batch_->setToolTip(tr("Samples per forward and backward pass of the table"));
  form->addRow(tr("&Name"), name_);
  form->addRow(tr("&Micro-batch"), micro_batch_);
  connect(name_, &QLineEdit::textChanged, this, &LayerTableDialog::refresh);
  connect(micro_batch_, &QSpinBox::valueChanged, this, &LayerTableDialog::refresh);
  return fields;
}

QWidget* LayerTableDialog::make_table() {
  const std::vector<io::csv::CsvRow>& rows = *preview_.rows;
  const int columns = static_cast<int>(preview_.headings().size());
  const int shown = std::min(max_shown, static_cast<int>(rows.size()) - 1);
  table_->setObjectName(QStringLiteral("layer_table"));
  table_->setAccessibleName(tr("First rows and the meaning of their columns"));
  views::widgets::make_flat(*table_);
  table_->setVerticalHeader(new views::widgets::FlatHeader(Qt::Vertical, table_));
  table_->verticalHeader()->setDefaultSectionSize(views::widgets::table_row_height(table_->font()));
  table_->setItemDelegate(new views::widgets::FlatDelegate(table_));
  table_->setSelectionBehavior(QAbstractItemView::SelectItems);
  table_->setColumnCount(columns);
  table_->setRowCount(boxes + shown);
  QStringList headings, lines{tr("is"), tr("in")};
  for (const std::string& heading : preview_.headings()) headings << QString::fromStdString(heading);
  for (int row = 0; row < shown; ++row) {
    const io::csv::CsvRow& from = rows[static_cast<std::size_t>(row) + 1];
    lines << tr("line %1").arg(from.line);
    for (int column = 0; column < columns; ++column) {
      const auto at = static_cast<std::size_t>(column);
      const QString text = at < from.fields.size() ? QString::fromStdString(from.fields[at]) : QString();
      table_->setItem(boxes + row, column, new QTableWidgetItem(text));
    }
  }
  table_->setHorizontalHeaderLabels(headings);
  table_->setVerticalHeaderLabels(lines);
  table_->verticalHeader()->show();
  table_->horizontalHeader()->setSectionsClickable(false);
  for (int column = 0; column < columns; ++column) {
    table_->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    add_boxes(column);
  }
  table_->resizeColumnsToContents();
  for (int column = 0; column < columns; ++column)
    table_->setColumnWidth(column, std::max(min_width, table_->columnWidth(column)));
  return table_;
}

void LayerTableDialog::add_boxes(int column) {
  const session::profile::ColumnMeaning& guessed = preview_.guessed[static_cast<std::size_t>(column)];
  auto* meaning = new QComboBox;
  meaning->setAccessibleName(tr("Meaning of column %1").arg(column + 1));
  meaning->addItem(tr("not used"));
  meaning->addItems(session::profile::column_meanings());
  meaning->setCurrentIndex(guessed.key + 1);
  auto* unit = new QComboBox;
  unit->setAccessibleName(tr("Unit of column %1").arg(column + 1));
  table_->setCellWidget(meaning_row, column, meaning);
  table_->setCellWidget(unit_row, column, unit);
  for (const auto& [row, box] : {std::pair{meaning_row, meaning}, std::pair{unit_row, unit}})
    table_->setRowHeight(row, std::max(table_->rowHeight(row), box->sizeHint().height()));
  fill_units(column, guessed.unit);
  connect(meaning, &QComboBox::currentIndexChanged, this, [this, column] { choose_meaning(column); });
  connect(unit, &QComboBox::currentIndexChanged, this, &LayerTableDialog::refresh);
}

QComboBox& LayerTableDialog::meaning_box(int column) const {
  return *static_cast<QComboBox*>(table_->cellWidget(meaning_row, column));
}

QComboBox& LayerTableDialog::unit_box(int column) const {
  return *static_cast<QComboBox*>(table_->cellWidget(unit_row, column));
}

/// Fills the units. The first entry derives the unit from the values and the heading.
void LayerTableDialog::fill_units(int column, const std::string& unit) {
  const int key = meaning_box(column).currentIndex() - 1;
  QComboBox& box = unit_box(column);
  const QSignalBlocker quiet(box);
  QStringList units = session::profile::column_units(key);
  const QString named = QString::fromStdString(unit);
  if (!units.isEmpty() && !named.isEmpty() && !units.contains(named)) units << named;
  box.clear();
  if (!units.isEmpty()) box.addItem(tr("as given, else %1").arg(session::profile::usual_unit(key)));
  box.addItems(units);
  box.setCurrentIndex(named.isEmpty() ? 0 : std::max(0, box.findText(named)));
  box.setEnabled(!units.isEmpty());
}

/// Chooses the meaning of a column and clears it in the column that had it.
void LayerTableDialog::choose_meaning(int column) {
  const int index = meaning_box(column).currentIndex();
  for (int other = 0; index > 0 && other < table_->columnCount(); ++other) {
    QComboBox& box = meaning_box(other);
    if (other == column || box.currentIndex() != index) continue;
    const QSignalBlocker quiet(box);
    box.setCurrentIndex(0);
    fill_units(other, {});
  }
  fill_units(column, {});
  refresh();
}

QWidget* LayerTableDialog::make_findings() {
  findings_->setObjectName(QStringLiteral("layer_table_findings"));
  findings_->setAccessibleName(tr("Problems, assumptions and recognised columns"));
  findings_->setWordWrap(true);
  findings_->setToolTip(tr("Click a problem to see its cell"));
  connect(findings_, &QListWidget::itemClicked, this, &LayerTableDialog::go_to);
  connect(findings_, &QListWidget::itemActivated, this, &LayerTableDialog::go_to);
  return views::widgets::titled(*findings_, tr("Problems, assumptions, recognised columns"));
}

std::vector<session::profile::ColumnMeaning> LayerTableDialog::chosen() const {
  std::vector<session::profile::ColumnMeaning> columns;
  for (int column = 0; column < table_->columnCount(); ++column) {
    const QComboBox& unit = unit_box(column);
    columns.push_back({meaning_box(column).currentIndex() - 1,
                       unit.currentIndex() > 0 ? unit.currentText().toStdString() : std::string()});
  }
  return columns;
}

void LayerTableDialog::refresh() {
  const QString typed = name_->text().trimmed();
  reading_ = preview_.read(chosen(), typed.isEmpty() ? preview_.name : typed, micro_batch_->value());
  buttons_->button(QDialogButtonBox::Ok)->setEnabled(reading_.profile.has_value());
  show_findings();
  mark_cells();
}

void LayerTableDialog::show_findings() {
  const views::widgets::Theme& theme = views::widgets::Theme::of(palette());
  const auto wrong = std::ranges::count(reading_.findings, session::profile::TableFinding::wrong,
                                        &session::profile::TableFinding::kind);
  if (wrong > 0) {
    summary_->setText(wrong == 1 ? tr("1 problem.") : tr("%1 problems.").arg(wrong));
  } else {
    summary_->setText(profile_sum(*reading_.profile));
  }
  views::widgets::set_text_colour(*summary_, wrong > 0 ? theme.bad : theme.text);
  findings_->clear();
  for (const session::profile::TableFinding& finding : reading_.findings) {
    auto* item = new QListWidgetItem(QStringLiteral("%1  %2").arg(sign_of(finding.kind), finding.text), findings_);
    item->setForeground(colour_of(finding.kind, theme));
  }
}

/// Marks the visible cells that contain errors.
void LayerTableDialog::mark_cells() {
  const views::widgets::Theme& theme = views::widgets::Theme::of(palette());
  const QColor marked = views::widgets::blended(theme.bad, theme.panel, 0.3);
  const auto wrong_at = [&](int line, int column) {
    return std::ranges::any_of(reading_.findings, [&](const session::profile::TableFinding& finding) {
      return finding.kind == session::profile::TableFinding::wrong && finding.line == line &&
             (!finding.column || *finding.column == static_cast<std::size_t>(column));
    });
  };
  const auto width = table_->columnCount();
  for (int row = boxes; row < table_->rowCount(); ++row)
    for (int column = 0; column < width; ++column) {
      QTableWidgetItem* cell = table_->item(row, column);
      const bool read = meaning_box(column).currentIndex() > 0;
      cell->setForeground(read ? theme.text : theme.muted);
      cell->setBackground(wrong_at((*preview_.rows)[static_cast<std::size_t>(row - boxes) + 1].line, column)
                              ? QBrush(marked)
                              : QBrush());
    }
}

void LayerTableDialog::go_to(const QListWidgetItem* item) {
  const session::profile::TableFinding& finding = reading_.findings[static_cast<std::size_t>(findings_->row(item))];
  if (finding.line == 0 && !finding.column) return;
  int row = meaning_row;
  for (int shown = boxes; finding.line > 0 && shown < table_->rowCount(); ++shown)
    if ((*preview_.rows)[static_cast<std::size_t>(shown - boxes) + 1].line == finding.line) row = shown;
  table_->setCurrentCell(row, static_cast<int>(finding.column.value_or(0)));
  table_->scrollTo(table_->currentIndex());
}

void LayerTableDialog::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange && findings_->count() > 0) {
    show_findings();
    mark_cells();
  }
  QDialog::changeEvent(event);
}

}  // namespace pipedeck::ui::dialogs
