// SPDX-License-Identifier: GPL-3.0-or-later
// What was understood of described machines, before it becomes a cluster.
#pragma once

#include <QDialog>

#include "app/ui/machine_form.hpp"

namespace pipedeck::app {

class MachineDialog : public QDialog {
  Q_OBJECT

 public:
  explicit MachineDialog(MachinePreview preview, QWidget* parent = nullptr);

  /// What would be added; nothing while it can't be made.
  const std::optional<Cluster>& cluster() const { return form_->cluster(); }

 private:
  MachineForm* form_;
};

}  // namespace pipedeck::app
