// SPDX-License-Identifier: GPL-3.0-or-later
// A session with its signals recorded, over small problems that plan in milliseconds.
#pragma once

#include <QStringList>
#include <QTest>

#include "app/session/session.hpp"
#include "tests/support/random_problem.hpp"

namespace pipedeck::test {

struct Recorded {
  session::Session session;
  QStringList errors;
  int states = 0;

  explicit Recorded(session::SessionServices seams = {}) : session(std::move(seams)) {
    QObject::connect(&session, &session::Session::error,
                     [this](const QString&, const QString& text) { errors << text; });
    QObject::connect(&session, &session::Session::state_changed, [this] { ++states; });
  }

  void wait() { QTRY_VERIFY_WITH_TIMEOUT(!session.jobs().any_running(), 20000); }
};

/// Six equal layers with 4 MB of parameters each.
inline Profile small_profile() {
  Profile profile = pipedeck::test::uniform_profile(6, milliseconds(10), milliseconds(20));
  profile.name = "six layers";
  for (Layer& layer : profile.layers) {
    layer.parameters = Bytes(4'000'000);
    layer.output = Bytes(100'000);
    layer.saved = Bytes(100'000);
  }
  return profile;
}

inline Cluster small_cluster() {
  Cluster cluster = pipedeck::test::flat_cluster(4);
  cluster.name = "four devices";
  return cluster;
}

}  // namespace pipedeck::test
