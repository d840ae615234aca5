// SPDX-License-Identifier: GPL-3.0-or-later
// Simulation of a plan during an edit. Each change requests a simulation; at most one runs at a time, and only the
// newest waiting one is started. Results have the generation of their request, so that stale ones are never shown.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>

#include <QObject>
#include <QThreadPool>

#include "core/study/plan_simulator.hpp"

namespace pipedeck::session::plans {

class PreviewSimulator : public QObject {
  Q_OBJECT

 public:
  explicit PreviewSimulator(study::PlanSimulator& plan_simulator, QObject* parent = nullptr);
  ~PreviewSimulator() override;

  /// Returns the request's generation, larger than all before.
  std::int64_t request(const Problem& problem, const Plan& plan);
  /// Drops the results of all requests so far.
  void cancel();
  bool busy() const { return running_; }

 signals:
  /// Reports a result. `plan_result` is null if the plan cannot be simulated; `why` is then the reason.
  void simulated(std::int64_t generation, const pipedeck::Plan& plan,
                 std::shared_ptr<const pipedeck::study::PlanResult> plan_result, const QString& why);

 private:
  struct Request {
    std::int64_t generation = 0;
    Problem problem;
    Plan plan;
  };
  void start(Request request);
  void answer(const Request& request, const Result<std::shared_ptr<const study::PlanResult>>& result);

  study::PlanSimulator& simulator_;
  QThreadPool pool_;
  std::stop_source stop_;
  std::optional<Request> waiting_;
  std::int64_t generation_ = 0;
  std::int64_t oldest_wanted_ = 0;
  bool running_ = false;
};

}  // namespace pipedeck::session::plans
