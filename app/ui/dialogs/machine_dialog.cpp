// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/dialogs/machine_dialog.hpp"
#include "app/ui/layout/dialog_size.hpp"

#include <QDialogButtonBox>
#include <QPushButton>
#include <QVBoxLayout>

namespace pipedeck::ui::dialogs {

MachineDialog::MachineDialog(session::cluster::MachinePreview preview, QWidget* parent) : QDialog(parent) {
  setObjectName(QStringLiteral("machine_dialog"));
  setWindowTitle(preview.title);
  form_ = new MachineForm(std::move(preview));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
  QPushButton* add = buttons->button(QDialogButtonBox::Ok);
  add->setText(tr("&Add cluster"));
  const auto follow = [this, add] { add->setEnabled(cluster().has_value()); };
  connect(form_, &MachineForm::changed, this, follow);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* column = new QVBoxLayout(this);
  column->addWidget(form_, 1);
  column->addWidget(buttons);
  layout::resize_within_window(*this, {860, 860});
  follow();
}

}  // namespace pipedeck::ui::dialogs
