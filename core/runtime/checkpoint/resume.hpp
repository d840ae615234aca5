// SPDX-License-Identifier: Apache-2.0
// The step from which a run resumes, and the initial values of each of its layers.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/model/plan.hpp"
#include "core/runtime/checkpoint/folder.hpp"

namespace pipedeck::runtime::checkpoint {

class Checkpoint {
 public:
  /// Opens the last step of `folder` that is complete and has correct checksums, or the step whose own folder is named.
  /// warnings() lists the steps that were skipped. bad_input with each reason if there is no such step.
  static Result<Checkpoint> open(const std::string& folder);

  const Origin& origin() const { return content_.parts.front().part().origin; }
  const std::string& path() const { return content_.folder.path; }
  const std::vector<std::string>& warnings() const { return warnings_; }

  /// Checks that the checkpoint suits the run. bad_input if the model or optimizer differs: the first difference, as
  /// found and expected. Returns one sentence for each permitted difference (data, learning rate).
  Result<std::vector<std::string>> check(const ModelSpec& model, const Plan& plan) const;

  /// Checks that a run with adapters begins with the frozen weights of the checkpoint, which does not contain them.
  /// `seed`: as Origin::seed. bad_input if they differ.
  Result<void> check_frozen_weights(std::uint64_t seed) const;

  /// Returns the number of older versions of the layer's parameters, which follow its states.
  int older(int layer) const;
  /// Reads `blocks` of the values of state `state` of the model's layer, which has `parameters` parameters. Returns the
  /// optimizer's updates so far. Errors: the files changed since open().
  Result<std::uint64_t> read(int layer, int state, std::int64_t parameters,
                             std::span<const layers::ParameterBlock> blocks, std::span<float> own) const;
  /// Returns all parameters of the model, layer by layer.
  Result<std::vector<std::vector<float>>> parameters() const;

 private:
  Result<std::uint64_t> read_whole(int layer, int state, std::vector<float>& whole) const;

  StepContent content_;
  std::vector<std::string> warnings_;
};

}  // namespace pipedeck::runtime::checkpoint
