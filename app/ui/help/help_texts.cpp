// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/help/help_texts.hpp"

#include "app/ui/help/help_pages.hpp"

namespace pipedeck::ui::help {

QString reproduction_markdown() { return help_text(QStringLiteral("reproduction.md")); }

}  // namespace pipedeck::ui::help
