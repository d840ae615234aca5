// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/help_texts.hpp"

#include <QCoreApplication>
#include <QFile>

namespace pipedeck::app {

namespace {
struct Words {
  Q_DECLARE_TR_FUNCTIONS(pipedeck::app::Help)
};
}  // namespace

QString shortcuts_html() {
  const std::pair<const char*, const char*> keys[] = {
      {"Ctrl+R", "compare plans"},
      {"F5, Shift+F5", "launch the selected plan, stop the run"},
      {"Ctrl+Z, Ctrl+Shift+Z", "undo, redo"},
      {"Ctrl+1 … Ctrl+5", "compare, explain, profile, topology, run"},
      {"Space", "in the table: show or hide the plan's charts"},
      {"W, S or wheel", "in a chart: zoom at the cursor"},
      {"A, D or drag", "in a chart: pan"},
      {"F, Ctrl+0", "fit the whole iteration"},
      {"arrows", "in a chart: from operation to operation; in the split editor: move the cut"},
      {"Enter", "open or close a folded lane; in the split editor: keep the new cut"},
      {"P", "the critical path: what decides the iteration"},
      {"I", "memory by item: what every device holds, over time"},
      {"L", "in a chart: show the links"},
      {"Esc", "put a cut back, stop comparing"},
      {"Ctrl+D, F2, Del", "duplicate, rename, delete the selected plan"},
  };
  QString html = QStringLiteral("<table cellspacing='6'>");
  for (const auto& [key, what] : keys) {
    html += QStringLiteral("<tr><td><b>%1</b></td><td>%2</td></tr>")
                .arg(QLatin1String(key) == QLatin1String("arrows") ? Words::tr(key) : QString::fromUtf8(key),
                     Words::tr(what));
  }
  return html + QStringLiteral("</table>");
}

QString about_html() {
  return Words::tr(
             "<h3>Pipedeck %1</h3><p>Plans pipeline-parallel training of deep networks, compares the plans side by "
             "side, and runs them on this machine.</p><p>Planners after DAPPLE, PipeDream, mCAP and CAPTURE; one "
             "simulator judges them all.</p>")
      .arg(QCoreApplication::applicationVersion());
}

QString licences_html() {
  return Words::tr(
      "<p>The window (app/session, app/models, app/views, app/ui) is free software under the GNU General Public "
      "License, version 3 or later; it links Qt and Qt Charts.</p><p>The core and the command line are under "
      "the Apache License 2.0.</p><p>There is no warranty. The full texts lie in the folder LICENSES of the "
      "source.</p>");
}

QString reproduction_markdown() {
  QFile page(QStringLiteral(":/help/reproduction.md"));
  if (!page.open(QIODevice::ReadOnly)) return {};
  return QString::fromUtf8(page.readAll());
}

}  // namespace pipedeck::app
