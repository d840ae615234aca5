// SPDX-License-Identifier: GPL-3.0-or-later
// A line of the command palette.
#pragma once

#include <functional>
#include <vector>

#include <QString>

namespace pipedeck::ui::palette {

enum class Group { action, plan, model, cluster, operation };

struct Entry {
  Group group = Group::action;
  QString text;
  QString detail{};              ///< shown after the text, in a quieter colour
  QString keys{};                ///< its shortcut
  QString unavailable_reason{};  ///< empty: it can be run; else shown instead of the detail
  QString id{};                  ///< for the list of what was run last; empty: not remembered
  std::function<void()> run{};
};
using Entries = std::vector<Entry>;

}  // namespace pipedeck::ui::palette
