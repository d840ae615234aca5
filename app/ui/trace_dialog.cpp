// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/trace_dialog.hpp"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QEvent>
#include <QFileInfo>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QSplitter>
#include <QTableWidget>
#include <QVBoxLayout>

#include "app/language/core_text.hpp"
#include "app/models/format.hpp"
#include "app/session/count_text.hpp"
#include "app/session/machine_files.hpp"
#include "app/ui/dialog_size.hpp"
#include "app/views/table_style.hpp"
#include "app/views/widget_style.hpp"

namespace pipedeck::app {

namespace {

constexpr int most_samples = 1 << 20;
constexpr int found_depth = -1;  ///< layers are found, not chosen by depth

QTableWidgetItem* figure(const QString& text) {
  auto* item = new QTableWidgetItem(text);
  item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  return item;
}

}  // namespace

TraceDialog::TraceDialog(TracePreview preview, QWidget* parent)
    : QDialog(parent),
      preview_(std::move(preview)),
      name_(new QLineEdit),
      device_(new QComboBox),
      depth_(new QSpinBox),
      micro_batch_(new QSpinBox),
      summary_(new QLabel),
      layers_(new QTableWidget(0, 6)),
      notes_(new QListWidget),
      buttons_(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel)) {
  setObjectName(QStringLiteral("trace_dialog"));
  setWindowTitle(tr("Modules in the trace %1").arg(QFileInfo(preview_.file).fileName()));
  summary_->setObjectName(QStringLiteral("trace_summary"));
  summary_->setWordWrap(true);
  summary_->setFont(title_font(font()));
  buttons_->button(QDialogButtonBox::Ok)->setText(tr("Use as a &profile"));
  auto* timeline = buttons_->addButton(tr("Draw as a measured &timeline"), QDialogButtonBox::ActionRole);
  timeline->setObjectName(QStringLiteral("trace_timeline"));
  timeline->setToolTip(tr("Over the prediction of the selected plan where it uses the same devices"));
  connect(timeline, &QPushButton::clicked, this, [this] {
    timeline_ = true;
    accept();
  });
  connect(buttons_, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* column = new QVBoxLayout(this);
  column->addWidget(make_questions());
  column->addWidget(summary_);
  column->addWidget(make_figures(), 1);
  column->addWidget(buttons_);
  resize_within_window(*this, {980, 760});
  refresh();
}

QWidget* TraceDialog::make_questions() {
  auto* fields = new QWidget;
  auto* form = new QFormLayout(fields);
  form->setContentsMargins({});
  const Profile& profile = preview_.found.profile;
  name_->setObjectName(QStringLiteral("trace_name"));
  name_->setPlaceholderText(QString::fromStdString(profile.name));
  device_->setObjectName(QStringLiteral("trace_device"));
  const QString device = QString::fromStdString(profile.device);
  device_->addItems(device_type_list());
  if (device_->findText(device) < 0) device_->insertItem(0, device);
  device_->setCurrentText(device);
  depth_->setObjectName(QStringLiteral("trace_depth"));
  depth_->setRange(found_depth, preview_.found.deepest);
  depth_->setSpecialValueText(tr("Blocks that repeat, found by themselves"));
  depth_->setPrefix(tr("Modules at depth "));
  depth_->setValue(found_depth);
  depth_->setToolTip(tr("0 are the outermost modules; those without modules in them are layers at any depth"));
  micro_batch_->setObjectName(QStringLiteral("trace_micro_batch"));
  micro_batch_->setRange(1, most_samples);
  micro_batch_->setValue(profile.micro_batch);
  micro_batch_->setToolTip(tr("Samples that a forward and a backward pass of the trace are of"));
  form->addRow(tr("&Name"), name_);
  form->addRow(tr("&Device type"), device_);
  form->addRow(tr("&Layers"), depth_);
  form->addRow(tr("&Micro-batch"), micro_batch_);
  connect(device_, &QComboBox::currentIndexChanged, this, &TraceDialog::refresh);
  for (QSpinBox* box : {depth_, micro_batch_}) connect(box, &QSpinBox::valueChanged, this, &TraceDialog::refresh);
  return fields;
}

QWidget* TraceDialog::make_figures() {
  layers_->setObjectName(QStringLiteral("trace_layers"));
  layers_->setAccessibleName(tr("Layers"));
  make_flat(*layers_);
  layers_->setItemDelegate(new FlatDelegate(layers_));
  layers_->setHorizontalHeaderLabels(
      {tr("Layer"), tr("Forward"), tr("Backward"), tr("Output"), tr("Kept"), tr("Parameters")});
  for (int column = 0; column < layers_->columnCount(); ++column)
    layers_->horizontalHeaderItem(column)->setTextAlignment((column == 0 ? Qt::AlignLeft : Qt::AlignRight) |
                                                            Qt::AlignVCenter);
  layers_->horizontalHeaderItem(4)->setToolTip(tr("For the backward pass, of one micro-batch"));
  layers_->horizontalHeader()->setSectionsClickable(false);
  layers_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  layers_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  notes_->setObjectName(QStringLiteral("trace_notes"));
  notes_->setAccessibleName(tr("What was understood and assumed"));
  notes_->setWordWrap(true);
  notes_->setSelectionMode(QAbstractItemView::NoSelection);
  auto* heading = new QLabel(tr("Understood and assumed"));
  heading->setFont(title_font(heading->font()));
  heading->setBuddy(notes_);
  auto* below = new QWidget;
  auto* rows = new QVBoxLayout(below);
  rows->setContentsMargins(0, ThemeSizes::grid, 0, 0);
  rows->addWidget(heading);
  rows->addWidget(notes_);
  auto* down = new QSplitter(Qt::Vertical);
  down->setObjectName(QStringLiteral("trace_splitter"));
  down->setChildrenCollapsible(false);
  down->addWidget(layers_);
  down->addWidget(below);
  down->setStretchFactor(0, 3);
  down->setStretchFactor(1, 2);
  return down;
}

void TraceDialog::refresh() {
  RecordedOptions options;
  if (depth_->value() != found_depth) options.depth = depth_->value();
  if (micro_batch_->value() != preview_.found.profile.micro_batch) options.micro_batch = micro_batch_->value();
  if (device_->currentText().toStdString() != preview_.found.profile.device)
    options.device = device_->currentText().toStdString();
  auto made = preview_.make(options);
  buttons_->button(QDialogButtonBox::Ok)->setEnabled(made.has_value());
  notes_->clear();
  if (!made) {
    made_.reset();
    layers_->setRowCount(0);
    summary_->setText(core_text(made.error()));
    colour_summary();
    return;
  }
  made_ = *std::move(made);
  colour_summary();
  Bytes parameters, kept;
  Seconds time;
  for (const Layer& layer : made_->profile.layers) {
    parameters += layer.parameters, kept += layer.saved;
    time += layer.forward + layer.backward;
  }
  summary_->setText(tr("%1 · %2 of weights · %3 kept · %4 a micro-batch")
                        .arg(count_text(static_cast<qint64>(made_->profile.layers.size()), tr("layer"), tr("layers")),
                             format_bytes(parameters), format_bytes(kept), format_time(time)));
  for (const std::string& note : made_->notes) notes_->addItem(core_text(note));
  show_layers();
}

void TraceDialog::show_layers() {
  const auto& layers = made_->profile.layers;
  layers_->setRowCount(static_cast<int>(layers.size()));
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const int row = static_cast<int>(i);
    const Layer& layer = layers[i];
    layers_->setItem(row, 0, new QTableWidgetItem(QString::fromStdString(layer.name)));
    layers_->setItem(row, 1, figure(format_time(layer.forward)));
    layers_->setItem(row, 2, figure(format_time(layer.backward)));
    layers_->setItem(row, 3, figure(format_bytes(layer.output)));
    layers_->setItem(row, 4, figure(format_bytes(layer.saved)));
    layers_->setItem(row, 5, figure(format_bytes(layer.parameters)));
  }
}

std::optional<TraceAnswer> TraceDialog::answer() const {
  if (timeline_) return TraceAnswer{};
  if (!made_) return std::nullopt;
  TraceAnswer answer{made_->profile};
  if (const QString name = name_->text().trimmed(); !name.isEmpty()) answer.profile->name = name.toStdString();
  return answer;
}

void TraceDialog::colour_summary() {
  const Theme& theme = Theme::of(palette());
  set_text_colour(*summary_, made_ ? theme.text : theme.bad);
}

void TraceDialog::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) colour_summary();
  QDialog::changeEvent(event);
}

}  // namespace pipedeck::app
