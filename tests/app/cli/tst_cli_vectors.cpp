// SPDX-License-Identifier: Apache-2.0
// The test vectors next to the repository: small random problems with the answer of a plain enumeration.
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "tests/app/cli/cli_process.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cli_vectors {

using pipedeck::test::Answer;
using pipedeck::test::SmallProblem;

constexpr double tolerance = 1e-6;  // relative

/// The first leaf of `expected` that `got` lacks or has further off; empty where they agree.
QString disagreement(const QJsonObject& expected, const QJsonObject& got) {
  for (auto leaf = expected.begin(); leaf != expected.end(); ++leaf) {
    const QJsonValue have = got.value(leaf.key());
    if (leaf->isObject()) {
      if (const QString inner = disagreement(leaf->toObject(), have.toObject()); !inner.isEmpty())
        return leaf.key() + "." + inner;
    } else if (!have.isDouble() || qAbs(have.toDouble() - leaf->toDouble()) > tolerance * qAbs(leaf->toDouble())) {
      return QString("%1: expected %2, got %3")
          .arg(leaf.key())
          .arg(leaf->toDouble(), 0, 'g', 17)
          .arg(have.toDouble(), 0, 'g', 17);
    }
  }
  return {};
}

class TestCliVectors : public QObject {
  Q_OBJECT
 private slots:
  void agree_data();
  void agree();
};

void TestCliVectors::agree_data() {
  QTest::addColumn<QString>("kind");
  for (const char* kind : {"simulate", "pipedream", "dapple", "capture"}) QTest::newRow(kind) << kind;
}

void TestCliVectors::agree() {
  QFETCH(QString, kind);
  QFile file(QString::fromStdString(pipedeck::test::shared_data()) + "/vectors/" + kind + ".json");
  if (!file.open(QIODevice::ReadOnly)) QSKIP("the test vectors are not here");
  const QJsonArray vectors = QJsonDocument::fromJson(file.readAll()).array();
  QVERIFY(!vectors.isEmpty());
  SmallProblem problem;
  for (int i = 0; i < vectors.size(); ++i) {
    const QJsonObject vector = vectors[i].toObject();
    QStringList arguments{"--profile", "v.profile.json", "--cluster", "v.cluster.json"};
    for (const char* part : {"profile", "cluster", "plan"})
      problem.write(QString("v.%1.json").arg(part), QJsonDocument(vector[part].toObject()).toJson());
    for (const QJsonValue& option : vector["options"].toArray()) arguments << option.toVariant().toString();
    arguments = (kind == "simulate" ? QStringList{"simulate", "--plan", "v.plan.json", "--json"}
                                    : QStringList{"plan", "-o", "-"}) +
                arguments;
    const Answer answer = problem.run(arguments);
    QVERIFY2(answer.status == 0,
             QString("vector %1: exit %2: %3").arg(i).arg(answer.status).arg(QString(answer.err)).toUtf8());
    const QString why = disagreement(vector["expected"].toObject(), QJsonDocument::fromJson(answer.out).object());
    QVERIFY2(why.isEmpty(), qPrintable(QString("vector %1: %2").arg(i).arg(why)));
  }
}

PIPEDECK_TEST(TestCliVectors)

}  // namespace pipedeck::tst_cli_vectors

#include "tst_cli_vectors.moc"
