// SPDX-License-Identifier: GPL-3.0-or-later
// The keys that the pages' views obey by themselves, for the list of shortcuts.
#pragma once

namespace pipedeck::app {

class ComparePage;

void describe_view_keys(ComparePage& page);

}  // namespace pipedeck::app
