// SPDX-License-Identifier: Apache-2.0
// A command: it declares its options, then runs.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <stop_token>

#include "core/base/result.hpp"

namespace pipedeck::cli::options {

class Command {
 public:
  virtual ~Command() = default;
  virtual void declare(CLI::App& app) = 0;
  /// Returns the exit status if the command has printed everything itself, or an error for the caller to print.
  virtual Result<int> run(std::stop_token stop) = 0;
  /// Returns true while a stop may take its time, to save something first. Called by another thread.
  virtual bool saves_first() const { return false; }
};

}  // namespace pipedeck::cli::options
