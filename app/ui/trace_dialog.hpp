// SPDX-License-Identifier: GPL-3.0-or-later
// What the modules of a trace would be as a profile: its layers in figures and all that was assumed. It becomes one, or
// a measured timeline.
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

  /// As the fields stand; nothing where no profile can be made. Once the timeline was chosen: that.
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
