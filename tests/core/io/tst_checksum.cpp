// SPDX-License-Identifier: Apache-2.0
// SHA-256, against the examples of its standard and another program.
#include <string>

#include <QCryptographicHash>
#include <QTest>

#include "core/io/checksum.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_checksum {

class TestChecksum : public QObject {
  Q_OBJECT

 private slots:
  void examples_of_the_standard() {
    QCOMPARE(io::sha256("abc"), std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    QCOMPARE(io::sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
             std::string("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
    QCOMPARE(io::sha256(std::string(1'000'000, 'a')),
             std::string("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
  }

  void every_length_of_three_blocks() {
    std::string text;
    for (int length = 0; length < 200; ++length) {
      QCOMPARE(
          io::sha256(text),
          QCryptographicHash::hash(QByteArray::fromStdString(text), QCryptographicHash::Sha256).toHex().toStdString());
      text += static_cast<char>(length * 37);
    }
  }
};

PIPEDECK_TEST(TestChecksum)

}  // namespace pipedeck::tst_checksum

#include "tst_checksum.moc"
