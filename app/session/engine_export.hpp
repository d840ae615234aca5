// SPDX-License-Identifier: GPL-3.0-or-later
// A plan for an existing training engine: its input text, or the unsupported features with the nearest supported plan
// and its cost.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include <QString>
#include <QStringList>

#include "app/session/session.hpp"

namespace pipedeck::session {

/// A format that an engine reads.
struct EngineText {
  QString name;     ///< "deepspeed-partition", the name in `export`
  QString engine;   ///< "DeepSpeed"
  QString summary;  ///< one line
  QString ending;   ///< ".json"
};
/// Returns the formats in the order of the engines.
std::vector<EngineText> engine_texts();

/// A plan nearest to the original that the engine supports, simulated with the original's question.
struct NearestPlan {
  std::shared_ptr<const Plan> plan;
  QString text;                                      ///< in the engine's format
  std::shared_ptr<const Simulation> simulation, of;  ///< of this plan, and of the original plan
};

struct ExportPreview {
  QStringList unsupported_features;    ///< unsupported features, one sentence each; empty: the engine supports the plan
  QString text;                        ///< if the engine supports the plan
  std::optional<NearestPlan> closest;  ///< if it does not, and there is one
};

/// A request that is independent of the window.
struct EngineRequest {
  Problem problem;
  std::shared_ptr<const Plan> plan;
  QString output;  ///< EngineText::name
};
/// Returns nullopt if the plan does not exist or has no stages.
std::optional<EngineRequest> engine_question(const project::State& state, int plan, const QString& output);

/// Computes the offer; takes as long as simulating a few plans.
Result<ExportPreview> engine_offer(study::PlanSimulator& plan_simulator, const EngineRequest& question,
                                   std::stop_token stop);

/// Computes the offer in the background and returns the job's id. `done` is not called if the job is cancelled.
int find_engine_offer(Session& session, const EngineRequest& question,
                      const std::function<void(const Result<ExportPreview>&)>& done);

/// Returns the state with `nearest` added for the plan of `id`, selected and ticked: one undo step.
project::Added with_nearest_plan(const project::State& state, int id, const Plan& nearest, const QString& engine);

}  // namespace pipedeck::session
