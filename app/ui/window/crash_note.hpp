// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/views/widgets/hint_bar.hpp"

class QSettings;

namespace pipedeck::ui::window {

/// A line that announces a new crash report once, at the next start, and shows its folder. Nothing is sent.
class CrashNote : public views::widgets::HintBar {
  Q_OBJECT

 public:
  /// `state_folder` has the reports; empty: the line stays hidden.
  CrashNote(const QString& state_folder, QSettings& settings, QWidget* parent = nullptr);
};

}  // namespace pipedeck::ui::window
