// SPDX-License-Identifier: Apache-2.0
// The table of all arguments with their values that Megatron-LM prints at its start: "  num_layers .......... 32".
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "core/io/jobs/training_job.hpp"

namespace pipedeck::io::jobs {

class ArgumentDump {
 public:
  /// Takes a line of the table; other lines, and those outside of it, are none.
  void read(std::string_view line);
  bool empty() const { return values_.empty(); }
  /// Returns the job. The table has arguments at their defaults, too, so those that are not read are not named.
  Result<TrainingJob> job(const std::string& name) const;

 private:
  std::string value(std::string_view name) const;  ///< empty: none, or None
  bool has_no_effect(std::string_view name) const;

  std::map<std::string, std::string, std::less<>> values_;
  bool inside_ = false;
};

}  // namespace pipedeck::io::jobs
