// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/engine_export.hpp"

#include <algorithm>

#include <QCoreApplication>

#include "app/text/in_qt.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/study/compare.hpp"
#include "core/study/engines/engine.hpp"

namespace pipedeck::session {

namespace {

struct EngineOfferText {
  Q_DECLARE_TR_FUNCTIONS(ExportPreview)
};

QString to_qstring(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace

std::vector<EngineText> engine_texts() {
  std::vector<EngineText> texts;
  for (const study::engines::Engine& engine : study::engines::engines())
    for (const study::engines::EngineOutput& output : engine.outputs)
      texts.push_back(
          {to_qstring(output.name), to_qstring(engine.name), to_qstring(output.summary), to_qstring(output.ending)});
  return texts;
}

std::optional<EngineRequest> engine_question(const project::State& state, int plan, const QString& output) {
  const project::PlanEntry* entry = project::find_plan(state, plan);
  if (!entry || !entry->feasible()) return {};
  auto problem = project::make_problem(state, *entry);
  if (!problem) return {};
  return EngineRequest{*std::move(problem), entry->plan, output};
}

Result<ExportPreview> engine_offer(study::PlanSimulator& plan_simulator, const EngineRequest& asked,
                                   std::stop_token stop) {
  const std::string name = asked.output.toStdString();
  const study::engines::NamedOutput wanted = study::engines::find_engine_output(name);
  ensure(wanted.engine, "an engine's text was asked for that is not listed");
  TRY(const auto origin, io::documents::origin_of(*asked.problem.profile));
  const auto question_of = [&](const Plan& plan) {
    return study::engines::EngineRequest{plan, *asked.problem.profile, *asked.problem.cluster,
                                         origin ? &*origin : nullptr};
  };
  ExportPreview offer;
  for (const std::string& misfit : study::engines::unsupported_features(*wanted.engine, question_of(*asked.plan)))
    offer.unsupported_features << text::to_qstring(misfit);
  if (offer.unsupported_features.isEmpty()) {
    const auto text = study::engines::engine_text(wanted, question_of(*asked.plan));
    if (!text) return tl::unexpected(text.error());
    offer.text = text::to_qstring(*text);
    return offer;
  }
  TRY(const auto near, study::fastest(plan_simulator, asked.problem,
                                      study::engines::closest_plans(*wanted.engine, question_of(*asked.plan)), stop));
  if (!near) return offer;
  TRY(const auto own, plan_simulator.simulation(asked.problem, *asked.plan, stop));
  const auto text = study::engines::engine_text(wanted, question_of(near->plan));
  if (!text) return tl::unexpected(text.error());
  offer.closest = NearestPlan{std::make_shared<const Plan>(near->plan), text::to_qstring(*text), near->simulation, own};
  return offer;
}

int find_engine_offer(Session& session, const EngineRequest& question,
                      const std::function<void(const Result<ExportPreview>&)>& done) {
  return session.jobs().start(EngineOfferText::tr("%1 for other engines").arg(text::to_qstring(question.plan->name)),
                              [&plan_simulator = session.plan_simulator(), question,
                               done](const work::Jobs::Context& context) -> work::Jobs::Apply {
                                const auto offer = engine_offer(plan_simulator, question, context.stop);
                                return [done, offer] {
                                  done(offer);
                                  return offer ? QString() : text::to_qstring(offer.error());
                                };
                              });
}

project::Added with_nearest_plan(const project::State& state, int id, const Plan& nearest, const QString& engine) {
  const project::PlanEntry* entry = project::find_plan(state, id);
  if (!entry) return {state, 0};
  project::PlanEntry added = *entry;
  Plan plan = nearest;
  plan.name = EngineOfferText::tr("%1 for %2").arg(text::to_qstring(entry->plan->name), engine).toStdString();
  plan.planner = "hand";
  added.plan = std::make_shared<const Plan>(std::move(plan));
  added.edited = true;  // a comparison does not replace it
  added.ticked = true;
  added.remarks.clear();
  added.note.clear();
  project::Added made = project::with_plan(state, std::move(added));
  made.state.selected_plan = made.id;
  return made;
}

}  // namespace pipedeck::session
