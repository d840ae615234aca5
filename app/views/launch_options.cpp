// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/launch_options.hpp"

#include <algorithm>

#include <QClipboard>
#include <QComboBox>
#include <QDoubleValidator>
#include <QEvent>
#include <QFontDatabase>
#include <QFormLayout>
#include <QGridLayout>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QTimer>
#include <QToolButton>

#include "app/views/theme.hpp"
#include "app/views/widget_style.hpp"

namespace pipedeck::app {

namespace {

constexpr int settle_milliseconds = 250;
constexpr int most_devices = 16;  // beyond, nobody chooses cores by hand
constexpr int cores_a_row = 2;

bool takes_path(const QString& kind) {
  return kind == QLatin1String("text") || kind == QLatin1String("idx") || kind == QLatin1String("images");
}

}  // namespace

LaunchOptions::LaunchOptions(QFormLayout* form, QWidget* parent)
    : QWidget(parent),
      data_(new QComboBox),
      learning_rate_(new QLineEdit),
      cores_row_(new QWidget),
      cores_grid_(new QGridLayout(cores_row_)),
      answer_(new QLabel),
      settling_(new QTimer(this)) {
  hide();  // a holder of the fields, which stand in the form
  settling_->setSingleShot(true);
  settling_->setInterval(settle_milliseconds);
  connect(settling_, &QTimer::timeout, this, &LaunchOptions::changed);

  data_->setObjectName(QStringLiteral("run_data"));
  data_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  data_->setMinimumContentsLength(8);
  data_->setToolTip(tr("What the model is trained on; every file is looked at before anything starts"));
  const std::pair<QString, QString> kinds[] = {{tr("as the model says"), {}},
                                               {tr("made up (synthetic)"), QStringLiteral("synthetic")},
                                               {tr("a text, byte by byte"), QStringLiteral("text")},
                                               {tr("images in MNIST's format"), QStringLiteral("idx")},
                                               {tr("a folder of images"), QStringLiteral("images")}};
  for (const auto& [text, kind] : kinds) data_->addItem(text, kind);
  connect(data_, &QComboBox::currentIndexChanged, this, &LaunchOptions::choose_kind);
  add_row(form, tr("&Data"), data_);
  form->addRow(path_row_ = make_path_row());

  learning_rate_->setObjectName(QStringLiteral("run_learning_rate"));
  learning_rate_->setPlaceholderText(tr("as the model says"));
  learning_rate_->setAccessibleName(tr("Learning rate"));
  learning_rate_->setToolTip(tr("Learning rate: how far one step changes the weights, such as 0.001"));
  auto* rates = new QDoubleValidator(0, 100, 12, learning_rate_);
  rates->setLocale(QLocale());
  learning_rate_->setValidator(rates);
  connect(learning_rate_, &QLineEdit::textEdited, this, &LaunchOptions::mark_changed);
  add_row(form, tr("&Rate"), learning_rate_);

  cores_grid_->setContentsMargins(0, 0, 0, 0);
  add_row(form, tr("C&ores"), cores_row_);
  add_row(form, tr("Command"), make_command_row());
  answer_->setObjectName(QStringLiteral("run_answer"));
  answer_->setWordWrap(true);
  answer_->hide();
  form->addRow(answer_);
  choose_kind();
  settling_->stop();
}

void LaunchOptions::add_row(QFormLayout* form, const QString& name, QWidget* field) {
  auto* label = new QLabel(name);
  label->setBuddy(field);
  names_ << label;
  form->addRow(label, field);
}

QWidget* LaunchOptions::make_path_row() {
  auto* row = new QWidget;
  auto* line = new QHBoxLayout(row);
  line->setContentsMargins(0, 0, 0, 0);
  path_ = new QLineEdit;
  path_->setObjectName(QStringLiteral("run_data_path"));
  path_->setAccessibleName(tr("File or folder of the data"));
  browse_ = new QToolButton;
  browse_->setObjectName(QStringLiteral("run_data_browse"));
  browse_->setText(tr("Choose…"));
  line->addWidget(path_, 1);
  line->addWidget(browse_);
  connect(path_, &QLineEdit::textEdited, this, &LaunchOptions::mark_changed);
  connect(browse_, &QToolButton::clicked, this, [this] { emit browse_requested(kind()); });
  return row;
}

QWidget* LaunchOptions::make_command_row() {
  auto* row = new QWidget;
  auto* line = new QHBoxLayout(row);
  line->setContentsMargins(0, 0, 0, 0);
  command_ = new QLineEdit;
  command_->setObjectName(QStringLiteral("run_command"));
  command_->setAccessibleName(tr("Command line of this launch"));
  command_->setReadOnly(true);
  command_->setMinimumWidth(60);
  command_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  auto* copy = new QToolButton;
  copy->setObjectName(QStringLiteral("run_copy_command"));
  copy->setText(tr("Copy"));
  copy->setToolTip(tr("Copy the command line that trains this"));
  line->setSpacing(6);
  line->addWidget(command_, 1);
  line->addWidget(copy);
  connect(copy, &QToolButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(command_->text()); });
  return row;
}

QString LaunchOptions::kind() const { return data_->currentData().toString(); }

void LaunchOptions::choose_kind() {
  path_row_->setVisible(takes_path(kind()));
  path_->setPlaceholderText(kind() == QLatin1String("images") ? tr("folder with a folder a class") : tr("file"));
  mark_changed();
}

void LaunchOptions::mark_changed() {
  set_answer({}, false);
  settling_->start();
}

void LaunchOptions::set_devices(const QStringList& devices, const QList<int>& cores) {
  if (devices == devices_ && cores == cores_here_) return;
  devices_ = devices;
  cores_here_ = cores;
  qDeleteAll(cores_);
  qDeleteAll(core_names_);
  cores_.clear();
  core_names_.clear();
  const qsizetype shown = devices.size() <= most_devices ? devices.size() : 0;
  for (qsizetype i = 0; i < shown; ++i) {
    auto* name = new QLabel(devices[i]);
    auto* box = new QComboBox;
    box->setObjectName(QStringLiteral("run_core_%1").arg(i));
    box->setAccessibleName(tr("Processor core of %1").arg(devices[i]));
    box->setToolTip(tr("The processor core that stands for %1; any: the operating system chooses").arg(devices[i]));
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(3);
    box->addItem(tr("any"), -1);
    for (const int core : cores) box->addItem(QString::number(core), core);
    connect(box, &QComboBox::currentIndexChanged, this, [this, box] {
      // All devices have a core or none has: the others follow, one core after another.
      const bool any = box->currentData().toInt() < 0;
      for (qsizetype other = 0; other < cores_.size(); ++other) {
        QComboBox* field = cores_[other];
        if (field == box || (field->currentIndex() == 0) == any) continue;
        const QSignalBlocker quiet(field);
        field->setCurrentIndex(any ? 0 : 1 + static_cast<int>(other % std::max<qsizetype>(1, cores_here_.size())));
      }
      mark_changed();
    });
    const int row = static_cast<int>(i) / cores_a_row, column = 2 * (static_cast<int>(i) % cores_a_row);
    cores_grid_->addWidget(name, row, column);
    cores_grid_->addWidget(box, row, column + 1);
    cores_grid_->setColumnStretch(column + 1, 1);
    cores_ << box;
    core_names_ << name;
  }
  cores_row_->setVisible(shown > 0);
  apply_theme();
}

void LaunchOptions::set_settings(const LaunchSettings& settings) {
  const qsizetype colon = settings.data.indexOf(QLatin1Char(':'));
  data_->setCurrentIndex(std::max(0, data_->findData(colon < 0 ? settings.data : settings.data.left(colon))));
  path_->setText(colon < 0 ? QString() : settings.data.mid(colon + 1));
  learning_rate_->setText(settings.learning_rate > 0 ? QLocale().toString(settings.learning_rate, 'g', 6) : QString());
  for (qsizetype i = 0; i < cores_.size(); ++i)
    cores_[i]->setCurrentIndex(i < settings.cores.size() ? std::max(0, cores_[i]->findData(settings.cores[i])) : 0);
}

LaunchSettings LaunchOptions::settings() const {
  LaunchSettings settings;
  settings.data = takes_path(kind()) ? kind() + QLatin1Char(':') + path_->text() : kind();
  settings.learning_rate = QLocale().toDouble(learning_rate_->text());
  for (const QComboBox* box : cores_)
    if (const int core = box->currentData().toInt(); core >= 0) settings.cores << core;
  return settings;
}

QString LaunchOptions::incomplete() const {
  return takes_path(kind()) && path_->text().trimmed().isEmpty() ? tr("Choose what the data is read from.") : QString();
}

void LaunchOptions::set_path(const QString& path) {
  path_->setText(path);
  mark_changed();
}

void LaunchOptions::set_command(const QString& command) {
  command_->setText(command);
  command_->setCursorPosition(0);
  command_->setToolTip(command);
}

void LaunchOptions::set_answer(const QString& words, bool problem) {
  problem_ = problem;
  answer_->setText(words);
  answer_->setVisible(!words.isEmpty());
  apply_theme();
}

void LaunchOptions::set_editable(bool on) {
  for (QWidget* field : {static_cast<QWidget*>(data_), path_row_, static_cast<QWidget*>(learning_rate_), cores_row_})
    field->setEnabled(on);
}

void LaunchOptions::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) apply_theme();
  QWidget::changeEvent(event);
}

void LaunchOptions::apply_theme() {
  const Theme& theme = Theme::of(palette());
  for (QLabel* name : core_names_) set_text_colour(*name, theme.muted);
  set_text_colour(*answer_, problem_ ? theme.warning : theme.muted);
}

}  // namespace pipedeck::app
