// SPDX-License-Identifier: GPL-3.0-or-later
// Preview of a trace's modules as a profile: its layers with their values, and all assumptions. The user imports it as
// a profile or as a measured timeline.
#pragma once

#include <optional>

#include <QDialog>

#include "app/session/profile/trace_files.hpp"

class QComboBox;
class QDialogButtonBox;
class QLineEdit;
class QSpinBox;

namespace pipedeck::ui::dialogs {

class ProfilePreview;

class TraceDialog : public QDialog {
  Q_OBJECT

 public:
  explicit TraceDialog(session::profile::TracePreview preview, QWidget* parent = nullptr);

  /// Returns the answer of the fields; nothing if no profile can be built. If the timeline was chosen, returns that.
  std::optional<session::profile::TraceAnswer> answer() const;

 private:
  QWidget* make_questions();
  void refresh();

  session::profile::TracePreview preview_;
  std::optional<analytic::recorded::RecordedProfile> made_;
  bool timeline_ = false;
  QLineEdit* name_;
  QComboBox* device_;
  QSpinBox *depth_, *micro_batch_;
  ProfilePreview* figures_;
  QDialogButtonBox* buttons_;
};

}  // namespace pipedeck::ui::dialogs
