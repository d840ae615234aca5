// SPDX-License-Identifier: Apache-2.0
// Data from files: what is read, in which order, and what is refused with which words before anything is trained.
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include <jpeglib.h>
#include <png.h>
#include <zlib.h>

#include "core/runtime/data/image_file.hpp"
#include "core/runtime/data/sample_source.hpp"
#include "core/runtime/train/evaluate.hpp"
#include "tests/core/runtime/train/training_cases.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_data {

using namespace pipedeck::test;

using Bytes8 = std::vector<std::uint8_t>;

Bytes8 idx(std::initializer_list<std::uint32_t> dimensions, const Bytes8& elements, std::uint8_t type = 8) {
  Bytes8 bytes{0, 0, type, static_cast<std::uint8_t>(dimensions.size())};
  for (const std::uint32_t d : dimensions)
    for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<std::uint8_t>(d >> shift));
  bytes.insert(bytes.end(), elements.begin(), elements.end());
  return bytes;
}

void write_bytes(const QString& path, const Bytes8& bytes) {
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<qsizetype>(bytes.size()));
}

void write_gzip(const QString& path, const Bytes8& bytes) {
  gzFile file = gzopen(path.toStdString().c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
}

Bytes8 pnm(const std::string& head, const Bytes8& pixels) {
  Bytes8 bytes(head.begin(), head.end());
  bytes.insert(bytes.end(), pixels.begin(), pixels.end());
  return bytes;
}

/// Five images of 2 x 3 pixels: image i is 10 i everywhere, its label i.
Bytes8 five_images() {
  Bytes8 pixels;
  for (int i = 0; i < 5; ++i) pixels.insert(pixels.end(), 6, static_cast<std::uint8_t>(10 * i));
  return pixels;
}

/// Takes images of 3 x 2 pixels (height, width) in `channels`.
ModelSpec image_model(std::int64_t channels = 1) {
  ModelSpec model;
  model.layers = {{"pool", "global_average_pool", {{"channels", channels}, {"height", 2}, {"width", 3}}},
                  {"fc", "linear", {{"in", channels}, {"out", 5}, {"sequence", 1}, {"activation", 0}}},
                  {"loss", "softmax_cross_entropy", {{"classes", 5}, {"sequence", 1}}}};
  return model;
}

ModelSpec with_data(ModelSpec model, const std::string& kind, const QString& path) {
  model.data = {kind, path.toStdString(), 3};
  return model;
}

struct Seen {
  float value = 0, label = 0;
  bool operator<(const Seen& other) const { return std::tie(value, label) < std::tie(other.value, other.label); }
};

Seen seen(const runtime::data::SampleSource& source, std::uint64_t sample, std::size_t values) {
  std::vector<float> input(values), target(1);
  source.input(sample, input);
  source.target(sample, target);
  return {input[0], target[0]};
}

class TestData : public QObject {
  Q_OBJECT
 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    QVERIFY(folder_->isValid());
  }
  void idx_gives_every_image_once_a_pass_data();
  void idx_gives_every_image_once_a_pass();
  void folders_are_classes_in_the_order_of_their_names();
  void png_and_jpeg_are_read();
  void colour_becomes_gray_and_gray_colour();
  void idx_may_have_channels();
  void models_that_see_ahead_restore_tokens();
  void data_is_named_on_the_command_line();
  void evaluation_counts_every_sample_once();
  void bad_idx_is_refused_data();
  void bad_idx_is_refused();
  void bad_folders_are_refused_data();
  void bad_folders_are_refused();
  void bad_images_are_refused_data();
  void bad_images_are_refused();
  void images_need_a_model_that_takes_them();
  void special_files_are_refused_data();
  void special_files_are_refused();
  void images_too_large_for_memory_are_refused();
  void files_too_large_for_memory_are_refused();

 private:
  QString path(const char* name) const { return folder_->filePath(QString::fromLatin1(name)); }
  void refused(const ModelSpec& model, const QString& file, const QString& words) const {
    const auto source = runtime::data::make_source(model);
    QVERIFY(!source);
    QCOMPARE(source.error().code, ErrorCode::bad_input);
    QCOMPARE(QString::fromStdString(source.error().file), file);
    QVERIFY2(QString::fromStdString(source.error().message).contains(words), source.error().message.c_str());
  }
  std::unique_ptr<QTemporaryDir> folder_;
};

void TestData::idx_gives_every_image_once_a_pass_data() {
  QTest::addColumn<bool>("gzip");
  QTest::newRow("plain") << false;
  QTest::newRow("gzip") << true;
}

void TestData::idx_gives_every_image_once_a_pass() {
  QFETCH(bool, gzip);
  const QString name = path(gzip ? "t-images-idx3-ubyte.gz" : "t-images-idx3-ubyte");
  (gzip ? write_gzip : write_bytes)(name, idx({5, 2, 3}, five_images()));
  write_bytes(path("t-labels-idx1-ubyte"), idx({5}, {0, 1, 2, 3, 4}));
  const auto source = runtime::data::make_source(with_data(image_model(), "idx", name));
  QVERIFY2(source.has_value(), source ? "" : source.error().text().c_str());
  QCOMPARE((*source)->count(), 5u);
  std::set<std::vector<float>> orders;
  for (std::uint64_t pass = 0; pass < 4; ++pass) {
    std::set<Seen> all;
    std::vector<float> order;
    for (std::uint64_t i = 0; i < 5; ++i) {
      const Seen one = seen(**source, 5 * pass + i, 6);
      QCOMPARE(one.value, 10 * one.label / 127.5f - 1);
      all.insert(one);
      order.push_back(one.label);
    }
    QCOMPARE(all.size(), 5u);
    orders.insert(order);
  }
  QVERIFY(orders.size() > 1);  // each pass in an order of its own
}

void TestData::folders_are_classes_in_the_order_of_their_names() {
  QDir(folder_->path()).mkpath("cats");
  QDir(folder_->path()).mkpath("ants");
  write_bytes(path("cats/1.pgm"), pnm("P5 # a comment\n3 2\n255\n", Bytes8(6, 200)));
  write_bytes(path("ants/1.pgm"), pnm("P5\n3 2\n100\n", Bytes8(6, 50)));
  write_bytes(path("ants/.hidden"), {1, 2, 3});
  const auto source = runtime::data::make_source(with_data(image_model(), "images", folder_->path()));
  QVERIFY2(source.has_value(), source ? "" : source.error().text().c_str());
  QCOMPARE((*source)->count(), 2u);
  for (std::uint64_t i = 0; i < 2; ++i) {
    const Seen one = seen(**source, i, 6);
    QCOMPARE(one.value, one.label == 1 ? 200 / 127.5f - 1 : 127 / 127.5f - 1);
  }
}

void TestData::png_and_jpeg_are_read() {
  const Bytes8 pixels(18, 90);
  png_image png{};
  png.version = PNG_IMAGE_VERSION, png.width = 3, png.height = 2, png.format = PNG_FORMAT_RGB;
  QVERIFY(png_image_write_to_file(&png, path("a.png").toStdString().c_str(), 0, pixels.data(), 0, nullptr) != 0);
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  std::FILE* file = std::fopen(path("a.jpg").toStdString().c_str(), "wb");
  jpeg_stdio_dest(&jpeg, file);
  jpeg.image_width = 3, jpeg.image_height = 2, jpeg.input_components = 3, jpeg.in_color_space = JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  JSAMPROW row = const_cast<std::uint8_t*>(pixels.data());
  for (int i = 0; i < 2; ++i) jpeg_write_scanlines(&jpeg, &row, 1);
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  std::fclose(file);
  for (const char* name : {"a.png", "a.jpg"}) {
    const auto image = runtime::data::read_image(path(name).toStdString());
    QVERIFY2(image.has_value(), image ? "" : image.error().text().c_str());
    QVERIFY((image->shape == runtime::data::ImageShape{3, 2, 3}));
    for (const std::uint8_t value : image->pixels) QVERIFY(std::abs(value - 90) < 3);
    // Cut off, it is refused.
    QFile whole(path(name));
    QVERIFY(whole.open(QIODevice::ReadOnly));
    const QByteArray bytes = whole.readAll();
    write_bytes(path("cut"), Bytes8(bytes.begin(), bytes.begin() + bytes.size() * 2 / 3));
    QVERIFY(!runtime::data::read_image(path("cut").toStdString()));
  }
}

void TestData::colour_becomes_gray_and_gray_colour() {
  QDir(folder_->path()).mkpath("only");
  write_bytes(path("only/1.ppm"),
              pnm("P6 3 2 255\n", {255, 0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0}));
  const auto gray = runtime::data::make_source(with_data(image_model(1), "images", folder_->path()));
  QVERIFY(gray.has_value());
  QCOMPARE(seen(**gray, 0, 6).value, 0.299f * 255 / 127.5f - 1);
  QVERIFY(QFile::remove(path("only/1.ppm")));
  write_bytes(path("only/1.pgm"), pnm("P5 3 2 255\n", {0, 10, 20, 30, 40, 50}));
  const auto colour = runtime::data::make_source(with_data(image_model(3), "images", folder_->path()));
  QVERIFY(colour.has_value());
  std::vector<float> values(18);
  (*colour)->input(0, values);
  for (std::size_t i = 0; i < 18; ++i) QCOMPARE(values[i], static_cast<float>(i / 3 * 10) / 127.5f - 1);
}

void TestData::idx_may_have_channels() {
  write_bytes(path("c-images"), idx({1, 2, 3, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}));
  write_bytes(path("c-labels"), idx({1}, {3}));
  const auto source = runtime::data::make_source(with_data(image_model(3), "idx", path("c-images")));
  QVERIFY2(source.has_value(), source ? "" : source.error().text().c_str());
  std::vector<float> values(18);
  (*source)->input(0, values);
  for (std::size_t i = 0; i < 18; ++i) QCOMPARE(values[i], static_cast<float>(i) / 127.5f - 1);
}

void TestData::models_that_see_ahead_restore_tokens() {
  ModelSpec model = small_gpt(1, 16, 200, 40);
  const auto tokens = [&](const ModelSpec& of, bool targets) {
    std::vector<float> values(200);
    const auto source = runtime::data::make_source(of).value();
    targets ? source->target(7, values) : source->input(7, values);
    return values;
  };
  const std::vector<float> input = tokens(model, false), target = tokens(model, true);
  QVERIFY(std::equal(input.begin() + 1, input.end(), target.begin()));  // the next token
  model.layers[1].sizes["causal"] = 0;
  const std::vector<float> damaged = tokens(model, false), whole = tokens(model, true);
  QVERIFY(whole == input);
  int differing = 0;
  for (std::size_t i = 0; i < 200; ++i) differing += damaged[i] != whole[i] ? 1 : 0;
  QVERIFY(differing > 10 && differing < 50);  // one in seven
}

void TestData::data_is_named_on_the_command_line() {
  QVERIFY((runtime::data::parse_data("idx:a:b").value() == DataSource{"idx", "a:b", 1}));
  QVERIFY((runtime::data::parse_data("images:folder").value() == DataSource{"images", "folder", 1}));
  QVERIFY((runtime::data::parse_data("text:LICENSE").value() == DataSource{"text", "LICENSE", 1}));
  QVERIFY((runtime::data::parse_data("synthetic").value() == DataSource{"synthetic", "", 1}));
  QVERIFY((runtime::data::parse_data("synthetic:18446744073709551615").value() == DataSource{"synthetic", "", ~0ULL}));
  for (const char* wrong : {"", "idx", "idx:", "text:", "synthetic:", "synthetic:x", "synthetic:-1", "film:a"})
    QCOMPARE(runtime::data::parse_data(wrong).error().code, ErrorCode::bad_usage);
}

void TestData::evaluation_counts_every_sample_once() {
  write_bytes(path("e-images"), idx({5, 2, 3}, five_images()));
  write_bytes(path("e-labels"), idx({5}, {2, 1, 2, 3, 4}));
  const ModelSpec model = with_data(image_model(), "idx", path("e-images"));
  runtime::train::TrainedParameters parameters{{{}, {0, 0, 0, 0, 0, 0, 0, 1, 0, 0}}};  // gives 2 for every input
  const auto found = runtime::train::evaluate_on_cpu(model, parameters, 2);
  QVERIFY2(found.has_value(), found ? "" : found.error().text().c_str());
  QCOMPARE(found->samples, 5u);
  QCOMPARE(found->accuracy, 0.4);
  QVERIFY(std::abs(found->loss - (std::log(4 + std::exp(1.0)) - 0.4)) < 1e-6);
}

void TestData::bad_idx_is_refused_data() {
  QTest::addColumn<QByteArray>("images");
  QTest::addColumn<QByteArray>("labels");
  QTest::addColumn<QString>("name");
  QTest::addColumn<QString>("at_fault");
  QTest::addColumn<QString>("words");
  const auto bytes = [](const Bytes8& values) {
    return QByteArray(reinterpret_cast<const char*>(values.data()), static_cast<qsizetype>(values.size()));
  };
  const QByteArray images = bytes(idx({5, 2, 3}, five_images())), labels = bytes(idx({5}, {0, 1, 2, 3, 4}));
  const auto row = [&](const char* what, const QByteArray& i, const QByteArray& l, const QString& fault,
                       const QString& words,
                       const QString& name = "x-images") { QTest::newRow(what) << i << l << name << fault << words; };
  row("no labels", images, {}, "x-labels", "can't be opened");
  row("empty", "", labels, "x-images", "ends after 0 of the 4 bytes");
  row("short head", images.left(9), labels, "x-images", "ends after 1 of the 4 bytes of a dimension");
  row("a text", "hello, world", labels, "x-images", "found 68 65 6c 6c, expected 00 00 08 03");
  row("floats", bytes(idx({5, 2, 3}, five_images(), 13)), labels, "x-images", "found 00 00 0d 03");
  row("cut off", images.left(20), labels, "x-images", "ends after 4 of the 30 bytes of elements");
  row("too long", images + "x", labels, "x-images", "more than the 30 bytes");
  row("other size", bytes(idx({5, 3, 2}, five_images())), labels, "x-images",
      "found images of 2 x 3 pixels of 1 channel, expected 3 x 2 pixels of 1 channel");
  row("no images", bytes(idx({0, 2, 3}, {})), labels, "x-images", "found a dimension of 0");
  row("huge", bytes(idx({4000000, 2, 3}, {})) + images, bytes(idx({2}, {0, 1})), "x-images", "ends after");
  row("a bomb", bytes(idx({700000000, 2, 3}, {})), labels, "x-images", "found 4.2e+09 bytes out of 16,");
  row("beyond counting", bytes(idx({2000000000, 2000000000, 2000000000}, {})), labels, "x-images",
      "found 8e+27 bytes, expected at most 4.29e+09");
  row("fewer labels", images, bytes(idx({4}, {0, 1, 2, 3})), "x-labels", "found 4 labels, expected 5");
  row("labels of another class", images, bytes(idx({5}, {0, 1, 9, 3, 4})), "x-labels", "found label 9 at place 2");
  row("labels are images", images, images, "x-labels", "expected 00 00 08 01");
  row("no such name", images, labels, "pictures", "no 'images' in the file's name", "pictures");
  row("damaged gzip", QByteArray("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03garbage garbage", 26), labels, "x-images",
      "can't be read");
}

void TestData::bad_idx_is_refused() {
  QFETCH(QByteArray, images);
  QFETCH(QByteArray, labels);
  QFETCH(QString, name);
  QFETCH(QString, at_fault);
  QFETCH(QString, words);
  write_bytes(folder_->filePath(name), Bytes8(images.begin(), images.end()));
  if (!labels.isEmpty()) write_bytes(path("x-labels"), Bytes8(labels.begin(), labels.end()));
  refused(with_data(image_model(), "idx", folder_->filePath(name)), folder_->filePath(at_fault), words);
}

void TestData::bad_folders_are_refused_data() {
  QTest::addColumn<QStringList>("files");
  QTest::addColumn<QString>("at_fault");
  QTest::addColumn<QString>("words");
  QTest::newRow("nothing") << QStringList{} << "set"
                           << "found no folder";
  QTest::newRow("empty") << QStringList{"set/"} << "set"
                         << "found 0 class folders, expected 1 to 5";
  QTest::newRow("six classes") << QStringList{"set/a/", "set/b/", "set/c/", "set/d/", "set/e/", "set/f/"} << "set"
                               << "found 6 class folders";
  QTest::newRow("file among classes") << QStringList{"set/a/1.pgm", "set/notes"} << "set/notes"
                                      << "found a file";
  QTest::newRow("empty class") << QStringList{"set/a/1.pgm", "set/b/"} << "set/b"
                               << "found no image";
  QTest::newRow("no image") << QStringList{"set/a/1.pgm", "set/a/readme"} << "set/a/readme"
                            << "found no image";
  QTest::newRow("folder in a class") << QStringList{"set/a/b/"} << "set/a/b"
                                     << "found";
}

void TestData::bad_folders_are_refused() {
  QFETCH(QStringList, files);
  QFETCH(QString, at_fault);
  QFETCH(QString, words);
  for (const QString& file : files) {
    QDir(folder_->path()).mkpath(file.section('/', 0, -2));
    if (file.endsWith(".pgm")) write_bytes(folder_->filePath(file), pnm("P5 3 2 255\n", Bytes8(6)));
    if (!file.contains('.') && !file.endsWith('/')) write_bytes(folder_->filePath(file), {'h', 'i'});
  }
  refused(with_data(image_model(), "images", path("set")), folder_->filePath(at_fault), words);
}

void TestData::bad_images_are_refused_data() {
  QTest::addColumn<QByteArray>("bytes");
  QTest::addColumn<QString>("words");
  QTest::newRow("other size") << QByteArray("P5 2 3 255\n123456") << "expected 3 x 2 pixels";
  QTest::newRow("cut off") << QByteArray("P5 3 2 255\n12345") << "found 5 bytes of pixels, expected 6";
  QTest::newRow("head only") << QByteArray("P5 3") << "broken head";
  QTest::newRow("16 bits") << QByteArray("P5 3 2 65535\n123456123456") << "largest value of 65535";
  QTest::newRow("no pixels") << QByteArray("P5 0 2 255\n") << "found 0 x 2 pixels";
  QTest::newRow("too wide") << QByteArray("P5 99999999999 2 255\n") << "pixels";
  QTest::newRow("png head only") << QByteArray("\x89PNG\r\n\x1a\n") << "is no whole PNG";
  QTest::newRow("jpeg head only") << QByteArray("\xff\xd8\xff") << "is no whole JPEG";
}

void TestData::bad_images_are_refused() {
  QFETCH(QByteArray, bytes);
  QFETCH(QString, words);
  QDir(folder_->path()).mkpath("set/a");
  write_bytes(path("set/a/1"), Bytes8(bytes.begin(), bytes.end()));
  refused(with_data(image_model(), "images", path("set")), path("set/a/1"), words);
}

void TestData::images_need_a_model_that_takes_them() {
  QCOMPARE(runtime::data::make_source(with_data(small_gpt(), "idx", path("x-images"))).error().place,
           std::string("/data/kind"));
  QCOMPARE(runtime::data::make_source(with_data(small_cnn(), "text", path("x"))).error().place,
           std::string("/data/kind"));
  write_bytes(path("x-images"), idx({5, 2, 3}, five_images()));
  refused(with_data(small_mlp(), "idx", path("x-images")), path("x-images"), "6 values; expected 10 values");
}

void TestData::special_files_are_refused_data() {
  QTest::addColumn<bool>("pipe");
  QTest::newRow("pipe without a writer") << true;
  QTest::newRow("link to an endless device") << false;
}

void TestData::special_files_are_refused() {
  QFETCH(bool, pipe);
  QDir(folder_->path()).mkpath("set/a");
  for (const char* name : {"text", "x-images", "set/a/1"})
    QCOMPARE(pipe ? ::mkfifo(qPrintable(path(name)), 0600) : ::symlink("/dev/zero", qPrintable(path(name))), 0);
  const QString words = "found a pipe or a device, expected a file";
  refused(with_data(small_gpt(1, 4, 8, 256), "text", path("text")), path("text"), words);
  refused(with_data(image_model(), "idx", path("x-images")), path("x-images"), words);
  refused(with_data(image_model(), "images", path("set")), path("set/a/1"), words);
}

void TestData::images_too_large_for_memory_are_refused() {
  std::string pnm = "P5 60000 60000 255\n";
  Bytes8 png{0x89, 'P', 'N', 'G',  '\r', '\n', 0x1a, '\n', 0,    0, 0, 13, 'I', 'H', 'D',
             'R',  0,   0,   0xea, 0x60, 0,    0,    0xea, 0x60, 8, 0, 0,  0,   0};
  const uLong sum = crc32(0, png.data() + 12, 17);
  for (const int shift : {24, 16, 8, 0}) png.push_back(static_cast<std::uint8_t>(sum >> shift));
  for (const char* chunk : {"IDAT", "IEND"}) {
    png.insert(png.end(), {0, 0, 0, 0});
    png.insert(png.end(), chunk, chunk + 4);
    const uLong empty = crc32(0, reinterpret_cast<const Bytef*>(chunk), 4);
    for (const int shift : {24, 16, 8, 0}) png.push_back(static_cast<std::uint8_t>(empty >> shift));
  }
  const Bytes8 jpeg{0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0xea, 0x60, 0xea, 0x60, 1,    1,   0x11,
                    0,    0xff, 0xda, 0,    8, 1,  1, 0,    0,    63,   0,    0xff, 0xd9};
  for (const auto& image : {runtime::data::decode_pnm(pnm), runtime::data::decode_png({png.begin(), png.end()}),
                            runtime::data::decode_jpeg({jpeg.begin(), jpeg.end()})}) {
    QVERIFY(!image);
    QCOMPARE(image.error().message,
             std::string("found 60000 x 60000 pixels, expected 1 to 65536 each way and at most 268435456 values"));
  }
}

void TestData::files_too_large_for_memory_are_refused() {
  QDir(folder_->path()).mkpath("set/a");
  for (const char* name : {"text", "set/a/1"}) {
    write_bytes(path(name), {});
    QCOMPARE(::truncate(qPrintable(path(name)), qint64{3} << 30), 0);  // sparse
  }
  refused(with_data(small_gpt(1, 4, 8, 256), "text", path("text")), path("text"), "found more than 2147483648 bytes");
  refused(with_data(image_model(), "images", path("set")), path("set/a/1"), "found more than 268435456 bytes");
}

PIPEDECK_TEST(TestData)

}  // namespace pipedeck::tst_data

#include "tst_data.moc"
