// SPDX-License-Identifier: Apache-2.0
// The step that a run goes on from, and what each of its layers begins with.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/domain/plan.hpp"
#include "core/runtime/checkpoint/folder.hpp"

namespace pipedeck {

class Checkpoint {
 public:
  /// The last step of `folder` that every stage has and whose checksums are right, or the step whose own folder is
  /// named. What is passed over for it is said in warnings(). bad_input where there is none, with each reason.
  static Result<Checkpoint> open(const std::string& folder);

  const CheckpointOrigin& origin() const { return content_.parts.front().part().origin; }
  const std::string& path() const { return content_.folder.path; }
  const std::vector<std::string>& warnings() const { return warnings_; }

  /// bad_input where it is of another model or optimizer: the first difference, as found and expected. Differences that
  /// training can go on with (data, learning rate) are sentences.
  Result<std::vector<std::string>> check(const ModelSpec& model, const Plan& plan) const;

  /// Older versions of the layer's parameters, which lie behind its states.
  int older(int layer) const;
  /// What `kernel` holds of state `state` of the model's layer, in the kernel's own order; the optimizer's updates so
  /// far. Errors: the files changed since open().
  Result<std::uint64_t> read(int layer, int state, const LayerKernel& kernel, std::span<float> own) const;
  /// All parameters of the model, layer by layer.
  Result<std::vector<std::vector<float>>> parameters() const;

 private:
  Result<std::uint64_t> read_whole(int layer, int state, std::vector<float>& whole) const;

  StepContent content_;
  std::vector<std::string> warnings_;
};

}  // namespace pipedeck
