// SPDX-License-Identifier: GPL-3.0-or-later
// Parser of the command line of `pipedeck`.
#pragma once

#include <optional>
#include <vector>

#include <QString>
#include <QStringList>

namespace pipedeck::ui::window {

struct Screenshot {
  QString view;  ///< compare, gantt, memory, split, explain, profile, topology, run, window
  QString file;
  bool operator==(const Screenshot&) const = default;
};

struct WindowCommand {
  QStringList files;
  std::vector<Screenshot> screenshots;
  int thumbnail = 0;                         ///< width of the picture of files[0] that is written to files[1]; 0: none
  QString appearance;                        ///< empty: as chosen in the window
  QString export_settings, import_settings;  ///< files; empty: not asked for
  bool reset_settings = false;
  bool compare = false;
  bool reset_layout = false;
  bool help = false;
  bool version = false;
  bool start_time = false;  ///< print the time until the window was usable
  QString error;            ///< empty: no error
  bool operator==(const WindowCommand&) const = default;
};

/// Parses `arguments`, without the program's name.
WindowCommand parse_command_line(const QStringList& arguments);
QString usage_text();

}  // namespace pipedeck::ui::window
