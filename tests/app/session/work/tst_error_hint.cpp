// SPDX-License-Identifier: GPL-3.0-or-later
// Errors end with what to do about them.
#include <QTest>

#include "app/session/work/error_hint.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_error_hint {

class TestErrorHint : public QObject {
  Q_OBJECT

 private slots:
  void a_broken_file_is_mended_where_it_is_broken() {
    const Error error{ErrorCode::bad_input, "found a text, expected a number", "a.profile.json",
                      "/layers/3/forward_ms"};
    const QStringList lines = session::work::text_with_next_step(error).split('\n');
    QCOMPARE(lines.size(), 2);
    QVERIFY(lines[0].contains("a.profile.json") && lines[0].contains("/layers/3/forward_ms"));
    QVERIFY(lines[1].contains("validate"));
  }

  /// A picture, for example, can't be corrected in an editor.
  void a_file_of_another_kind_is_not_mended() {
    const QString step =
        session::work::error_hint({ErrorCode::bad_input, "found a file of no known format", "cat.png", {}});
    QVERIFY2(step.contains("another file") && !step.contains("validate"), qPrintable(step));
  }

  void a_broken_project_is_no_text_to_mend() {
    const QString step =
        session::work::error_hint({ErrorCode::bad_input, "found garbage, expected a database", "my.pipedeck", {}});
    QVERIFY(step.contains("copy") && !step.contains("Mend"));
  }

  void what_says_it_all_is_left_alone() {
    const Error usage{ErrorCode::bad_usage, "no device type X; known are A and B", {}, {}};
    QVERIFY(session::work::error_hint(usage).isEmpty());
    QCOMPARE(session::work::text_with_next_step(usage), QString("no device type X; known are A and B"));
    QVERIFY(session::work::error_hint({ErrorCode::bad_input, "there is no such stage", {}, {}}).isEmpty());
  }

  void disks_plans_and_faults() {
    QVERIFY(
        session::work::error_hint({ErrorCode::io, "no space left on device", "/tmp/x", {}}).contains("another place"));
    QVERIFY(session::work::error_hint({ErrorCode::infeasible, "no plan fits", {}, {}}).contains("more devices"));
    QVERIFY(session::work::error_hint({ErrorCode::internal, "broken", {}, {}}).contains("report"));
  }
};

PIPEDECK_TEST(TestErrorHint)

}  // namespace pipedeck::tst_error_hint

#include "tst_error_hint.moc"
