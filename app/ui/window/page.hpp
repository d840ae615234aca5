// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of the window, one row each. MainWindow::create_pages makes their widgets.
#pragma once

#include <array>

#include <QtGlobal>

namespace pipedeck::ui::window {

enum class Page { compare, explain, what_if, profile, topology, run, accuracy };

struct PageInfo {
  Page page;
  const char* id;       ///< of `pipedeck --screenshot` and of the action "action_page_ID"
  const char* title;    ///< with its access key, in the context "Page"
  const char* chapter;  ///< of the user guide
  const char* key;      ///< in project files; it never changes
  bool inspector;       ///< the page is about the selected plan; others have a panel of their own
};

/// Lists the pages in the order of their tabs and of the keys Ctrl+1, Ctrl+2, and so on.
inline constexpr std::array<PageInfo, 7> page_table{
    {{Page::compare, "compare", QT_TRANSLATE_NOOP("Page", "&Compare"), "2-compare", "ComparePage", true},
     {Page::explain, "explain", QT_TRANSLATE_NOOP("Page", "&Explain"), "explain", "ExplainPage", true},
     {Page::what_if, "what-if", QT_TRANSLATE_NOOP("Page", "&What-if"), "what-if", "WhatIfPage", true},
     {Page::profile, "profile", QT_TRANSLATE_NOOP("Page", "&Profile"), "1-open", "ProfileView", false},
     {Page::topology, "topology", QT_TRANSLATE_NOOP("Page", "&Topology"), "1-open", "TopologyView", false},
     {Page::run, "run", QT_TRANSLATE_NOOP("Page", "&Run"), "4-run", "RunPage", true},
     {Page::accuracy, "accuracy", QT_TRANSLATE_NOOP("Page", "&Accuracy"), "accuracy", "AccuracyPage", false}}};

}  // namespace pipedeck::ui::window
