// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/whatif/capacity_pane.hpp"

#include <algorithm>

#include <QComboBox>
#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/models/rates.hpp"
#include "app/text/in_qt.hpp"
#include "app/views/whatif/scaling_view.hpp"
#include "app/views/widgets/bar_table.hpp"
#include "app/views/widgets/segment_switch.hpp"
#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"
#include "app/views/widgets/wrapping_row.hpp"
#include "core/base/count_text.hpp"
#include "core/base/quantity_text.hpp"

namespace pipedeck::views::whatif {

namespace {

constexpr int max_nodes_asked = 64, max_nodes_scaled = 4096, nodes_scaled = 8;
constexpr double max_sample_tokens = 1 << 24;
constexpr int all_types = 1;  ///< index in the box of types; 0: as today

}  // namespace

CapacityPane::CapacityPane(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("capacity_pane"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(widgets::ThemeSizes::grid / 2);
  column->addWidget(make_head());
  words_ = new QLabel;
  words_->setObjectName(QStringLiteral("capacity_words"));
  words_->setWordWrap(true);
  column->addWidget(words_);
  table_ = new widgets::BarTable({tr("Cluster"), QString(), tr("Time · price"), tr("MFU")});
  table_->horizontalHeaderItem(3)->setToolTip(models::mfu_title_tip());
  table_->setObjectName(QStringLiteral("capacity_table"));
  table_->setAccessibleName(tr("Training time, one cluster per row"));
  connect(table_, &QTableWidget::currentCellChanged, this, [this](int row) { emit chosen(row); });
  connect(table_, &QTableWidget::activated, this, [this](const QModelIndex& at) { emit activated(at.row()); });
  scaling_ = new ScalingView;
  connect(scaling_, &ScalingView::chosen, this, &CapacityPane::chosen);
  connect(scaling_, &ScalingView::activated, this, &CapacityPane::activated);
  answers_ = new QStackedWidget;
  answers_->addWidget(table_);
  answers_->addWidget(scaling_);
  column->addWidget(answers_, 1);
  read_goal();
  set_rows({});
  show_mode();
  set_state({}, false, false);
  apply_theme();
}

QWidget* CapacityPane::make_head() {
  auto* head = new QWidget;
  auto* lines = new QVBoxLayout(head);
  lines->setContentsMargins(0, 0, 0, 0);
  lines->setSpacing(widgets::ThemeSizes::grid / 2);
  csv_ = new QToolButton;
  csv_->setObjectName(QStringLiteral("capacity_csv"));
  csv_->setText(tr("CSV…"));
  csv_->setToolTip(tr("Write the points as a table for other programs"));
  connect(csv_, &QToolButton::clicked, this, &CapacityPane::csv_requested);
  find_ = new QPushButton;
  find_->setObjectName(QStringLiteral("capacity_find"));
  find_->setMinimumWidth(96);
  connect(find_, &QPushButton::clicked, this, [this] { running_ ? emit cancel_requested() : emit search_requested(); });
  mode_ = new widgets::SegmentSwitch({tr("Training"), tr("Strong scaling"), tr("Weak scaling")},
                                     QStringLiteral("capacity_mode"));
  mode_->setAccessibleName(tr("Question"));
  mode_->setToolTip(
      tr("Clusters for an amount of training; or the efficiency at each size of the cluster, with a "
         "fixed global batch (strong) or fixed samples of a device (weak)"));
  connect(mode_, &widgets::SegmentSwitch::chosen, this, [this] {
    show_mode();
    emit mode_changed();
  });
  auto* top = new widgets::WrappingRow;
  top->add(mode_);
  top->add_stretch();
  for (QWidget* button : std::initializer_list<QWidget*>{make_points_button(), csv_, find_}) top->add(button);
  lines->addWidget(top);
  make_fields();
  lines->addWidget(goal_fields_);
  lines->addWidget(scaling_fields_);
  return head;
}

void CapacityPane::make_fields() {
  auto* fields = goal_fields_ = new widgets::WrappingRow;
  amount_ = add_field(*fields, tr("Samples or tokens"), "capacity_amount", QStringLiteral("10M"),
                      tr("Total samples, or tokens if tokens per sample are given: 20M, 300B"));
  tokens_ = add_field(*fields, tr("Tokens per sample"), "capacity_tokens", {},
                      tr("Tokens per sample. Empty: amounts are samples"));
  within_ = add_field(*fields, tr("Within"), "capacity_within", QStringLiteral("30d"),
                      tr("Longest duration: 30d, 12h. Empty: no limit"));
  budget_ = add_field(*fields, tr("Budget"), "capacity_budget", {}, tr("Highest price: $50000, 50k. Empty: no limit"));
  nodes_ = make_nodes("capacity_nodes", max_nodes_asked, tr("Cluster sizes from one node to this number"));
  fields->add_field(tr("Nodes up to"), nodes_);
  types_ = new QComboBox;
  types_->setObjectName(QStringLiteral("capacity_types"));
  types_->setToolTip(tr("Try all devices as each of these types"));
  types_->addItem(tr("as today"));
  types_->addItem(tr("every type of the catalogue"));
  fields->add_field(tr("Devices"), types_);
  scaling_fields_ = new widgets::WrappingRow;
  scaling_nodes_ = make_nodes("capacity_scaling_nodes", max_nodes_scaled, tr("Sizes of 1, 2, 4 … and this many nodes"));
  scaling_nodes_->setValue(nodes_scaled);
  scaling_fields_->add_field(tr("Nodes up to"), scaling_nodes_);
}

QSpinBox* CapacityPane::make_nodes(const char* name, int most, const QString& tip) {
  auto* box = new QSpinBox;
  box->setObjectName(QLatin1String(name));
  box->setRange(1, most);
  box->setToolTip(tip);
  return box;
}

CapacityPane::Mode CapacityPane::mode() const { return static_cast<Mode>(mode_->current()); }

void CapacityPane::set_mode(Mode mode) {
  if (mode == this->mode()) return;
  mode_->set_current(static_cast<int>(mode));
  show_mode();
  emit mode_changed();
}

int CapacityPane::scaling_nodes() const { return scaling_nodes_->value(); }

void CapacityPane::show_mode() {
  goal_fields_->setVisible(!scales());
  scaling_fields_->setVisible(scales());
  points_->setVisible(!scales());
  answers_->setCurrentWidget(scales() ? static_cast<QWidget*>(scaling_) : table_);
}

QToolButton* CapacityPane::make_points_button() {
  points_ = new QToolButton;
  points_->setObjectName(QStringLiteral("capacity_points"));
  points_->setText(tr("Points"));
  points_->setToolTip(tr("Save the points in a file, to continue later"));
  points_->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(points_);
  QAction* keep = menu->addAction(tr("&Keep in a file…"));
  keep->setObjectName(QStringLiteral("capacity_points_keep"));
  connect(keep, &QAction::triggered, this, &CapacityPane::keep_requested);
  QAction* go_on = menu->addAction(tr("&Continue from a file…"));
  go_on->setObjectName(QStringLiteral("capacity_points_go_on"));
  connect(go_on, &QAction::triggered, this, &CapacityPane::go_on_wanted);
  points_->setMenu(menu);
  return points_;
}

QLineEdit* CapacityPane::add_field(widgets::WrappingRow& row, const QString& caption, const char* name,
                                   const QString& text, const QString& tip) {
  auto* field = new QLineEdit(text);
  field->setObjectName(QLatin1String(name));
  field->setAccessibleName(caption);
  field->setToolTip(tip);
  field->setFixedWidth(80);
  connect(field, &QLineEdit::textChanged, this, [this] {
    read_goal();
    emit goal_changed();
  });
  row.add_field(caption, field);
  return field;
}

/// Reads all fields, or reports the first that cannot be read.
void CapacityPane::read_goal() {
  if (!budget_) return;
  const auto text = [](const QLineEdit* field) { return field->text().trimmed().toStdString(); };
  goal_.reset();
  problem_.clear();
  CapacityGoal goal;
  const auto take = [&](const auto& parsed, const auto& keep) {
    if (!parsed && problem_.isEmpty()) problem_ = text::to_qstring(parsed.error().message);
    if (parsed) keep(*parsed);
  };
  take(parse_count(text(amount_)), [&](double count) { goal.samples = count; });
  if (!text(tokens_).empty())
    take(parse_count(text(tokens_)),
         [&](double count) { goal.sample_tokens = static_cast<int>(std::clamp(count, 1.0, max_sample_tokens)); });
  if (!text(within_).empty())
    take(parse_time(text(within_), "d"), [&](Seconds time) {
      if (time.count > 0) goal.within = time;
    });
  if (!text(budget_).empty()) take(parse_money(text(budget_), currency_), [&](double sum) { goal.budget = sum; });
  if (!problem_.isEmpty()) return;
  if (goal.sample_tokens) goal.samples = std::max(1.0, goal.samples / *goal.sample_tokens);
  goal_ = goal;
}

void CapacityPane::set_sample_tokens(std::optional<int> tokens) {
  const QString known = tokens ? QString::number(*tokens) : QString();
  if (tokens_->text() != known_tokens_ || known == known_tokens_) return;
  known_tokens_ = known;
  tokens_->setText(known);
  read_goal();
}

void CapacityPane::set_base(int nodes, const std::vector<std::string>& types, const std::string& currency) {
  catalogue_ = types;
  currency_ = currency;
  nodes_->setValue(std::max(nodes_->value(), std::min(max_nodes_asked, nodes)));
  scaling_nodes_->setValue(std::max(scaling_nodes_->value(), std::min(max_nodes_scaled, nodes)));
  read_goal();
}

std::optional<CapacityGoal> CapacityPane::goal() const { return goal_; }

int CapacityPane::max_nodes() const { return nodes_->value(); }

std::vector<std::string> CapacityPane::types() const {
  return types_->currentIndex() == all_types ? catalogue_ : std::vector<std::string>{""};
}

void CapacityPane::set_reach(int max_nodes, bool every_type) {
  nodes_->setValue(max_nodes);
  types_->setCurrentIndex(every_type ? all_types : 0);
}

void CapacityPane::set_rows(const std::vector<models::whatif::BarRow>& rows) {
  const QSignalBlocker quiet(table_);
  const int current = table_->currentRow();
  table_->set_rows(rows);
  if (current >= 0 && current < table_->rowCount()) table_->setCurrentCell(current, 0);
}

void CapacityPane::set_exportable(bool on) { csv_->setEnabled(on); }

void CapacityPane::set_state(const QString& words, bool running, bool resumes, bool bad) {
  running_ = running, bad_ = bad;
  find_->setText(running ? tr("Cancel") : resumes ? tr("Continue") : tr("Find out"));
  find_->setEnabled(running || goal_ || scales());
  points_->setEnabled(!running);
  words_->setText(problem_.isEmpty() || scales() ? words : problem_);
  apply_theme();
}

void CapacityPane::changeEvent(QEvent* event) {
  if ((event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) && table_) apply_theme();
  QWidget::changeEvent(event);
}

void CapacityPane::apply_theme() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  find_->setStyleSheet(widgets::plain_button_style(theme));
  const bool bad = bad_ || (!problem_.isEmpty() && !scales());
  widgets::set_text_colour(*words_, bad ? theme.bad : theme.muted);
}

}  // namespace pipedeck::views::whatif
