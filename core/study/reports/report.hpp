// SPDX-License-Identifier: Apache-2.0
// A report of plans that answer one question, for the team: what was asked, how the plans compare, what each of them is
// and what bounds it. Every plan is judged here, by the one simulator.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/result.hpp"
#include "core/model/device_model.hpp"
#include "core/model/plan.hpp"
#include "core/model/workload.hpp"
#include "core/study/reports/document.hpp"
#include "core/study/reports/translator.hpp"

namespace pipedeck::study::reports {

struct ReportedPlan {
  std::shared_ptr<const Plan> plan;   ///< without stages where a planner found none
  std::string note;                   ///< why it found none
  std::string remarks;                ///< what a person wrote down about it
  bool detailed = true;               ///< has a section of its own; false: a row of the comparison alone
  std::vector<std::string> commands;  ///< that simulate it again
};

struct Request {
  std::string title;
  Problem problem;  ///< batch, optimizer and precision are each plan's own
  std::vector<ReportedPlan> plans;
  std::vector<DeviceModel> price_list;             ///< prices of devices if the cluster has none
  std::string calibration;                         ///< where the conventions' calibration is from; empty: there is none
  std::string program, date;                       ///< "pipedeck-cli 0.9.0", "2026-11-22"
  std::vector<std::string> commands;               ///< before those of the plans: what they read
  std::shared_ptr<const Translation> translation;  ///< none: English
};

/// A plan that can't be simulated is listed with the reason. An error is one of the problem itself, or cancellation.
Result<Document> make_report(const Request& question, const Progress& progress = {}, std::stop_token stop = {});

}  // namespace pipedeck::study::reports
