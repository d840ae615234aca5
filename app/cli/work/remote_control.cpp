// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/remote_control.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "app/cli/text/console.hpp"
#include "app/cli/text/table.hpp"

namespace pipedeck::cli::work {
namespace {

constexpr std::size_t longest_line = 64;  // of which a command is a part
constexpr int most_warnings = 10;
constexpr int line_end_wait_ms = 200;

bool is_command(const std::string& line) { return line == "pause" || line == "resume" || line == "stop"; }

}  // namespace

Result<std::unique_ptr<RemoteControl>> RemoteControl::open(const std::string& path,
                                                           std::shared_ptr<runtime::machine::PauseGate> gate,
                                                           std::function<void()> stop) {
  using Made = std::unique_ptr<RemoteControl>;
  if (path == "-") return Made(new RemoteControl(STDIN_FILENO, false, std::move(gate), std::move(stop)));
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0)
    return fail(ErrorCode::bad_input, fmt::format("--control: {}", std::strerror(errno)), {}, path);
  if (!S_ISFIFO(found.st_mode))
    return fail(ErrorCode::bad_usage, "run: --control takes a named pipe (mkfifo) or -, standard input", {}, path);
  // Open for writing, too: so the end of one writer is not the end of the pipe.
  const int input = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (input < 0) return fail(ErrorCode::io, std::strerror(errno), {}, path);
  return Made(new RemoteControl(input, true, std::move(gate), std::move(stop)));
}

RemoteControl::RemoteControl(int input, bool owned, std::shared_ptr<runtime::machine::PauseGate> gate,
                             std::function<void()> stop)
    : input_(input), owned_(owned), gate_(std::move(gate)), stop_(std::move(stop)) {
  ensure(::pipe2(wake_, O_CLOEXEC) == 0, "a pipe to a thread of this program");
  thread_ = std::thread([this] { read_commands(); });
}

RemoteControl::~RemoteControl() {
  ::close(wake_[1]);
  thread_.join();
  ::close(wake_[0]);
  if (owned_) ::close(input_);
}

void RemoteControl::read_commands() {
  while (true) {
    pollfd watched[] = {{input_, POLLIN, 0}, {wake_[0], POLLIN, 0}};
    const int ready = ::poll(watched, 2, is_command(rest_) ? line_end_wait_ms : -1);
    if (ready < 0 && errno != EINTR) return;
    if (ready == 0) take_rest();
    if (ready <= 0) continue;
    if (watched[1].revents != 0) return;
    if (watched[0].revents != 0 && !read_more()) break;
  }
  take_rest();
  if (!gate_->paused()) return;
  text::print_warning("the run's control was closed; the run continues");
  gate_->resume();
}

/// False: there will be no more.
bool RemoteControl::read_more() {
  char bytes[256];
  const ssize_t count = ::read(input_, bytes, sizeof bytes);
  if (count <= 0) return count < 0 && (errno == EINTR || errno == EAGAIN);
  rest_.append(bytes, static_cast<std::size_t>(count));
  std::size_t begin = 0;
  for (std::size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', begin)) {
    apply_command(rest_.substr(begin, end - begin));
    begin = end + 1;
  }
  rest_.erase(0, begin);
  if (rest_.size() > longest_line) rest_.resize(longest_line);
  return true;
}

void RemoteControl::take_rest() { apply_command(std::exchange(rest_, {})); }

void RemoteControl::apply_command(const std::string& line) {
  if (line == "pause") return gate_->pause();
  if (line == "resume") return gate_->resume();
  if (line == "stop") return stop_();
  if (line.empty() || ++not_understood_ > most_warnings) return;
  text::print_warning(fmt::format("--control: found {}, expected pause, resume or stop{}",
                                  text::shortened(line, longest_line),
                                  not_understood_ == most_warnings ? "; no warning follows" : ""));
}

}  // namespace pipedeck::cli::work
