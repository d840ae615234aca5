// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/widgets/core_fields.hpp"

#include <algorithm>

#include <QHeaderView>
#include <QLineEdit>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/models/core_list.hpp"

namespace pipedeck::views::widgets {

namespace {

constexpr int lines_shown = 6;

}  // namespace

CoreFields::CoreFields(QWidget* parent)
    : QWidget(parent), text_(new QLineEdit), each_(new QToolButton), table_(new QTableWidget) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  auto* line = new QHBoxLayout;
  line->addWidget(text_, 1);
  line->addWidget(each_);
  column->addLayout(line);
  column->addWidget(table_);
  text_->setObjectName(QStringLiteral("run_cores"));
  text_->setAccessibleName(tr("Processor cores of the devices"));
  text_->setPlaceholderText(tr("any: chosen by the system"));
  text_->setToolTip(
      tr("Processor cores of the devices in order, such as 0-3,4-7. Two devices may share a core. Empty: the operating "
         "system chooses"));
  each_->setObjectName(QStringLiteral("run_cores_each"));
  each_->setText(tr("Each…"));
  each_->setToolTip(tr("One line per device"));
  each_->setCheckable(true);
  table_->setObjectName(QStringLiteral("run_cores_table"));
  table_->setAccessibleName(tr("Processor core of each device"));
  table_->setColumnCount(2);
  table_->setHorizontalHeaderLabels({tr("Device"), tr("Core")});
  table_->verticalHeader()->hide();
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  table_->setTabKeyNavigation(false);
  table_->hide();
  connect(text_, &QLineEdit::textChanged, this, [this] {
    fill_table();
    emit edited();
  });
  connect(each_, &QToolButton::toggled, this, [this](bool on) {
    table_->setVisible(on);
    fill_table();
  });
  connect(table_, &QTableWidget::cellChanged, this, &CoreFields::apply_cell);
}

void CoreFields::set_devices(const QStringList& devices, const QList<int>& here) {
  if (devices == devices_ && here == here_) return;
  devices_ = devices;
  here_ = here;
  fill_table();
}

void CoreFields::set_cores(const QList<int>& cores) { text_->setText(models::cores_to_text(cores)); }

QList<int> CoreFields::cores() const {
  return models::cores_from_text(text_->text(), devices_.size()).value_or(QList<int>{});
}

QString CoreFields::problem() const {
  const auto cores = models::cores_from_text(text_->text(), devices_.size());
  const QString wanted = tr("Cores: expected %1, one per device, such as 0-3,4-7.").arg(devices_.size());
  if (!cores) return wanted;
  if (cores->isEmpty()) return {};
  if (cores->size() != devices_.size()) return wanted;
  for (const int core : *cores)
    if (!here_.contains(core))
      return tr("Cores: core %1 is not available here, only %2.").arg(core).arg(models::cores_to_text(here_));
  return {};
}

void CoreFields::fill_table() {
  if (!each_->isChecked()) return;
  const QSignalBlocker quiet(table_);
  const QList<int> now = cores();
  table_->setRowCount(static_cast<int>(devices_.size()));
  for (int row = 0; row < table_->rowCount(); ++row) {
    auto* name = new QTableWidgetItem(devices_[row]);
    name->setFlags(Qt::ItemIsEnabled);
    table_->setItem(row, 0, name);
    table_->setItem(row, 1, new QTableWidgetItem(row < now.size() ? QString::number(now[row]) : tr("any")));
  }
  const int lines = std::min(table_->rowCount(), lines_shown);
  table_->setFixedHeight(table_->horizontalHeader()->sizeHint().height() +
                         lines * table_->verticalHeader()->defaultSectionSize() + 4);
}

/// Applies an edited cell. Either all devices have a core or none has, so that missing ones are filled in sequence.
void CoreFields::apply_cell(int row) {
  bool number = false;
  const int core = table_->item(row, 1)->text().toInt(&number);
  QList<int> next = cores();
  if (!number || core < 0) {
    next.clear();
  } else {
    for (qsizetype i = next.size(); i < devices_.size(); ++i)
      next << (here_.isEmpty() ? core : here_[i % here_.size()]);
    next[row] = core;
  }
  set_cores(next);
  fill_table();
}

}  // namespace pipedeck::views::widgets
