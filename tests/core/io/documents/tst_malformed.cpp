// SPDX-License-Identifier: Apache-2.0
// Malformed input of every format: bad_input, the exact place, what was found and what is expected. Damaged valid files
// never crash a reader.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include <QFile>
#include <QFileInfo>
#include <QStringConverter>
#include <QTemporaryDir>
#include <QTest>

#include "core/io/documents/calibration.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/files.hpp"
#include "core/io/huggingface/config.hpp"
#include "core/io/importers.hpp"
#include "core/io/profiles/graph_text.hpp"
#include "core/io/text/utf8.hpp"
#include "tests/core/io/documents/malformed_cases.hpp"
#include "tests/core/io/documents/sample_documents.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_malformed {

using namespace pipedeck::test;

using Reader = std::function<std::optional<Error>(const std::string&)>;

template <class T>
std::optional<Error> error_of(const Result<T>& result) {
  return result ? std::nullopt : std::optional(result.error());
}

struct Format {
  std::string name, sample;
  Reader read;
  MalformedCases cases;
  bool document = true;  ///< with "format" and "version"
};

const std::vector<Format>& formats() {
  static const std::vector<Format> all{
      {"profile", sample_profile(),
       [](const std::string& text) { return error_of(io::documents::profile_from_json(text)); }, malformed_profiles()},
      {"profile memory", sample_profile(),
       [](const std::string& text) { return error_of(io::documents::profile_from_json(text)); },
       malformed_profile_memory(), false},
      {"cluster", sample_cluster(),
       [](const std::string& text) { return error_of(io::documents::cluster_from_json(text)); }, malformed_clusters()},
      {"plan", sample_plan(), [](const std::string& text) { return error_of(io::documents::plan_from_json(text)); },
       malformed_plans()},
      {"model", sample_model(), [](const std::string& text) { return error_of(io::documents::model_from_json(text)); },
       malformed_models()},
      {"simulation", sample_simulation(),
       [](const std::string& text) { return error_of(io::documents::simulation_from_json(text)); },
       malformed_simulations()},
      {"calibration", sample_calibration(),
       [](const std::string& text) { return error_of(io::documents::calibration_from_json(text)); },
       malformed_calibrations()},
      {"event", sample_event(), [](const std::string& text) { return error_of(io::documents::event_from_json(text)); },
       malformed_events(), false},
      {"graph", sample_graph(),
       [](const std::string& text) { return error_of(io::profiles::profile_from_graph_text(text, "graph", 4)); },
       malformed_graphs(), false},
  };
  return all;
}

const Format& format_named(const QString& name) {
  for (const Format& format : formats())
    if (format.name == name.toStdString()) return format;
  qFatal("no such format");
}

MalformedCases all_cases(const Format& format) {
  MalformedCases cases = format.cases;
  if (format.document)
    for (MalformedCase& common : malformed_json("pipedeck." + format.name)) cases.push_back(std::move(common));
  return cases;
}

std::string edited(const Format& format, const MalformedCase& change) {
  if (change.from.empty()) return change.to;
  std::string text = format.sample;
  const std::size_t at = text.find(change.from);
  return at == text.npos ? std::string("the sample has no such text") : text.replace(at, change.from.size(), change.to);
}

void write(const std::string& path, const std::string& content) {
  QFile file(QString::fromStdString(path));
  QVERIFY(file.open(QFile::WriteOnly));
  file.write(content.data(), static_cast<qint64>(content.size()));
}

class TestMalformed : public QObject {
  Q_OBJECT

 private slots:
  void samples_are_valid() {
    for (const Format& format : formats()) {
      const auto error = format.read(format.sample);
      QVERIFY2(!error, error ? (format.name + ": " + error->text()).c_str() : "");
      QVERIFY(all_cases(format).size() >= 20);
    }
  }

  void malformed_data() {
    QTest::addColumn<QString>("format");
    QTest::addColumn<int>("number");
    for (const Format& format : formats()) {
      const MalformedCases cases = all_cases(format);
      for (std::size_t i = 0; i < cases.size(); ++i)
        QTest::addRow("%s: %s", format.name.c_str(), cases[i].name)
            << QString::fromStdString(format.name) << static_cast<int>(i);
    }
  }
  void malformed() {
    QFETCH(QString, format);
    QFETCH(int, number);
    const Format& of = format_named(format);
    const MalformedCase change = all_cases(of)[static_cast<std::size_t>(number)];
    const std::string text = edited(of, change);
    QVERIFY(text != "the sample has no such text");
    const auto error = of.read(text);
    QVERIFY2(error, "it was taken");
    QCOMPARE(error->code, ErrorCode::bad_input);
    if (std::string(change.name) != "too deep")
      QCOMPARE(QString::fromStdString(error->place), QString::fromStdString(change.place));
    QVERIFY2(error->message.find(change.words) != std::string::npos, error->text().c_str());
  }

  // Every prefix and a flip of every byte: a value or an error, never a crash, whatever is read out of range.
  void damaged_texts_never_crash() {
    Random random(11);
    for (const Format& format : formats()) {
      for (std::size_t length = 0; length < format.sample.size(); ++length) {
        const auto error = format.read(format.sample.substr(0, length));
        QVERIFY(!error || error->code == ErrorCode::bad_input);
        std::string flipped = format.sample;
        flipped[length] = static_cast<char>(flipped[length] ^ (1 << random.integer(0, 7)));
        if (const auto found = format.read(flipped)) QCOMPARE(found->code, ErrorCode::bad_input);
        std::string digit = format.sample;
        digit[length] = static_cast<char>('0' + random.integer(0, 9));
        if (const auto found = format.read(digit)) QCOMPARE(found->code, ErrorCode::bad_input);
      }
      if (format.document) QVERIFY(format.read(format.sample.substr(0, format.sample.size() - 1)));
    }
  }

  /// An endless file is not read at all.
  void devices_and_sparse_files_are_refused_at_once() {
    const QTemporaryDir folder;
    const std::string base = folder.path().toStdString();
    std::filesystem::create_symlink("/dev/zero", base + "/zero.json");
    for (const std::string& path : {std::string("/dev/zero"), base + "/zero.json"})
      QCOMPARE(io::read_file(path).error().message, std::string("found a device, expected a file"));
    std::ofstream(base + "/sparse.json") << "{}";
    std::filesystem::resize_file(base + "/sparse.json", std::uintmax_t{1} << 33);
    QVERIFY(io::read_file(base + "/sparse.json").error().message.starts_with("found more than 2147483648 bytes"));
  }

  /// A word of a hundred thousand letters is no message.
  void messages_are_as_long_as_people_read() {
    const std::string word(100'000, 'x');
    const auto found = io::huggingface::transformer_from_hugging_face("{\"model_type\": \"" + word + "\"}", "m");
    QVERIFY(!found);
    QVERIFY2(found.error().message.size() < 500, found.error().text().c_str());
    std::string letters;
    for (int i = 0; i < 5000; ++i) letters += "ä";
    const Error error{ErrorCode::bad_input, "x" + letters, "a.json", letters};
    QVERIFY(error.text().size() < 8100);
    QVERIFY(io::text::is_utf8(error.text()));
    QVERIFY(error.text().ends_with("ä …"));
    QCOMPARE((Error{ErrorCode::bad_input, "b", "a", "p"}.text()), std::string("a: p: b"));
  }

  void files_that_are_none() {
    QTemporaryDir folder;
    const std::string base = folder.path().toStdString();
    const auto message = [](const std::string& path, const std::string& words) {
      const auto read = io::read_document(path);
      QVERIFY(!read);
      QCOMPARE(read.error().code, ErrorCode::bad_input);
      QCOMPARE(read.error().file, path);
      QVERIFY2(read.error().message.find(words) != std::string::npos, read.error().message.c_str());
    };
    message(base, "a folder");
    message(base + "/missing.json", "no such file");
    write(base + "/empty.json", "");
    message(base + "/empty.json", "is empty");
    write(base + "/prose.txt", "Dear reader");
    message(base + "/prose.txt", "no known format");
    write(base + "/song.json", R"({"format": "pipedeck.song"})");
    message(base + "/song.json", "expected pipedeck.profile");
    write(base + "/none.json", "{}");
    message(base + "/none.json", "no 'format'");
    write(base + "/graph.txt", sample_graph());
    message(base + "/graph.txt", "--profile-micro-batch");
    write(base + "/long.txt", std::string(1000, 'x'));
    QVERIFY(io::read_file(base + "/long.txt", 1000));
    QCOMPARE(io::read_file(base + "/long.txt", 999).error().code, ErrorCode::bad_input);
  }

  /// As Windows' shells and spreadsheets write texts; against Qt's reading of the same.
  void utf_16() {
    QTemporaryDir folder;
    const std::string path = folder.path().toStdString() + "/utf16.txt";
    const QString text = QStringLiteral("GPU\u00b5, \u4e2d, \U0001f600\n");
    for (const auto encoding : {QStringConverter::Utf16LE, QStringConverter::Utf16BE}) {
      QStringEncoder encode(encoding, QStringConverter::Flag::WriteBom);
      const QByteArray bytes = encode(text);
      write(path, bytes.toStdString());
      QCOMPARE(QString::fromStdString(*io::read_file(path)), text);
      write(path, bytes.toStdString() + "x");  // half a character: as it is, for the format's reader to refuse
      QVERIFY(!io::text::is_utf8(*io::read_file(path)));
    }
    for (const std::string& lonely : {std::string("\xFF\xFE\x00\xD8", 4), std::string("\xFF\xFE\x00\xDC", 4)})
      QVERIFY(!io::text::from_utf16(lonely));
    QVERIFY(!io::text::from_utf16("GPU0"));
  }

  /// A file with too many layers is refused before it takes memory.
  void more_layers_than_any_model() {
    std::string text = R"({"format": "pipedeck.profile", "version": 1, "layers": [{})";
    for (int i = 0; i < 100'000; ++i) text += ",{}";
    for (const char* rest : {"]}", ",{},{},", ""}) {  // nor is what stands behind them read
      const auto profile = io::documents::profile_from_json(text + rest);
      QCOMPARE(profile.error().place, std::string("/layers"));
      QVERIFY(profile.error().message.find("more than 100000") != std::string::npos);
    }
    std::string graph;
    for (int i = 0; i < 200'002; ++i)
      graph += "n" + std::to_string(i) +
               " -- x -- forward_compute_time=1, backward_compute_time=1, activation_size=1, parameter_size=1\n";
    const auto read = io::profiles::profile_from_graph_text(graph, "graph", 1);
    QCOMPARE(read.error().place, std::string("line 200001"));
  }

  void files_tell_their_kind() {
    QTemporaryDir folder;
    const std::string base = folder.path().toStdString();
    // The name and the content disagree.
    write(base + "/plan.json", sample_cluster());
    QVERIFY(io::read_cluster(base + "/plan.json"));
    const auto plan = io::read_plan(base + "/plan.json");
    QVERIFY(!plan);
    QCOMPARE(plan.error().message, std::string("found a cluster, expected a plan"));
    write(base + "/net-pbs-16.txt", sample_graph());
    const auto profile = io::read_profile(base + "/net-pbs-16.txt");
    QVERIFY(profile);
    QCOMPARE(profile->micro_batch, 16);
    QCOMPARE(io::read_profile(base + "/net-pbs-16.txt", {8})->micro_batch, 8);
  }

  void a_byte_order_mark_is_no_part_of_a_text() {
    QTemporaryDir folder;
    const std::string base = folder.path().toStdString();
    write(base + "/c.json", "\xEF\xBB\xBF" + sample_cluster());
    QVERIFY(io::read_cluster(base + "/c.json"));
    write(base + "/net-pbs-16.txt", "\xEF\xBB\xBF" + sample_graph());
    QVERIFY(io::read_profile(base + "/net-pbs-16.txt"));
  }

  // A graph is called as its file is, and what is written about it must stay text.
  void a_file_name_that_is_no_text() {
    QTemporaryDir folder;
    const std::string path = folder.path().toStdString() + "/n\xE9t-pbs-16.txt";
    QVERIFY(io::write_file(path, sample_graph()));  // Qt's names are text
    const auto profile = io::read_profile(path);
    QVERIFY(::unlink(path.c_str()) == 0);
    QVERIFY2(profile, profile ? "" : profile.error().text().c_str());
    QCOMPARE(profile->name, std::string("n\xEF\xBF\xBDt-pbs-16"));
    QVERIFY(io::documents::profile_from_json(io::documents::profile_to_json(*profile)));
  }

  void a_replaced_file_keeps_permissions_and_links() {
    QTemporaryDir folder;
    const QString file = folder.filePath("a.json"), link = folder.filePath("link.json");
    QVERIFY(io::write_file(file.toStdString(), "one"));
    const auto own = QFile::ReadOwner | QFile::WriteOwner;
    QVERIFY(QFile::setPermissions(file, own));
    QVERIFY(QFile::link(file, link));
    QVERIFY(io::write_file(link.toStdString(), "two"));
    QVERIFY(QFileInfo(link).isSymLink());
    QCOMPARE(*io::read_file(file.toStdString()), std::string("two"));
    QCOMPARE(QFile::permissions(file) & (QFile::ReadGroup | QFile::ReadOther | own), own);
  }

  void a_protected_file_is_not_replaced() {
    if (::geteuid() == 0) QSKIP("the superuser may write every file");
    QTemporaryDir folder;
    const QString file = folder.filePath("a.json");
    QVERIFY(io::write_file(file.toStdString(), "one"));
    QVERIFY(QFile::setPermissions(file, QFile::ReadOwner));
    const auto written = io::write_file(file.toStdString(), "two");
    QVERIFY(!written);
    QCOMPARE(written.error().code, ErrorCode::io);
    QCOMPARE(*io::read_file(file.toStdString()), std::string("one"));
  }

  void files_of_pieces_are_whole_or_as_they_were() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("a.jsonl").toStdString();
    QVERIFY(
        io::write_file_chunks(path, [](const io::text::ChunkSink& sink) { return sink("one\n") && sink("two\n"); }));
    QCOMPARE(io::read_file(path).value(), std::string("one\ntwo\n"));
    const auto given_up =
        io::write_file_chunks(path, [](const io::text::ChunkSink& sink) { return sink("three") && false; });
    QVERIFY(!given_up && given_up.error().code == ErrorCode::io);
    QCOMPARE(io::read_file(path).value(), std::string("one\ntwo\n"));
    QVERIFY(
        !io::write_file_chunks(folder.path().toStdString(), [](const io::text::ChunkSink& sink) { return sink("x"); }));
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList("a.jsonl"));
  }

  void writing_is_whole_or_not_at_all() {
    QTemporaryDir folder;
    const std::string path = folder.path().toStdString() + "/a.json";
    QVERIFY(io::write_file(path, "one"));
    QVERIFY(io::write_file(path, "two"));
    QCOMPARE(*io::read_file(path), std::string("two"));
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 1);
    const auto nowhere = io::write_file(folder.path().toStdString() + "/missing/a.json", "x");
    QVERIFY(!nowhere);
    QCOMPARE(nowhere.error().code, ErrorCode::io);
  }
};

PIPEDECK_TEST(TestMalformed)

}  // namespace pipedeck::tst_malformed

#include "tst_malformed.moc"
