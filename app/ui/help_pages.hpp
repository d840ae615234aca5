// SPDX-License-Identifier: GPL-3.0-or-later
// The pages that Help shows, compiled into the program, and their headings.
#pragma once

#include <vector>

#include <QString>
#include <QStringList>

class QTextDocument;

namespace pipedeck::app {

struct HelpPage {
  QString file;  ///< "user-guide.md": what links call it
  QString title;
};
/// In the order of the contents.
std::vector<HelpPage> help_pages();
/// Empty where there is no such page.
QString help_text(const QString& file);

struct HelpHeading {
  QString title;
  QString slug;  ///< what links call it: "2-compare"
  int level = 1;
  int position = 0;  ///< in the document
};
std::vector<HelpHeading> headings_of(const QTextDocument& document);

/// As GitHub names anchors: small letters, strokes for spaces, no other signs.
QString slug_of(const QString& heading);

}  // namespace pipedeck::app
