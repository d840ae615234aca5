// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of Help, which are compiled into the program, and their headings.
#pragma once

#include <vector>

#include <QString>
#include <QStringList>

class QTextDocument;

namespace pipedeck::ui::help {

struct HelpPage {
  QString file;  ///< "user-guide.md", as in links
  QString title;
};
/// Returns the pages in the order of the contents.
std::vector<HelpPage> help_pages();
/// Returns the text of a page; empty if there is no such page.
QString help_text(const QString& file);

struct HelpHeading {
  QString title;
  QString slug;  ///< the name in links: "2-compare"
  int level = 1;
  int position = 0;  ///< in the document
};
std::vector<HelpHeading> headings_of(const QTextDocument& document);

/// Returns the anchor name as on GitHub: lower case, hyphens for spaces, no other punctuation.
QString slug_of(const QString& heading);

}  // namespace pipedeck::ui::help
