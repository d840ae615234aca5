// SPDX-License-Identifier: Apache-2.0
#include "core/planner/program/child_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <fmt/format.h>

extern char** environ;

namespace pipedeck::planner::program {
namespace {

constexpr int look_up_ms = 20;
constexpr std::size_t kept_messages = 4096;

/// A descriptor that is closed at the end.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int get() const { return descriptor_; }
  bool open() const { return descriptor_ >= 0; }
  void set(int descriptor) { close(), descriptor_ = descriptor; }
  void close() {
    if (open()) ::close(descriptor_);
    descriptor_ = -1;
  }

 private:
  int descriptor_ = -1;
};

struct Pipe {
  Descriptor read, write;
  bool make() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read.set(ends[0]), write.set(ends[1]);
    return true;
  }
};

void unblock(int descriptor) { ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK); }

/// Keeps SIGPIPE from this thread while it writes: a program may close its input early.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;
  ~WithoutPipeSignal() {
    const timespec now{};
    if (!::sigismember(&before_, SIGPIPE))
      while (::sigtimedwait(&pipe_, nullptr, &now) > 0) {
      }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_{}, before_{};
};

/// A running program with its three pipes.
class Child {
 public:
  Child() = default;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { end(); }

  Result<void> start(const std::string& path) {
    if (!in_.make() || !out_.make() || !messages_.make()) return failed(path, errno);
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_adddup2(&files, in_.read.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, out_.write.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, messages_.write.get(), STDERR_FILENO);
    ::posix_spawnattr_init(&how);
    sigset_t none, usual;
    ::sigemptyset(&none);
    ::sigemptyset(&usual);
    for (const int number : {SIGPIPE, SIGINT, SIGTERM}) ::sigaddset(&usual, number);
    ::posix_spawnattr_setsigmask(&how, &none);
    ::posix_spawnattr_setsigdefault(&how, &usual);
    ::posix_spawnattr_setpgroup(&how, 0);
    ::posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    std::string name = path;
    std::array<char*, 2> arguments{name.data(), nullptr};
    const int error = ::posix_spawn(&id_, path.c_str(), &files, &how, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&how);
    if (error != 0) return id_ = 0, failed(path, error);
    in_.read.close(), out_.write.close(), messages_.write.close();
    for (const Descriptor* one : {&in_.write, &out_.read, &messages_.read}) unblock(one->get());
    return {};
  }

  /// Waits a moment, then moves what the pipes take and have.
  void exchange(std::string_view& input, const std::function<void(std::string_view)>& output, std::string& messages) {
    if (input.empty()) in_.write.close();
    pollfd open[3];
    nfds_t count = 0;
    if (in_.write.open()) open[count++] = {in_.write.get(), POLLOUT, 0};
    for (const Descriptor* one : {&out_.read, &messages_.read})
      if (one->open()) open[count++] = {one->get(), POLLIN, 0};
    ::poll(open, count, look_up_ms);
    if (in_.write.open()) write(input);
    read(out_.read, output);
    read(messages_.read, [&](std::string_view more) {
      messages += more;
      if (messages.size() > kept_messages) messages.erase(0, messages.size() - kept_messages);
    });
  }

  /// Returns true once the program has ended. Its number stays taken until `end`.
  bool ended() const {
    siginfo_t what{};
    return ::waitid(P_PID, static_cast<id_t>(id_), &what, WEXITED | WNOHANG | WNOWAIT) != 0 || what.si_pid != 0;
  }

  /// Ends what is left of the group. Returns the status of the program.
  int end() {
    if (id_ <= 0) return 0;
    ::kill(-id_, SIGKILL);
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = 0;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  static tl::unexpected<Error> failed(const std::string& path, int error) {
    return fail(ErrorCode::io, fmt::format("the program can't be started: {}", std::strerror(error)), {}, path);
  }

  void write(std::string_view& input) {
    const WithoutPipeSignal quiet;
    const ssize_t written = ::write(in_.write.get(), input.data(), input.size());
    if (written > 0) input.remove_prefix(static_cast<std::size_t>(written));
    if (written < 0 && errno != EAGAIN && errno != EINTR) in_.write.close();
  }

  static void read(Descriptor& from, const std::function<void(std::string_view)>& take) {
    std::array<char, 65536> bytes;
    if (!from.open()) return;
    const ssize_t count = ::read(from.get(), bytes.data(), bytes.size());
    if (count > 0) take({bytes.data(), static_cast<std::size_t>(count)});
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) from.close();
  }

  Pipe in_, out_, messages_;
  pid_t id_ = 0;
};

}  // namespace

Result<ProgramRun> run_program(const std::string& path, std::string_view input,
                               const std::function<void(std::string_view)>& output, const ProgramLimits& limits) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  Child child;
  TRY_VOID(child.start(path));
  ProgramRun run;
  std::size_t bytes = 0;
  bool over = false;
  const auto take = [&](std::string_view more) {
    over = over || more.size() > limits.output - bytes;
    if (over) return;
    bytes += more.size();
    output(more);
  };
  while (true) {
    const bool last = child.ended();  // what it had written is in the pipes
    const std::size_t before = bytes;
    child.exchange(input, take, run.last_messages);
    if (over) run.end = ProgramEnd::too_much_output;
    if (!last && limits.stop()) run.end = ProgramEnd::stopped;
    if (!last && std::chrono::duration<double>(Clock::now() - begin).count() > limits.time.count)
      run.end = ProgramEnd::out_of_time;
    if (run.end != ProgramEnd::by_itself || (last && bytes == before)) break;
  }
  run.status = child.end();
  return run;
}

}  // namespace pipedeck::planner::program
