// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/pages/run_page.hpp"

#include <algorithm>

#include <QVBoxLayout>

#include "app/models/format.hpp"
#include "app/models/gantt/content.hpp"
#include "app/session/project/content.hpp"
#include "app/session/runs/run_arguments.hpp"
#include "app/text/in_qt.hpp"
#include "app/ui/pages/launch_settings_json.hpp"
#include "app/ui/pages/plan_rows.hpp"
#include "app/views/gantt/chart_search.hpp"
#include "app/views/gantt/ruler_view.hpp"
#include "app/views/gantt/view.hpp"
#include "app/views/run/view.hpp"

namespace pipedeck::ui::pages {

namespace {

constexpr int timeline_interval_ms = 500;  // a chart that changes more often is unreadable

/// A widget of a measured timeline: the lanes with the ruler above.
class TimelineBox : public QWidget {
 public:
  TimelineBox(views::gantt::TimeAxisController* link, views::gantt::View*& gantt) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    gantt = new views::gantt::View(link, this);
    layout->addWidget(new views::gantt::RulerView(link, this));
    layout->addWidget(gantt, 1);
    auto* search = new views::gantt::ChartSearch(
        link, [chart = gantt] { return std::vector<views::gantt::View*>{chart}; }, this);
    search->setObjectName(QStringLiteral("run_search"));
    search->hide();
    layout->addWidget(search);
    connect(gantt, &views::gantt::View::search_requested, search, [search] { search->open(); });
    connect(search, &views::gantt::ChartSearch::closed, gantt, [gantt = gantt] { gantt->setFocus(); });
  }
};

/// Returns the pattern of device names: for GPUs, for a processor, otherwise.
QString device_pattern(const models::run::Model& model) {
  if (model.on_gpus()) return QStringLiteral("gpu:%1");
  return model.recorded_elsewhere() ? QStringLiteral("G%1") : QStringLiteral("cpu:%1");
}

QStringList names_here(const Timeline& timeline, const QString& pattern) {
  int devices = 0;
  for (const TimelineLane& lane : timeline.lanes) devices = std::max(devices, lane.device.value + 1);
  QStringList names;
  for (int i = 0; i < devices; ++i) names << pattern.arg(i);
  return names;
}

}  // namespace

RunPage::RunPage(session::Session& session, const dialogs::Dialogs& dialogs, QWidget* parent)
    : QWidget(parent), session_(session), dialogs_(dialogs), view_(new views::run::View(this)), trials_(session) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view_);
  view_->setObjectName(QStringLiteral("run_view"));
  connect(view_, &views::run::View::launch_requested, this, [this] { session_.launch(order()); });
  connect(view_, &views::run::View::pause_requested, &session_, &session::Session::pause_launch);
  connect(view_, &views::run::View::request_changed, this, &RunPage::look);
  connect(view_, &views::run::View::model_file_requested, this, &RunPage::choose_model_file);
  connect(&view_->options(), &views::run::LaunchOptions::browse_requested, this, &RunPage::choose_data);
  views::run::LaunchMore& more = view_->options().more();
  connect(&more, &views::run::LaunchMore::folder_requested, this, &RunPage::choose_checkpoints);
  connect(&more, &views::run::LaunchMore::resume_changed, this, &RunPage::list_checkpoints);
  connect(&checkpoints_, &session::runs::CheckpointList::answered, &more, &views::run::LaunchMore::set_checkpoints);
  connect(&backends_, &session::runs::AvailableBackends::processes_answered, &more,
          &views::run::LaunchMore::set_why_one_process);
  more.set_why_one_process(tr("checking for MPI"));
  connect_devices();
  connect(view_, &views::run::View::stop_requested, this,
          [this] { trials_.running() ? trials_.stop() : session_.stop_launch(); });
  connect(view_, &views::run::View::trials_requested, this, &RunPage::try_best);
  connect(&trials_, &session::Trials::began, this, &RunPage::show_trials);
  connect(&trials_, &session::Trials::ended, this, &RunPage::show_trials);
  connect(&session_, &session::Session::results_changed, this, [this] { offer_trials(); });
  connect(view_, &views::run::View::run_selected, this, [this](int run) {
    if (session_.launching()) return compare_with(run);
    run == shown_run_ ? compare_with(0) : show_run(run);
  });
  connect(view_, &views::run::View::runs_compared, this,
          [this](int first, int second) { compare_with(first == shown_run_ ? second : first); });
  connect(view_, &views::run::View::plan_chosen, this, [this](int plan) {
    failed_on_gpus_ = false;
    show_models(plan);
  });
  connect(&session_, &session::Session::launch_started, this, &RunPage::start);
  connect(&session_, &session::Session::launch_event, this, &RunPage::take);
  connect(&session_, &session::Session::launch_message, this, [this](const QString& line) {
    view_->log({models::run::LogLine::note, line});
  });
  connect(&session_, &session::Session::launch_predicted, this,
          [this] { view_->set_prediction(prediction_of(*session_.launch_at_hand()->record().predicted)); });
  connect(&session_, &session::Session::launch_ended, this, &RunPage::end);
}

int RunPage::steps() const { return view_->request().steps; }
int RunPage::processes() const { return std::max(1, view_->options().settings().more.processes); }
void RunPage::set_steps(int steps) { view_->set_steps(steps); }

void RunPage::refresh() {
  const session::project::State& state = session_.state();
  std::vector<views::run::LaunchChoice> plans;
  for (const session::project::PlanEntry* entry : session::project::plans_of_question(state)) {
    if (entry->feasible())
      plans.push_back(
          {entry->id, title_of(*entry), session_.not_launchable_reason(entry->id, chosen_model(entry->id).get())});
  }
  view_->options().set_backend(state.backend);
  const int chosen = state.selected_plan;
  view_->set_plans(plans);
  if (std::ranges::any_of(plans, [&](const views::run::LaunchChoice& plan) { return plan.id == chosen; })) {
    view_->select_plan(chosen);
  }
  show_models(view_->request().plan);
  view_->set_runs(run_list(state));
  offer_trials();
  if (shown_run_ > 0 && session::project::find_run(state, shown_run_)) view_->select_run(shown_run_);
}

/// Shows the models. A plan partitions one model's layers, so that it trains that model.
void RunPage::show_models(int plan) {
  const session::project::PlanEntry* entry = session::project::find_plan(session_.state(), plan);
  std::vector<views::run::LaunchChoice> models;
  const std::shared_ptr<const ModelSpec> model = model_of(plan);
  if (model)
    models.push_back({0, text::to_qstring(model->name),
                      session::runs::not_launchable_reason(*entry->plan, model.get(), session_.state().backend)});
  view_->set_models(models);
  if (!models.empty()) view_->set_model(models.front().name);
  show_devices(entry);
  look();
}

void RunPage::show_devices(const session::project::PlanEntry* plan) {
  QStringList names;
  if (plan)
    for (const DeviceId device : devices_used(*plan->plan)) names << QStringLiteral("G%1").arg(device.value);
  view_->options().set_devices(names, session::runs::cores_here());
  view_->set_pausable(!plan || plan->plan->synchronous());
}

std::shared_ptr<const ModelSpec> RunPage::chosen_model(int plan) const {
  const session::project::PlanEntry* entry = session::project::find_plan(session_.state(), plan);
  const auto found = entry ? model_files_.find(entry->profile) : model_files_.end();
  return found == model_files_.end() ? nullptr : found->second;
}

std::shared_ptr<const ModelSpec> RunPage::model_of(int plan) const {
  if (auto chosen = chosen_model(plan)) return chosen;
  const session::project::PlanEntry* entry = session::project::find_plan(session_.state(), plan);
  const session::project::ProfileEntry* profile =
      entry ? session::project::find_profile(session_.state(), entry->profile) : nullptr;
  return profile ? profile->model : nullptr;
}

session::runs::LaunchParameters RunPage::order() const {
  const views::run::LaunchRequest request = view_->request();
  session::runs::RunSettings settings;
  settings.steps = request.steps;
  settings.data = request.settings.data;
  settings.learning_rate = request.settings.learning_rate;
  settings.cores = request.settings.cores;
  settings.backend = session_.state().backend;
  const views::run::LaunchMoreSettings& more = request.settings.more;
  settings.timeline_every = more.timeline_every;
  settings.checkpoint = more.checkpoint;
  settings.checkpoint_every = more.checkpoint_every;
  settings.keep = more.keep;
  settings.resume = more.resume;
  settings.processes = more.processes;
  settings.memory_limit = Bytes(static_cast<std::int64_t>(more.memory_limit * 1024 * 1024));
  settings.timeout = more.timeout;
  return {request.plan, chosen_model(request.plan), settings};
}

void RunPage::choose_model_file() {
  const session::project::PlanEntry* entry = session::project::find_plan(session_.state(), view_->request().plan);
  if (!entry) return;
  const QStringList files = dialogs_.open_files(this, tr("Train another model"), tr("Models (*.json);;All files (*)"));
  if (files.isEmpty()) return;
  auto model = session::runs::model_from_file(files.front());
  if (!model) {
    emit session_.error(tr("Train another model"), text::to_qstring(model.error()));
    return;
  }
  model_files_[entry->profile] = *std::move(model);
  refresh();
}

void RunPage::choose_data(const QString& kind) {
  if (kind == QLatin1String("images")) {
    if (const QString folder = dialogs_.open_folder(this, tr("Train on images")); !folder.isEmpty())
      view_->options().set_path(folder);
    return;
  }
  const QString filter =
      kind == QLatin1String("idx") ? tr("MNIST's format (*idx*);;All files (*)") : tr("All files (*)");
  const QStringList files = dialogs_.open_files(this, tr("Train on a file"), filter);
  if (!files.isEmpty()) view_->options().set_path(files.front());
}

void RunPage::choose_checkpoints(const QString& field) {
  const QString folder = dialogs_.open_folder(
      this, field == QLatin1String("resume") ? tr("Resume from a checkpoint") : tr("Keep checkpoints"));
  if (!folder.isEmpty()) view_->options().more().set_folder(field, folder);
}

void RunPage::list_checkpoints(const QString& folder) {
  view_->options().more().set_checkpoints({}, false);
  checkpoints_.ask(session_.runner(), folder.trimmed());
}

void RunPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  backends_.ask(session_.runner());
}

QJsonObject RunPage::launch_settings() const {
  return launch_settings_to_json(view_->request().steps, view_->request().settings);
}

void RunPage::set_launch_settings(const QJsonObject& json) {
  if (json.isEmpty()) return;
  const views::run::LaunchRequest read = launch_settings_from_json(json);
  view_->set_steps(read.steps);
  view_->options().set_settings(read.settings);
}

void RunPage::look() {
  check_.forget();
  receive_answer({}, {}, false);
  const session::runs::LaunchParameters now = order();
  const session::runs::Command command = session::runs::run_command(QStringLiteral("pipedeck-cli"), {}, now.settings);
  view_->options().set_command(session::runs::shell_text(command.program, command.arguments));
  const session::project::PlanEntry* entry = session::project::find_plan(session_.state(), now.plan);
  if (!entry || session_.launching() || !view_->options().incomplete().isEmpty()) return;
  const auto model = model_of(now.plan);
  const bool plain = !has_mesh(*entry->plan) && entry->plan->precision == Precision::fp32;
  const bool as_planned = plain && !now.model && !now.settings.backend.gpus && now.settings.data.isEmpty() &&
                          now.settings.cores.isEmpty() && now.settings.resume.isEmpty();
  if (as_planned || !session::runs::not_launchable_reason(*entry->plan, model.get(), now.settings.backend).isEmpty())
    return;
  check_.ask(session_.runner(), *entry->plan, *model, now.settings);
}

void RunPage::launch(int plan) {
  view_->select_plan(plan);
  show_models(plan);
  session::runs::LaunchParameters wanted = order();
  wanted.plan = plan;  // if it is not in the list, the launch reports why
  session_.launch(wanted);
}

QString RunPage::not_launchable_reason(int plan) const {
  const QString reason = session_.not_launchable_reason(plan, chosen_model(plan).get());
  return reason.isEmpty() && plan == view_->request().plan ? problem_ : reason;
}

std::vector<int> RunPage::best_plans() const {
  std::vector<std::pair<Nanoseconds, int>> fitting;
  for (const session::project::PlanEntry* entry : session::project::plans_of_question(session_.state())) {
    const auto plan_result = entry->feasible() ? session_.plan_result(*entry) : nullptr;
    if (plan_result && plan_result->simulation->fits && has_gpus_for(*entry->plan) &&
        session_.not_launchable_reason(entry->id, chosen_model(entry->id).get()).isEmpty())
      fitting.emplace_back(plan_result->simulation->iteration, entry->id);
  }
  std::ranges::stable_sort(fitting);
  std::vector<int> plans;
  const auto plan_of = [&](int id) -> const Plan& { return *session::project::find_plan(session_.state(), id)->plan; };
  for (const auto& [time, plan] : fitting) {  // several planners may have found the same plan
    const auto alike = [&, id = plan](int other) { return session::trains_alike(plan_of(id), plan_of(other)); };
    if (std::ranges::none_of(plans, alike)) plans.push_back(plan);
  }
  return plans;
}

void RunPage::offer_trials() {
  if (trials_.running()) return;
  if (const QString& why = gpus_.unavailable_reason; session_.state().backend.gpus && !why.isEmpty())
    return view_->set_trials(0, why);
  const int most = static_cast<int>(best_plans().size());
  view_->set_trials(most,
                    most < 2 ? tr("At least two plans must fit and be trainable here. Compare first.") : QString());
}

void RunPage::try_best(int plans) {
  std::vector<int> best = best_plans();
  if (best.empty() || trials_.running() || session_.launching()) return;
  best.resize(std::min(best.size(), static_cast<std::size_t>(std::max(1, plans))));
  session::runs::LaunchParameters like = order();
  like.settings.checkpoint.clear(), like.settings.resume.clear();  // each would resume from the previous one
  like.settings.cores.clear();                                     // chosen for the devices of one plan
  trials_.start(best, like.settings, chosen_model(best.front()));
}

/// Shows the progress of the trials, or the result of each, fastest first.
void RunPage::show_trials() {
  std::vector<study::Trial> trials = trials_.done();
  study::sort_fastest_first(trials);
  QStringList lines;
  const int begun = static_cast<int>(trials.size());
  if (trials_.running())
    lines << tr("Trying plan %1 of %2.").arg(begun + 1).arg(trials_.count());
  else if (trials_.fastest())
    lines << tr("%1 is the fastest measured and now selected.").arg(text::to_qstring(trials_.fastest()->name));
  else
    lines << tr("None of the plans could be measured.");
  for (const study::Trial& trial : trials) {
    const QString name = text::to_qstring(trial.name);
    lines << (!trial.measured ? tr("%1: %2").arg(name, QString::fromStdString(trial.failure))
              : trial.predicted
                  ? tr("%1: measured %2, predicted %3")
                        .arg(name, models::format_time(*trial.measured), models::format_time(*trial.predicted))
                  : tr("%1: measured %2").arg(name, models::format_time(*trial.measured)));
  }
  if (!trials_.running() && begun < trials_.count()) lines << tr("The others were not started.");
  view_->set_trying(trials_.running(), lines.join(QLatin1Char('\n')));
  if (!trials_.running()) refresh();
}

void RunPage::start() {
  const session::project::RunRecord& record = session_.launch_at_hand()->record();
  shown_run_ = 0;
  failed_on_gpus_ = false;
  show_offers();
  since_timeline_.invalidate();
  view_->set_differences({});
  view_->set_timeline_widget(nullptr);
  timeline_ = nullptr;
  view_->start_run(run_title(record));
  if (!session_.launch_at_hand()->spec().settings.backend.gpus)
    view_->log({models::run::LogLine::note, tr("measuring the layers of %1 and this machine first").arg(record.model)});
}

void RunPage::take(const RunEvent& event) {
  view_->append(event);
  const auto* measured = std::get_if<MeasuredTimeline>(&event);
  if (!measured) return;
  if (since_timeline_.isValid() && since_timeline_.elapsed() < timeline_interval_ms) return;
  since_timeline_.start();
  show_timelines(session_.launch_at_hand()->record().predicted, *measured);
}

void RunPage::end(int run) {
  view_->end_run();
  shown_run_ = run;
  const session::project::RunEntry* entry = session::project::find_run(session_.state(), run);
  if (!entry) return;
  if (entry->run->state == session::project::RunOutcome::failed)
    view_->log({models::run::LogLine::error, entry->run->message});
  failed_on_gpus_ = entry->run->state == session::project::RunOutcome::failed &&
                    session_.launch_at_hand()->spec().settings.backend.gpus;
  show_offers();
  show_comparison(entry->run->predicted.get(), entry->run->events);
  if (const auto* typical = session::runs::typical_timeline(entry->run->events))
    show_timelines(entry->run->predicted, *typical);
  view_->select_run(run);
}

void RunPage::show_run(int id) {
  const session::project::RunEntry* entry = session::project::find_run(session_.state(), id);
  if (!entry || session_.launching() || id == shown_run_) return;
  const auto whole = session::project::with_traces(entry->run);  // read now: projects open without traces
  if (!whole) emit session_.error(tr("Show run"), text::to_qstring(whole.error()));
  const session::project::RunRecord& run = whole ? **whole : *entry->run;
  shown_run_ = id;
  view_->set_timeline_widget(nullptr);  // it is deleted with the run shown before
  timeline_ = nullptr;
  view_->show_run(run_title(run), run.events);
  if (!run.message.isEmpty()) {
    view_->log(
        {run.state == session::project::RunOutcome::failed ? models::run::LogLine::error : models::run::LogLine::note,
         run.message});
  }
  const auto predicted = session::runs::on_measured_devices(run.predicted, run.events);
  if (predicted != run.predicted)
    view_->log({models::run::LogLine::note, tr("%1 of the plan's %2 devices were measured; the prediction is of these")
                                                .arg(predicted->devices.size())
                                                .arg(run.predicted->devices.size())});
  view_->set_prediction(predicted ? prediction_of(*predicted) : views::run::Prediction{});
  show_comparison(predicted.get(), run.events);
  const auto* typical = session::runs::typical_timeline(run.events);
  if (typical) {
    show_timelines(predicted, *typical);
  } else if (run.predicted && run.predicted->timeline.size() > 0) {
    show_timelines(nullptr, {0, run.predicted->timeline});  // an imported simulation: nothing was measured
  }
  view_->select_run(id);
}

Result<std::shared_ptr<const session::project::RunRecord>> RunPage::record_shown() const {
  if (session_.launching())
    return std::make_shared<const session::project::RunRecord>(session_.launch_at_hand()->record());
  const session::project::RunEntry* entry = session::project::find_run(session_.state(), shown_run_);
  if (!entry) return fail(ErrorCode::bad_usage, "no run is shown");
  return session::project::with_traces(entry->run);
}

void RunPage::compare_with(int id) {
  const auto shown = record_shown();
  if (!shown) return;
  const session::project::RunEntry* entry = session::project::find_run(session_.state(), id);
  if (!entry) {
    view_->set_other({}, {}, {});
    view_->set_timeline_heading({});
    const auto predicted = session::runs::on_measured_devices((*shown)->predicted, (*shown)->events);
    show_comparison(predicted.get(), (*shown)->events);
    if (const auto* typical = session::runs::typical_timeline((*shown)->events)) show_timelines(predicted, *typical);
    return;
  }
  const auto other = session::project::with_traces(entry->run);
  if (!other) {
    emit session_.error(tr("Compare runs"), text::to_qstring(other.error()));
    return;
  }
  const auto* mine = session::runs::typical_timeline((*shown)->events);
  const auto* theirs = session::runs::typical_timeline((*other)->events);
  std::vector<views::run::Difference> rows;
  if (mine && theirs) {
    auto beside = std::make_shared<Simulation>();
    beside->timeline = theirs->timeline;
    if (const auto difference = session::runs::differences_of(beside.get(), (*shown)->events))
      rows = shown_differences(*difference);
    show_timelines(beside, *mine);
    view_->set_timeline_heading(tr("THIS RUN VERSUS THE OTHER"));
  }
  view_->set_other(run_title(**other), (*other)->events, rows);
}

void RunPage::show_comparison(const Simulation* predicted, const std::vector<RunEvent>& events) {
  const auto difference = session::runs::differences_of(predicted, events);
  view_->set_differences(difference ? shown_differences(*difference) : std::vector<views::run::Difference>{});
}

void RunPage::show_timelines(const std::shared_ptr<const Simulation>& predicted, const MeasuredTimeline& measured) {
  const auto timeline = std::make_shared<const Timeline>(measured.timeline);
  if (!timeline_) {
    auto* box = new TimelineBox(&link_, timeline_);
    timeline_->setObjectName(QStringLiteral("run_timeline"));
    view_->set_timeline_widget(box, {});
  }
  timeline_->set_device_names(names_here(*timeline, device_pattern(view_->model())));
  timeline_->set_timeline(timeline);
  timeline_->set_pale(models::gantt::make_gantt_content(predicted));
  view_->set_timeline_heading(predicted || !view_->model().recorded_elsewhere() ? QString() : tr("MEASURED"));
  if (auto* search = view_->findChild<views::gantt::ChartSearch*>())
    search->refresh();  // its matches belong to the old operations
  link_.set_label_width(timeline_->wanted_label_width());
  const auto full = std::max(timeline->makespan(), predicted ? predicted->timeline.makespan() : Nanoseconds{});
  link_.set_full(static_cast<double>(full.count));
}

}  // namespace pipedeck::ui::pages
