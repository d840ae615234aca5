// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/window/setup_bar.hpp"

#include <algorithm>

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStyleOptionComboBox>
#include <QStylePainter>
#include <QVBoxLayout>

#include "app/models/typed_count.hpp"
#include "app/session/cluster/device_options.hpp"
#include "app/session/project/import.hpp"
#include "app/text/in_qt.hpp"
#include "app/views/widgets/choice_pictures.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::ui::window {

namespace {

/// A box that elides long names in the middle: the ends distinguish a project's clusters.
class NameBox : public QComboBox {
 public:
  using QComboBox::QComboBox;

 protected:
  void paintEvent(QPaintEvent*) override {
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    const QRect field = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
    const int icon = option.currentIcon.isNull() ? 0 : option.iconSize.width() + 4;
    option.currentText = fontMetrics().elidedText(option.currentText, Qt::ElideMiddle, field.width() - 4 - icon);
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
  }
};

/// Fills a box. An item's data is an int for a project id, a string for a preset's name, and nothing for "Import…".
void fill(QComboBox* box, const std::vector<std::pair<int, QString>>& own, const QStringList& presets, int chosen,
          const QString& nothing) {
  const QSignalBlocker quiet(box);
  box->clear();
  for (const auto& [id, name] : own) box->addItem(name, id);
  QStringList others;
  for (const QString& preset : presets) {
    const bool there = std::ranges::any_of(own, [&](const auto& entry) { return entry.second == preset; });
    if (!there) others << preset;
  }
  if (!own.empty() && !others.isEmpty()) box->insertSeparator(box->count());
  for (const QString& name : others) box->addItem(name, name);
  box->insertSeparator(box->count());
  box->addItem(SetupBar::tr("Import…"));
  box->setPlaceholderText(nothing);
  box->setCurrentIndex(chosen > 0 ? box->findData(chosen) : -1);
  box->setToolTip(box->currentText());
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

QStringList powers_of_two(int from, int to) {
  QStringList values;
  for (int value = from; value <= to; value *= 2) values << QString::number(value);
  return values;
}

}  // namespace

SetupBar::SetupBar(QWidget* parent) : QToolBar(tr("Question"), parent) {
  setObjectName(QStringLiteral("question_bar"));
  setMovable(false);
  setContextMenuPolicy(Qt::PreventContextMenu);
  auto* content = new QWidget(this);
  auto* row = new QHBoxLayout(content);
  row->setContentsMargins(4, 2, 4, 4);
  row->setSpacing(10);
  profile_ = new NameBox(this);
  cluster_ = new NameBox(this);
  add_box(row, tr("&Model profile"), profile_, "profile_box", 150);
  add_box(row, tr("&Cluster"), cluster_, "cluster_box", 190);
  make_batch_boxes(row);
  make_simulation_boxes(row);
  make_buttons(row);
  row->addStretch(1);
  summary_ = new QLabel(content);
  summary_->setObjectName(QStringLiteral("summary"));
  summary_->setAlignment(Qt::AlignRight | Qt::AlignBottom);
  summary_->setFont(views::widgets::caption_font(font()));
  row->addWidget(summary_, 0, Qt::AlignBottom);
  addWidget(content);
  connect(profile_, &QComboBox::activated, this, &SetupBar::profile_activated);
  connect(cluster_, &QComboBox::activated, this, &SetupBar::cluster_activated);
}

void SetupBar::add_box(QHBoxLayout* row, const QString& caption, QComboBox* box, const char* name, int width) {
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
  micro_batch_->setToolTip(tr("Samples per micro-batch. auto: each planner chooses"));
  for (QComboBox* box : {batch_, micro_batch_}) {
    const auto edited = box == batch_ ? &SetupBar::batch_edited : &SetupBar::micro_batch_edited;
    connect(box, &QComboBox::activated, this, edited);
    connect(box->lineEdit(), &QLineEdit::editingFinished, this, edited);
  }
}

void SetupBar::make_simulation_boxes(QHBoxLayout* row) {
  network_ = new views::widgets::ChoiceBox(this);
  overlap_ = new views::widgets::ChoiceBox(this);
  network_->set_choices(views::widgets::network_choices());
  collectives_ = new views::widgets::ChoiceBox(this);
  overlap_->set_choices(views::widgets::overlap_choices());
  collectives_->set_choices(views::widgets::collective_choices());
  add_box(row, tr("&Network"), network_, "network_box", 92);
  add_box(row, tr("&All-reduce"), overlap_, "overlap_box", 92);
  add_box(row, tr("All-reduce al&gorithm"), collectives_, "collectives_box", 92);
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
  compare_->setMinimumWidth(120);  // wide enough for German
  connect(compare_, &QPushButton::clicked, this,
          [this] { comparing_ ? emit cancel_requested() : emit compare_requested(); });
  launch_ = new QPushButton(tr("▶ Launch"), this);
  launch_->setObjectName(QStringLiteral("secondary"));
  connect(launch_, &QPushButton::clicked, this, &SetupBar::launch_requested);
  row->addSpacing(6);
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
  fill(profile_, profiles, session::project::profile_preset_list(), shown_.profile, tr("choose a model"));
  fill(cluster_, clusters, session::project::cluster_preset_list(), shown_.cluster, tr("choose a cluster"));
  warn_of(cluster_, session::cluster::device_warning(state));
  network_->set_current(views::widgets::key_of(shown_.workload.conventions.network));
  collectives_->set_current(views::widgets::key_of(shown_.workload.conventions.collectives));
  overlap_->set_current(views::widgets::key_of(shown_.workload.conventions.overlap));
  const QSignalBlocker quiet_batch(batch_), quiet_micro_batch(micro_batch_);
  batch_->setEditText(QString::number(shown_.workload.global_batch));
  micro_batch_->setEditText(shown_.workload.micro_batch ? QString::number(*shown_.workload.micro_batch) : tr("auto"));
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
  launch_->setToolTip(state.launching ? tr("Stop the run (Shift+F5)")
                                      : tr("Train the selected plan on this machine (F5)"));
  summary_->setText(state.summary);
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
  batch_->setEditText(QString::number(shown_.workload.global_batch));  // in the standard format, however it was typed
}

void SetupBar::micro_batch_edited() {
  const QString typed = micro_batch_->currentText().trimmed();
  const auto samples = models::parse_sample_count(typed);
  const bool leave_it = typed.isEmpty() || tr("auto").startsWith(typed, Qt::CaseInsensitive);
  if ((samples || leave_it) && samples != shown_.workload.micro_batch) return emit micro_batch_chosen(samples);
  micro_batch_->setEditText(shown_.workload.micro_batch ? QString::number(*shown_.workload.micro_batch) : tr("auto"));
}

}  // namespace pipedeck::ui::window
