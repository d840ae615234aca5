// SPDX-License-Identifier: Apache-2.0
// Processes joined through MPI: their control messages and the detection of lost processes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

#include "core/runtime/mpi/clock_offset.hpp"
#include "core/runtime/mpi/failure_detector.hpp"
#include "core/runtime/mpi/progress_thread.hpp"
#include "core/runtime/transport/processes.hpp"
#include "core/runtime/transport/transport.hpp"

namespace pipedeck::runtime::mpi {

class Transport;

class ProcessGroup final : public transport::ProcessGroup, public transport::PeerControl, private MessageHandler {
 public:
  /// Joins the processes that mpirun or srun started with this one. A process that is silent for `timeout` is lost.
  static Result<std::unique_ptr<ProcessGroup>> join(const PipedeckWire& wire, std::chrono::milliseconds timeout);
  ~ProcessGroup() override;

  int rank() const { return progress_thread_->rank(); }
  int size() const { return progress_thread_->size(); }
  /// Returns the process of a worker. Workers are split into blocks, larger ones first; each process has at least one.
  int process_of(std::size_t worker, std::size_t workers) const;
  /// Returns the transport of a run, one at a time. `memories` holds one memory per worker. `control` outlives it.
  std::unique_ptr<transport::Transport> connect(const std::vector<std::shared_ptr<tensor::DeviceMemory>>& memories,
                                                transport::RunControl& control);

  // Collectives of all processes, which wait as long as the others are alive. A failure of the connected run ends the
  // wait. run_failed names the lost process and its activity.
  /// Returns the texts of all processes, in rank order, on the first process. Elsewhere it returns nothing at once.
  Result<std::vector<std::string>> collect(std::string mine);
  /// Returns the text of the first process.
  Result<std::string> broadcast(std::string mine);

  std::vector<std::string> gather(std::string mine) override;
  std::optional<Error> agree_on_error(std::optional<Error> mine) override;
  /// Returns the answer of the first process, which is informed of every process that was asked to stop.
  bool any_of(bool stopping) override;
  LocalWorkers workers_here(std::size_t workers) const override;
  bool alone() const override { return size() == 1; }
  int machines() const override;
  tensor::RunClock::duration clock_offset() const override;

  bool is_rank_zero() const override { return rank() == 0; }
  bool may_commit() override;
  void send_stop() override;
  void send_admission(transport::AdmissionMessage note) override;
  int num_peers() const override { return size() - 1; }
  std::optional<Error> unresponsive_peer() override;

  /// True if this process prints: it is the first one that is not lost.
  bool is_reporter() const;
  /// Ends all processes, including hanging ones, with this status. A process that does not print first gives the one
  /// that prints time to report the reason.
  [[noreturn]] void abort(int status);
  /// Disconnects from the others, which disconnect too. run_failed names a process that does not within the time-out,
  /// and marks it as lost. After a stop it is cancelled: mpirun itself ends processes then, and none is to blame.
  Result<void> disconnect();

 private:
  friend class Transport;
  explicit ProcessGroup(std::chrono::milliseconds timeout) : timeout_(timeout) {}

  ReceiveBuffer receive(int peer, const WireHeader& header) override;
  void tick() override;
  void broken(int peer, const std::string& reason) override;

  void read(int peer, const WireHeader& header, const std::string& body);
  void receive_heartbeat(const std::string& body);
  void receive_clock(int peer, const WireHeader& header);
  void receive_commit(int peer, const WireHeader& header);
  void receive_admission(const WireHeader& header);
  void send_beat(tensor::RunClock::time_point now);
  void check_for_losses(tensor::RunClock::time_point now);
  void pass_failure_on();
  void lose(int peer, const std::string& what);
  Error loss_error(int peer, const std::string& what) const;
  std::string silence_text(tensor::RunClock::duration silent) const;

  void detach_transport();
  void with_control(const std::function<void(transport::RunControl&)>& work) const;
  Result<void> introduce();
  void estimate_clock();
  void note_stop();
  void note_lost(std::uint64_t number);
  std::uint64_t lost_number() const;
  void send_to_all(const WireHeader& header, const std::string& body = {});
  template <class Ready>
  Result<void> wait_until(std::unique_lock<std::mutex>& lock, Ready ready);

  const std::chrono::milliseconds timeout_;
  std::atomic<bool> joined_ = false;  ///< the progress thread exists
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Under `mutex_`:
  std::map<std::pair<int, std::uint64_t>, std::string> texts_;  ///< by process and number
  std::optional<FailureDetector> watch_;
  std::optional<Error> lost_;
  std::vector<bool> gone_;  ///< one per process
  std::optional<tensor::RunClock::time_point> stop_asked_;
  ClockOffset clock_;
  int clock_answers_ = 0;
  std::uint64_t commit_answer_ = commit_unanswered;
  bool disconnecting_ = false;

  mutable std::mutex connection_;  ///< locked before `mutex_` if both are needed
  // Under `connection_`:
  Transport* transport_ = nullptr;                         ///< of the connected run
  std::atomic<transport::RunControl*> control_ = nullptr;  ///< of the connected run
  std::atomic<std::uint64_t> runs_ = 0;                    ///< number of runs so far, including the connected one
  bool failure_passed_on_ = false;

  std::uint64_t collected_ = 0, told_ = 0;              ///< used by the caller's thread
  tensor::RunClock::time_point beaten_{};               ///< used by the progress thread
  std::unique_ptr<MpiProgressThread> progress_thread_;  ///< last member: its thread uses all others
};

}  // namespace pipedeck::runtime::mpi
