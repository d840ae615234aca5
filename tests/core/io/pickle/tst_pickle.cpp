// SPDX-License-Identifier: Apache-2.0
// Pickles of plain data: what Python wrote comes back, of every protocol; what is no plain data is refused with its
// place; a file that is cut or changed anywhere gives a value or an error.
#include <random>

#include <QTest>

#include <fmt/format.h>

#include "core/io/json/value.hpp"
#include "core/io/pickle/reader.hpp"
#include "tests/support/made_dumps.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_pickle {

using io::pickle::Node;
using io::pickle::Tree;

/// Compares a tree with JSON, number by number.
bool same(const Tree& a, Node i, const Tree& b, Node j) {
  if (const auto* list = a.as<io::pickle::Items>(i)) {
    const auto* other = b.as<io::pickle::Items>(j);
    if (!other || other->size() != list->size()) return false;
    for (std::size_t k = 0; k < list->size(); ++k)
      if (!same(a, (*list)[k], b, (*other)[k])) return false;
    return true;
  }
  if (const auto* pairs = a.as<io::pickle::Pairs>(i)) {
    const auto* other = b.as<io::pickle::Pairs>(j);
    if (!other || other->size() != pairs->size()) return false;
    for (std::size_t k = 0; k < pairs->size(); ++k)
      if (!same(a, (*pairs)[k].first, b, (*other)[k].first) || !same(a, (*pairs)[k].second, b, (*other)[k].second))
        return false;
    return true;
  }
  return a.content(i) == b.content(j);
}

std::string fault(std::string_view bytes, const io::pickle::Limits& limits = {}) {
  const auto read = io::pickle::read(bytes, {}, {}, limits);
  return read ? "" : read.error().text();
}

class TestPickle : public QObject {
  Q_OBJECT

 private slots:
  void what_python_wrote_comes_back() {
    if (!test::has_python()) QSKIP("no python3 here");
    const test::MadeDumps made(QStringLiteral("values"), 5);
    QVERIFY(made.ok());
    for (int number = 0; number < 60; ++number) {
      const auto json = io::json::parse(made.bytes(QStringLiteral("%1.json").arg(number)));
      QVERIFY(json.has_value());
      const Tree expected = io::pickle::tree_of(*json);
      for (int protocol = 2; protocol <= 5; ++protocol) {
        const std::string bytes = made.bytes(QStringLiteral("%1-%2.pickle").arg(number).arg(protocol));
        const auto read = io::pickle::read(bytes);
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QVERIFY(same(*read, read->root(), expected, expected.root()));
        QVERIFY(read->size() < expected.size() || read->size() < 12);  // what is shared is stored once
      }
    }
  }

  void malformed_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("error");
    const auto row = [](const char* name, const QByteArray& bytes, const char* error) {
      QTest::newRow(name) << bytes << QString::fromUtf8(error);
    };
    row("nothing", {}, "byte 0: found no pickle");
    row("protocol 1", "}q.", "byte 0: found no pickle");
    row("protocol 6", "\x80\x06N.", "byte 0: found no pickle");
    row("a protocol inside", "\x80\x02\x80\x02N.", "byte 2: found protocol 2, expected 2 to 5 at the begin alone");
    row("an import",
        "\x80\x02"
        "cposix\nsystem\n.",
        "byte 2: found the opcode GLOBAL of posix.system, expected plain data");
    row("an import of protocol 4", "\x80\x04\x8c\x05posix\x8c\x06system\x93.",
        "byte 17: found the opcode STACK_GLOBAL");
    row("a call", "\x80\x02N)R.", "byte 4: found the opcode REDUCE");
    row("an object", "\x80\x02]]\x81.", "byte 4: found the opcode NEWOBJ");
    row("a build", "\x80\x02]}b.", "byte 4: found the opcode BUILD");
    row("an instance", "\x80\x02(iposix\nsystem\n.", "byte 3: found the opcode INST");
    row("a persistent value", "\x80\x02]Q.", "byte 3: found the opcode BINPERSID");
    row("an unknown opcode", "\x80\x02\xff.", "byte 2: found the opcode 0xff");
    row("a text opcode of protocol 0", "\x80\x02I12\n.", "byte 2: found the opcode 0x49");
    row("cut in a text",
        QByteArray("\x80\x02X\x05\x00\x00\x00"
                   "abc",
                   10),
        "byte 2: found the end of the file in the middle");
    row("cut before its end", "\x80\x02]", "byte 3: found the end of the file in the middle");
    row("a long text", QByteArray("\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\x7f", 11), "byte 2: found the end");
    row("a long number", QByteArray("\x80\x02\x8b\xff\xff\xff\x7f", 7), "byte 2: found a number of 2147483647 bytes");
    row("no value", "\x80\x02.", "byte 2: found the end of the pickle with 0 values");
    row("two values", "\x80\x02NN.", "byte 4: found the end of the pickle with 2 values");
    row("an open mark", "\x80\x02(N.", "byte 4: found the end of the pickle");
    row("append to nothing", "\x80\x02Na.", "byte 3: found nothing, expected a list");
    row("append to a number", "\x80\x02K\x01Na.", "byte 5: found 1, expected a list to append to");
    row("append below a mark", "\x80\x02](Na.", "byte 5: found a list of 0, expected a list");
    row("appends without a mark", "\x80\x02]Ne.", "byte 4: found an opcode that ends a list");
    row("a key without value", "\x80\x02}(Nu.", "byte 5: found a key without its value");
    row("items of a list", "\x80\x02](NNu.", "byte 6: found a list of 0, expected a dictionary");
    row("an unknown reference", "\x80\x02h\x07.", "byte 2: found a reference to value 7");
    row("a far number", QByteArray("\x80\x02Nr\xff\xff\xff\x7f.", 9), "byte 3: found a value stored as number");
    row("nothing to store", "\x80\x04\x94.", "byte 2: found an opcode that stores a value");
    row("a tuple of too few", "\x80\x02N\x86.", "byte 3: found an opcode that takes a value");
  }
  void malformed() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, error);
    const std::string found = fault(bytes.toStdString());
    QVERIFY2(QString::fromStdString(found).startsWith(error), found.c_str());
  }

  void depth_and_values_are_bounded() {
    QVERIFY(fault("\x80\x02" + std::string(65, '(') + ".").starts_with("byte 66: found more than 64 levels"));
    QVERIFY(fault("\x80\x02(" + std::string(2000, 'N') + "t.", {.nodes = 1000}).find("more than 1000 values") !=
            std::string::npos);
    std::stop_source stop;
    stop.request_stop();
    const auto read = io::pickle::read("\x80\x02(" + std::string(200'000, 'N') + "t.", stop.get_token());
    QVERIFY(!read && read.error().code == ErrorCode::cancelled);
  }

  /// Python's own pickletools calls these numbers the bounds of two's complement.
  void integers_of_any_length() {
    const auto value = [](std::string_view bytes) {
      const std::string text =
          "\x80\x02\x8a" + std::string(1, static_cast<char>(bytes.size())) + std::string(bytes) + ".";
      const Tree tree = io::pickle::read(text).value();
      return tree.content(tree.root());
    };
    using io::pickle::Content;
    QVERIFY(value("") == Content(std::int64_t{0}));
    QVERIFY(value("\xff") == Content(std::int64_t{-1}));
    QVERIFY(value(std::string_view("\xff\x00", 2)) == Content(std::int64_t{255}));
    QVERIFY(value("\xff\xff\xff\xff\xff\xff\xff\x7f") == Content(std::numeric_limits<std::int64_t>::max()));
    QVERIFY(value(std::string_view("\0\0\0\0\0\0\0\x80", 8)) == Content(std::numeric_limits<std::int64_t>::min()));
    QVERIFY(value(std::string_view("\0\0\0\0\0\0\0\0\x01", 9)) == Content(0x1p64));
    QVERIFY(value(std::string_view("\0\0\0\0\0\0\0\0\xff", 9)) == Content(-0x1p64));
  }

  void changed_anywhere_it_is_read_or_refused() {
    if (!test::has_python()) QSKIP("no python3 here");
    const test::MadeDumps made(QStringLiteral("values"), 6);
    std::mt19937 random(3);
    int refused = 0;
    for (int round = 0; round < 3000; ++round) {
      std::string bytes = made.bytes(QStringLiteral("%1-%2.pickle").arg(round % 20).arg(2 + round % 4));
      for (int i = 0; i < 1 + round % 3; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
      if (round % 5 == 0) bytes.resize(random() % bytes.size());
      const auto read = io::pickle::read(bytes);
      if (read) continue;
      ++refused;
      QVERIFY(read.error().code == ErrorCode::bad_input && read.error().place.starts_with("byte "));
    }
    QVERIFY(refused > 1000);
  }
};

PIPEDECK_TEST(TestPickle)

}  // namespace pipedeck::tst_pickle

#include "tst_pickle.moc"
