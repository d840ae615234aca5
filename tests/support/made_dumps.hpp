// SPDX-License-Identifier: Apache-2.0
// Dumps as PyTorch writes them, made by make_dumps.py with Python's own pickle, and what is true of them.
#pragma once

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QString>
#include <QTemporaryDir>

#include "tests/support/places.hpp"

namespace pipedeck::test {

inline bool has_python() { return !QStandardPaths::findExecutable(QStringLiteral("python3")).isEmpty(); }

/// Dumps of one kind: "values", "snapshot" or "flight".
class MadeDumps {
 public:
  /// `scale`: of the blocks of a snapshot, MiB.
  MadeDumps(const QString& kind, int seed, int scale = 1) {
    ok_ = QProcess::execute(QStringLiteral("python3"),
                            {QStringLiteral(PIPEDECK_SOURCES "/tests/support/make_dumps.py"), kind, folder_.path(),
                             QString::number(seed), QString::number(scale)}) == 0;
  }
  bool ok() const { return ok_; }
  std::string file(const QString& name) const { return folder_.filePath(name).toStdString(); }
  std::string bytes(const QString& name) const {
    QFile file(folder_.filePath(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
  }
  QJsonObject truth() const {
    return QJsonDocument::fromJson(QByteArray::fromStdString(bytes(QStringLiteral("true.json")))).object();
  }

 private:
  QTemporaryDir folder_;
  bool ok_ = false;
};

}  // namespace pipedeck::test
