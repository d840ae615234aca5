// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/transformer_dialog.hpp"

#include <algorithm>

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QEvent>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QRegularExpression>
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
#include "app/views/wrapped_lines.hpp"

namespace pipedeck::app {

namespace {

constexpr int most_samples = 1 << 20, most_tokens = 1 << 24;
constexpr int usual_size = 128;        ///< of what a graph leaves open, until somebody says
constexpr std::size_t most_sizes = 8;  ///< rows for them: no model has more

QLabel* heading_of(const QString& text, QWidget* of) {
  auto* heading = new QLabel(text);
  heading->setFont(title_font(heading->font()));
  heading->setBuddy(of);
  return heading;
}

QTableWidgetItem* figure(const QString& text) {
  auto* item = new QTableWidgetItem(text);
  item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  return item;
}

/// Figures of several groups of digits stay on one line.
QString unbroken(QString text) {
  static const QRegularExpression between_groups(QStringLiteral("(?<=\\d) (?=\\d{3}\\b)"));
  return text.replace(between_groups, QString(QChar(QChar::Nbsp)));
}

/// `names`: lines may hold names of a file, which may be too long for the list.
void add_lines(QListWidget& list, const std::vector<std::string>& lines, bool names) {
  for (const std::string& line : lines) {
    auto* item = new QListWidgetItem(unbroken(core_text(line)), &list);
    if (names) item->setToolTip(item->text());
  }
}

}  // namespace

TransformerDialog::TransformerDialog(TransformerPreview preview, QWidget* parent)
    : QDialog(parent),
      preview_(std::move(preview)),
      name_(new QLineEdit),
      device_(new QComboBox),
      precision_(new QComboBox),
      attention_(new QComboBox),
      sequence_(new QSpinBox),
      micro_batch_(new QSpinBox),
      dropout_(new QCheckBox(tr("Dro&pout as configured"))),
      sequence_parallel_(new QCheckBox(tr("Tensor-parallel devices divide the se&quence too"))),
      summary_(new QLabel),
      layers_(new QTableWidget(0, 5)),
      formulas_(new QListWidget),
      notes_(new QListWidget),
      buttons_(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel)) {
  setObjectName(QStringLiteral("transformer_dialog"));
  setWindowTitle(tr("Profile of %1").arg(preview_.name));
  summary_->setObjectName(QStringLiteral("transformer_summary"));
  summary_->setWordWrap(true);
  summary_->setFont(title_font(font()));
  buttons_->button(QDialogButtonBox::Ok)->setText(tr("&Add profile"));
  connect(buttons_, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* column = new QVBoxLayout(this);
  column->addWidget(make_questions());
  column->addWidget(summary_);
  column->addWidget(make_figures(), 1);
  column->addWidget(buttons_);
  resize_within_window(*this, {980, 820});
  choose_device();
}

QWidget* TransformerDialog::make_questions() {
  auto* fields = new QWidget;
  auto* form = new QFormLayout(fields);
  form->setContentsMargins({});
  name_->setObjectName(QStringLiteral("transformer_name"));
  name_->setPlaceholderText(preview_.name);
  device_->setObjectName(QStringLiteral("transformer_device"));
  device_->addItems(device_type_list());
  device_->setCurrentText(preview_.device);
  precision_->setObjectName(QStringLiteral("transformer_precision"));
  sequence_->setObjectName(QStringLiteral("transformer_sequence"));
  sequence_->setRange(1, most_tokens);
  sequence_->setSuffix(tr(" tokens"));
  sequence_->setValue(preview_.sequence);
  micro_batch_->setObjectName(QStringLiteral("transformer_micro_batch"));
  micro_batch_->setRange(1, most_samples);
  micro_batch_->setValue(preview_.samples);
  attention_->setObjectName(QStringLiteral("transformer_attention"));
  attention_->addItem(tr("Fused: its weights are not stored"), QVariant::fromValue(AttentionMemory::fused));
  attention_->addItem(tr("Its weights are computed again"), QVariant::fromValue(AttentionMemory::selective));
  attention_->addItem(tr("Its weights are stored"), QVariant::fromValue(AttentionMemory::stored));
  dropout_->setObjectName(QStringLiteral("transformer_dropout"));
  dropout_->setChecked(true);
  sequence_parallel_->setObjectName(QStringLiteral("transformer_sequence_parallel"));
  sequence_parallel_->setChecked(true);
  form->addRow(tr("&Name"), name_);
  form->addRow(tr("&Device type"), device_);
  form->addRow(tr("P&recision"), precision_);
  form->addRow(tr("&Sequence"), sequence_);
  form->addRow(tr("&Micro-batch"), micro_batch_);
  form->addRow(tr("A&ttention"), attention_);
  form->addRow({}, dropout_);
  form->addRow({}, sequence_parallel_);
  if (preview_.graph) {
    for (QWidget* row : std::initializer_list<QWidget*>{sequence_, attention_, sequence_parallel_})
      form->setRowVisible(row, false);
    ask_sizes(form);
  }
  connect(device_, &QComboBox::currentIndexChanged, this, &TransformerDialog::choose_device);
  for (QComboBox* box : {precision_, attention_})
    connect(box, &QComboBox::currentIndexChanged, this, &TransformerDialog::refresh);
  for (QSpinBox* box : {sequence_, micro_batch_})
    connect(box, &QSpinBox::valueChanged, this, &TransformerDialog::refresh);
  for (QCheckBox* box : {dropout_, sequence_parallel_})
    connect(box, &QCheckBox::toggled, this, &TransformerDialog::refresh);
  return fields;
}

void TransformerDialog::ask_sizes(QFormLayout* form) {
  for (const QString& name : preview_.sizes) {
    if (sizes_.size() == most_sizes) return;
    auto* size = new QSpinBox;
    size->setObjectName(QStringLiteral("transformer_size_%1").arg(sizes_.size()));
    size->setRange(1, most_tokens);
    size->setValue(usual_size);
    size->setToolTip(tr("The model leaves this size open"));
    form->addRow(tr("Size \"%1\"").arg(name), size);
    connect(size, &QSpinBox::valueChanged, this, &TransformerDialog::refresh);
    sizes_.push_back(size);
  }
}

DimensionSizes TransformerDialog::sizes() const {
  DimensionSizes sizes;
  for (std::size_t i = 0; i < sizes_.size(); ++i) sizes[preview_.sizes[i].toStdString()] = sizes_[i]->value();
  return sizes;
}

QWidget* TransformerDialog::make_figures() {
  layers_->setObjectName(QStringLiteral("transformer_layers"));
  layers_->setAccessibleName(tr("Layers"));
  make_flat(*layers_);
  layers_->setItemDelegate(new FlatDelegate(layers_));
  layers_->setHorizontalHeaderLabels({tr("Layer"), tr("Parameters"), tr("Kept"), tr("Forward"), tr("Backward")});
  for (int column = 0; column < layers_->columnCount(); ++column)
    layers_->horizontalHeaderItem(column)->setTextAlignment((column == 0 ? Qt::AlignLeft : Qt::AlignRight) |
                                                            Qt::AlignVCenter);
  layers_->horizontalHeaderItem(2)->setToolTip(tr("For the backward pass, of one micro-batch"));
  layers_->horizontalHeader()->setSectionsClickable(false);
  layers_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  layers_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  formulas_->setObjectName(QStringLiteral("transformer_formulas"));
  formulas_->setAccessibleName(tr("Formulas of the layer"));
  wrap_lines(*formulas_);
  if (!preview_.graph)
    formulas_->setToolTip(
        tr("b samples, s tokens of a sample, n = b s, h hidden, a heads, g heads of keys and values, d head width, "
           "f feed-forward, V vocabulary, e experts, k experts a token, w bytes of a number"));
  notes_->setObjectName(QStringLiteral("transformer_notes"));
  notes_->setAccessibleName(tr("What was understood and assumed"));
  wrap_lines(*notes_);
  notes_->setSelectionMode(QAbstractItemView::NoSelection);
  connect(layers_, &QTableWidget::currentCellChanged, this, &TransformerDialog::show_formulas);
  auto* across = new QSplitter(Qt::Horizontal);
  across->setObjectName(QStringLiteral("transformer_splitter"));
  across->setChildrenCollapsible(false);
  across->addWidget(layers_);
  across->addWidget(formulas_);
  across->setHandleWidth(ThemeSizes::grid);
  across->setStretchFactor(0, 3);
  across->setStretchFactor(1, 2);
  auto* below = new QWidget;
  auto* rows = new QVBoxLayout(below);
  rows->setContentsMargins(0, ThemeSizes::grid, 0, 0);
  rows->addWidget(heading_of(tr("Understood and assumed"), notes_));
  rows->addWidget(notes_);
  auto* down = new QSplitter(Qt::Vertical);
  down->setChildrenCollapsible(false);
  down->addWidget(across);
  down->addWidget(below);
  down->setStretchFactor(0, 3);
  down->setStretchFactor(1, 1);
  return down;
}

AnalyticOptions TransformerDialog::answers() const {
  AnalyticOptions options;
  options.precision = precision_->currentText().toStdString();
  options.sequence = sequence_->value();
  options.micro_batch = micro_batch_->value();
  options.attention = attention_->currentData().value<AttentionMemory>();
  options.dropout = dropout_->isChecked();
  options.sequence_parallel = sequence_parallel_->isChecked();
  return options;
}

/// Precisions are the device type's: the one that was chosen stays where it has it.
void TransformerDialog::choose_device() {
  const QStringList precisions = precisions_of(device_->currentText());
  const QString before = precision_->currentText();
  {
    const QSignalBlocker quiet(precision_);
    precision_->clear();
    precision_->addItems(precisions);
    precision_->setCurrentText(precisions.contains(before) ? before : usual_precision_of(device_->currentText()));
  }
  refresh();
}

void TransformerDialog::refresh() {
  auto made = preview_.make(device_->currentText(), answers(), sizes());
  buttons_->button(QDialogButtonBox::Ok)->setEnabled(made.has_value());
  notes_->clear();
  if (!made) {
    made_.reset();
    layers_->setRowCount(0);
    formulas_->clear();
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
  summary_->setText(tr("%1 · %2 of weights · %3 kept · %4 a micro-batch on one device")
                        .arg(count_text(static_cast<qint64>(made_->profile.layers.size()), tr("layer"), tr("layers")),
                             format_bytes(parameters), format_bytes(kept), format_time(time)));
  add_lines(*notes_, made_->notes, preview_.graph);
  show_layers();
}

void TransformerDialog::show_layers() {
  const int current = std::max(0, layers_->currentRow());
  const auto& layers = made_->profile.layers;
  layers_->setRowCount(static_cast<int>(layers.size()));
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const int row = static_cast<int>(i);
    const Layer& layer = layers[i];
    layers_->setItem(row, 0, new QTableWidgetItem(QString::fromStdString(layer.name)));
    layers_->setItem(row, 1, figure(format_bytes(layer.parameters)));
    layers_->setItem(row, 2, figure(format_bytes(layer.saved)));
    layers_->setItem(row, 3, figure(format_time(layer.forward)));
    layers_->setItem(row, 4, figure(format_time(layer.backward)));
  }
  layers_->setCurrentCell(std::min(current, layers_->rowCount() - 1), 0);
  show_formulas();
}

void TransformerDialog::show_formulas() {
  formulas_->clear();
  const int row = layers_->currentRow();
  if (!made_ || row < 0) return;
  const std::size_t told = made_->explanation_of[static_cast<std::size_t>(row)];
  add_lines(*formulas_, made_->explanations[told].figures, preview_.graph);
}

std::optional<Profile> TransformerDialog::profile() const {
  if (!made_) return std::nullopt;
  Profile profile = made_->profile;
  if (const QString name = name_->text().trimmed(); !name.isEmpty()) profile.name = name.toStdString();
  return profile;
}

void TransformerDialog::colour_summary() {
  const Theme& theme = Theme::of(palette());
  set_text_colour(*summary_, made_ ? theme.text : theme.bad);
}

void TransformerDialog::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) colour_summary();
  QDialog::changeEvent(event);
}

}  // namespace pipedeck::app
