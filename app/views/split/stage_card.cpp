// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/split/stage_card.hpp"

#include <algorithm>
#include <tuple>

#include <QComboBox>
#include <QEvent>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>

#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::views::split {

namespace {

constexpr int largest = 1 << 20;
enum RecomputeChoice { nothing, all, whole, some };

}  // namespace

StageCard::StageCard(QWidget* parent)
    : widgets::WrappingRow(parent),
      tensor_parallel_(new QComboBox),
      recompute_(new QComboBox),
      shares_(new QLineEdit),
      split_(new QToolButton),
      merge_(new QToolButton) {
  setObjectName(QStringLiteral("stage_card"));
  setAccessibleName(tr("Selected stage"));
  setContentsMargins(widgets::ThemeSizes::margin, 0, widgets::ThemeSizes::margin, widgets::ThemeSizes::grid / 2);
  number_ = add_number(tr("Sta&ge"), "stage_box", tr("Stage"), tr("Stage shown in the fields on the right"), 0);
  first_ = add_number(tr("from &layer"), "first_layer_box", tr("First layer of the stage"),
                      tr("First layer of the stage"), 0);
  replicas_ =
      add_number(tr("Rep&licas"), "replicas_box", tr("Replicas of the stage"),
                 tr("Copies of the stage that share each micro-batch. Additional replicas use spare devices"), 1);
  add_named(tr("&Tensor parallel"), tensor_parallel_, "tensor_parallel_box", tr("Tensor-parallel devices per replica"));
  shares_->setPlaceholderText(tr("even"));
  shares_->setToolTip(tr("Samples per replica of a micro-batch, as in 3, 3, 2. Empty: as even as possible"));
  shares_->setMaximumWidth(110);
  add_named(tr("S&hares"), shares_, "shares_edit", tr("Samples of a micro-batch for each replica"));
  add_named(tr("&Recompute"), recompute_, "recompute_box", tr("Layers of the stage that are recomputed"));
  recompute_->setToolTip(tr("Layers that recompute their activations before the backward"));
  add_stretch();
  for (auto [button, text, name, tip] :
       {std::tuple{split_, tr("Split"), "split_stage_button", tr("Split the stage at half of its time")},
        std::tuple{merge_, tr("Merge"), "merge_stage_button", tr("Merge this stage and the next into one")}}) {
    button->setText(text);
    button->setObjectName(QLatin1String(name));
    button->setToolTip(tip);
    button->setFocusPolicy(Qt::StrongFocus);
    add(button);
  }
  connect(number_, &QSpinBox::valueChanged, this, &StageCard::stage_chosen);
  connect(first_, &QSpinBox::valueChanged, this, [this](int layer) { emit edited(plan::MoveBoundary{stage_, layer}); });
  connect(replicas_, &QSpinBox::valueChanged, this, [this](int count) {
    emit edited(plan::SetReplicas{stage_, count});
  });
  connect(tensor_parallel_, &QComboBox::activated, this, [this] {
    emit edited(plan::SetTensorParallel{stage_, tensor_parallel_->currentData().toInt()});
  });
  connect(recompute_, &QComboBox::activated, this, [this] {
    const int choice = recompute_->currentData().toInt();
    const RecomputeUnit each = choice == whole ? RecomputeUnit::stage : RecomputeUnit::block;
    if (choice != some) emit edited(plan::SetStageRecompute{stage_, {choice != nothing, {}, each}});
  });
  connect(shares_, &QLineEdit::editingFinished, this, &StageCard::take_shares);
  connect(split_, &QToolButton::clicked, this, &StageCard::split_in_the_middle);
  connect(merge_, &QToolButton::clicked, this, [this] { emit edited(plan::MergeStages{stage_}); });
  update_colours();
  clear();
}

void StageCard::add_named(const QString& label, QWidget* field, const char* name, const QString& spoken) {
  field->setObjectName(QLatin1String(name));
  field->setAccessibleName(spoken);
  add_field(label, field);
}

QSpinBox* StageCard::add_number(const QString& label, const char* name, const QString& spoken, const QString& tip,
                                int least) {
  auto* box = new QSpinBox;
  box->setRange(least, largest);
  box->setKeyboardTracking(false);
  box->setToolTip(tip);
  box->setMaximumWidth(72);
  add_named(label, box, name, spoken);
  return box;
}

void StageCard::set_plan(std::shared_ptr<const Profile> profile, std::shared_ptr<const Cluster> cluster,
                         const Plan& plan) {
  profile_ = std::move(profile);
  cluster_ = std::move(cluster);
  plan_ = plan;
  setEnabled(true);
  set_stage(stage_);
}

void StageCard::clear() {
  plan_ = {};
  profile_.reset();
  setEnabled(false);
}

void StageCard::set_stage(int stage) {
  if (plan_.stages.empty()) return;
  stage_ = std::clamp(stage, 0, static_cast<int>(plan_.stages.size()) - 1);
  show_values();
}

void StageCard::show_values() {
  if (plan_.stages.empty()) return;
  const QSignalBlocker quiet_number(number_), quiet_first(first_), quiet_replicas(replicas_), quiet_shares(shares_);
  number_->setMaximum(static_cast<int>(plan_.stages.size()) - 1);
  number_->setValue(stage_);
  first_->setValue(stage().first);
  first_->setEnabled(stage_ > 0);
  replicas_->setValue(stage().replicas());
  QStringList shares;
  for (int share : stage().samples_per_replica.value_or(std::vector<int>())) shares << QString::number(share);
  shares_->setText(shares.join(QStringLiteral(", ")));
  shares_->setModified(false);
  shares_->setEnabled(plan_.synchronous() && stage().replicas() > 1);
  merge_->setEnabled(stage_ + 1 < static_cast<int>(plan_.stages.size()));
  split_->setEnabled(stage().last - stage().first > 1);
  show_tensor_parallel();
  show_recompute();
}

void StageCard::show_tensor_parallel() {
  const std::vector<int> degrees = plan::tensor_parallel_degrees(plan_, *profile_, stage_);
  tensor_parallel_->clear();
  for (int degree : degrees) tensor_parallel_->addItem(QString::number(degree), degree);
  tensor_parallel_->setCurrentIndex(tensor_parallel_->findData(stage().tensor_parallel));
  tensor_parallel_->setEnabled(degrees.size() > 1);
  tensor_parallel_->setToolTip(degrees.size() > 1 ? tr("Tensor-parallel devices per replica")
                                                  : tr("The profile has no tensor-parallel times for the layers of "
                                                       "this stage. Import or measure such a profile"));
}

void StageCard::show_recompute() {
  const Recompute& recompute = stage().recompute;
  recompute_->clear();
  recompute_->addItem(tr("nothing"), nothing);
  recompute_->addItem(tr("all layers"), all);
  recompute_->setItemData(1, tr("Keeps the input of every block and recomputes one block at a time"), Qt::ToolTipRole);
  recompute_->addItem(tr("the stage at once"), whole);
  recompute_->setItemData(2, tr("Keeps the stage's input alone and recomputes all of it before the backward"),
                          Qt::ToolTipRole);
  if (!recompute.layers.empty())
    recompute_->addItem(tr("%1 of %2 layers").arg(recompute.layers.size()).arg(stage().last - stage().first), some);
  const int every = recompute.each == RecomputeUnit::stage ? whole : all;
  recompute_->setCurrentIndex(recompute_->findData(recompute.all ? every : recompute.layers.empty() ? nothing : some));
}

void StageCard::take_shares() {
  if (!shares_->isModified()) return;
  plan::SetReplicaSamples shares{stage_, {}};
  const QString text = shares_->text().trimmed();
  for (const QString& part : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
    bool number = false;
    // Text that is not a number becomes a share of 0 samples, which is rejected.
    shares.samples.push_back(part.trimmed().toInt(&number));
  }
  if (text == shares_->placeholderText()) shares.samples.clear();
  shares_->setModified(false);
  emit edited(shares);
}

void StageCard::split_in_the_middle() {
  const std::vector<LayerId> order = order_of(plan_, *profile_);
  const auto time = [&](int position) {
    const Layer& layer = profile_->layers[order[static_cast<std::size_t>(position)].index()];
    return layer.forward.count + layer.backward.count;
  };
  double left = 0, right = 0;
  for (int p = stage().first; p < stage().last; ++p) right += time(p);
  int cut = stage().first;
  do {
    left += time(cut), right -= time(cut);
    ++cut;
  } while (cut + 1 < stage().last && left + time(cut) <= right);
  emit edited(plan::SplitStage{stage_, cut});
}

void StageCard::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) update_colours();
  widgets::WrappingRow::changeEvent(event);
}

void StageCard::update_colours() { widgets::set_ground(*this, widgets::Theme::of(palette()).window); }

}  // namespace pipedeck::views::split
