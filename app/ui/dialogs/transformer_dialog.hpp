// SPDX-License-Identifier: GPL-3.0-or-later
// Preview of a transformer's configuration, or of an ONNX model, on a device type before it becomes a profile. It shows
// the layers' values, their formulas and all assumptions.
#pragma once

#include <optional>
#include <vector>

#include <QDialog>

#include "app/session/project/transformer_files.hpp"

class QCheckBox;
class QComboBox;
class QDialogButtonBox;
class QFormLayout;
class QLineEdit;
class QListWidget;
class QSpinBox;

namespace pipedeck::ui::dialogs {

class ProfilePreview;

class TransformerDialog : public QDialog {
  Q_OBJECT

 public:
  explicit TransformerDialog(session::project::TransformerPreview preview, QWidget* parent = nullptr);

  /// Returns the profile to add; nothing if it is invalid.
  std::optional<Profile> profile() const;

 private:
  QWidget* make_questions();
  void make_formulas();
  void ask_sizes(QFormLayout* form);
  analytic::graph::DimensionSizes sizes() const;
  AnalyticOptions answers() const;
  void choose_device();
  void refresh();
  void show_formulas();

  session::project::TransformerPreview preview_;
  std::optional<analytic::AnalyticProfile> made_;
  QLineEdit* name_;
  QComboBox *device_, *precision_, *attention_;
  QSpinBox *sequence_, *micro_batch_;
  std::vector<QSpinBox*> sizes_;  ///< left open by a graph
  QCheckBox *dropout_, *sequence_parallel_;
  QListWidget* formulas_;
  ProfilePreview* figures_;
  QDialogButtonBox* buttons_;
};

}  // namespace pipedeck::ui::dialogs
