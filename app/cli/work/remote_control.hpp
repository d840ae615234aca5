// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "core/base/result.hpp"
#include "core/runtime/machine/pause.hpp"

namespace pipedeck::cli::work {

/// Reads what whoever started a run wants of it, a word a line: pause, resume, stop. The last one needs no line end. A
/// thread of its own reads, since a
/// run that computes has no time to look.
class RemoteControl {
 public:
  /// `path`: "-" is standard input, else a named pipe (mkfifo), which any number of writers may open one after another.
  static Result<std::unique_ptr<RemoteControl>> open(const std::string& path,
                                                     std::shared_ptr<runtime::machine::PauseGate> gate,
                                                     std::function<void()> stop);
  ~RemoteControl();
  RemoteControl(const RemoteControl&) = delete;
  RemoteControl& operator=(const RemoteControl&) = delete;

 private:
  RemoteControl(int input, bool owned, std::shared_ptr<runtime::machine::PauseGate> gate, std::function<void()> stop);
  void read_commands();
  bool read_more();
  void take_rest();
  void apply_command(const std::string& line);

  int input_;
  bool owned_;
  int wake_[2] = {-1, -1};  ///< ends the wait
  std::shared_ptr<runtime::machine::PauseGate> gate_;
  std::function<void()> stop_;
  std::string rest_;        ///< of a line whose end has not come
  int not_understood_ = 0;  ///< lines
  std::thread thread_;
};

}  // namespace pipedeck::cli::work
