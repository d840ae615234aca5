// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/whatif/what_if_study.hpp"

#include <algorithm>
#include <exception>

#include <QMetaObject>
#include <QThread>

#include "app/session/work/count_text.hpp"
#include "app/session/work/error_hint.hpp"
#include "app/text/in_qt.hpp"
#include "core/io/csv/what_if.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/sim/explain/sensitivity.hpp"
#include "core/study/whatif/change.hpp"
#include "core/study/whatif/front.hpp"
#include "core/study/whatif/scales.hpp"
#include "core/study/whatif/upgrades.hpp"

namespace pipedeck::session::whatif {

namespace {

constexpr int first_budget_ms = 2000;
constexpr std::size_t max_kept = 24;  ///< plans, including their copies

int threads() { return std::max(1, QThread::idealThreadCount()); }

StudyAnswer cannot(const WhatIf& change, const Error& error) { return {change, {}, {}, text::to_qstring(error), true}; }

/// Returns the best plan for the question with this change; passes better ones on the way to `tell`.
template <class Tell>
StudyAnswer search(const StudyRequest& question, const WhatIf& change, std::span<const Plan> kept,
                   const study::whatif::SearchOptions& how, const Tell& tell) {
  auto changed = study::whatif::with_change(question.problem, change, presets::device_catalogue());
  if (!changed) return cannot(change, changed.error());
  const auto better = [&](const study::whatif::Candidate& one) { tell(StudyAnswer{change, *changed, one, {}, false}); };
  auto answer = study::whatif::best_plan(*changed, question.planners, kept, 1, how, better);
  if (!answer) return cannot(change, answer.error());
  return {change, std::move(*changed), std::move(answer->best), text::to_qstring(answer->failure_reason), true};
}

}  // namespace

bool is_same_setup(const StudyRequest& a, const StudyRequest& b) {
  const auto same_planner = [](const study::PlannerRequest& x, const study::PlannerRequest& y) {
    return x.planner == y.planner && x.options == y.options;
  };
  return a.problem.profile == b.problem.profile && a.problem.cluster == b.problem.cluster &&
         a.problem.workload == b.problem.workload && a.problem.pins == b.problem.pins &&
         std::ranges::equal(a.planners, b.planners, same_planner);
}

WhatIf with_purchase(const WhatIf& change, const WhatIf& purchase) {
  WhatIf both = change;
  if (purchase.type) {
    both.type = purchase.type;
    both.memory.reset();  // the new type has its own
    both.swaps.clear();
  }
  if (purchase.inside) both.inside = purchase.inside;
  if (purchase.between) both.between = purchase.between;
  if (purchase.memory) both.memory = purchase.memory;
  if (purchase.nodes) both.nodes = purchase.nodes;
  both.swaps.insert(both.swaps.end(), purchase.swaps.begin(), purchase.swaps.end());
  both.links.insert(both.links.end(), purchase.links.begin(), purchase.links.end());
  return both;
}

WhatIfStudy::WhatIfStudy(work::Jobs& jobs, QObject* parent)
    : QObject(parent), jobs_(&jobs), guard_(std::make_shared<CallbackGuard>()) {
  guard_->owner = this;
  pool_.setMaxThreadCount(1);
  hurry_timer_.setSingleShot(true);
  hurry_timer_.setInterval(first_budget_ms);
  connect(&hurry_timer_, &QTimer::timeout, this, [this] { hurry_.request_stop(); });
  connect(&jobs, &work::Jobs::ended, this, [this](int job, work::JobState) {
    if (job == front_job_) emit front_changed();
    if (job == purchases_job_) emit purchases_changed();
  });
}

WhatIfStudy::~WhatIfStudy() {
  {
    const std::lock_guard lock(guard_->mutex);
    guard_->owner = nullptr;
  }
  if (jobs_) {
    jobs_->disconnect(this);
    stop();
    cancel_front();
    cancel_purchases();
  }
  stop_.request_stop();
  pool_.waitForDone();
}

void WhatIfStudy::CallbackGuard::post(std::function<void()> what) {
  const std::lock_guard lock(mutex);
  if (owner) QMetaObject::invokeMethod(owner, std::move(what), Qt::QueuedConnection);
}

void WhatIfStudy::stop() {
  again_ = false;
  ++generation_;
  stop_.request_stop();
  end_job(work::JobState::cancelled, tr("cancelled"));
}

void WhatIfStudy::forget() {
  stop();
  cancel_front();
  cancel_purchases();
  question_.reset();
  change_ = {};
  current_ = now_ = {};
  kept_.clear();
  front_ = {};
  purchases_ = {};
  emit today_changed();
  emit now_changed();
  emit front_changed();
  emit purchases_changed();
}

void WhatIfStudy::ask(const StudyRequest& question) {
  if (question_ && is_same_setup(*question_, question)) return;
  forget();
  question_ = question;
  start_search();
}

void WhatIfStudy::set_change(const WhatIf& change) {
  if (!question_ || change == change_) return;
  if (change.prices != change_.prices) current_.final = false;  // the plan does not change, but its price does
  change_ = change;
  start_search();
}

void WhatIfStudy::start_search() {
  ++generation_;
  if (running_) {
    again_ = true;
    stop_.request_stop();
    return;
  }
  running_ = true;
  stop_ = std::stop_source();
  hurry_ = std::stop_source();
  hurry_timer_.start();
  if (!jobs_->running(search_job_)) search_job_ = jobs_->start_external(tr("What if"), [this] { stop(); });
  Request request{generation_, *question_, change_, {}, kept_};
  if (current_.final) request.current = current_;
  const int job = search_job_;
  const study::whatif::SearchOptions how{threads(), stop_.get_token(), hurry_.get_token(), {}};
  pool_.start([this, request = std::move(request), how, job] {
    study::whatif::SearchOptions shown = how;
    shown.progress = [this, job](double done, std::string_view what) {
      QMetaObject::invokeMethod(
          this,
          [this, job, done, text = QString::fromUtf8(what.data(), static_cast<qsizetype>(what.size()))] {
            if (jobs_) jobs_->update_external(job, done, text);
          },
          Qt::QueuedConnection);
    };
    run(request, shown);
    QMetaObject::invokeMethod(
        this, [this] { end_search(); }, Qt::QueuedConnection);
  });
}

/// Runs on the pool's thread.
void WhatIfStudy::run(const Request& request, const study::whatif::SearchOptions& how) {
  const auto to_owner = [this, &request](bool today) {
    return [this, generation = request.generation, today](StudyAnswer answer) {
      QMetaObject::invokeMethod(
          this, [this, generation, today, answer = std::move(answer)] { tell(generation, today, answer); },
          Qt::QueuedConnection);
    };
  };
  try {
    WhatIf unchanged;
    unchanged.prices = request.change.prices;
    std::vector<Plan> kept = request.kept;
    std::optional<StudyAnswer> today = request.current;
    if (!today) {
      today = search(request.question, unchanged, kept, how, [](const StudyAnswer&) {});
      if (how.stop.stop_requested()) return;
      to_owner(true)(*today);
    }
    if (today->best && today->problem) kept.push_back(*today->best->found.plan);
    StudyAnswer now =
        request.change == unchanged ? *today : search(request.question, request.change, kept, how, to_owner(false));
    now.change = request.change;
    if (!how.stop.stop_requested()) to_owner(false)(std::move(now));
  } catch (const std::exception& error) {
    const QString text = QString::fromUtf8(error.what());
    QMetaObject::invokeMethod(
        this,
        [this, text] {
          emit failed(tr("What if"), work::text_with_next_step({ErrorCode::internal, text.toStdString(), {}, {}}));
        },
        Qt::QueuedConnection);
  }
}

void WhatIfStudy::tell(std::int64_t generation, bool today, StudyAnswer answer) {
  if (generation != generation_ || !question_) return;
  if (answer.final) keep(answer);
  if (today) {
    current_ = std::move(answer);
    emit today_changed();
  } else {
    now_ = std::move(answer);
    emit now_changed();
  }
}

/// Stores the plan as a candidate, so that the next answer is at least as good if possible.
void WhatIfStudy::keep(const StudyAnswer& answer) {
  if (!answer.best || !answer.problem) return;
  const Plan& plan = *answer.best->found.plan;
  const auto same = [&](const Plan& other) {
    return other.stages == plan.stages && other.micro_batch == plan.micro_batch && other.schedule == plan.schedule &&
           other.warmup == plan.warmup && other.warmup_counts == plan.warmup_counts &&
           other.global_batch == plan.global_batch;
  };
  if (std::ranges::none_of(kept_, same)) kept_.push_back(plan);
  if (kept_.size() > max_kept) kept_.erase(kept_.begin(), kept_.end() - static_cast<std::ptrdiff_t>(max_kept));
}

void WhatIfStudy::end_search() {
  running_ = false;
  hurry_timer_.stop();
  if (again_) {
    again_ = false;
    return start_search();
  }
  end_job(work::JobState::finished, now_.best ? QString() : now_.failure_reason);
  emit now_changed();
}

void WhatIfStudy::end_job(work::JobState state, const QString& detail) {
  if (jobs_) jobs_->end_external(search_job_, state, detail);
}

std::optional<TimeScale> WhatIfStudy::times_on(const DeviceType& type) const {
  return question_ ? std::optional(study::whatif::time_scale(question_->problem, type, presets::device_catalogue()))
                   : std::nullopt;
}

const std::vector<DeviceType>& WhatIfStudy::device_types() {
  static const std::vector<DeviceType> types = [] {
    std::vector<DeviceType> all;
    for (const DeviceModel& model : presets::device_catalogue()) all.push_back(model.type);
    return all;
  }();
  return types;
}

QString WhatIfStudy::price_source() {
  const std::vector<DeviceModel>& catalogue = presets::device_catalogue();
  return tr("%1, approximate list prices of %2")
      .arg(QString::fromStdString(price_currency(catalogue)),
           QString::fromStdString(price_dates(catalogue)).replace("/", " – "));
}

ClusterScales WhatIfStudy::scales(const Cluster& cluster) { return study::whatif::scales_of(cluster); }

void WhatIfStudy::find_front() {
  if (!question_) return;
  jobs_->cancel(front_job_);
  const auto changed = study::whatif::with_change(question_->problem, change_, presets::device_catalogue());
  if (!changed) return emit failed(tr("Front"), work::text_with_next_step(changed.error()));
  front_ = {};
  front_.of = change_;
  front_job_ = jobs_->start(
      tr("Front of throughput, memory and price"),
      [this, problem = *changed, planners = question_->planners,
       door = guard_](const work::Jobs::Context& context) -> work::Jobs::Apply {
        const std::stop_token stop = context.stop;
        const auto some = [this, stop, door](const std::vector<PlanCandidate>& plans) {
          door->post([this, stop, plans] {
            if (stop.stop_requested() || front_.complete) return;
            front_.items.insert(front_.items.end(), plans.begin(), plans.end());
            emit front_changed();
          });
        };
        auto plans = study::whatif::find_front(problem, planners, study::whatif::front_space(problem),
                                               {threads(), stop, {}, context.progress}, some);
        return [this, plans = std::move(plans)] {
          front_.complete = true;
          if (plans)
            front_.items = *plans;
          else
            front_.failure_reason = text::to_qstring(plans.error());
          if (front_.items.empty() && front_.failure_reason.isEmpty()) front_.failure_reason = tr("No plan fits.");
          emit front_changed();
          return work::format_count(static_cast<qint64>(front_.items.size()), tr("plan"), tr("plans"));
        };
      },
      work::Urgency::study);
  emit front_changed();
}

void WhatIfStudy::find_purchases() {
  if (!question_) return;
  jobs_->cancel(purchases_job_);
  const auto changed = study::whatif::with_change(question_->problem, change_, presets::device_catalogue());
  if (!changed) return emit failed(tr("Buy first"), work::text_with_next_step(changed.error()));
  purchases_ = {};
  purchases_.of = change_;
  const auto work = [this, problem = *changed, planners = question_->planners, kept = kept_,
                     door = guard_](const work::Jobs::Context& context) -> work::Jobs::Apply {
    const std::stop_token stop = context.stop;
    const study::whatif::SearchOptions how{threads(), stop, {}, context.progress};
    const auto some = [this, stop, door](const PurchaseGain& gain) {
      door->post([this, stop, gain] {
        if (stop.stop_requested() || purchases_.complete) return;
        purchases_.items.push_back(gain);
        study::whatif::sort_by_gain(purchases_.items);
        emit purchases_changed();
      });
    };
    const auto run = [&]() -> Result<std::vector<PurchaseGain>> {
      TRY(const auto now, study::whatif::best_plan(problem, planners, kept, 1, how));
      std::optional<Sensitivity> gains;
      if (now.best && !has_mesh(*now.best->found.plan)) {
        TRY(auto found,
            sim::explain::sensitivity(problem, *now.best->found.plan, 1.1, how.progress, stop, how.threads));
        gains = std::move(found);
      }
      const auto offers = study::whatif::purchases(problem, gains ? &*gains : nullptr, presets::device_catalogue());
      return study::whatif::upgrades(problem, now.best ? &now.best->found : nullptr, offers, planners,
                                     presets::device_catalogue(), how, some);
    };
    auto gains = run();
    return [this, gains = std::move(gains)] {
      purchases_.complete = true;
      if (gains)
        purchases_.items = *gains;
      else
        purchases_.failure_reason = text::to_qstring(gains.error());
      emit purchases_changed();
      return work::format_count(static_cast<qint64>(purchases_.items.size()), tr("purchase"), tr("purchases"));
    };
  };
  purchases_job_ = jobs_->start(tr("Buy first"), work, work::Urgency::study);
  emit purchases_changed();
}

std::string WhatIfStudy::front_csv() const {
  std::vector<bool> stands(front_.items.size());
  for (const std::size_t i : study::whatif::front_of(front_.items)) stands[i] = true;
  return io::csv::found_plans_csv(front_.items, stands).text();
}

std::string WhatIfStudy::purchases_csv() const { return io::csv::purchases_csv(purchases_.items).text(); }

}  // namespace pipedeck::session::whatif
