// SPDX-License-Identifier: GPL-3.0-or-later
// Descriptions of the keys that the pages' views handle themselves, for the list of shortcuts.
#pragma once

namespace pipedeck::ui::pages {
class ComparePage;
}  // namespace pipedeck::ui::pages

namespace pipedeck::ui::window {

void describe_view_keys(pages::ComparePage& page);

}  // namespace pipedeck::ui::window
