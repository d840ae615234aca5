// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/run/launch_options.hpp"

#include <algorithm>

#include <QClipboard>
#include <QComboBox>
#include <QDoubleValidator>
#include <QEvent>
#include <QFontDatabase>
#include <QFormLayout>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QTimer>
#include <QToolButton>

#include "app/views/run/wrapped_label.hpp"
#include "app/views/widgets/core_fields.hpp"
#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::views::run {

namespace {

constexpr int settle_milliseconds = 250;

bool takes_path(const QString& kind) {
  return kind == QLatin1String("text") || kind == QLatin1String("idx") || kind == QLatin1String("images");
}

}  // namespace

LaunchOptions::LaunchOptions(QFormLayout* form, QWidget* parent)
    : QWidget(parent),
      backend_(new LaunchDevices(form, this)),
      data_(new QComboBox),
      learning_rate_(new QLineEdit),
      cores_(new widgets::CoreFields),
      more_(new LaunchMore),
      answer_(new WrappedLabel),
      settling_(new QTimer(this)) {
  hide();  // invisible owner of the fields, which are placed in the form
  settling_->setSingleShot(true);
  settling_->setInterval(settle_milliseconds);
  connect(settling_, &QTimer::timeout, this, &LaunchOptions::changed);

  names_ << backend_->field_names();
  connect(backend_, &LaunchDevices::chosen, this, &LaunchOptions::follow_backend);
  data_->setObjectName(QStringLiteral("run_data"));
  data_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  data_->setMinimumContentsLength(8);
  data_->setToolTip(tr("Training data. Every file is checked before the run starts"));
  const std::pair<QString, QString> kinds[] = {{tr("as in the model"), {}},
                                               {tr("synthetic"), QStringLiteral("synthetic")},
                                               {tr("a text, byte by byte"), QStringLiteral("text")},
                                               {tr("images in MNIST's format"), QStringLiteral("idx")},
                                               {tr("a folder of images"), QStringLiteral("images")}};
  for (const auto& [text, kind] : kinds) data_->addItem(text, kind);
  connect(data_, &QComboBox::currentIndexChanged, this, &LaunchOptions::choose_kind);
  add_row(form, tr("&Data"), data_);
  form->addRow(path_row_ = make_path_row());

  learning_rate_->setObjectName(QStringLiteral("run_learning_rate"));
  learning_rate_->setPlaceholderText(tr("as in the model"));
  learning_rate_->setAccessibleName(tr("Learning rate"));
  learning_rate_->setToolTip(tr("Learning rate, such as 0.001"));
  auto* rates = new QDoubleValidator(0, 100, 12, learning_rate_);
  rates->setLocale(QLocale());
  learning_rate_->setValidator(rates);
  connect(learning_rate_, &QLineEdit::textEdited, this, &LaunchOptions::mark_changed);
  add_row(form, tr("&Rate"), learning_rate_);

  add_row(form, tr("C&ores"), cores_);
  connect(cores_, &widgets::CoreFields::edited, this, &LaunchOptions::mark_changed);
  form->addRow(more_);
  connect(more_, &LaunchMore::edited, this, &LaunchOptions::mark_changed);
  add_row(form, tr("Command"), make_command_row());
  answer_->setObjectName(QStringLiteral("run_answer"));
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
  path_->setPlaceholderText(kind() == QLatin1String("images") ? tr("folder with one folder per class") : tr("file"));
  mark_changed();
}

void LaunchOptions::set_backend(const RunBackend& backend) {
  if (backend == backend_->backend()) return;
  backend_->set_backend(backend);
  follow_backend();
}

void LaunchOptions::follow_backend() {
  update_cores();
  mark_changed();
}

/// Disables the core fields for GPUs. It does not hide them: QFormLayout would then overlap the next row.
void LaunchOptions::update_cores() {
  const bool gpus = backend_->backend().gpus;
  cores_->setEnabled(editable_ && !gpus);
  cores_->setToolTip(gpus ? tr("The system chooses the processor cores for GPUs") : QString());
}

void LaunchOptions::mark_changed() {
  set_answer({}, false);
  settling_->start();
}

void LaunchOptions::set_devices(const QStringList& devices, const QList<int>& cores) {
  cores_->set_devices(devices, cores);
  more_->set_most_processes(static_cast<int>(devices.size()));
}

void LaunchOptions::set_settings(const LaunchSettings& settings) {
  const qsizetype colon = settings.data.indexOf(QLatin1Char(':'));
  data_->setCurrentIndex(std::max(0, data_->findData(colon < 0 ? settings.data : settings.data.left(colon))));
  path_->setText(colon < 0 ? QString() : settings.data.mid(colon + 1));
  learning_rate_->setText(settings.learning_rate > 0 ? QLocale().toString(settings.learning_rate, 'g', 6) : QString());
  cores_->set_cores(settings.cores);
  more_->set_settings(settings.more);
}

LaunchSettings LaunchOptions::settings() const {
  LaunchSettings settings;
  settings.data = takes_path(kind()) ? kind() + QLatin1Char(':') + path_->text() : kind();
  settings.learning_rate = QLocale().toDouble(learning_rate_->text());
  settings.cores = cores_->cores();
  settings.more = more_->settings();
  return settings;
}

QString LaunchOptions::incomplete() const {
  if (takes_path(kind()) && path_->text().trimmed().isEmpty()) return tr("Choose the file or folder of the data.");
  if (!backend_->backend().gpus) return cores_->problem();
  if (backend_->backend().share_gpus && more_->settings().processes > 0)
    return tr("Devices share GPUs only within one process. Choose one process under More > Transport.");
  return {};
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
  editable_ = on;
  for (QWidget* field : {static_cast<QWidget*>(data_), path_row_, static_cast<QWidget*>(learning_rate_)})
    field->setEnabled(on);
  update_cores();
  backend_->set_editable(on);
  more_->set_editable(on);
}

void LaunchOptions::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) apply_theme();
  QWidget::changeEvent(event);
}

void LaunchOptions::apply_theme() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  widgets::set_text_colour(*answer_, problem_ ? theme.warning : theme.muted);
}

}  // namespace pipedeck::views::run
