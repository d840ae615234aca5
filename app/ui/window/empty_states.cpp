// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/window/empty_states.hpp"

#include <algorithm>

#include "app/session/session.hpp"

namespace pipedeck::ui::window {

EmptyStates::EmptyStates(session::Session& session, EmptyContext scene, QObject* parent)
    : QObject(parent),
      session_(session),
      scene_(std::move(scene)),
      compare_(new views::widgets::EmptyState(scene_.compare)),
      explain_(new views::widgets::EmptyState(scene_.explain)),
      profile_(new views::widgets::EmptyState(scene_.profile)),
      charts_(new views::widgets::EmptyState(scene_.charts)) {}

void EmptyStates::update() {
  const views::widgets::EmptyText plans = without_plans();
  compare_->say(plans);
  explain_->say(plans);
  const bool profile = !session_.state().profiles.empty();
  profile_->say(profile ? views::widgets::EmptyText{} : without_data());
  charts_->say(without_runs());
}

views::widgets::EmptyText EmptyStates::without_data() const {
  const session::project::PlanningSetup& question = session_.state().question;
  if (!session::project::find_profile(session_.state(), question.profile))
    return {tr("Which model do you train?"),
            tr("Choose a preset, or import a profile with times and bytes of each layer."),
            {{tr("Choose a model"), scene_.choose_model},
             {tr("Import a profile…"), scene_.import_files},
             {tr("Use the sample"), scene_.take_sample}}};
  if (!session::project::find_cluster(session_.state(), question.cluster))
    return {tr("Which cluster do you train on?"),
            tr("Choose a preset, or import a cluster with its devices and links."),
            {{tr("Choose a cluster"), scene_.choose_cluster},
             {tr("Import a cluster…"), scene_.import_files},
             {tr("Use the sample"), scene_.take_sample}}};
  return {};
}

views::widgets::EmptyText EmptyStates::without_plans() const {
  const session::project::State& state = session_.state();
  if (views::widgets::EmptyText missing = without_data(); !missing.title.isEmpty()) return missing;
  if (!session::project::plans_of_question(state).empty()) return {};
  if (session_.comparing()) return {};  // the table has a row per planner
  const auto name = [](const std::string& text) { return QString::fromStdString(text); };
  const QString text =
      tr("All planners plan %1 on %2 with %3 samples per iteration. One simulator evaluates all plans.")
          .arg(name(session::project::find_profile(state, state.question.profile)->profile->name),
               name(session::project::find_cluster(state, state.question.cluster)->cluster->name))
          .arg(state.question.workload.global_batch);
  return {tr("Nothing is compared yet"), text, {{tr("Compare"), scene_.compare_plans}}};
}

views::widgets::EmptyText EmptyStates::without_runs() const {
  const session::project::State& state = session_.state();
  if (!state.runs.empty() || session_.launching()) return {};
  const bool plan = std::ranges::any_of(state.plans, &session::project::PlanEntry::feasible);
  if (!plan)
    return {tr("No run yet"),
            tr("Compare plans first, then launch one of them on this machine."),
            {{tr("Compare"), scene_.compare_plans}}};
  const QString text =
      tr("Launch trains the selected plan on this machine. Measured and predicted throughput, loss, busy time and "
         "memory appear here.");
  if (!scene_.not_launchable_reason().isEmpty()) return {tr("No run yet"), text, {}};  // the panel has the reason
  return {tr("No run yet"), text, {{tr("Launch"), scene_.launch}}};
}

}  // namespace pipedeck::ui::window
