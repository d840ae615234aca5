// SPDX-License-Identifier: GPL-3.0-or-later
// Plan > Training memory: optimizer, precision, ZeRO stage, and device memory that does not belong to the model.
#pragma once

#include <memory>

#include <QDialog>

#include "app/session/project/training_state.hpp"

class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;

namespace pipedeck::views::widgets {
class QuantityEdit;
}  // namespace pipedeck::views::widgets

namespace pipedeck::ui::dialogs {

class TrainingMemoryDialog : public QDialog {
  Q_OBJECT

 public:
  /// Computes the totals from the profile, which is null while none is chosen.
  TrainingMemoryDialog(const session::project::TrainingState& now, std::shared_ptr<const Profile> profile,
                       QWidget* parent = nullptr);

  session::project::TrainingState training_state() const;

 private:
  void add_choices(QFormLayout& form, const session::project::TrainingState& now);
  /// Adds a row for a box of choices, which shows `value`.
  void add_box(QFormLayout& form, const QString& caption, QComboBox* box, const char* name, int value);
  void add_adapters(QFormLayout& form, const Adapters& now);
  void show_adapters();
  void add_reserve_fields(QFormLayout& form, const session::project::TrainingState& now);
  views::widgets::QuantityEdit* add_bytes(QFormLayout& form, const QString& caption, const char* name,
                                          const QString& help, Bytes value);
  Adapters adapters() const;
  void show_sum();
  void use_defaults();

  std::shared_ptr<const Profile> profile_;
  QComboBox* optimizer_;
  QComboBox* precision_;
  QComboBox* zero_;
  QSpinBox* adapter_rank_;
  QComboBox* adapter_targets_;
  QComboBox* frozen_;
  views::widgets::QuantityEdit* reserve_ = nullptr;
  views::widgets::QuantityEdit* communication_ = nullptr;
  QDoubleSpinBox* fragmentation_;
  MemoryDefaults usual_;
  QLabel* sum_;
};

}  // namespace pipedeck::ui::dialogs
