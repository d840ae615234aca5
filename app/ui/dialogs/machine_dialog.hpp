// SPDX-License-Identifier: GPL-3.0-or-later
// Preview of described machines before they become a cluster.
#pragma once

#include <QDialog>

#include "app/ui/dialogs/machine_form.hpp"

namespace pipedeck::ui::dialogs {

class MachineDialog : public QDialog {
  Q_OBJECT

 public:
  explicit MachineDialog(session::cluster::MachinePreview preview, QWidget* parent = nullptr);

  /// Returns the cluster to add; nothing if it is invalid.
  const std::optional<Cluster>& cluster() const { return form_->cluster(); }

 private:
  MachineForm* form_;
};

}  // namespace pipedeck::ui::dialogs
