// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of a transformer's configuration, or of an ONNX model, on a device type: its layers in figures, each
// with the formulas behind it, and all that was assumed, before it becomes a profile.
#pragma once

#include <optional>
#include <vector>

#include <QDialog>

#include "app/session/transformer_files.hpp"

class QCheckBox;
class QComboBox;
class QDialogButtonBox;
class QFormLayout;
class QLineEdit;
class QListWidget;
class QSpinBox;

namespace pipedeck::app {

class ProfilePreview;

class TransformerDialog : public QDialog {
  Q_OBJECT

 public:
  explicit TransformerDialog(TransformerPreview preview, QWidget* parent = nullptr);

  /// What would be added; nothing while it can't be made.
  std::optional<Profile> profile() const;

 private:
  QWidget* make_questions();
  void make_formulas();
  void ask_sizes(QFormLayout* form);
  DimensionSizes sizes() const;
  AnalyticOptions answers() const;
  void choose_device();
  void refresh();
  void show_formulas();

  TransformerPreview preview_;
  std::optional<AnalyticProfile> made_;
  QLineEdit* name_;
  QComboBox *device_, *precision_, *attention_;
  QSpinBox *sequence_, *micro_batch_;
  std::vector<QSpinBox*> sizes_;  ///< that a graph leaves open
  QCheckBox *dropout_, *sequence_parallel_;
  QListWidget* formulas_;
  ProfilePreview* figures_;
  QDialogButtonBox* buttons_;
};

}  // namespace pipedeck::app
