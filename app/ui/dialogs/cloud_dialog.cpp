// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/dialogs/cloud_dialog.hpp"

#include <algorithm>

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QSplitter>
#include <QTableWidget>
#include <QVBoxLayout>

#include "app/models/format.hpp"
#include "app/ui/layout/dialog_size.hpp"
#include "app/views/widgets/table_style.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::ui::dialogs {

namespace {

/// A cell with a number by which rows are sorted.
class FigureItem : public QTableWidgetItem {
 public:
  FigureItem(const QString& text, double figure) : QTableWidgetItem(text), figure_(figure) {
    setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  }
  bool operator<(const QTableWidgetItem& other) const override {
    return figure_ < static_cast<const FigureItem&>(other).figure_;
  }

 private:
  double figure_;
};

constexpr int columns = 7;

QString price_text(const session::cluster::CloudInstance& offer) {
  return offer.price_per_hour ? QStringLiteral("%1 %2").arg(models::decimal(*offer.price_per_hour, 2), offer.currency)
                              : QStringLiteral("–");
}

session::cluster::MachinePreview preview_of(const session::cluster::CloudInstance& offer) {
  auto preview = session::cluster::preview_of_cloud(offer.name);
  ensure(preview.has_value(), "what is offered is there");
  return *std::move(preview);
}

}  // namespace

CloudDialog::CloudDialog(QWidget* parent)
    : QDialog(parent),
      offers_(session::cluster::cloud_offers()),
      search_(new QLineEdit),
      table_(new QTableWidget(0, columns)),
      form_(new MachineForm(preview_of(offers_.front()))) {
  setObjectName(QStringLiteral("cloud_dialog"));
  setWindowTitle(tr("Machines of a cloud"));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
  QPushButton* add = buttons->button(QDialogButtonBox::Ok);
  add->setText(tr("&Add cluster"));
  connect(form_, &MachineForm::changed, this, [this, add] { add->setEnabled(cluster().has_value()); });
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* across = new QSplitter(Qt::Horizontal);
  across->setObjectName(QStringLiteral("cloud_splitter"));
  across->setChildrenCollapsible(false);
  across->setHandleWidth(2 * views::widgets::ThemeSizes::grid);
  across->addWidget(make_offers());
  across->addWidget(form_);
  across->setStretchFactor(0, 3);
  across->setStretchFactor(1, 2);
  across->setSizes({750, 480});
  auto* column = new QVBoxLayout(this);
  column->addWidget(across, 1);
  column->addWidget(buttons);
  layout::resize_within_window(*this, {1260, 780});
  table_->setCurrentCell(0, 0);
  search_->setFocus();
}

QWidget* CloudDialog::make_offers() {
  search_->setObjectName(QStringLiteral("cloud_search"));
  search_->setPlaceholderText(tr("Search: aws h100, 8 NVLink"));
  search_->setAccessibleName(tr("Search machines"));
  search_->setClearButtonEnabled(true);
  search_->installEventFilter(this);
  connect(search_, &QLineEdit::textChanged, this, &CloudDialog::search);
  table_->setObjectName(QStringLiteral("cloud_offers"));
  table_->setAccessibleName(tr("Cloud machine types"));
  views::widgets::make_flat(*table_);
  table_->setItemDelegate(new views::widgets::FlatDelegate(table_));
  fill();
  connect(table_, &QTableWidget::itemSelectionChanged, this, &CloudDialog::choose);
  connect(table_, &QTableWidget::itemActivated, this, [this] {
    if (cluster()) accept();
  });
  const auto [first, last] = std::ranges::minmax_element(offers_, {}, &session::cluster::CloudInstance::price_date);
  const QString prices =
      first->price_date == last->price_date ? last->price_date : first->price_date + " – " + last->price_date;
  auto* dates = new QLabel(
      tr("Figures as published in %1. Prices are approximate on-demand list prices of %2. Edit them in the cluster.")
          .arg(offers_.front().date, prices));
  dates->setObjectName(QStringLiteral("cloud_dates"));
  dates->setWordWrap(true);
  views::widgets::set_text_colour(*dates, views::widgets::Theme::of(palette()).muted);
  auto* left = new QWidget;
  auto* rows = new QVBoxLayout(left);
  rows->setContentsMargins({});
  rows->addWidget(search_);
  rows->addWidget(table_, 1);
  rows->addWidget(dates);
  return left;
}

void CloudDialog::fill() {
  table_->setHorizontalHeaderLabels(
      {tr("Machine"), tr("Cloud"), tr("Devices"), tr("Memory"), tr("Links"), tr("Network"), tr("Per hour")});
  table_->setRowCount(static_cast<int>(offers_.size()));
  for (std::size_t i = 0; i < offers_.size(); ++i) {
    const session::cluster::CloudInstance& offer = offers_[i];
    const int row = static_cast<int>(i);
    auto* name = new QTableWidgetItem(offer.name);
    name->setToolTip(tr("Figures of %1, price of %2").arg(offer.date, offer.price_date));
    table_->setItem(row, 0, name);
    table_->setItem(row, 1, new QTableWidgetItem(offer.provider));
    table_->setItem(row, 2, new QTableWidgetItem(QStringLiteral("%1 × %2").arg(offer.devices).arg(offer.device)));
    table_->setItem(row, 3,
                    new FigureItem(models::format_bytes(offer.memory), static_cast<double>(offer.memory.count)));
    table_->setItem(row, 4, new QTableWidgetItem(offer.joined));
    const double gigabits = offer.network.count * 8 / 1e9;
    table_->setItem(row, 5,
                    new FigureItem(QStringLiteral("%1 Gbit/s").arg(QLocale().toString(gigabits, 'g', 4)), gigabits));
    table_->setItem(row, 6, new FigureItem(price_text(offer), offer.price_per_hour.value_or(-1)));
  }
  for (const int column : {3, 5, 6})
    table_->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  table_->setSortingEnabled(true);
  table_->sortByColumn(6, Qt::AscendingOrder);
  table_->resizeColumnsToContents();
}

/// Shows the rows that contain every typed word.
void CloudDialog::search() {
  const QStringList words = search_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  int first = -1;
  for (int row = 0; row < table_->rowCount(); ++row) {
    QStringList cells;
    for (int column = 0; column < columns; ++column) cells << table_->item(row, column)->text();
    const QString all = cells.join(QLatin1Char(' '));
    const bool fits =
        std::ranges::all_of(words, [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
    table_->setRowHidden(row, !fits);
    if (fits && first < 0) first = row;
  }
  const int current = table_->currentRow();
  if (current < 0 || table_->isRowHidden(current)) first < 0 ? table_->clearSelection() : table_->selectRow(first);
  if (first >= 0 && chosen().isEmpty()) table_->selectRow(first);
}

QString CloudDialog::chosen() const {
  const auto selected = table_->selectionModel()->selectedRows();
  return selected.isEmpty() ? QString() : table_->item(selected.front().row(), 0)->text();
}

std::optional<Cluster> CloudDialog::cluster() const { return chosen().isEmpty() ? std::nullopt : form_->cluster(); }

void CloudDialog::choose() {
  const auto offer = std::ranges::find(offers_, chosen(), &session::cluster::CloudInstance::name);
  form_->setEnabled(offer != offers_.end());
  if (offer != offers_.end())
    form_->set_machine(preview_of(*offer));
  else
    emit form_->changed();
}

/// Moves through the table with Up and Down while the search field has the focus.
bool CloudDialog::eventFilter(QObject* watched, QEvent* event) {
  if (watched == search_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Down || key == Qt::Key_Up) {
      step(key == Qt::Key_Down ? 1 : -1);
      return true;
    }
  }
  return QDialog::eventFilter(watched, event);
}

void CloudDialog::step(int rows) {
  int row = table_->currentRow() + rows;
  while (row >= 0 && row < table_->rowCount() && table_->isRowHidden(row)) row += rows;
  if (row >= 0 && row < table_->rowCount()) table_->selectRow(row);
}

}  // namespace pipedeck::ui::dialogs
