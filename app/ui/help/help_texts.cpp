// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/help/help_texts.hpp"

#include <QCoreApplication>

#include "app/ui/help/help_pages.hpp"

namespace pipedeck::ui::help {

namespace {
struct Words {
  Q_DECLARE_TR_FUNCTIONS(Help)
};
}  // namespace

QString about_html() {
  return Words::tr(
             "<h3>Pipedeck %1</h3><p>Plans pipeline-parallel training of deep networks, compares the plans side by "
             "side, and runs them on this machine.</p><p>Planners after DAPPLE, PipeDream, mCAP and CAPTURE; one "
             "simulator compares them all.</p>")
      .arg(QCoreApplication::applicationVersion());
}

QString licences_html() {
  return Words::tr(
      "<p>The window (app/session, app/models, app/views, app/ui) is free software under the GNU General Public "
      "License, version 3 or later; it links Qt and Qt Charts.</p><p>The core and the command line are under the "
      "Apache License 2.0.</p><p>There is no warranty. The full texts lie in the folder LICENSES of the source.</p>");
}

QString reproduction_markdown() { return help_text(QStringLiteral("reproduction.md")); }

}  // namespace pipedeck::ui::help
