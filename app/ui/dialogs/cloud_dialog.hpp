// SPDX-License-Identifier: GPL-3.0-or-later
// Machines that clouds rent out: a searchable table on the left, a preview of the chosen machine on the right.
#pragma once

#include <vector>

#include <QDialog>

#include "app/session/cluster/cloud_instances.hpp"
#include "app/ui/dialogs/machine_form.hpp"

class QLineEdit;
class QTableWidget;

namespace pipedeck::ui::dialogs {

class CloudDialog : public QDialog {
  Q_OBJECT

 public:
  explicit CloudDialog(QWidget* parent = nullptr);

  /// Returns the cluster to add; nothing while no machine is chosen.
  std::optional<Cluster> cluster() const;
  /// Returns the name in the chosen row; empty if none is chosen.
  QString chosen() const;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* make_offers();
  void fill();
  void search();
  void choose();
  void step(int rows);

  std::vector<session::cluster::CloudInstance> offers_;
  QLineEdit* search_;
  QTableWidget* table_;
  MachineForm* form_;
};

}  // namespace pipedeck::ui::dialogs
