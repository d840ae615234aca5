// SPDX-License-Identifier: Apache-2.0
// --transport of run: where the workers are, and what the processes of a run have to agree on. All of them read and
// check the same files; one speaks.
#pragma once

#include <memory>
#include <string>

#include "core/runtime/run.hpp"

namespace CLI {
class App;
}

namespace pipedeck {
class MpiProcesses;
}

namespace pipedeck::cli {

class RunSite {
 public:
  RunSite();
  ~RunSite();
  void declare(CLI::App& app);

  /// Joins the other processes, with --transport mpi; from now on the first one alone prints. bad_usage where there is
  /// no MPI, or where nobody started this process together with others.
  Result<void> open(std::chrono::milliseconds timeout);
  /// What one of the processes refused is refused by all; so is what they do not all see alike (`inputs`, as text).
  Result<void> agree(const Result<void>& checked, const Plan& plan, const std::string& inputs) const;
  Result<void> agree(const Result<void>& checked) const;
  bool first() const { return site_.processes->first(); }
  const Site& site() const { return site_; }
  /// On standard error, by the first process that is not lost.
  void say(const std::string& message) const;

  /// The end of the command: parts from the other processes; after a failed run it ends all of them with its status,
  /// those that hang included, when the one that speaks has said why.
  Result<int> end(Result<int> result);

 private:
  std::string transport_ = "threads";
  std::shared_ptr<MpiProcesses> processes_;  ///< null: threads of this process
  Site site_;
};

/// Whether another process of the same run says what is wrong with these arguments of `run`. Waits until it could.
bool others_speak(const std::vector<std::string>& arguments);

}  // namespace pipedeck::cli
