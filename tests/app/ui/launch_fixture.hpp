// SPDX-License-Identifier: GPL-3.0-or-later
// The state before a launch in the real window: a small model, compared on a cluster that this machine can represent.
#pragma once

#include "app/session/project/content.hpp"
#include "tests/app/ui/window_fixture.hpp"

namespace pipedeck::test {

inline QString smallest_cluster() {
  for (const QString& name : session::project::cluster_preset_list()) {
    if (name.contains("CPU", Qt::CaseInsensitive) || name.contains("machine", Qt::CaseInsensitive)) return name;
  }
  return session::project::cluster_preset_list().front();
}

/// The model compared on the smallest cluster; the best plan of at most two devices selected.
inline void compare_on_this_machine(WindowFixture& fixture, const QString& model) {
  fixture.session().choose_profile_preset(model);
  fixture.session().choose_cluster_preset(smallest_cluster());
  fixture.session().set_global_batch(16);
  fixture.session().compare();
  QVERIFY(fixture.settle());
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
  QVERIFY(fixture.state().selected_plan > 0);
}

}  // namespace pipedeck::test
