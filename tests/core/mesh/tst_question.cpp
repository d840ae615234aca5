// SPDX-License-Identifier: Apache-2.0
// The sizes that a question's degrees make.
#include <QTest>

#include "core/mesh/question.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_question {

class TestQuestion : public QObject {
  Q_OBJECT
 private slots:
  void devices_and_batch_follow_from_degrees() {
    mesh::Question question;
    question.layer.shard = {.tensor = 4, .context = 2, .expert = 8};
    question.layer.count.micro_batch = 3;
    question.data = 5, question.pipeline = 6, question.virtual_stages = 7, question.micro_batches = 11;
    QCOMPARE(question.devices(), 4 * 2 * 5 * 6);  // experts and virtual stages are on the same devices
    QCOMPARE(question.global_batch(), 3 * 5 * 11);
  }
};

PIPEDECK_TEST(TestQuestion)

}  // namespace pipedeck::tst_question

#include "tst_question.moc"
