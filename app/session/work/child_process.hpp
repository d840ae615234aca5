// SPDX-License-Identifier: GPL-3.0-or-later
// A program in its own process group. Its output is read by lines, and its messages are stored for error reports.
// Stopping it sends a request, waits for a grace period, then kills the whole group, so that no descendant remains.
#pragma once

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTimer>

namespace pipedeck::session::work {

struct ProcessEnd {
  bool started = true;   ///< false: the program could not be started
  bool crashed = false;  ///< by a signal that was not ours; `exit_status` is its number
  bool stopped = false;  ///< on request
  int exit_status = 0;
  QString messages;  ///< end of its standard error, or why it did not start
};

/// Removes the program's name from the start of a message on pipedeck-cli's standard error.
QString without_program(const QString& line);

class ChildProcess : public QObject {
  Q_OBJECT

 public:
  explicit ChildProcess(QObject* parent = nullptr);
  ~ChildProcess() override;  ///< kills the process if it is still running

  void start(const QString& program, const QStringList& arguments);
  void stop();
  /// Writes to its standard input.
  void write(const QByteArray& text) { process_.write(text); }
  qint64 id() const { return process_.processId(); }
  bool running() const { return process_.state() != QProcess::NotRunning; }
  void set_grace(int milliseconds) { grace_.setInterval(milliseconds); }

 signals:
  void output_line(const QByteArray& line);
  void message_line(const QString& line);
  void ended(const work::ProcessEnd& end);

 private:
  void read_output();
  void read_messages();
  void finish(int exit_status, QProcess::ExitStatus how);
  void signal_group(int signal_number);

  QProcess process_;
  QTimer grace_;
  QByteArray output_rest_, message_rest_;
  QString messages_;
  bool stop_requested_ = false;
};

}  // namespace pipedeck::session::work
