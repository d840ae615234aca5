// SPDX-License-Identifier: GPL-3.0-or-later
// Ends the program at SIGINT, SIGTERM or SIGHUP without temporary folders left behind. The project's work copy and a
// training's checkpoint stay, as after any kill. A second signal ends it at once.
#pragma once

#include <QObject>

namespace pipedeck::ui::window {

class EndOnSignal : public QObject {
 public:
  EndOnSignal();
};

}  // namespace pipedeck::ui::window
