// SPDX-License-Identifier: GPL-3.0-or-later
// The user's choices as a file: {"format": "pipedeck-settings", "version": 1, "settings": {"window/zoom": 120}}. The
// file has no names of files, no recent projects and no places of windows. They stay on their machine.
#pragma once

#include <span>

#include <QByteArray>
#include <QString>

#include "core/base/result.hpp"

class QSettings;

namespace pipedeck::ui::layout {

/// A choice that the file may have.
struct Setting {
  enum class Kind { on_off, whole, number, appearance };
  const char* key;
  Kind kind;
  double least = 0, most = 0;    ///< of a number
  const char* action = nullptr;  ///< object name of the window's checkable action; null: no such action has it
  bool first = false;            ///< the default of such an action
};
std::span<const Setting> portable_settings();

/// Returns the file's text with the choices that differ from the program's defaults or were made once.
QByteArray settings_text(const QSettings& settings);
Result<void> write_settings_file(const QSettings& settings, const QString& file);

/// Replaces the user's choices by those of a file: a choice that the file lacks returns to its default. Other settings
/// stay. bad_input with a line or a JSON pointer for a file that is no such file, an unknown key and a value out of
/// range; then nothing has changed. The file has at most 1 MiB.
Result<void> read_settings_file(QSettings& settings, const QString& file);

/// The key of the crash report that was announced last.
inline constexpr const char* announced_crash_key = "crashes/announced";

/// Forgets all settings, also recent projects and places of windows, but for the crash report that was announced.
void reset_settings(QSettings& settings);

}  // namespace pipedeck::ui::layout
