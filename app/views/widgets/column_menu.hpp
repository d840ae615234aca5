// SPDX-License-Identifier: GPL-3.0-or-later
// The context menu of a table's header, which shows and hides columns.
#pragma once

class QTableView;

namespace pipedeck::views::widgets {

/// Adds the menu to the header of `table`. Columns without a title and the first titled one, the name, always stay. The
/// table's own choice of columns ends with the user's first: `by_hand` is the header's property for that.
void offer_columns(QTableView& table, const char* by_hand);

}  // namespace pipedeck::views::widgets
