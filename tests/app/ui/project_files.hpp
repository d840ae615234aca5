// SPDX-License-Identifier: GPL-3.0-or-later
// Files that tests begin with, and what is in files.
#pragma once

#include <QFile>
#include <QTest>

#include "tests/support/places.hpp"

namespace pipedeck::test {

inline QByteArray bytes_of(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

inline void write_bytes(const QString& path, const QByteArray& bytes) {
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly));
  QCOMPARE(file.write(bytes), bytes.size());
}

inline QString fixture(const char* name) { return QStringLiteral(PIPEDECK_FIXTURES "/") + QLatin1String(name); }

/// A project with a profile, a cluster, a plan and a run.
inline void write_project_file(const QString& path) { QVERIFY(QFile::copy(fixture("version1.pipedeck"), path)); }

}  // namespace pipedeck::test
