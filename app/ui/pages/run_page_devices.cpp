// SPDX-License-Identifier: GPL-3.0-or-later
// The run page's choice of processor or GPUs. It is part of the project and one undo step. Alternatives are offered if
// GPUs are missing, too few, or fail.
#include <algorithm>
#include <utility>

#include "app/models/format.hpp"
#include "app/session/project/backend_choice.hpp"
#include "app/ui/pages/run_page.hpp"
#include "app/views/run/view.hpp"
#include "core/plan/validate.hpp"

namespace pipedeck::ui::pages {

void RunPage::connect_devices() {
  connect(&backends_, &session::runs::AvailableBackends::gpus_answered, this, &RunPage::show_gpus);
  connect(&check_, &session::runs::LaunchValidation::answered, this, &RunPage::receive_answer);
  const views::run::LaunchDevices& devices = view_->options().launch_devices();
  connect(&devices, &views::run::LaunchDevices::chosen, this, &RunPage::choose_backend);
  connect(&devices, &views::run::LaunchDevices::taken, this, &RunPage::receive_offer);
}

void RunPage::choose_backend(const RunBackend& backend) {
  failed_on_gpus_ = false;
  session::project::State next = session_.state();
  next.backend = backend;
  session_.change(session::project::name_of_change(session_.state().backend, backend), std::move(next));
}

void RunPage::show_gpus(const session::runs::LocalGpus& gpus) {
  gpus_ = gpus;
  const bool usable = gpus.unavailable_reason.isEmpty();
  view_->options().launch_devices().set_gpus(usable ? tr("GPUs here: %1").arg(gpus.text()) : gpus.unavailable_reason,
                                             usable);
  offer_trials();
  show_offers();
}

void RunPage::receive_answer(const QString& problem, const QString& words, bool sharing_helps) {
  refused_ = !problem.isEmpty();
  sharing_helps_ = sharing_helps;
  const QString before = std::exchange(problem_, !refused_                         ? QString()
                                                 : sharing_helps && too_few_gpus() ? too_few_text()
                                                                                   : problem);
  view_->set_answer(refused_ ? problem_ : words, refused_);
  show_offers();
  if (problem_ != before) emit launch_checked();
}

bool RunPage::too_few_gpus() const {
  const session::project::PlanEntry* entry = session::project::find_plan(session_.state(), view_->request().plan);
  return entry && gpus_.count() > 0 && !has_gpus_for(*entry->plan);
}

/// Returns a text for the window: the command line's advice names its own options.
QString RunPage::too_few_text() const {
  const std::size_t devices =
      devices_used(*session::project::find_plan(session_.state(), view_->request().plan)->plan).size();
  return tr("The plan needs %1. Found here: %2.")
      .arg(models::counted(static_cast<qint64>(devices), tr("1 GPU"), tr("%1 GPUs, one per device")), gpus_.text());
}

void RunPage::show_offers() {
  const RunBackend& backend = session_.state().backend;
  const int chosen = view_->request().plan;
  const session::project::PlanEntry* entry = session::project::find_plan(session_.state(), chosen);
  QList<views::run::LaunchFallback> offers;
  QString fewer;
  if (entry && !session_.launching()) {
    const auto possible = [&](bool gpus) {
      return session::runs::not_launchable_reason(*entry->plan, model_of(chosen).get(), {.gpus = gpus}).isEmpty();
    };
    if (backend.gpus && refused_ && sharing_helps_) {
      if (!backend.share_gpus) offers << views::run::LaunchFallback::share_gpus;
      if (const session::project::PlanEntry* other =
              too_few_gpus() ? session::project::find_plan(session_.state(), plan_for_fewer()) : nullptr) {
        offers << views::run::LaunchFallback::fewer_devices;
        fewer = tr("Choose %1").arg(QString::fromStdString(other->plan->name));
      }
    }
    if (backend.gpus && (refused_ || failed_on_gpus_) && possible(false))
      offers << views::run::LaunchFallback::processor;
    if (!backend.gpus && gpus_.count() > 0 && !possible(false) && possible(true))
      offers << views::run::LaunchFallback::gpus;
  }
  view_->options().launch_devices().set_offers(offers, fewer);
}

void RunPage::receive_offer(views::run::LaunchFallback offer) {
  RunBackend backend = session_.state().backend;
  switch (offer) {
    case views::run::LaunchFallback::fewer_devices:
      return session_.select_plan(plan_for_fewer());
    case views::run::LaunchFallback::share_gpus:
      backend.share_gpus = true;
      break;
    case views::run::LaunchFallback::gpus:
    case views::run::LaunchFallback::processor:
      backend.gpus = offer == views::run::LaunchFallback::gpus;
      break;
  }
  choose_backend(backend);
}

bool RunPage::has_gpus_for(const Plan& plan) const {
  const RunBackend& backend = session_.state().backend;
  return !backend.gpus || backend.share_gpus || gpus_.count() == 0 ||
         devices_used(plan).size() <= static_cast<std::size_t>(gpus_.count());
}

int RunPage::plan_for_fewer() const {
  const std::vector<int> plans = best_plans();
  const auto other = std::ranges::find_if(plans, [&](int plan) { return plan != view_->request().plan; });
  return gpus_.count() == 0 || other == plans.end() ? 0 : *other;
}

}  // namespace pipedeck::ui::pages
