// SPDX-License-Identifier: Apache-2.0
// Runs the real program and small files to run it on.
#pragma once

#include <QByteArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

namespace pipedeck::test {

struct Answer {
  int status = -1;  ///< -1: did not start, crashed or did not end in time
  QByteArray out, err;
};

/// Ends the test function and prints the output, unless the program ended with this status.
#define VERIFY_STATUS(answer, expected)                                                                           \
  do {                                                                                                            \
    const pipedeck::test::Answer answer_ = (answer);                                                              \
    QVERIFY2(answer_.status == (expected),                                                                        \
             qPrintable(QString("exit %1, expected %2: %3").arg(answer_.status).arg(expected).arg(answer_.err))); \
  } while (false)

/// pipedeck-cli with these arguments, in `folder`, with `environment` ("NAME=value") added.
Answer run_cli(const QStringList& arguments, const QString& folder, const QStringList& environment = {});
/// Runs another build of the program likewise.
Answer run_program(const QString& program, const QStringList& arguments, const QString& folder,
                   const QStringList& environment);

/// Sends a signal to a running program. Returns false if it has ended: process 0 is the whole group of the test itself.
bool send_signal(const QProcess& process, int number);

/// Parses a JSON object; empty if the text is none. Constant, so that [] reads.
inline const QJsonObject object_of(const QByteArray& text) { return QJsonDocument::fromJson(text).object(); }

/// A folder with a profile of six layers, a cluster of two nodes with two devices, and a two-stage plan for them.
class SmallProblem {
 public:
  SmallProblem();
  QString folder() const { return folder_.path(); }
  QString path(const QString& name) const { return folder_.filePath(name); }
  void write(const QString& name, const QByteArray& content) const;
  QByteArray read(const QString& name) const;
  QStringList files() const;  ///< names in the folder, sorted

  Answer run(const QStringList& arguments, const QStringList& environment = {}) const {
    return run_cli(arguments, folder(), environment);
  }

 private:
  QTemporaryDir folder_;
};

/// "--profile p.json --cluster c.json".
QStringList inputs();

QByteArray small_profile();
QByteArray small_cluster();
QByteArray small_plan();

}  // namespace pipedeck::test
