// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/run/launch_devices.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QFormLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/views/run/wrapped_label.hpp"
#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::views::run {

LaunchDevices::LaunchDevices(QFormLayout* form, QWidget* parent)
    : QWidget(parent),
      on_(new QComboBox),
      precision_(new QComboBox),
      share_(new QCheckBox(tr("share GPUs if need be"))),
      gpus_(new WrappedLabel),
      offers_(new QWidget(this)) {
  hide();  // invisible owner of the fields, which are placed in the form
  on_->setObjectName(QStringLiteral("run_backend"));
  on_->addItems({tr("processor, a thread per device"), tr("GPUs, one per device")});
  on_->setToolTip(tr("Devices of this machine that run the plan"));
  precision_->setObjectName(QStringLiteral("run_precision"));
  for (const char* name : {"fp32", "tf32", "bf16"}) precision_->addItem(QLatin1String(name));
  precision_->setToolTip(tr("Precision of the factors of matrix products. Weights, gradients and sums stay fp32"));
  share_->setObjectName(QStringLiteral("run_share_gpus"));
  share_->setToolTip(tr("For fewer GPUs than the plan has devices. Times then differ from the plan's"));
  gpus_->setObjectName(QStringLiteral("run_gpus_here"));
  gpus_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  for (const auto& [text, box] : {std::pair(tr("O&n"), on_), std::pair(tr("Prec&ision"), precision_)}) {
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(8);
    names_ << new QLabel(text);
    names_.back()->setBuddy(box);
    form->addRow(names_.back(), box);
    connect(box, &QComboBox::currentIndexChanged, this, &LaunchDevices::take_choice);
  }
  form->addRow(QString(), share_);
  form->addRow(gpus_);
  connect(share_, &QCheckBox::toggled, this, &LaunchDevices::take_choice);
  make_offers();
  show_rows();
  apply_theme();
}

void LaunchDevices::make_offers() {
  auto* column = new QVBoxLayout(offers_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(widgets::ThemeSizes::grid / 2);
  const std::array<std::pair<const char*, QString>, launch_offer_count> offers{
      {{"run_offer_sharing", tr("Let devices share a GPU")},
       {"run_offer_fewer", {}},
       {"run_offer_gpus", tr("Train on GPUs")},
       {"run_offer_processor", tr("Train on the processor")}}};
  for (std::size_t i = 0; i < offers.size(); ++i) {
    QToolButton* button = buttons_[i] = new QToolButton;
    button->setObjectName(QLatin1String(offers[i].first));
    button->setText(offers[i].second);
    button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    column->addWidget(button);
    connect(button, &QToolButton::clicked, this, [this, i] { emit taken(static_cast<LaunchFallback>(i)); });
  }
  set_offers({});
}

void LaunchDevices::set_backend(const RunBackend& backend) {
  if (backend == backend_) return;
  backend_ = backend;
  const QSignalBlocker quiet[] = {QSignalBlocker(on_), QSignalBlocker(precision_), QSignalBlocker(share_)};
  on_->setCurrentIndex(backend.gpus ? 1 : 0);
  precision_->setCurrentIndex(static_cast<int>(backend.precision));
  share_->setChecked(backend.share_gpus);
  show_rows();
}

void LaunchDevices::take_choice() {
  backend_ = {on_->currentIndex() == 1, static_cast<ProductPrecision>(precision_->currentIndex()), share_->isChecked()};
  show_rows();
  emit chosen(backend_);
}

void LaunchDevices::set_gpus(const QString& words, bool usable) {
  gpus_->setText(words);
  usable_ = usable;
  show_rows();
}

void LaunchDevices::set_offers(const QList<LaunchFallback>& offers, const QString& fewer) {
  buttons_[static_cast<std::size_t>(LaunchFallback::fewer_devices)]->setText(fewer);
  for (std::size_t i = 0; i < buttons_.size(); ++i)
    buttons_[i]->setVisible(offers.contains(static_cast<LaunchFallback>(i)));
  offers_->setVisible(!offers.isEmpty());
}

void LaunchDevices::set_editable(bool on) {
  for (QWidget* field :
       {static_cast<QWidget*>(on_), static_cast<QWidget*>(precision_), static_cast<QWidget*>(share_), offers_})
    field->setEnabled(on);
}

/// Shows the rows of the backend. If GPUs are chosen and unavailable, the launch check reports it.
void LaunchDevices::show_rows() {
  for (QWidget* field :
       {static_cast<QWidget*>(names_.back()), static_cast<QWidget*>(precision_), static_cast<QWidget*>(share_)})
    field->setVisible(backend_.gpus);
  gpus_->setVisible(!gpus_->text().isEmpty() && (usable_ || !backend_.gpus));
}

void LaunchDevices::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) apply_theme();
  QWidget::changeEvent(event);
}

void LaunchDevices::apply_theme() { widgets::set_text_colour(*gpus_, widgets::Theme::of(palette()).muted); }

}  // namespace pipedeck::views::run
