// SPDX-License-Identifier: GPL-3.0-or-later
// Preview of a trace's modules as a profile: its layers with their values, and all assumptions. The user imports it as
// a profile or as a measured timeline.
#pragma once

#include <optional>

#include <QDialog>

#include "app/session/trace_files.hpp"

class QComboBox;
class QDialogButtonBox;
class QLineEdit;
class QSpinBox;

namespace pipedeck::app {

class ProfilePreview;

class TraceDialog : public QDialog {
  Q_OBJECT

 public:
  explicit TraceDialog(TracePreview preview, QWidget* parent = nullptr);

  /// Returns the answer of the fields; nothing if no profile can be built. If the timeline was chosen, returns that.
  std::optional<TraceAnswer> answer() const;

 private:
  QWidget* make_questions();
  void refresh();

  TracePreview preview_;
  std::optional<RecordedProfile> made_;
  bool timeline_ = false;
  QLineEdit* name_;
  QComboBox* device_;
  QSpinBox *depth_, *micro_batch_;
  ProfilePreview* figures_;
  QDialogButtonBox* buttons_;
};

}  // namespace pipedeck::app
