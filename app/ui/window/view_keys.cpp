// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/window/view_keys.hpp"

#include <QCoreApplication>

#include "app/ui/pages/compare_page.hpp"
#include "app/views/compare/comparison_pane.hpp"
#include "app/views/compare/plan_table.hpp"
#include "app/views/mesh/degrees.hpp"
#include "app/views/mesh/editor.hpp"
#include "app/views/split/editor.hpp"
#include "app/views/widgets/key_help.hpp"

namespace pipedeck::ui::window {

namespace {

struct Keys {
  Q_DECLARE_TR_FUNCTIONS(ViewKeys)
};

}  // namespace

void describe_view_keys(pages::ComparePage& page) {
  views::widgets::describe_keys(page.table(), Keys::tr("In the table of plans"),
                                {{"Space", Keys::tr("Show or hide the charts of the selected plans")},
                                 {"P", Keys::tr("Pin the plan as the baseline, or unpin it")},
                                 {"Return", Keys::tr("Show the plan in the inspector")},
                                 {"Shift, Ctrl", Keys::tr("With arrows or clicks: select several plans")}});
  views::widgets::describe_keys(
      page.split(), Keys::tr("In the split editor"),
      {{"Tab", Keys::tr("To the next cut, stage or device; Up and Down between their rows")},
       {"Left, Right",
        Keys::tr(
            "Move the cut by a layer, with Shift by five. Move the device by a stage, or the mark to the next layer")},
       {"Home, End", Keys::tr("Move the cut as far as it goes")},
       {"Alt+Left, Alt+Right", Keys::tr("Change the order of a stage's devices")},
       {"Ctrl+Left, Ctrl+Right", Keys::tr("To the previous and next stage")},
       {"+, -", Keys::tr("Add or remove a replica")},
       {"R", Keys::tr("Recompute the stage, with Shift the marked layer")},
       {"T", Keys::tr("More tensor parallelism, with Shift less")},
       {"S", Keys::tr("Split the stage before the marked layer")},
       {"Del", Keys::tr("Merge two stages; leave a device out")},
       {"Ctrl++, Ctrl+-", Keys::tr("Zoom the strip, as with Ctrl+wheel")},
       {"F", Keys::tr("Show the whole strip")},
       {"Return", Keys::tr("Keep the change")},
       {"Esc", Keys::tr("Reset everything")}});
  views::widgets::describe_keys(page.mesh().degrees(), Keys::tr("In the mesh editor"),
                                {{"Left, Right", Keys::tr("To the previous and next degree")},
                                 {"Up, Down", Keys::tr("To another dimension")},
                                 {"Return", Keys::tr("Take the degree")},
                                 {"L", Keys::tr("Lock the dimension, or unlock it")},
                                 {"Space", Keys::tr("Take the best step along an unlocked dimension")}});
  views::widgets::describe_keys(
      page.charts(), Keys::tr("In a chart"),
      {{"W, S", Keys::tr("Zoom in and out at the mouse, as with Ctrl+wheel. Keys work where the mouse is")},
       {"A, D", Keys::tr("Earlier and later, as with Shift+wheel or by dragging")},
       {"F", Keys::tr("Fit the whole iteration")},
       {"Home, End", Keys::tr("To the beginning and the end")},
       {"Left, Right", Keys::tr("From operation to operation, along the critical path if it is shown")},
       {"Up, Down", Keys::tr("From device to device")},
       {"Return", Keys::tr("Open or close a folded lane")},
       {"Shift", Keys::tr("With a drag: select a span, as by a drag on the time scale. With a click: set one end")},
       {"Ctrl", Keys::tr("With a drag: zoom to a span. With the wheel: zoom at the mouse")},
       {"Esc", Keys::tr("Cancel a drag, remove the span, clear the selected operation")}});
}

}  // namespace pipedeck::ui::window
