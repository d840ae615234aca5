// SPDX-License-Identifier: Apache-2.0
// Names as a terminal may show them.
#include <QTest>

#include "core/io/text/printable.hpp"
#include "core/io/text/utf8.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_printable {

using io::text::printable;

class TestPrintable : public QObject {
  Q_OBJECT

 private slots:
  void letters_of_any_script_stay() {
    for (const std::string text : {"", "plan of 8 GPUs", "größer \\ 'x'", "層 → 🙂", "\u00a0"})
      QCOMPARE(printable(text), text);
  }

  void what_steers_a_terminal_is_escaped() {
    QCOMPARE(printable("\x1b]0;x\x07"), std::string("\\x1b]0;x\\x07"));
    QCOMPARE(printable("a\nb\tc\r\x7f"), std::string("a\\nb\\tc\\x0d\\x7f"));
    QCOMPARE(printable(std::string_view("a\0b", 3)), std::string("a\\x00b"));
    QCOMPARE(printable("\u009b2J"), std::string("\\xc2\\x9b2J"));                              // CSI in one character
    QCOMPARE(printable("\u202egpj\u2066"), std::string("\\xe2\\x80\\xaegpj\\xe2\\x81\\xa6"));  // right to left
  }

  void bytes_that_are_no_text_are_escaped() {
    QCOMPARE(printable("\xff\xc3"), std::string("\\xff\\xc3"));
    QCOMPARE(printable("\xed\xa0\x80"), std::string("\\xed\\xa0\\x80"));  // half of a pair of UTF-16
  }

  void every_pair_of_bytes_becomes_harmless_text() {
    for (int a = 0; a < 256; ++a)
      for (int b = 0; b < 256; ++b) {
        const std::string shown = printable(std::string{static_cast<char>(a), static_cast<char>(b)});
        QVERIFY(io::text::is_utf8(shown));
        QVERIFY(std::ranges::none_of(shown, [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; }));
      }
  }

  void lines_stay_lines() {
    QCOMPARE(io::text::printable_lines("a\n\n\x1b b\n"), std::string("a\n\n\\x1b b\n"));
    QCOMPARE(io::text::printable_lines("no end"), std::string("no end"));
  }
};

PIPEDECK_TEST(TestPrintable)

}  // namespace pipedeck::tst_printable

#include "tst_printable.moc"
