// SPDX-License-Identifier: Apache-2.0
// Logs of runs whose last line was cut off, by a full disk or a kill.
#include <QTest>

#include "core/io/documents/formats.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_event_lines {

using io::documents::events_from_lines;

const std::string first = io::documents::event_to_json(RunPaused{1}),
                  second = io::documents::event_to_json(RunPaused{2});

class TestEventLines : public QObject {
  Q_OBJECT

 private slots:
  void whole_logs_have_no_warning() {
    for (const std::string& text :
         {first + '\n' + second + '\n', first + '\n' + second, first + "\n\n" + second + "\n\n"}) {
      const auto found = events_from_lines(text);
      QVERIFY(found.has_value());
      QCOMPARE(found->events.size(), std::size_t{2});
      QCOMPARE(found->size, text.size());
      QVERIFY(found->warning.empty());
    }
  }

  /// Each place at which a disk can be full.
  void a_log_that_was_cut_is_read_up_to_its_last_line() {
    const std::string text = first + '\n' + second + '\n';
    for (std::size_t size = first.size() + 2; size + 2 < text.size(); ++size)
      for (const std::string& end : {std::string(), std::string("\n"), std::string(3, '\0')}) {
        const auto found = events_from_lines(text.substr(0, size) + end);
        QVERIFY2(found.has_value(), qPrintable(QString::number(size)));
        QCOMPARE(found->events.size(), std::size_t{1});
        QCOMPARE(found->size, first.size() + 1);
        QVERIFY(found->warning.starts_with("line 2, "));
      }
  }

  void a_broken_line_before_others_is_refused() {
    const auto found = events_from_lines(first + "\n{\"event\":\n" + second + '\n');
    QVERIFY(!found.has_value());
    QVERIFY2(found.error().place.starts_with("line 2, "), found.error().place.c_str());
  }

  void a_whole_last_line_that_is_no_event_is_refused() {
    QVERIFY(!events_from_lines(first + "\n{\"event\": \"unknown\"}\n").has_value());
  }

  void a_log_of_nothing_but_a_cut_line_is_refused() { QVERIFY(!events_from_lines(first.substr(0, 9)).has_value()); }
};

PIPEDECK_TEST(TestEventLines)

}  // namespace pipedeck::tst_event_lines

#include "tst_event_lines.moc"
