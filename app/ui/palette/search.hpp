// SPDX-License-Identifier: GPL-3.0-or-later
// The search of the command palette: groups of matching entries, the best first.
#pragma once

#include <QStringList>

#include "app/ui/palette/entry.hpp"

namespace pipedeck::ui::palette {

/// A typed text. Its prefix limits the search: ">" actions, "@" plans, "#" operations; none: everything but
/// operations.
struct Request {
  QChar prefix{};
  QString words;
};
Request parse_request(const QString& text);

struct Line {
  Entry entry;
  std::vector<int> marked{};  ///< matched characters of the text
};

struct Section {
  QString title;
  std::vector<Line> lines;
  std::size_t found = 0;  ///< also those that are not listed
};

/// Finds the entries that match. Without words, lists what was run last first. Without a prefix, a section has at most
/// eight lines of a search.
std::vector<Section> find_entries(const Entries& entries, const Request& request, const QStringList& recent);

}  // namespace pipedeck::ui::palette
