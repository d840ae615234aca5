// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/window/setup_bar.hpp"

#include <algorithm>

#include <QAction>
#include <QComboBox>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>

#include "app/models/typed_count.hpp"
#include "app/session/cluster/device_options.hpp"
#include "app/session/project/import.hpp"
#include "app/text/in_qt.hpp"
#include "app/views/widgets/choice_pictures.hpp"
#include "app/views/widgets/search_box.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::ui::window {

namespace {

/// Fills a box. An item's data is an int for a project id, a string for a preset's name, and nothing for "Import…".
void fill(views::widgets::SearchBox* box, const std::vector<std::pair<int, QString>>& own, const QStringList& presets,
          const std::map<QString, QString>& groups, int chosen, const QString& nothing) {
  const QSignalBlocker quiet(box);
  box->clear();
  for (const auto& [id, name] : own) box->add(SetupBar::tr("This project"), name, id);
  for (const QString& preset : presets) {
    const bool there = std::ranges::any_of(own, [&](const auto& entry) { return entry.second == preset; });
    if (!there) box->add(groups.at(preset), preset, preset);
  }
  box->add({}, SetupBar::tr("Import…"), {});
  box->setPlaceholderText(nothing);
  box->setCurrentIndex(chosen > 0 ? box->findData(chosen) : -1);
  box->setToolTip(QStringLiteral("%1: %2").arg(box->accessibleName(),
                                               box->currentIndex() < 0 ? box->placeholderText() : box->currentText()));
}

/// Shows a warning sign before the choice and the note in its tooltip.
void warn_of(QComboBox* box, const QString& note) {
  box->setAccessibleDescription(note);
  if (note.isEmpty() || box->currentIndex() < 0) return;
  box->setItemIcon(box->currentIndex(), box->style()->standardIcon(QStyle::SP_MessageBoxWarning));
  box->setToolTip(QStringLiteral("<p>%1</p><p>%2</p>").arg(box->currentText().toHtmlEscaped(), note.toHtmlEscaped()));
}

QComboBox* make_number_box(QComboBox* box, const QStringList& values) {
  box->setEditable(true);
  box->setInsertPolicy(QComboBox::NoInsert);
  box->addItems(values);
  return box;
}

/// Shows why a typed text was not taken, below its box.
void refuse(QComboBox& box, const QString& reason) {
  if (!box.isVisible()) return;
  QToolTip::showText(box.mapToGlobal(QPoint(0, box.height())),
                     reason.arg(QLatin1Char('"') + box.currentText() + QLatin1Char('"')), &box);
}

/// A text of two lines at the right. Where they have no room it becomes one line, and then ends with dots.
class Summary : public QLabel {
 public:
  using QLabel::QLabel;

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setPen(palette().color(QPalette::WindowText));
    const QFontMetrics metrics(font());
    QStringList lines = text().split(QLatin1Char('\n'));
    if (lines.size() * metrics.height() > height()) lines = {lines.join(QStringLiteral(" · "))};
    int bottom = height();
    for (auto line = lines.crbegin(); line != lines.crend(); ++line, bottom -= metrics.height())
      painter.drawText(QRect(0, bottom - metrics.height(), width(), metrics.height()),
                       Qt::AlignRight | Qt::AlignVCenter, metrics.elidedText(*line, Qt::ElideRight, width()));
  }
};

QStringList powers_of_two(int from, int to) {
  QStringList values;
  for (int value = from; value <= to; value *= 2) values << QString::number(value);
  return values;
}

}  // namespace

SetupBar::SetupBar(QWidget* parent) : QToolBar(tr("Question"), parent) {
  setObjectName(QStringLiteral("question_bar"));
  profile_groups_ = session::project::profile_preset_groups();
  cluster_groups_ = session::project::cluster_preset_groups();
  setMovable(false);
  setContextMenuPolicy(Qt::PreventContextMenu);
  auto* content = new QWidget(this);
  auto* row = new QHBoxLayout(content);
  row->setContentsMargins(4, 2, 4, 4);
  row->setSpacing(10);
  profile_ = new views::widgets::SearchBox(this);
  cluster_ = new views::widgets::SearchBox(this);
  add_box(row, tr("&Model profile"), profile_, "profile_box", 110);
  add_box(row, tr("&Cluster"), cluster_, "cluster_box", 130);
  make_batch_boxes(row);
  make_budget_box(row);
  make_assumptions();
  make_buttons(row);
  summary_ = new Summary(content);
  summary_->setObjectName(QStringLiteral("summary"));
  summary_->setFont(views::widgets::caption_font(font()));
  summary_->setMinimumWidth(1);  // the first to give way in a narrow window
  row->addWidget(summary_, 1, Qt::AlignBottom);
  addWidget(content);
  connect(profile_, &QComboBox::activated, this, &SetupBar::profile_activated);
  connect(cluster_, &QComboBox::activated, this, &SetupBar::cluster_activated);
}

void SetupBar::add_box(QBoxLayout* row, const QString& caption, QComboBox* box, const char* name, int width) {
  auto* column = new QVBoxLayout;
  column->setSpacing(2);
  auto* label = new QLabel(caption, this);
  label->setObjectName(QStringLiteral("caption"));
  label->setFont(views::widgets::caption_font(font()));
  box->setObjectName(QLatin1String(name));
  box->setMinimumWidth(width);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(6);
  label->setBuddy(box);
  captions_ << label;
  box->setAccessibleName(label->text().remove(QLatin1Char('&')));
  column->addWidget(label);
  column->addWidget(box);
  row->addLayout(column);
}

void SetupBar::make_batch_boxes(QHBoxLayout* row) {
  batch_ = make_number_box(new QComboBox(this), powers_of_two(8, 4096));
  micro_batch_ = make_number_box(new QComboBox(this), QStringList{tr("auto")} + powers_of_two(1, 512));
  add_box(row, tr("&Global batch"), batch_, "batch_box", 86);
  add_box(row, tr("M&icro-batch"), micro_batch_, "micro_batch_box", 86);
  batch_->setToolTip(tr("Samples per iteration: 1024, 1 024, 1k or 1Ki"));
  micro_batch_->setToolTip(tr("Samples of a micro-batch over all replicas. auto: each planner chooses"));
  for (QComboBox* box : {batch_, micro_batch_}) {
    const auto edited = box == batch_ ? &SetupBar::batch_edited : &SetupBar::micro_batch_edited;
    connect(box, &QComboBox::activated, this, edited);
    connect(box->lineEdit(), &QLineEdit::editingFinished, this, edited);
    box->lineEdit()->setAcceptDrops(false);  // the window imports dropped files
  }
}

void SetupBar::make_budget_box(QHBoxLayout* row) {
  budget_ = new QComboBox(this);
  for (const double seconds : {1.0, 10.0, 60.0, 600.0, 0.0})
    budget_->addItem(seconds > 0 ? tr("%1 s").arg(seconds) : tr("unlimited"), seconds);
  budget_->setToolTip(tr("Time for each planner. Then it answers with its best plan so far"));
  add_box(row, tr("&Budget"), budget_, "budget_box", 70);
  connect(budget_, &QComboBox::activated, this,
          [this] { emit budget_chosen(Seconds(budget_->currentData().toDouble())); });
}

/// The conventions of a comparison are changed seldom, so they open from a button.
void SetupBar::make_assumptions() {
  assumptions_ = new QToolButton(this);
  assumptions_->setObjectName(QStringLiteral("assumptions"));
  assumptions_->setText(tr("Assumptions"));
  assumptions_->setAutoRaise(false);
  auto* popup = new QFrame(this, Qt::Popup);
  popup->setObjectName(QStringLiteral("assumptions_popup"));
  popup->setFrameShape(QFrame::StyledPanel);
  assumption_column_ = new QVBoxLayout(popup);
  assumption_column_->setContentsMargins(16, 12, 16, 12);
  assumption_column_->setSpacing(10);
  network_ = new views::widgets::ChoiceBox(this);
  overlap_ = new views::widgets::ChoiceBox(this);
  collectives_ = new views::widgets::ChoiceBox(this);
  network_->set_choices(views::widgets::network_choices());
  overlap_->set_choices(views::widgets::overlap_choices());
  collectives_->set_choices(views::widgets::collective_choices());
  const auto bar_captions = captions_;
  add_box(assumption_column_, tr("&Network"), network_, "network_box", 240);
  add_box(assumption_column_, tr("&All-reduce"), overlap_, "overlap_box", 240);
  add_box(assumption_column_, tr("All-reduce al&gorithm"), collectives_, "collectives_box", 240);
  captions_ = bar_captions;  // those of the popup stay
  connect(assumptions_, &QToolButton::clicked, this, [this, popup] {
    popup->adjustSize();
    popup->move(assumptions_->mapToGlobal(QPoint(0, assumptions_->height() + 2)));
    popup->show();
    network_->setFocus();
  });
  for (views::widgets::ChoiceBox* box : {network_, overlap_, collectives_})
    connect(box, &views::widgets::ChoiceBox::chosen, this, [this, box](const QString& key) {
      SimulationOptions conventions = shown_.workload.conventions;
      const std::string name = key.toStdString();
      if (box == network_) conventions.network = parse_network_model(name).value_or(conventions.network);
      if (box == overlap_) conventions.overlap = parse_overlap(name).value_or(conventions.overlap);
      if (box == collectives_) conventions.collectives = parse_collectives(name).value_or(conventions.collectives);
      emit conventions_chosen(conventions);
    });
}

void SetupBar::make_buttons(QHBoxLayout* row) {
  compare_ = new QPushButton(tr("Compare"), this);
  compare_->setObjectName(QStringLiteral("primary"));
  connect(compare_, &QPushButton::clicked, this,
          [this] { comparing_ ? emit cancel_requested() : emit compare_requested(); });
  launch_ = new QPushButton(tr("▶ Launch"), this);
  launch_->setObjectName(QStringLiteral("secondary"));
  connect(launch_, &QPushButton::clicked, this, &SetupBar::launch_requested);
  row->addWidget(assumptions_, 0, Qt::AlignBottom);
  row->addWidget(compare_, 0, Qt::AlignBottom);
  row->addWidget(launch_, 0, Qt::AlignBottom);
}

void SetupBar::show_project(const session::project::State& state) {
  shown_ = state.question;
  std::vector<std::pair<int, QString>> profiles, clusters;
  for (const session::project::ProfileEntry& entry : state.profiles)
    profiles.emplace_back(entry.id, text::to_qstring(entry.profile->name));
  for (const session::project::ClusterEntry& entry : state.clusters)
    clusters.emplace_back(entry.id, text::to_qstring(entry.cluster->name));
  fill(profile_, profiles, session::project::profile_preset_list(), profile_groups_, shown_.profile,
       tr("choose a model"));
  fill(cluster_, clusters, session::project::cluster_preset_list(), cluster_groups_, shown_.cluster,
       tr("choose a cluster"));
  warn_of(cluster_, session::cluster::device_warning(state));
  network_->set_current(views::widgets::key_of(shown_.workload.conventions.network));
  collectives_->set_current(views::widgets::key_of(shown_.workload.conventions.collectives));
  overlap_->set_current(views::widgets::key_of(shown_.workload.conventions.overlap));
  assumptions_->setToolTip(tr("Network: %1\nAll-reduce: %2\nAlgorithm: %3")
                               .arg(network_->currentText(), overlap_->currentText(), collectives_->currentText()));
  const double budget = shown_.planning.budget.count;
  if (budget_->findData(budget) < 0) budget_->addItem(tr("%1 s").arg(budget), budget);
  budget_->setCurrentIndex(budget_->findData(budget));
  const QSignalBlocker quiet_batch(batch_), quiet_micro_batch(micro_batch_);
  batch_->setEditText(QString::number(shown_.workload.global_batch));
  micro_batch_->setEditText(shown_.workload.micro_batch ? QString::number(*shown_.workload.micro_batch) : tr("auto"));
}

void SetupBar::add_assumption(QAction* action) {
  auto* button = new QPushButton(action->text().remove(QLatin1Char('&')));
  connect(button, &QPushButton::clicked, this, [button, action] {
    button->window()->hide();
    action->trigger();
  });
  assumption_column_->addWidget(button);
}

/// Keeps room for the longer of the button's texts, so that the bar stays when it becomes "Cancel".
void SetupBar::fit_compare() {
  const QString shown = compare_->text();
  compare_->setMinimumWidth(0);
  compare_->setText(tr("Compare"));
  compare_->setMinimumWidth(std::max(96, compare_->sizeHint().width()));
  compare_->setText(shown);
}

void SetupBar::set_dense(bool dense) {
  fit_compare();
  for (QWidget* caption : captions_) caption->setVisible(!dense);
  summary_->setMaximumHeight(dense ? batch_->sizeHint().height() : QWIDGETSIZE_MAX);
}

void SetupBar::show_state(const QuestionBarState& state) {
  comparing_ = state.comparing;
  compare_->setText(comparing_ ? tr("Cancel") : tr("Compare"));
  compare_->setEnabled(comparing_ || state.not_comparable_reason.isEmpty());
  compare_->setToolTip(comparing_ ? tr("Stop comparing (Esc)")
                       : state.not_comparable_reason.isEmpty()
                           ? tr("Run all planners and simulate their plans (Ctrl+R)")
                           : state.not_comparable_reason);
  launch_->setText(state.launching ? tr("■ Stop") : tr("▶ Launch"));
  launch_->setEnabled(state.launching || state.not_launchable_reason.isEmpty());
  launch_->setToolTip(state.launching                          ? tr("Stop the run (Shift+F5)")
                      : !state.not_launchable_reason.isEmpty() ? state.not_launchable_reason
                                                               : tr("Train the selected plan on this machine (F5)"));
  summary_->setText(state.summary);
  summary_->setToolTip(state.summary);
}

void SetupBar::profile_activated(int index) {
  const QVariant data = profile_->itemData(index);
  if (data.typeId() == QMetaType::Int) {
    emit profile_chosen(data.toInt());
  } else if (data.typeId() == QMetaType::QString) {
    emit profile_preset_chosen(data.toString());
    profile_->setCurrentIndex(profile_->findData(shown_.profile));  // the user may have cancelled the choice
  } else {
    profile_->setCurrentIndex(profile_->findData(shown_.profile));
    emit import_requested();
  }
}

void SetupBar::cluster_activated(int index) {
  const QVariant data = cluster_->itemData(index);
  if (data.typeId() == QMetaType::Int) {
    emit cluster_chosen(data.toInt());
  } else if (data.typeId() == QMetaType::QString) {
    emit cluster_preset_chosen(data.toString());
  } else {
    cluster_->setCurrentIndex(cluster_->findData(shown_.cluster));
    emit import_requested();
  }
}

void SetupBar::batch_edited() {
  const auto samples = models::parse_sample_count(batch_->currentText());
  if (samples && *samples != shown_.workload.global_batch) return emit global_batch_chosen(*samples);
  if (!samples) refuse(*batch_, tr("%1 is no number of samples. Expected a whole number, such as 1024, 1k or 1Ki"));
  batch_->setEditText(QString::number(shown_.workload.global_batch));  // in the standard format, however it was typed
}

void SetupBar::micro_batch_edited() {
  const QString typed = micro_batch_->currentText().trimmed();
  const auto samples = models::parse_sample_count(typed);
  const bool leave_it = typed.isEmpty() || tr("auto").startsWith(typed, Qt::CaseInsensitive);
  if ((samples || leave_it) && samples != shown_.workload.micro_batch) return emit micro_batch_chosen(samples);
  if (!samples && !leave_it) refuse(*micro_batch_, tr("%1 is no number of samples. Expected a whole number, or auto"));
  micro_batch_->setEditText(shown_.workload.micro_batch ? QString::number(*shown_.workload.micro_batch) : tr("auto"));
}

}  // namespace pipedeck::ui::window
