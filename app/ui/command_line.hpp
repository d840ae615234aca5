// SPDX-License-Identifier: GPL-3.0-or-later
// What `pipedeck` was asked for on its command line.
#pragma once

#include <optional>
#include <vector>

#include <QString>
#include <QStringList>

namespace pipedeck::app {

struct Screenshot {
  QString view;  ///< compare, gantt, memory, split, explain, profile, topology, run, window
  QString file;
  bool operator==(const Screenshot&) const = default;
};

struct WindowCommand {
  QStringList files;
  std::vector<Screenshot> screenshots;
  QString appearance;  ///< the same
  bool compare = false;
  bool reset_layout = false;
  bool help = false;
  bool version = false;
  bool start_time = false;  ///< print how long it took until the window could be used
  QString error;            ///< empty: understood
  bool operator==(const WindowCommand&) const = default;
};

/// `arguments` without the program's name.
WindowCommand parse_command_line(const QStringList& arguments);
QString usage_text();

}  // namespace pipedeck::app
