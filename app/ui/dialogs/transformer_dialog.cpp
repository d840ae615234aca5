// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/dialogs/transformer_dialog.hpp"

#include <algorithm>

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QVBoxLayout>

#include "app/session/cluster/machine_files.hpp"
#include "app/ui/dialogs/profile_preview.hpp"
#include "app/ui/layout/dialog_size.hpp"
#include "app/views/widgets/wrapped_lines.hpp"

namespace pipedeck::ui::dialogs {

namespace {

constexpr int max_transformer_samples = 1 << 20, max_tokens = 1 << 24;
constexpr int usual_size = 128;       ///< for sizes that a graph leaves open, until the user sets them
constexpr std::size_t max_sizes = 8;  ///< rows for open sizes: no model has more

}  // namespace

TransformerDialog::TransformerDialog(session::project::TransformerPreview preview, QWidget* parent)
    : QDialog(parent),
      preview_(std::move(preview)),
      name_(new QLineEdit),
      device_(new QComboBox),
      precision_(new QComboBox),
      attention_(new QComboBox),
      sequence_(new QSpinBox),
      micro_batch_(new QSpinBox),
      dropout_(new QCheckBox(tr("Dro&pout as configured"))),
      sequence_parallel_(new QCheckBox(tr("&Sequence parallelism (with tensor parallelism)"))),
      formulas_(new QListWidget),
      figures_(new ProfilePreview(QStringLiteral("transformer"), formulas_)),
      buttons_(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel)) {
  setObjectName(QStringLiteral("transformer_dialog"));
  setWindowTitle(tr("Profile of %1").arg(preview_.name));
  make_formulas();
  buttons_->button(QDialogButtonBox::Ok)->setText(tr("&Add profile"));
  connect(buttons_, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* column = new QVBoxLayout(this);
  column->addWidget(make_questions());
  column->addWidget(figures_, 1);
  column->addWidget(buttons_);
  layout::resize_within_window(*this, {980, 820});
  choose_device();
}

QWidget* TransformerDialog::make_questions() {
  auto* fields = new QWidget;
  auto* form = new QFormLayout(fields);
  form->setContentsMargins({});
  name_->setObjectName(QStringLiteral("transformer_name"));
  name_->setPlaceholderText(preview_.name);
  device_->setObjectName(QStringLiteral("transformer_device"));
  device_->addItems(session::cluster::device_type_list());
  device_->setCurrentText(preview_.device);
  precision_->setObjectName(QStringLiteral("transformer_precision"));
  sequence_->setObjectName(QStringLiteral("transformer_sequence"));
  sequence_->setRange(1, max_tokens);
  sequence_->setSuffix(tr(" tokens"));
  sequence_->setValue(preview_.sequence);
  micro_batch_->setObjectName(QStringLiteral("transformer_micro_batch"));
  micro_batch_->setRange(1, max_transformer_samples);
  micro_batch_->setValue(preview_.samples);
  attention_->setObjectName(QStringLiteral("transformer_attention"));
  const auto add_attention = [&](const QString& name, AttentionMemory kind, const QString& help) {
    attention_->addItem(name, QVariant::fromValue(kind));
    attention_->setItemData(attention_->count() - 1, help, Qt::ToolTipRole);
  };
  add_attention(QStringLiteral("FlashAttention"), AttentionMemory::fused,
                tr("One kernel that never stores the attention scores"));
  add_attention(tr("Selective recompute"), AttentionMemory::selective,
                tr("The scores are dropped and recomputed in the backward pass"));
  add_attention(tr("Keep scores"), AttentionMemory::stored, tr("The scores are kept for the backward pass"));
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
    if (sizes_.size() == max_sizes) return;
    auto* size = new QSpinBox;
    size->setObjectName(QStringLiteral("transformer_size_%1").arg(sizes_.size()));
    size->setRange(1, max_tokens);
    size->setValue(usual_size);
    size->setToolTip(tr("The model does not fix this size"));
    form->addRow(tr("Size \"%1\"").arg(name), size);
    connect(size, &QSpinBox::valueChanged, this, &TransformerDialog::refresh);
    sizes_.push_back(size);
  }
}

analytic::graph::DimensionSizes TransformerDialog::sizes() const {
  analytic::graph::DimensionSizes sizes;
  for (std::size_t i = 0; i < sizes_.size(); ++i) sizes[preview_.sizes[i].toStdString()] = sizes_[i]->value();
  return sizes;
}

void TransformerDialog::make_formulas() {
  formulas_->setObjectName(QStringLiteral("transformer_formulas"));
  formulas_->setAccessibleName(tr("Formulas of the layer"));
  views::widgets::wrap_lines(*formulas_);
  if (!preview_.graph)
    formulas_->setToolTip(
        tr("b samples, s tokens per sample, n = b s, h hidden, a heads, g key-value heads, d head width, f "
           "feed-forward, V vocabulary, e experts, k experts per token, w bytes per number"));
  connect(&figures_->layers(), &QTableWidget::currentCellChanged, this, &TransformerDialog::show_formulas);
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

/// Lists the precisions of the device type. The chosen one stays if the type has it.
void TransformerDialog::choose_device() {
  const QStringList precisions = session::project::precisions_of(device_->currentText());
  const QString before = precision_->currentText();
  {
    const QSignalBlocker quiet(precision_);
    precision_->clear();
    precision_->addItems(precisions);
    precision_->setCurrentText(
        precisions.contains(before) ? before : session::project::usual_precision_of(device_->currentText()));
  }
  refresh();
}

void TransformerDialog::refresh() {
  auto made = preview_.make(device_->currentText(), answers(), sizes());
  buttons_->button(QDialogButtonBox::Ok)->setEnabled(made.has_value());
  if (!made) {
    made_.reset();
    formulas_->clear();
    figures_->show_error(made.error());
    return;
  }
  made_ = *std::move(made);
  QTableWidget& layers = figures_->layers();
  const int current = std::max(0, layers.currentRow());
  figures_->show_profile(made_->profile, made_->notes);
  layers.setCurrentCell(std::min(current, layers.rowCount() - 1), 0);
  show_formulas();
}

void TransformerDialog::show_formulas() {
  formulas_->clear();
  const int row = figures_->layers().currentRow();
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

}  // namespace pipedeck::ui::dialogs
