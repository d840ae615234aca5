// SPDX-License-Identifier: GPL-3.0-or-later
// A program in a process group of its own: its output by lines, its messages kept for when it fails. Stopping it asks
// first, waits a grace, then kills the whole group, so that nothing it started stays behind.
#pragma once

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTimer>

namespace pipedeck::app {

struct ProcessEnd {
  bool started = true;   ///< false: the program could not be started
  bool crashed = false;  ///< by a signal other than our own; `exit_status` is then its number
  bool stopped = false;  ///< on request
  int exit_status = 0;
  QString messages;  ///< the end of its standard error, or why it did not start
};

/// Without the program's own name, which leads what pipedeck-cli says on its standard error.
QString without_program(const QString& line);

class ChildProcess : public QObject {
  Q_OBJECT

 public:
  explicit ChildProcess(QObject* parent = nullptr);
  ~ChildProcess() override;  ///< kills what still runs

  void start(const QString& program, const QStringList& arguments);
  void stop();
  /// To its standard input.
  void write(const QByteArray& text) { process_.write(text); }
  qint64 id() const { return process_.processId(); }
  bool running() const { return process_.state() != QProcess::NotRunning; }
  void set_grace(int milliseconds) { grace_.setInterval(milliseconds); }

 signals:
  void output_line(const QByteArray& line);
  void message_line(const QString& line);
  void ended(const pipedeck::app::ProcessEnd& end);

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

}  // namespace pipedeck::app
