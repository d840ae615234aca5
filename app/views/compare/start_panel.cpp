// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/compare/start_panel.hpp"

#include <QComboBox>
#include <QEvent>
#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::views::compare {

namespace {

void fill(QComboBox* box, const QStringList& names, const QString& chosen) {
  const QString wanted = chosen.isEmpty() ? box->currentText() : chosen;
  const QSignalBlocker quiet(box);
  box->clear();
  box->addItems(names);
  box->setCurrentIndex(std::max(box->findText(wanted), names.isEmpty() ? -1 : 0));
}

QComboBox* choice_box(const QString& name, const QString& accessible) {
  auto* box = new QComboBox;
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

}  // namespace

StartPanel::StartPanel(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("start_panel"));
  make_fields();
  title_ = new QLabel(tr("Compare training plans in three steps"));
  subtitle_ = new QLabel(tr("You can change and undo everything later."));
  auto* steps = new QHBoxLayout;
  steps->setSpacing(16);
  steps->addWidget(make_step(1, tr("Model"), tr("Times and bytes of each layer, from a preset or your own file."),
                             {profile_, import_profile_}));
  steps->addWidget(
      make_step(2, tr("Cluster"), tr("The devices to train on, and their links."), {cluster_, import_cluster_}));
  steps->addWidget(make_step(3, tr("Compare"),
                             tr("All planners side by side, for this number of samples per iteration."),
                             {batch_, compare_}));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(32, 24, 32, 24);
  column->setSpacing(6);
  column->addStretch(2);
  column->addWidget(title_, 0, Qt::AlignHCenter);
  column->addWidget(subtitle_, 0, Qt::AlignHCenter);
  column->addSpacing(20);
  auto* centred = new QHBoxLayout;
  centred->addStretch(1);
  centred->addLayout(steps, 20);
  centred->addStretch(1);
  column->addLayout(centred);
  column->addSpacing(8);
  column->addWidget(missing_, 0, Qt::AlignHCenter);
  column->addWidget(open_, 0, Qt::AlignHCenter);
  column->addStretch(3);
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
  batch_->setSuffix(tr(" samples an iteration"));
  import_profile_ = button(QStringLiteral("start_import_profile"), tr("Import a profile…"));
  import_cluster_ = button(QStringLiteral("start_import_cluster"), tr("Import a cluster…"));
  open_ = button(QStringLiteral("start_open"), tr("Open a project…"));
  compare_ = button(QStringLiteral("start_compare"), tr("Compare"));
  missing_ = new QLabel;
  missing_->setObjectName(QStringLiteral("start_missing"));
  connect(profile_, &QComboBox::currentTextChanged, this, [this](const QString& name) {
    update_ready();
    emit profile_chosen(name);
  });
  connect(cluster_, &QComboBox::currentTextChanged, this, [this](const QString& name) {
    update_ready();
    emit cluster_chosen(name);
  });
  connect(import_profile_, &QPushButton::clicked, this, &StartPanel::import_profile_requested);
  connect(import_cluster_, &QPushButton::clicked, this, &StartPanel::import_cluster_requested);
  connect(open_, &QPushButton::clicked, this, &StartPanel::open_project_requested);
  connect(compare_, &QPushButton::clicked, this,
          [this] { emit compare_requested(profile(), cluster(), global_batch()); });
}

QWidget* StartPanel::make_step(int number, const QString& title, const QString& text, const QList<QWidget*>& fields) {
  auto* card = new QFrame;
  card->setObjectName(QStringLiteral("start_step_%1").arg(number));
  card->setMinimumWidth(210);
  card->setMaximumWidth(340);
  auto* badge = new QLabel(QString::number(number));
  badge->setAlignment(Qt::AlignCenter);
  badge->setFixedSize(26, 26);
  auto* heading = new QLabel(title);
  auto* words = new QLabel(text);
  words->setWordWrap(true);
  auto* head = new QHBoxLayout;
  head->setSpacing(10);
  head->addWidget(badge);
  head->addWidget(heading, 1);
  auto* column = new QVBoxLayout(card);
  column->setContentsMargins(18, 16, 18, 18);
  column->setSpacing(10);
  column->addLayout(head);
  column->addWidget(words);
  column->addStretch();
  for (QWidget* field : fields) column->addWidget(field);
  cards_ << card;
  numbers_ << badge;
  step_titles_ << heading;
  step_texts_ << words;
  return card;
}

void StartPanel::set_profiles(const QStringList& names, const QString& chosen) {
  fill(profile_, names, chosen);
  update_ready();
}

void StartPanel::set_clusters(const QStringList& names, const QString& chosen) {
  fill(cluster_, names, chosen);
  update_ready();
}

void StartPanel::set_global_batch(int samples) { batch_->setValue(samples); }

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
}

void StartPanel::changeEvent(QEvent* event) {
  if ((event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) && missing_) apply_theme();
  QWidget::changeEvent(event);
}

void StartPanel::apply_theme() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  QFont large = widgets::title_font(font());
  large.setPointSizeF(large.pointSizeF() * 1.7);
  title_->setFont(large);
  widgets::set_text_colour(*title_, theme.text);
  widgets::set_text_colour(*subtitle_, theme.muted);
  widgets::set_text_colour(*missing_, theme.warning);
  for (QWidget* card : cards_)
    card->setStyleSheet(QStringLiteral("QFrame#%1 { background: %2; border: 1px solid %3; border-radius: 8px; }")
                            .arg(card->objectName(), theme.panel.name(), theme.border.name()));
  for (QLabel* number : numbers_)
    number->setStyleSheet(QStringLiteral("background: %1; color: %2; border-radius: 13px; font-weight: 600;")
                              .arg(theme.accent.name(), theme.on(theme.accent).name()));
  for (QLabel* heading : step_titles_) {
    QFont bold = widgets::title_font(font());
    bold.setPointSizeF(bold.pointSizeF() * 1.2);
    heading->setFont(bold);
  }
  for (QLabel* words : step_texts_) widgets::set_text_colour(*words, theme.muted);
  compare_->setStyleSheet(widgets::primary_button_style(theme));
  for (QPushButton* plain : {import_profile_, import_cluster_, open_})
    plain->setStyleSheet(widgets::plain_button_style(theme));
}

}  // namespace pipedeck::views::compare
