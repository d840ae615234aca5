// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/compare/start_panel.hpp"

#include <algorithm>

#include <QCheckBox>
#include <QEvent>
#include <QFrame>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QVBoxLayout>

#include "app/views/compare/start_cards.hpp"
#include "app/views/widgets/search_box.hpp"
#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::views::compare {

namespace {

constexpr int page_width = 1200, page_side = 24, between = 24, card_padding = 16;
constexpr int narrow_page = 860;  ///< below, examples stand in two columns

void fill(widgets::SearchBox* box, const QStringList& names, const QString& chosen,
          const std::map<QString, QString>& groups) {
  const QString wanted = chosen.isEmpty() ? box->currentText() : chosen;
  const QSignalBlocker quiet(box);
  box->clear();
  for (const QString& name : names) {
    const auto group = groups.find(name);
    box->add(group == groups.end() ? QString() : group->second, name, name);
  }
  box->setCurrentIndex(std::max(box->findText(wanted), names.isEmpty() ? -1 : 0));
}

widgets::SearchBox* choice_box(const QString& name, const QString& accessible) {
  auto* box = new widgets::SearchBox;
  box->setObjectName(name);
  box->setAccessibleName(accessible);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(16);
  return box;
}

QPushButton* button(const QString& name, const QString& text) {
  auto* result = new QPushButton(text);
  result->setObjectName(name);
  return result;
}

QString link_style(const widgets::Theme& theme, const QColor& colour) {
  return QStringLiteral(
             "QPushButton { background: transparent; border: 1px solid transparent; border-radius: 4px; padding: 2px "
             "4px; color: %1; } QPushButton:hover { text-decoration: underline; } QPushButton:focus { border-color: "
             "%2; }")
      .arg(colour.name(), theme.accent.name());
}

}  // namespace

StartPanel::StartPanel(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("start_panel"));
  make_fields();
  title_ =
      new QLabel(tr("Pipedeck searches for the fastest way to split the training of a large model over your GPUs, "
                    "and shows why it is fast."));
  title_->setWordWrap(true);
  subtitle_ =
      new QLabel(tr("Plans are simulated operation by operation, compared on one time axis, and exported to "
                    "Megatron-LM, DeepSpeed and PyTorch."));
  subtitle_->setWordWrap(true);
  auto* scroll = new QScrollArea(this);
  auto* content = new QWidget(scroll->viewport());
  content->setObjectName(QStringLiteral("start_content"));
  auto* top = new QHBoxLayout;
  top->setSpacing(between);
  top->addWidget(make_question(), 1);
  top->addWidget(make_files(), 1);
  auto* column = new QVBoxLayout;
  column->setSpacing(6);
  column->addWidget(title_);
  column->addWidget(subtitle_);
  column->addSpacing(14);
  column->addLayout(top);
  column->addSpacing(18);
  column->addWidget(make_lists());
  column->addStretch(1);
  auto* page = new QWidget;
  page->setMaximumWidth(page_width);
  page->setLayout(column);
  auto* centred = new QHBoxLayout(content);
  centred->setContentsMargins(page_side, page_side, page_side, 12);
  centred->addStretch(1);
  centred->addWidget(page, 1000);
  centred->addStretch(1);
  scroll->setObjectName(QStringLiteral("start_scroll"));
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(content);
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 0, 0, 0);
  whole->addWidget(scroll);
  apply_theme();
  update_ready();
}

void StartPanel::make_fields() {
  profile_ = choice_box(QStringLiteral("start_profile"), tr("Model"));
  cluster_ = choice_box(QStringLiteral("start_cluster"), tr("Cluster"));
  batch_ = new QSpinBox;
  batch_->setObjectName(QStringLiteral("start_batch"));
  batch_->setAccessibleName(tr("Global batch"));
  batch_->setToolTip(tr("Samples per iteration, over all devices and micro-batches"));
  batch_->setRange(1, 1'000'000);
  batch_->setValue(64);
  batch_->setGroupSeparatorShown(true);
  batch_->findChild<QLineEdit*>()->setAcceptDrops(false);  // the window imports dropped files
  batch_->setSuffix(tr(" samples"));
  open_ = button(QStringLiteral("start_open"), tr("Open a project…"));
  import_ = button(QStringLiteral("start_import"), tr("Import a file…"));
  new_cluster_ = button(QStringLiteral("start_new_cluster"), tr("New cluster"));
  guide_ = button(QStringLiteral("start_guide"), tr("User guide"));
  compare_ = button(QStringLiteral("start_compare"), tr("Compare"));
  missing_ = new QLabel;
  missing_->setObjectName(QStringLiteral("start_missing"));
  counts_ = new QLabel;
  counts_->setObjectName(QStringLiteral("start_counts"));
  at_start_ = new QCheckBox(tr("Show this page at start"));
  at_start_->setObjectName(QStringLiteral("start_shown"));
  connect(profile_, &QComboBox::currentTextChanged, this, [this](const QString& name) {
    update_ready();
    emit profile_chosen(name);
  });
  connect(cluster_, &QComboBox::currentTextChanged, this, [this](const QString& name) {
    update_ready();
    emit cluster_chosen(name);
  });
  connect(import_, &QPushButton::clicked, this, &StartPanel::import_requested);
  connect(new_cluster_, &QPushButton::clicked, this, &StartPanel::new_cluster_requested);
  connect(open_, &QPushButton::clicked, this, &StartPanel::open_project_requested);
  connect(guide_, &QPushButton::clicked, this, &StartPanel::guide_requested);
  connect(at_start_, &QCheckBox::toggled, this, &StartPanel::shown_at_start_chosen);
  connect(compare_, &QPushButton::clicked, this,
          [this] { emit compare_requested(profile(), cluster(), global_batch()); });
}

QFrame* StartPanel::make_card(const QString& title, QVBoxLayout*& column) {
  auto* card = new QFrame;
  card->setObjectName(QStringLiteral("start_card_%1").arg(frames_.size()));
  auto* heading = new QLabel(title);
  column = new QVBoxLayout(card);
  column->setContentsMargins(card_padding, card_padding, card_padding, card_padding);
  column->setSpacing(8);
  column->addWidget(heading);
  frames_ << card;
  headings_ << heading;
  return card;
}

QFrame* StartPanel::make_question() {
  QVBoxLayout* column = nullptr;
  QFrame* card = make_card(tr("A model on a cluster"), column);
  auto* fields = new QGridLayout;
  fields->setSpacing(8);
  fields->setColumnStretch(1, 1);
  const std::pair<QString, QWidget*> rows[] = {
      {tr("&Model"), profile_}, {tr("&Cluster"), cluster_}, {tr("Global &batch"), batch_}};
  for (int row = 0; row < 3; ++row) {
    auto* label = new QLabel(rows[row].first);
    label->setObjectName(QStringLiteral("caption"));
    label->setBuddy(rows[row].second);
    fields->addWidget(label, row, 0);
    fields->addWidget(rows[row].second, row, 1, 1, row == 2 ? 1 : 2);
  }
  fields->addWidget(compare_, 2, 2);
  column->addLayout(fields);
  column->addStretch(1);
  column->addWidget(missing_);
  column->addWidget(counts_);
  return card;
}

QFrame* StartPanel::make_files() {
  QVBoxLayout* column = nullptr;
  QFrame* card = make_card(tr("Open or import"), column);
  drop_ = new QFrame;
  drop_->setObjectName(QStringLiteral("start_drop"));
  drop_text_ =
      new QLabel(tr("Drop files anywhere in this window:\nmodels (config.json, ONNX, tables of layers), "
                    "clusters (nvidia-smi topo -m, NCCL, Slurm), traces and projects"));
  drop_text_->setAlignment(Qt::AlignCenter);
  drop_text_->setWordWrap(true);
  auto* inside = new QVBoxLayout(drop_);
  inside->addWidget(drop_text_);
  column->addWidget(drop_, 1);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(8);
  for (QPushButton* one : {open_, import_, new_cluster_}) buttons->addWidget(one);
  buttons->addStretch(1);
  buttons->addWidget(guide_);
  column->addLayout(buttons);
  return card;
}

QWidget* StartPanel::make_lists() {
  auto* both = new QWidget;
  auto* grid = new QGridLayout(both);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(between);
  grid->setVerticalSpacing(8);
  auto* recent_heading = new QLabel(tr("Recent"));
  auto* example_heading = new QLabel(tr("Examples"));
  headings_ << recent_heading << example_heading;
  recent_ = new QFrame;
  recent_->setObjectName(QStringLiteral("start_recent"));
  frames_ << recent_;
  recent_rows_ = new QVBoxLayout(recent_);
  recent_rows_->setContentsMargins(1, 4, 1, 4);
  recent_rows_->setSpacing(0);
  auto* examples = new QWidget;
  example_grid_ = new QGridLayout(examples);
  example_grid_->setContentsMargins(0, 0, 0, 0);
  example_grid_->setSpacing(12);
  grid->addWidget(recent_heading, 0, 0);
  grid->addWidget(recent_, 1, 0, Qt::AlignTop);
  grid->addWidget(example_heading, 0, 1);
  grid->addWidget(at_start_, 0, 1, Qt::AlignRight);
  grid->addWidget(examples, 1, 1, Qt::AlignTop);
  grid->setColumnStretch(0, 1);
  grid->setColumnStretch(1, 2);
  return both;
}

void StartPanel::set_profiles(const QStringList& names, const QString& chosen,
                              const std::map<QString, QString>& groups) {
  fill(profile_, names, chosen, groups);
  update_ready();
}

void StartPanel::set_clusters(const QStringList& names, const QString& chosen,
                              const std::map<QString, QString>& groups) {
  fill(cluster_, names, chosen, groups);
  update_ready();
}

void StartPanel::set_global_batch(int samples) { batch_->setValue(samples); }

void StartPanel::set_recent(const std::vector<Recent>& projects) {
  if (projects == projects_ && recent_rows_->count() > 0) return;
  projects_ = projects;
  fill_recent();
}

void StartPanel::set_unsaved(const std::vector<Unsaved>& works) {
  if (works == works_) return;
  works_ = works;
  fill_recent();
}

void StartPanel::fill_recent() {
  while (QLayoutItem* item = recent_rows_->takeAt(0)) {
    if (QWidget* old = item->widget()) {  // deleted later: it may be the row that was pressed
      old->setParent(nullptr);
      old->deleteLater();
    }
    delete item;
  }
  const widgets::Theme& theme = widgets::Theme::of(palette());
  int number = 0;
  for (const Unsaved& work : works_) {
    auto* row = new QFrame;
    row->setObjectName(QStringLiteral("unsaved_%1").arg(number));
    row->setStyleSheet(
        QStringLiteral("QFrame#%1 { background: %2; }").arg(row->objectName(), theme.warning_soft.name()));
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(card_padding, 8, card_padding - 4, 8);
    auto* words = new QLabel(work.text);
    words->setWordWrap(true);
    widgets::set_text_colour(*words, theme.text);
    line->addWidget(words, 1);
    const std::pair<QString, void (StartPanel::*)(int)> answers[] = {{tr("Restore"), &StartPanel::restore_requested},
                                                                     {work.other, &StartPanel::other_requested}};
    for (const auto& [text, signal] : answers) {
      auto* answer = button(signal == &StartPanel::restore_requested ? QStringLiteral("unsaved_restore_%1").arg(number)
                                                                     : QStringLiteral("unsaved_other_%1").arg(number),
                            text);
      answer->setStyleSheet(link_style(theme, theme.text));
      connect(answer, &QPushButton::clicked, this, [this, number, signal = signal] { emit(this->*signal)(number); });
      line->addWidget(answer);
    }
    recent_rows_->addWidget(row);
    ++number;
  }
  for (const Recent& project : projects_) {
    auto* row = new TwoLineRow({project.name, project.about, project.best, project.date});
    row->setObjectName(QStringLiteral("recent_project"));
    row->setToolTip(project.file);
    connect(row, &QAbstractButton::clicked, this, [this, file = project.file] { emit recent_chosen(file); });
    recent_rows_->addWidget(row);
  }
  if (!projects_.empty()) return;
  auto* none = new QLabel(tr("Saved projects appear here."));
  none->setContentsMargins(card_padding, 12, card_padding, 12);
  widgets::set_text_colour(*none, theme.muted);
  recent_rows_->addWidget(none);
}

void StartPanel::set_examples(const std::vector<std::pair<QString, QString>>& examples) {
  for (const auto& [title, about] : examples) {
    auto* card = new ExampleCard(title, about);
    card->setObjectName(QStringLiteral("example_%1").arg(cards_.size()));
    connect(card, &QAbstractButton::clicked, this,
            [this, i = static_cast<int>(cards_.size())] { emit example_chosen(i); });
    cards_ << card;
  }
  place_examples();
}

void StartPanel::place_examples() {
  const int columns = width() < narrow_page ? 2 : 3;
  for (int i = 0; i < cards_.size(); ++i) example_grid_->addWidget(cards_[i], i / columns, i % columns);
  for (int column = 0; column < 3; ++column) example_grid_->setColumnStretch(column, column < columns ? 1 : 0);
}

void StartPanel::set_example_plan(int example, const QString& plan,
                                  const std::shared_ptr<const Simulation>& simulation) {
  cards_[example]->set_plan(plan, simulation);
}

void StartPanel::set_shown_at_start(bool on) {
  const QSignalBlocker quiet(at_start_);
  at_start_->setChecked(on);
}

QString StartPanel::profile() const { return profile_->currentText(); }

QString StartPanel::cluster() const { return cluster_->currentText(); }

int StartPanel::global_batch() const { return batch_->value(); }

void StartPanel::update_ready() {
  const QString missing = profile().isEmpty()   ? tr("Choose or import a model first.")
                          : cluster().isEmpty() ? tr("Choose or import a cluster first.")
                                                : QString();
  compare_->setEnabled(missing.isEmpty());
  compare_->setToolTip(missing.isEmpty() ? tr("Run all planners on this model and cluster") : missing);
  missing_->setText(missing);
  missing_->setVisible(!missing.isEmpty());
  counts_->setText(tr("%1 models, %2 clusters. You can change and undo everything later.")
                       .arg(profile_->count())
                       .arg(cluster_->count()));
}

void StartPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  emit shown();
}

void StartPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  place_examples();
}

void StartPanel::changeEvent(QEvent* event) {
  if ((event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) && missing_) apply_theme();
  QWidget::changeEvent(event);
}

void StartPanel::apply_theme() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  // The style sheets first: they reset the colours of the texts inside.
  for (QFrame* card : frames_)
    card->setStyleSheet(QStringLiteral("QFrame#%1 { background: %2; border: 1px solid %3; border-radius: 8px; }")
                            .arg(card->objectName(), theme.panel.name(), theme.border.name()));
  drop_->setStyleSheet(
      QStringLiteral("QFrame#start_drop { background: %1; border: 1px dashed %2; border-radius: 6px; }")
          .arg(theme.window.name(), theme.muted.name()));
  QFont large = widgets::title_font(font());
  large.setPointSizeF(large.pointSizeF() * 1.4);
  title_->setFont(large);
  widgets::set_text_colour(*title_, theme.text);
  for (QLabel* words : {subtitle_, counts_, drop_text_}) widgets::set_text_colour(*words, theme.muted);
  counts_->setFont(widgets::caption_font(font()));
  widgets::set_text_colour(*missing_, theme.warning);
  for (QLabel* heading : headings_) {
    heading->setFont(widgets::title_font(font()));
    widgets::set_text_colour(*heading, theme.text);
  }
  compare_->setStyleSheet(widgets::primary_button_style(theme));
  for (QPushButton* plain : {open_, import_, new_cluster_}) plain->setStyleSheet(widgets::plain_button_style(theme));
  guide_->setStyleSheet(link_style(theme, theme.accent));
  fill_recent();
}

}  // namespace pipedeck::views::compare
