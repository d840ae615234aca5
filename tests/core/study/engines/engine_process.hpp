// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFile>
#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>

namespace pipedeck::test {

/// A folder in which other programs read what was written for them.
class EngineFolder {
 public:
  void write(const QString& name, const QByteArray& text) const {
    QFile file(folder_.filePath(name));
    if (file.open(QIODevice::WriteOnly)) file.write(text);
  }

  QString path(const QString& name) const { return folder_.filePath(name); }

  struct Answer {
    int status = -1;
    QByteArray out, error;
  };
  Answer run(const QString& program, const QStringList& arguments) const {
    QProcess process;
    process.setWorkingDirectory(folder_.path());
    process.start(program, arguments);
    if (!process.waitForFinished(240000) || process.exitStatus() != QProcess::NormalExit)
      return {-1, process.readAllStandardOutput(), process.readAllStandardError() + process.errorString().toUtf8()};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
  }

  static bool has_torch() {
    QProcess probe;
    probe.start("/usr/bin/python3", {"-c", "import torch"});
    return probe.waitForFinished(240000) && probe.exitCode() == 0;
  }

 private:
  QTemporaryDir folder_;
};

}  // namespace pipedeck::test
