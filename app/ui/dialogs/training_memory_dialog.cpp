// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/dialogs/training_memory_dialog.hpp"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include "app/models/format.hpp"
#include "app/text/in_qt.hpp"
#include "app/views/widgets/quantity_edit.hpp"
#include "app/views/widgets/theme.hpp"
#include "core/base/limits.hpp"

namespace pipedeck::ui::dialogs {

namespace {

constexpr int example_replicas = 8;
constexpr double max_lost = 0.9;           // the limit of --fragmentation
constexpr int max_adapter_rank = 1 << 16;  // the limit of --adapter-rank

template <class Value>
void add_choice(QComboBox& box, const QString& text, Value value, const QString& help) {
  box.addItem(text, QVariant::fromValue(static_cast<int>(value)));
  box.setItemData(box.count() - 1, help, Qt::ToolTipRole);
}

template <class Value>
Value chosen(const QComboBox& box) {
  return static_cast<Value>(box.currentData().toInt());
}

}  // namespace

TrainingMemoryDialog::TrainingMemoryDialog(const session::project::TrainingState& now,
                                           std::shared_ptr<const Profile> profile, QWidget* parent)
    : QDialog(parent),
      profile_(std::move(profile)),
      optimizer_(new QComboBox),
      precision_(new QComboBox),
      zero_(new QComboBox),
      adapter_rank_(new QSpinBox),
      adapter_targets_(new QComboBox),
      frozen_(new QComboBox),
      fragmentation_(new QDoubleSpinBox),
      usual_(now.usual),
      sum_(new QLabel) {
  setObjectName(QStringLiteral("training_dialog"));
  setWindowTitle(tr("Memory per parameter (optimizer, precision, ZeRO, adapters)"));
  auto* column = new QVBoxLayout(this);
  auto* form = new QFormLayout;
  form->setVerticalSpacing(views::widgets::ThemeSizes::grid);
  add_choices(*form, now);
  add_adapters(*form, now.adapters);
  add_reserve_fields(*form, now);
  column->addLayout(form);
  sum_->setObjectName(QStringLiteral("training_sum"));
  sum_->setWordWrap(true);
  sum_->setMinimumHeight(3 * fontMetrics().lineSpacing());
  column->addWidget(sum_, 1);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  column->addWidget(buttons);
  resize(520, sizeHint().height());
  show_sum();
}

void TrainingMemoryDialog::add_choices(QFormLayout& form, const session::project::TrainingState& now) {
  const QString moments = tr("Two moments of each parameter"), one = tr("One moment of each parameter");
  add_choice(*optimizer_, QStringLiteral("Adam"), Optimizer::adam, moments);
  add_choice(*optimizer_, tr("SGD with momentum"), Optimizer::momentum, one);
  add_choice(*optimizer_, QStringLiteral("RMSProp"), Optimizer::rmsprop, one);
  add_choice(*optimizer_, QStringLiteral("SGD"), Optimizer::sgd, tr("Nothing of its own"));
  add_choice(*optimizer_, tr("None: no step, no state"), Optimizer::none, tr("Nothing of its own"));
  add_choice(*precision_, tr("fp32 (16 bytes per parameter with Adam)"), Precision::fp32,
             tr("Weights, gradients and moments in 32 bits"));
  add_choice(*precision_, tr("mixed, 16 bytes per parameter with Adam"), Precision::mixed_16,
             tr("Weights and gradients in 16 bits, master weights and moments in 32"));
  add_choice(*precision_, tr("mixed, 18 bytes: gradients in 32 bits"), Precision::mixed_18,
             tr("Like 16 bytes, with gradients in 32 bits"));
  add_choice(*precision_, tr("mixed, 20 bytes: gradients in 16 and 32 bits"), Precision::mixed_20,
             tr("Like 18 bytes, with a second copy of the gradients in 16 bits"));
  add_choice(*zero_, tr("0: no sharding"), 0, tr("Every replica keeps everything"));
  add_choice(*zero_, tr("1: the optimizer's state"), 1, tr("Sharded over the replicas of a stage"));
  add_choice(*zero_, tr("2: and the gradients"), 2, tr("Sharded over the replicas of a stage"));
  add_choice(*zero_, tr("3: and the weights"), 3, tr("Sharded over the replicas of a stage"));
  add_box(form, tr("&Optimizer"), optimizer_, "training_optimizer", static_cast<int>(now.optimizer));
  add_box(form, tr("&Precision"), precision_, "training_precision", static_cast<int>(now.precision));
  add_box(form, tr("&ZeRO stage"), zero_, "training_zero", now.zero);
}

void TrainingMemoryDialog::add_box(QFormLayout& form, const QString& caption, QComboBox* box, const char* name,
                                   int value) {
  box->setObjectName(QLatin1String(name));
  box->setCurrentIndex(box->findData(value));
  form.addRow(caption, box);
  connect(box, &QComboBox::currentIndexChanged, this, &TrainingMemoryDialog::show_sum);
}

void TrainingMemoryDialog::add_adapters(QFormLayout& form, const Adapters& now) {
  adapter_rank_->setObjectName(QStringLiteral("training_adapter_rank"));
  adapter_rank_->setRange(0, max_adapter_rank);
  adapter_rank_->setValue(now.rank);
  adapter_rank_->setSpecialValueText(tr("none: all weights are trained"));
  adapter_rank_->setToolTip(
      tr("Rank of low-rank adapters (LoRA), trained next to frozen weights. Planners of meshes answer for them"));
  form.addRow(tr("&Adapter rank"), adapter_rank_);
  add_choice(*adapter_targets_, tr("Queries and values"), AdapterTargets::query_value, tr("As in LoRA's paper"));
  add_choice(*adapter_targets_, tr("Attention"), AdapterTargets::attention, tr("Queries, keys, values and output"));
  add_choice(*adapter_targets_, tr("All products of blocks"), AdapterTargets::linear,
             tr("Attention, feed-forwards and experts"));
  add_choice(*frozen_, tr("as trained ones"), FrozenWeights::same, tr("In the format of the precision"));
  add_choice(*frozen_, tr("int8"), FrozenWeights::int8, tr("One byte a weight"));
  add_choice(*frozen_, tr("NF4"), FrozenWeights::nf4, tr("4.127 bits a weight, as in QLoRA's paper"));
  add_box(form, tr("Adapter &targets"), adapter_targets_, "training_adapter_targets", static_cast<int>(now.targets));
  add_box(form, tr("Fro&zen weights"), frozen_, "training_frozen", static_cast<int>(now.frozen));
  connect(adapter_rank_, &QSpinBox::valueChanged, this, &TrainingMemoryDialog::show_adapters);
  show_adapters();
}

void TrainingMemoryDialog::show_adapters() {
  const bool any = adapter_rank_->value() > 0;
  adapter_targets_->setEnabled(any);
  frozen_->setEnabled(any);
  show_sum();
}

Adapters TrainingMemoryDialog::adapters() const {
  if (adapter_rank_->value() == 0) return {};
  return {adapter_rank_->value(), chosen<AdapterTargets>(*adapter_targets_), chosen<FrozenWeights>(*frozen_)};
}

void TrainingMemoryDialog::add_reserve_fields(QFormLayout& form, const session::project::TrainingState& now) {
  reserve_ = add_bytes(form, tr("Rese&rved"), "training_reserve",
                       tr("Per device: CUDA context, driver and other programs"), now.reserve);
  communication_ = add_bytes(form, tr("&NCCL buffers"), "training_communication",
                             tr("Buffers per communicator, on each of its devices"), now.communication);
  fragmentation_->setObjectName(QStringLiteral("training_fragmentation"));
  fragmentation_->setRange(0, 100 * max_lost);
  fragmentation_->setDecimals(1);
  fragmentation_->setSuffix(tr(" %"));
  fragmentation_->setValue(100 * now.fragmentation);
  fragmentation_->setToolTip(
      tr("Share of a device's memory lost to fragmentation. It counts only in the upper estimate"));
  form.addRow(tr("&Fragmentation"), fragmentation_);
  if (usual_.source.empty()) return;
  auto* defaults =
      new QPushButton(tr("&Defaults: %1, %2 per communicator, %3")
                          .arg(models::format_bytes(usual_.reserve), models::format_bytes(usual_.communication),
                               models::format_percent(usual_.fragmentation)));
  defaults->setObjectName(QStringLiteral("training_defaults"));
  defaults->setToolTip(text::to_qstring(usual_.source));
  form.addRow({}, defaults);
  connect(defaults, &QPushButton::clicked, this, &TrainingMemoryDialog::use_defaults);
}

void TrainingMemoryDialog::use_defaults() {
  reserve_->set_value(static_cast<double>(usual_.reserve.count));
  communication_->set_value(static_cast<double>(usual_.communication.count));
  fragmentation_->setValue(100 * usual_.fragmentation);
}

views::widgets::QuantityEdit* TrainingMemoryDialog::add_bytes(QFormLayout& form, const QString& caption,
                                                              const char* name, const QString& help, Bytes value) {
  auto* edit = new views::widgets::QuantityEdit(QuantityKind::bytes, QStringLiteral("GiB"));
  edit->setObjectName(QLatin1String(name));
  edit->set_range(0, static_cast<double>(limits::bytes));
  edit->set_value(static_cast<double>(value.count));
  edit->setToolTip(help);
  form.addRow(caption, edit);
  return edit;
}

session::project::TrainingState TrainingMemoryDialog::training_state() const {
  const auto bytes = [](const views::widgets::QuantityEdit* edit) {
    return Bytes(static_cast<std::int64_t>(edit->value().value_or(0)));
  };
  return {chosen<Optimizer>(*optimizer_),
          chosen<Precision>(*precision_),
          chosen<int>(*zero_),
          adapters(),
          bytes(reserve_),
          bytes(communication_),
          fragmentation_->value() / 100,
          usual_};
}

void TrainingMemoryDialog::show_sum() {
  if (!profile_ || !reserve_) return sum_->clear();
  const session::project::TrainingState training = training_state();
  if (training.adapters.rank > 0) {
    const Bytes frozen = session::project::frozen_weight_bytes(*profile_, training);
    return sum_->setText(tr("Frozen weights of the whole model: at least %1. The states of the adapters come on top.")
                             .arg(models::format_bytes(frozen)));
  }
  const MemoryBreakdown whole = session::project::model_state_bytes(*profile_, training);
  QString text =
      tr("Whole model on one device: %1 (weights %2, gradients %3, optimizer %4).")
          .arg(models::format_bytes(whole.total()), models::format_bytes(whole[MemoryItem::weights]),
               models::format_bytes(whole[MemoryItem::gradients]), models::format_bytes(whole[MemoryItem::optimizer]));
  if (training.zero > 0)
    text +=
        QLatin1Char(' ') + tr("On each of %1 replicas: %2.")
                               .arg(example_replicas)
                               .arg(models::format_bytes(
                                   session::project::model_state_bytes(*profile_, training, example_replicas).total()));
  sum_->setText(text);
}

}  // namespace pipedeck::ui::dialogs
