// SPDX-License-Identifier: GPL-3.0-or-later
// The what-if page over BERT-48 on two nodes of eight V100.
#pragma once

#include <QAbstractButton>
#include <QTest>

#include "app/ui/pages/what_if_page.hpp"
#include "tests/app/ui/window_fixture.hpp"

namespace pipedeck::test {

struct WhatIfFixture {
  WindowFixture fixture;
  ui::pages::WhatIfPage* page = nullptr;

  WhatIfFixture() {
    fixture.session().choose_profile_preset("BERT-48");
    fixture.session().choose_cluster_preset("DAPPLE config A, 2 × 8 V100");
    fixture.session().set_global_batch(64);
    page = &fixture.window->what_if_page();
    page->set_preload(false);
  }
  void open_page() const { QTest::keyClick(fixture.window.get(), Qt::Key_3, Qt::ControlModifier); }
  /// Waits for debounced searches and all jobs.
  [[nodiscard]] bool settle() const {
    QTest::qWait(80);
    return QTest::qWaitFor([&] { return !page->study().searching() && !fixture.session().jobs().any_running(); },
                           120000);
  }
  template <class Widget>
  Widget* child(const char* name) const {
    return page->findChild<Widget*>(QLatin1String(name));
  }
  void click(const char* button) const { QTest::mouseClick(child<QAbstractButton>(button), Qt::LeftButton); }
};

}  // namespace pipedeck::test
