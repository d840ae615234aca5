// SPDX-License-Identifier: Apache-2.0
// Files of tensors: written and read again, the narrow types against known bits, and every damage to a file named.
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/io/safetensors/safetensors.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_safetensors {

QByteArray length_of(const QByteArray& header) {
  const auto length = static_cast<quint64>(header.size());
  return QByteArray(reinterpret_cast<const char*>(&length), sizeof length);
}

class TestSafetensors : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;

  std::string file(const QByteArray& content) {
    QFile out(folder_.filePath("model.safetensors"));
    if (!out.open(QIODevice::WriteOnly) || out.write(content) != content.size()) qFatal("no file");
    return out.fileName().toStdString();
  }

 private slots:
  void tensors_are_read_as_written() {
    const std::string path = folder_.filePath("out.safetensors").toStdString();
    const std::vector<float> a{1, -2.5f, 3e-30f, 0, 7, 8}, b{42};
    const auto values = [](const std::vector<float>& from) {
      return [from](std::span<float> to) { std::ranges::copy(from, to.begin()); };
    };
    QVERIFY(io::safetensors::write(path, {{"b \"quoted\"", {1}, values(b)}, {"a", {2, 3}, values(a)}}));
    auto read = io::safetensors::TensorFile::open(path);
    QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
    QCOMPARE(read->tensors().size(), std::size_t{2});
    QVERIFY(read->find("a")->shape == (std::vector<std::int64_t>{2, 3}));
    QCOMPARE(read->find("a")->first % 4, 0u);
    QVERIFY(read->read(*read->find("a")).value() == a);
    QVERIFY(read->read(*read->find("b \"quoted\"")).value() == b);
    QVERIFY(!read->find("c"));
  }

  void an_empty_tensor_is_read() {
    const QByteArray header =
        R"({"__metadata__":{"format":"pt"},"e":{"dtype":"F32","shape":[0,3],"data_offsets":[0,0]}})";
    auto read = io::safetensors::TensorFile::open(file(length_of(header) + header));
    QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
    QVERIFY(read->read(read->tensors().front()).value().empty());
  }

  // Bits by hand (IEEE 754 binary16; bfloat16 is the upper half of binary32).
  void narrow_types_are_widened() {
    const std::vector<quint16> half{0x3c00, 0xc000, 0x3555, 0x7bff, 0x0400, 0x0001, 0x8000, 0x7c00, 0x03ff, 0x7e00};
    const std::vector<double> halves{1,
                                     -2,
                                     0.333251953125,
                                     65504,
                                     std::pow(2, -14),
                                     std::pow(2, -24),
                                     -0.0,
                                     std::numeric_limits<double>::infinity(),
                                     1023 * std::pow(2, -24),
                                     NAN};
    const std::vector<quint16> brain{0x3f80, 0xc040, 0x4049, 0x0080, 0xff80, 0x7fc0};
    const std::vector<double> brains{1, -3, 3.140625, std::pow(2, -126), -std::numeric_limits<double>::infinity(), NAN};
    const QByteArray header = R"({"h":{"dtype":"F16","shape":[10],"data_offsets":[0,20]},)"
                              R"("b":{"dtype":"BF16","shape":[2,3],"data_offsets":[20,32]}})";
    const auto bytes = [](const std::vector<quint16>& words) {
      return QByteArray(reinterpret_cast<const char*>(words.data()), static_cast<qsizetype>(2 * words.size()));
    };
    auto read = io::safetensors::TensorFile::open(file(length_of(header) + header + bytes(half) + bytes(brain)));
    QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
    for (const auto& [name, expected] : {std::pair{"h", halves}, {"b", brains}}) {
      const std::vector<float> found = read->read(*read->find(name)).value();
      QCOMPARE(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        QVERIFY(std::isnan(expected[i]) ? std::isnan(found[i]) : found[i] == expected[i]);
        QCOMPARE(std::signbit(found[i]), std::signbit(expected[i]));
      }
    }
  }

  void damages_are_named_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const QByteArray& header, const QByteArray& values, const char* expected) {
      QTest::newRow(name) << length_of(header) + header + values << QString(expected);
    };
    const QByteArray eight(8, '\0');
    QTest::newRow("empty") << QByteArray() << "found 0 bytes, expected 8";
    QTest::newRow("short") << QByteArray(5, 'x') << "found 5 bytes, expected 8";
    QTest::newRow("a long header") << length_of(QByteArray(50, 'x')) + "{}"
                                   << "found a header of 50 bytes in a file of 10, expected at most 2";
    QTest::newRow("a huge header") << QByteArray(8, '\xff') << "expected at most 0";
    row("no JSON", "{\"a\":", {}, "line 1");
    row("a list", "[]", {}, "found a header that is no object");
    row("no type", R"({"a":{"shape":[2],"data_offsets":[0,8]}})", eight, "no 'dtype'");
    row("unknown type", R"({"a":{"dtype":"F31","shape":[2],"data_offsets":[0,8]}})", eight, "/a/dtype: found \"F31\"");
    row("negative size", R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", eight, "/a/shape/0");
    row("size and bytes", R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", eight,
        "/a/data_offsets: found 8 bytes, expected 12 of type F32 and shape [3]");
    row("sizes whose product overflows",
        R"({"a":{"dtype":"F32","shape":[1125899906842624,1125899906842624],"data_offsets":[0,8]}})", eight,
        "/a/data_offsets: found 8 bytes");
    row("reversed", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", eight, "ascending order");
    row("behind the end", R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})", eight,
        "found 8 bytes behind the header, expected 16");
    row("bytes of no tensor", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", eight,
        "found 8 bytes behind the header, expected 4");
    row("a gap", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", eight,
        "/a/data_offsets: found it at byte 4 of the values, expected 0");
    row("an overlap",
        R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
        eight, "/b/data_offsets: found it at byte 4 of the values, expected 8");
    row("twice",
        R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
        eight, "/a");
  }

  void damages_are_named() {
    QFETCH(QByteArray, content);
    QFETCH(QString, expected);
    const std::string path = file(content);
    const auto read = io::safetensors::TensorFile::open(path);
    QVERIFY(!read);
    QCOMPARE(read.error().code, ErrorCode::bad_input);
    QCOMPARE(read.error().file, path);
    QVERIFY2(QString::fromStdString(read.error().text()).contains(expected), read.error().text().c_str());
  }

  void a_type_without_fractions_is_not_read() {
    const QByteArray header = R"({"a":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}})";
    auto read = io::safetensors::TensorFile::open(file(length_of(header) + header + QByteArray(8, '\0')));
    QVERIFY(read.has_value());
    const auto values = read->read(read->tensors().front());
    QVERIFY(!values);
    QVERIFY(values.error().text().find("found the type I64, expected F32, F16 or BF16") != std::string::npos);
  }

  void missing_files_are_named() {
    for (const QString& path : {folder_.filePath("none"), folder_.path()})
      QCOMPARE(io::safetensors::TensorFile::open(path.toStdString()).error().file, path.toStdString());
  }
};

PIPEDECK_TEST(TestSafetensors)

}  // namespace pipedeck::tst_safetensors

#include "tst_safetensors.moc"
