// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QListWidget;

namespace pipedeck::views::widgets {

/// Wraps lines of text at the list's edge, or at its vertical scroll bar, so that nothing scrolls sideways. Text
/// without a break opportunity is elided.
void wrap_lines(QListWidget& list);

}  // namespace pipedeck::views::widgets
