// SPDX-License-Identifier: Apache-2.0
// The question that a published run asks: its model, machine, degrees and the habits of its engine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/mesh/question.hpp"
#include "core/model/device_model.hpp"
#include "core/study/accuracy/runs_table.hpp"

namespace pipedeck::study::accuracy {

struct Expressed {
  std::optional<mesh::Question> question;
  DeviceType type;
  std::string reason;               ///< why there is no question
  bool open_recomputation = false;  ///< the row does not print it
  std::vector<std::string> notes;   ///< on what the row leaves open or the question cannot express
};

Expressed question_of(const PublishedRun& run, const std::vector<DeviceModel>& catalogue);

}  // namespace pipedeck::study::accuracy
