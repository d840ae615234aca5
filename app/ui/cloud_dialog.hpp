// SPDX-License-Identifier: GPL-3.0-or-later
// Machines that clouds rent out: a table to search on the left, what becomes of the chosen one on the right.
#pragma once

#include <vector>

#include <QDialog>

#include "app/session/cloud_offers.hpp"
#include "app/ui/machine_form.hpp"

class QLineEdit;
class QTableWidget;

namespace pipedeck::app {

class CloudDialog : public QDialog {
  Q_OBJECT

 public:
  explicit CloudDialog(QWidget* parent = nullptr);

  /// What would be added; nothing while no machine is chosen.
  std::optional<Cluster> cluster() const;
  /// Of the row that is chosen; empty: none is.
  QString chosen() const;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* make_offers();
  void fill();
  void search();
  void choose();
  void step(int rows);

  std::vector<CloudOffer> offers_;
  QLineEdit* search_;
  QTableWidget* table_;
  MachineForm* form_;
};

}  // namespace pipedeck::app
