// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/plans/mesh_study.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <QMetaObject>
#include <QThread>

#include "app/text/in_qt.hpp"

namespace pipedeck::session::plans {

using study::mesh_editing::Mesh;
using study::mesh_editing::Sheet;

MeshStudy::MeshStudy(QObject* parent) : QObject(parent) { pool_.setMaxThreadCount(1); }

MeshStudy::~MeshStudy() { pool_.waitForDone(); }

void MeshStudy::set_plan(const Problem& problem, const std::shared_ptr<const Plan>& plan) {
  const bool same_problem = problem_ && problem_->profile == problem.profile && problem_->cluster == problem.cluster &&
                            problem_->workload == problem.workload;
  if (same_problem && plan_ == plan) return;
  if (!problem_ || problem_->profile->name != problem.profile->name) locked_.clear();
  problem_ = problem, plan_ = plan;
  request();
}

void MeshStudy::clear() {
  ++generation_;
  problem_.reset(), plan_.reset(), mesh_.reset(), sheet_.reset();
  reason_.clear();
}

void MeshStudy::toggle_lock(Dimension dimension) {
  if (!locked_.erase(dimension)) locked_.insert(dimension);
  request();
}

void MeshStudy::request() {
  ++generation_;
  again_ = running_;
  if (running_ || !plan_) return;
  running_ = true;
  pool_.start([this, generation = generation_, problem = *problem_, plan = plan_, locked = locked_] {
    Answer answer;
    const auto compute = [&]() -> Result<void> {
      TRY(const sim::Simulator simulator,
          sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions));
      TRY(Mesh mesh, study::mesh_editing::mesh_of(simulator, *plan));
      mesh.locked = locked;
      TRY(Sheet sheet, study::mesh_editing::sheet_of(mesh, std::max(1, QThread::idealThreadCount())));
      answer.mesh = std::move(mesh);
      answer.sheet = std::make_shared<const Sheet>(std::move(sheet));
      return {};
    };
    try {
      if (const auto done = compute(); !done) answer.reason = text::to_qstring(done.error());
    } catch (const std::exception& error) {
      answer.reason = QString::fromUtf8(error.what());
    }
    QMetaObject::invokeMethod(
        this, [this, generation, answer = std::move(answer)] { receive(generation, answer); }, Qt::QueuedConnection);
  });
}

void MeshStudy::receive(int generation, Answer answer) {
  running_ = false;
  if (std::exchange(again_, false)) request();
  if (generation != generation_) return;
  mesh_ = std::move(answer.mesh), sheet_ = std::move(answer.sheet), reason_ = std::move(answer.reason);
  emit changed_sheet();
}

Result<Plan> MeshStudy::changed(Dimension dimension, int value) const {
  if (!mesh_ || !plan_) return fail(ErrorCode::bad_usage, "there is no plan to edit");
  auto made = study::mesh_editing::changed(*mesh_, dimension, value);
  if (!made) {
    const study::mesh_editing::BrokenRule& rule = made.error();
    return fail(ErrorCode::bad_input, rule.engine.empty() ? rule.text : rule.text + " (" + rule.engine + ")");
  }
  Plan plan = study::mesh_editing::edited_plan(*plan_, *made, *problem_->profile);
  // A planner's names are the degrees.
  if (const std::string old = degrees_text(*plan_); plan.name.starts_with(old)) {
    const std::size_t mark = plan.name.find(" (");
    plan.name = degrees_text(plan) + (mark == std::string::npos ? std::string() : plan.name.substr(mark));
  }
  return plan;
}

QString MeshStudy::change_name(Dimension dimension, int value) const {
  if (!mesh_) return {};
  return text::to_qstring(std::string(study::mesh_editing::name_of(dimension))) + QLatin1Char(' ') +
         text::to_qstring(study::mesh_editing::text_of(*mesh_, dimension, value));
}

}  // namespace pipedeck::session::plans
