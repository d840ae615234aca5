// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/work/child_process.hpp"

#include <sys/prctl.h>
#include <unistd.h>
#include <csignal>

namespace pipedeck::session::work {

namespace {

constexpr int default_grace_ms = 5000;
constexpr qsizetype kept_messages = 16 * 1024;

/// Passes complete lines to `take` and stores the incomplete one in `rest`.
template <class Take>
void split_lines(QByteArray& rest, const QByteArray& more, const Take& take) {
  rest += more;
  qsizetype begin = 0;
  for (qsizetype end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n', begin)) {
    take(rest.mid(begin, end - begin));
    begin = end + 1;
  }
  rest.remove(0, begin);
}

}  // namespace

QString without_program(const QString& line) {
  const QLatin1String lead("pipedeck-cli: ");
  return line.startsWith(lead) ? line.mid(lead.size()) : line;
}

ChildProcess::ChildProcess(QObject* parent) : QObject(parent) {
  grace_.setSingleShot(true);
  grace_.setInterval(default_grace_ms);
  process_.setChildProcessModifier([] {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // a killed window leaves no training behind
  });
  connect(&process_, &QProcess::readyReadStandardOutput, this, &ChildProcess::read_output);
  connect(&process_, &QProcess::readyReadStandardError, this, &ChildProcess::read_messages);
  connect(&process_, &QProcess::finished, this, &ChildProcess::finish);
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart) return;
    emit ended({.started = false,
                .exit_status = 1,
                .messages = tr("%1 could not be started: %2").arg(process_.program(), process_.errorString())});
  });
  connect(&grace_, &QTimer::timeout, this, [this] { signal_group(SIGKILL); });
}

ChildProcess::~ChildProcess() {
  process_.disconnect(this);
  if (!running()) return;
  signal_group(SIGKILL);
  process_.waitForFinished(1000);
}

void ChildProcess::start(const QString& program, const QStringList& arguments) {
  output_rest_.clear();
  message_rest_.clear();
  messages_.clear();
  stop_requested_ = false;
  process_.start(program, arguments);
}

void ChildProcess::stop() {
  if (!running()) return;
  stop_requested_ = true;
  signal_group(SIGTERM);
  if (!grace_.isActive()) grace_.start();
}

void ChildProcess::signal_group(int signal_number) {
  const auto id = static_cast<pid_t>(process_.processId());
  if (id > 0) ::kill(-id, signal_number);
}

void ChildProcess::read_output() {
  split_lines(output_rest_, process_.readAllStandardOutput(), [this](const QByteArray& line) {
    if (!line.trimmed().isEmpty()) emit output_line(line);
  });
}

void ChildProcess::read_messages() {
  split_lines(message_rest_, process_.readAllStandardError(), [this](const QByteArray& line) {
    const QString text = QString::fromUtf8(line);
    messages_ += text + QLatin1Char('\n');
    if (messages_.size() > kept_messages) messages_ = messages_.right(kept_messages);
    emit message_line(without_program(text));
  });
}

void ChildProcess::finish(int exit_status, QProcess::ExitStatus how) {
  grace_.stop();
  read_output();
  read_messages();
  messages_ += QString::fromUtf8(message_rest_);
  emit ended({.started = true,
              .crashed = how == QProcess::CrashExit && !stop_requested_,
              .stopped = stop_requested_,
              .exit_status = exit_status,
              .messages = messages_.trimmed()});
}

}  // namespace pipedeck::session::work
