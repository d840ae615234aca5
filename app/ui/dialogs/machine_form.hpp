// SPDX-License-Identifier: GPL-3.0-or-later
// A drawing of recognised machines with all assumptions, and fields for the values that their description lacks.
#pragma once

#include <optional>

#include <QWidget>

#include "app/models/background_task.hpp"
#include "app/session/cluster/machine_files.hpp"

class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QListWidget;
class QSpinBox;

namespace pipedeck::views::topology {
class View;
}  // namespace pipedeck::views::topology

namespace pipedeck::views::widgets {
class QuantityEdit;
}  // namespace pipedeck::views::widgets

namespace pipedeck::ui::dialogs {

class MachineForm : public QWidget {
  Q_OBJECT

 public:
  explicit MachineForm(session::cluster::MachinePreview preview, QWidget* parent = nullptr);

  /// Returns the cluster to add; nothing if it is invalid.
  const std::optional<Cluster>& cluster() const { return cluster_; }
  /// Shows another machine, whose description lacks the same values.
  void set_machine(session::cluster::MachinePreview preview);

 signals:
  void changed();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QWidget* make_questions();
  void add_types(QFormLayout& form);
  void add_table_questions(QFormLayout& form);
  void add_counts(QFormLayout& form);
  void add_network(QFormLayout& form);
  views::widgets::QuantityEdit* add_rate(QFormLayout& form, const QString& caption, const char* name,
                                         const QString& unsaid);
  void add_shape(QFormLayout& form);
  presets::MachineImport answers() const;
  void refresh();
  void limit_copies(int devices);
  void draw();
  void colour_summary();

  session::cluster::MachinePreview preview_;
  std::optional<Cluster> cluster_;
  QLineEdit* name_ = nullptr;
  QComboBox* device_ = nullptr;
  QSpinBox* copies_ = nullptr;
  views::widgets::QuantityEdit *network_ = nullptr, *uplink_ = nullptr;
  QComboBox *shape_ = nullptr, *partition_ = nullptr, *unit_ = nullptr;
  QLabel* summary_ = nullptr;
  views::topology::View* drawing_ = nullptr;
  QListWidget* notes_ = nullptr;
  models::BackgroundTask bandwidths_;
};

}  // namespace pipedeck::ui::dialogs
