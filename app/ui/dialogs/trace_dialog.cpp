// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/dialogs/trace_dialog.hpp"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include "app/session/cluster/machine_files.hpp"
#include "app/ui/dialogs/profile_preview.hpp"
#include "app/ui/layout/dialog_size.hpp"

namespace pipedeck::ui::dialogs {

namespace {

constexpr int max_traced_samples = 1 << 20;
constexpr int found_depth = -1;  ///< layers are detected, not chosen by depth

}  // namespace

TraceDialog::TraceDialog(session::profile::TracePreview preview, QWidget* parent)
    : QDialog(parent),
      preview_(std::move(preview)),
      name_(new QLineEdit),
      device_(new QComboBox),
      depth_(new QSpinBox),
      micro_batch_(new QSpinBox),
      figures_(new ProfilePreview(QStringLiteral("trace"))),
      buttons_(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel)) {
  setObjectName(QStringLiteral("trace_dialog"));
  setWindowTitle(tr("Modules in the trace %1").arg(QFileInfo(preview_.file).fileName()));
  buttons_->button(QDialogButtonBox::Ok)->setText(tr("Use as a &profile"));
  auto* timeline = buttons_->addButton(tr("Draw as a measured &timeline"), QDialogButtonBox::ActionRole);
  timeline->setObjectName(QStringLiteral("trace_timeline"));
  timeline->setToolTip(tr("Shown over the prediction of the selected plan, if both use the same devices"));
  connect(timeline, &QPushButton::clicked, this, [this] {
    timeline_ = true;
    accept();
  });
  connect(buttons_, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* column = new QVBoxLayout(this);
  column->addWidget(make_questions());
  column->addWidget(figures_, 1);
  column->addWidget(buttons_);
  layout::resize_within_window(*this, {980, 760});
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
  device_->addItems(session::cluster::device_type_list());
  if (device_->findText(device) < 0) device_->insertItem(0, device);
  device_->setCurrentText(device);
  depth_->setObjectName(QStringLiteral("trace_depth"));
  depth_->setRange(found_depth, preview_.found.deepest);
  depth_->setSpecialValueText(tr("Repeated blocks, found automatically"));
  depth_->setPrefix(tr("Modules at depth "));
  depth_->setValue(found_depth);
  depth_->setToolTip(tr("0: the outermost modules. Modules without inner modules are layers at any depth"));
  micro_batch_->setObjectName(QStringLiteral("trace_micro_batch"));
  micro_batch_->setRange(1, max_traced_samples);
  micro_batch_->setValue(profile.micro_batch);
  micro_batch_->setToolTip(tr("Samples per forward and backward pass of the trace"));
  form->addRow(tr("&Name"), name_);
  form->addRow(tr("&Device type"), device_);
  form->addRow(tr("&Layers"), depth_);
  form->addRow(tr("&Micro-batch"), micro_batch_);
  connect(device_, &QComboBox::currentIndexChanged, this, &TraceDialog::refresh);
  for (QSpinBox* box : {depth_, micro_batch_}) connect(box, &QSpinBox::valueChanged, this, &TraceDialog::refresh);
  return fields;
}

void TraceDialog::refresh() {
  analytic::recorded::Options options;
  if (depth_->value() != found_depth) options.depth = depth_->value();
  if (micro_batch_->value() != preview_.found.profile.micro_batch) options.micro_batch = micro_batch_->value();
  if (device_->currentText().toStdString() != preview_.found.profile.device)
    options.device = device_->currentText().toStdString();
  auto made = preview_.make(options);
  buttons_->button(QDialogButtonBox::Ok)->setEnabled(made.has_value());
  if (!made) {
    made_.reset();
    figures_->show_error(made.error());
    return;
  }
  made_ = *std::move(made);
  figures_->show_profile(made_->profile, made_->notes);
}

std::optional<session::profile::TraceAnswer> TraceDialog::answer() const {
  if (timeline_) return session::profile::TraceAnswer{};
  if (!made_) return std::nullopt;
  session::profile::TraceAnswer answer{made_->profile};
  if (const QString name = name_->text().trimmed(); !name.isEmpty()) answer.profile->name = name.toStdString();
  return answer;
}

}  // namespace pipedeck::ui::dialogs
