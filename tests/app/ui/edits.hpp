// SPDX-License-Identifier: GPL-3.0-or-later
// A hand that edits: the same edits in the same order, in the window of a process that will be killed and in the one
// that knows what must be found again.
#pragma once

#include <QJsonDocument>
#include <QJsonObject>

#include "app/session/project_content.hpp"
#include "app/session/session.hpp"

namespace pipedeck::app::test {

/// The i-th edit (from 0), one step each. Every eleventh saves where the project has a file.
inline void edit(Session& session, int i) {
  const auto plan = [&](std::size_t n) {
    const auto& plans = session.state().plans;
    return plans.empty() ? 0 : plans[n % plans.size()].id;
  };
  const auto last = [&] { return session.state().plans.empty() ? 0 : session.state().plans.back().id; };
  switch (i % 11) {
    case 0:
      session.set_global_batch(100 + i);
      break;
    case 1:
      session.set_micro_batch(1 + i % 50);
      break;
    case 2:
      session.duplicate_plan(plan(0));
      break;
    case 3:
      session.rename_plan(last(), QStringLiteral("plan %1").arg(i));
      break;
    case 4:
      session.choose_cluster_preset(cluster_preset_list()[(i / 11) % cluster_preset_list().size()]);
      break;
    case 5:
      session.undo();
      break;
    case 6:
      session.redo();
      break;
    case 7:
      session.choose_profile_preset(profile_preset_list()[(i / 11) % profile_preset_list().size()]);
      break;
    case 8:
      session.set_ticked(last(), i % 2 == 0);
      break;
    case 9:
      if (session.state().plans.size() > 2) {
        session.delete_plan(plan(1));
      } else {
        session.set_global_batch(200 + i);
      }
      break;
    case 10:
      if (session.file().isEmpty()) {
        session.set_global_batch(300 + i);
      } else {
        session.save();
      }
      break;
  }
}

/// A project by what is in it: ids of models are made up at each writing.
inline QByteArray described(const ProjectState& state) {
  const ProjectContent content = content_of(state);
  QByteArray text;
  for (const StoredDocument& document : content.documents) {
    if (document.kind != "model") text += QByteArray::number(static_cast<qlonglong>(document.id));
    text += QByteArray::fromStdString(document.kind + document.name + document.json) + '\n';
  }
  for (const StoredRun& run : content.runs) text += QByteArray::fromStdString(run.name + run.json) + '\n';
  for (const char* key : {"question", "plans"}) text += QByteArray::fromStdString(content.settings.at(key)) + '\n';
  return text;
}

}  // namespace pipedeck::app::test
