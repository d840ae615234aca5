// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/plans/preview_simulator.hpp"
#include "app/text/in_qt.hpp"

#include <exception>

#include <QMetaObject>

namespace pipedeck::session::plans {

PreviewSimulator::PreviewSimulator(study::PlanSimulator& plan_simulator, QObject* parent)
    : QObject(parent), simulator_(plan_simulator) {
  pool_.setMaxThreadCount(1);
}

PreviewSimulator::~PreviewSimulator() {
  cancel();
  pool_.waitForDone();
}

std::int64_t PreviewSimulator::request(const Problem& problem, const Plan& plan) {
  Request request{++generation_, problem, plan};
  if (running_) {
    waiting_ = std::move(request);  // the previous waiting request is dropped
  } else {
    start(std::move(request));
  }
  return generation_;
}

void PreviewSimulator::cancel() {
  oldest_wanted_ = generation_ + 1;
  waiting_.reset();
  stop_.request_stop();
}

void PreviewSimulator::start(Request request) {
  running_ = true;
  stop_ = std::stop_source();
  pool_.start([this, stop = stop_.get_token(), request = std::move(request)] {
    Result<std::shared_ptr<const study::PlanResult>> result = fail(ErrorCode::internal, "no result");
    try {
      result = simulator_.preview(request.problem, request.plan, stop);
    } catch (const std::exception& error) {
      result = fail(ErrorCode::internal, error.what());
    }
    QMetaObject::invokeMethod(
        this, [this, request, result] { answer(request, result); }, Qt::QueuedConnection);
  });
}

void PreviewSimulator::answer(const Request& request, const Result<std::shared_ptr<const study::PlanResult>>& result) {
  running_ = false;
  if (waiting_) {
    Request next = std::move(*waiting_);
    waiting_.reset();
    start(std::move(next));
  }
  // A result older than the newest request is still the newest available picture, so it is shown during a drag.
  if (request.generation < oldest_wanted_) return;
  emit simulated(request.generation, request.plan, result ? *result : nullptr,
                 result ? QString() : text::to_qstring(result.error()));
}

}  // namespace pipedeck::session::plans
