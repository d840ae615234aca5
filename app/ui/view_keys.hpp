// SPDX-License-Identifier: GPL-3.0-or-later
// Descriptions of the keys that the pages' views handle themselves, for the list of shortcuts.
#pragma once

namespace pipedeck::app {

class ComparePage;

void describe_view_keys(ComparePage& page);

}  // namespace pipedeck::app
