// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/view_keys.hpp"

#include <QCoreApplication>

#include "app/ui/compare_page.hpp"
#include "app/views/comparison_pane.hpp"
#include "app/views/key_help.hpp"
#include "app/views/plan_table.hpp"
#include "app/views/split_editor.hpp"

namespace pipedeck::app {

namespace {

struct Keys {
  Q_DECLARE_TR_FUNCTIONS(pipedeck::app::ViewKeys)
};

}  // namespace

void describe_view_keys(ComparePage& page) {
  describe_keys(page.table(), Keys::tr("In the table of plans"),
                {{"Space", Keys::tr("Show or hide the charts of the selected plans")},
                 {"Return", Keys::tr("Show the plan in the inspector")},
                 {"Shift, Ctrl", Keys::tr("With arrows or clicks: select several plans")}});
  describe_keys(page.split(), Keys::tr("In the split editor"),
                {{"Tab", Keys::tr("To the next cut")},
                 {"Left, Right", Keys::tr("Move the cut by a layer, with Shift by five")},
                 {"Home, End", Keys::tr("Move the cut as far as it goes")},
                 {"Return", Keys::tr("Keep the new cut")},
                 {"Esc", Keys::tr("Put the cut back")}});
  describe_keys(page.charts(), Keys::tr("In a chart"),
                {{"W, S", Keys::tr("Zoom in and out at the cursor; so does the wheel")},
                 {"A, D", Keys::tr("Earlier and later; so does dragging")},
                 {"F", Keys::tr("Fit the whole iteration")},
                 {"Home, End", Keys::tr("To the beginning and the end")},
                 {"Left, Right", Keys::tr("From operation to operation")},
                 {"Up, Down", Keys::tr("From device to device")},
                 {"Return", Keys::tr("Open or close a folded lane")},
                 {"L", Keys::tr("Show the links")},
                 {"Esc", Keys::tr("Let go of the selected operation")}});
}

}  // namespace pipedeck::app
