// SPDX-License-Identifier: GPL-3.0-or-later
// A plan for an engine that people run already: its text, or what the engine can't run of it, with the nearest plan
// that it can and what that costs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include <QString>
#include <QStringList>

#include "app/session/session.hpp"

namespace pipedeck::app {

/// A text that an engine takes.
struct EngineText {
  QString name;     ///< "deepspeed-partition", as `export` calls it
  QString engine;   ///< "DeepSpeed"
  QString summary;  ///< one line
  QString ending;   ///< ".json"
};
/// In the engines' order.
std::vector<EngineText> engine_texts();

/// The nearest plan that the engine can run, judged by the plan's own question.
struct NearestPlan {
  std::shared_ptr<const Plan> plan;
  QString text;                                      ///< for the engine
  std::shared_ptr<const Simulation> simulation, of;  ///< its own, and that of the plan asked about
};

struct EngineOffer {
  QStringList misfits;                 ///< what the engine can't run, a sentence each; empty: it runs the plan
  QString text;                        ///< where it does
  std::optional<NearestPlan> nearest;  ///< where it does not, and there is one
};

/// What a plan's entry asks, apart from the window.
struct EngineQuestion {
  Problem problem;
  std::shared_ptr<const Plan> plan;
  QString output;  ///< EngineText::name
};
/// Nothing where the plan is gone or has no stages.
std::optional<EngineQuestion> engine_question(const ProjectState& state, int plan, const QString& output);

/// Takes as long as simulating a few plans.
Result<EngineOffer> engine_offer(Judge& judge, const EngineQuestion& question, std::stop_token stop);

/// The same in the background; `done` is not called where the job is cancelled. The job's id.
int find_engine_offer(Session& session, const EngineQuestion& question,
                      const std::function<void(const Result<EngineOffer>&)>& done);

/// The state with `nearest` beside the plan of `id`, selected and ticked: one step of undo.
Added with_nearest_plan(const ProjectState& state, int id, const Plan& nearest, const QString& engine);

}  // namespace pipedeck::app
