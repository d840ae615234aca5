// SPDX-License-Identifier: Apache-2.0
// Checkpoints on disk: written whole, read with every byte looked at, put together for any cut of the layers, passed
// over where they are damaged, refused where they are another model's.
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <numeric>

#include "core/runtime/checkpoint/resume.hpp"
#include "core/runtime/checkpoint/writer.hpp"
#include "tests/core/runtime/train/training_cases.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_checkpoint {

using namespace pipedeck::test;

runtime::checkpoint::Origin origin_of(const ModelSpec& model, std::uint64_t step, std::uint64_t lineage = 7) {
  runtime::checkpoint::Origin origin;
  origin.lineage = lineage;
  origin.model = model.name;
  origin.layers = model.layers;
  origin.seed = model.seed;
  origin.data = model.data;
  origin.learning_rate = model.learning_rate;
  origin.plan = "test";
  origin.global_batch = 12;
  origin.step = step;
  origin.samples = 12 * step;
  return origin;
}

constexpr int rows = 3, columns = 4;  // of every layer's parameters

runtime::checkpoint::LayerPart whole_layer(int layer) {
  return {layer, rows * columns, 5, 3, 0, {{0, 1, rows * columns, rows * columns}}};
}
/// Columns [first, end) of the layer.
runtime::checkpoint::LayerPart layer_columns(int layer, int first, int end) {
  return {layer, rows * columns, 5, 3, 0, {{first, rows, end - first, columns}}};
}

/// Returns the value at `index` of a state of a layer; all values differ.
float value_of(std::uint64_t step, int layer, int state, std::int64_t index) {
  return static_cast<float>(static_cast<int>(step) * 1000 + layer * 100 + state * 30 + static_cast<int>(index));
}

std::vector<float> values_of(const runtime::checkpoint::Part& part) {
  std::vector<float> values;
  for (const runtime::checkpoint::LayerPart& layer : part.layers)
    for (int state = 0; state < layer.lists(); ++state)
      for (const runtime::layers::ParameterBlock& block : layer.blocks)
        for (std::int64_t row = 0; row < block.rows; ++row)
          for (std::int64_t column = 0; column < block.columns; ++column)
            values.push_back(value_of(part.origin.step, layer.layer, state, block.first + row * block.stride + column));
  return values;
}

QString path_of(const QTemporaryDir& folder, std::uint64_t step, std::size_t worker) {
  return QString::fromStdString(runtime::checkpoint::part_path(folder.path().toStdString(), step, worker));
}

void save(const QTemporaryDir& folder, const runtime::checkpoint::Origin& origin, int worker,
          std::vector<runtime::checkpoint::LayerPart> layers) {
  const runtime::checkpoint::Part part{origin, worker, DeviceId(worker), std::move(layers)};
  const QString path = path_of(folder, origin.step, static_cast<std::size_t>(worker));
  QVERIFY(QDir().mkpath(QFileInfo(path).path()));
  const auto written = runtime::checkpoint::write_part(path.toStdString(), part, values_of(part));
  QVERIFY2(written.has_value(), written ? "" : written.error().text().c_str());
}

/// Two stages of a model of three layers and its loss.
ModelSpec three_layers() { return small_mlp(4, 3, 4, 4); }
void save_step(const QTemporaryDir& folder, std::uint64_t step, std::uint64_t lineage = 7) {
  save(folder, origin_of(three_layers(), step, lineage), 0, {whole_layer(0), layer_columns(1, 0, 4)});
  save(folder, origin_of(three_layers(), step, lineage), 1, {whole_layer(2)});
}

QByteArray content_of(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void put(const QString& path, const QByteArray& content) {
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
  QCOMPARE(file.write(content), content.size());
}

Result<void> looked_at(const QString& path) {
  const auto file = runtime::checkpoint::ShardFile::open(path.toStdString());
  return file ? file->verify() : tl::unexpected(file.error());
}

Result<runtime::checkpoint::Checkpoint> opened(const QTemporaryDir& folder) {
  return runtime::checkpoint::Checkpoint::open(folder.path().toStdString());
}

bool mentions(const std::vector<std::string>& texts, const char* what) {
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& t) { return t.find(what) != t.npos; });
}

class TestCheckpoint : public QObject {
  Q_OBJECT
 private slots:
  void a_part_comes_back_as_it_was();
  void every_byte_is_looked_at();
  void every_truncation_is_seen();
  void what_is_no_part_is_named();
  void blocks_beyond_their_layer_are_refused();
  void a_full_disk_leaves_nothing_behind();
  void the_last_step_that_every_stage_has_is_taken();
  void one_step_can_be_named();
  void damaged_steps_are_passed_over();
  void nothing_to_resume_from_says_why();
  void parts_of_different_runs_do_not_mix();
  void any_cut_is_put_together();
  void another_model_is_refused_data();
  void another_model_is_refused();
  void a_folder_in_use_is_refused();
  void no_file_of_a_user_is_written_over();
  void a_pipe_is_no_part();
  void a_thread_writes_what_was_copied();
  void a_failed_write_fails_the_run();
  void a_disk_that_hangs_is_no_wait_without_end();
};

void TestCheckpoint::a_part_comes_back_as_it_was() {
  QTemporaryDir folder;
  runtime::checkpoint::Part part{origin_of(small_gpt(), 3), 2, DeviceId(5), {layer_columns(1, 1, 3), whole_layer(4)}};
  part.layers[0].older = 2;
  part.origin.data = {"text", "some/päth", 4};
  const auto values = values_of(part);
  const std::string path = folder.filePath("a.pdck").toStdString();
  QVERIFY(runtime::checkpoint::write_part(path, part, values).has_value());
  QCOMPARE(QFileInfo(folder.filePath("a.pdck")).size(), runtime::checkpoint::file_bytes(part).count);
  QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).size(), 1);
  QVERIFY(runtime::checkpoint::looks_like_checkpoint(content_of(folder.filePath("a.pdck")).toStdString()));
  const auto file = runtime::checkpoint::ShardFile::open(path);
  QVERIFY2(file.has_value(), file ? "" : file.error().text().c_str());
  QVERIFY(file->part() == part);
  QVERIFY(file->verify().has_value());
  std::vector<float> moment(rows * 2);
  QVERIFY(file->read(0, 1, moment).has_value());
  QVERIFY(std::equal(moment.begin(), moment.end(), values.begin() + rows * 2));
  QVERIFY(file->read(0, 4, moment).has_value());  // the newer of two older versions
  QVERIFY(std::equal(moment.begin(), moment.end(), values.begin() + 4 * rows * 2));
}

void TestCheckpoint::every_byte_is_looked_at() {
  QTemporaryDir folder;
  save_step(folder, 1);
  const QString path = path_of(folder, 1, 0);
  const QByteArray good = content_of(path);
  QVERIFY(looked_at(path).has_value());
  for (qsizetype i = 0; i < good.size(); ++i) {
    QByteArray bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    put(path, bad);
    const auto looked = looked_at(path);
    QVERIFY2(!looked, qPrintable(QString("byte %1 of %2").arg(i).arg(good.size())));
    QCOMPARE(looked.error().code, ErrorCode::bad_input);
    QCOMPARE(QString::fromStdString(looked.error().file), path);
  }
  QByteArray values = good;
  values[values.size() - 6] = static_cast<char>(values[values.size() - 6] ^ 1);
  put(path, values);
  QVERIFY2(looked_at(path).error().message.find("the second moment of layer 1 'linear_1'") != std::string::npos,
           looked_at(path).error().message.c_str());
}

void TestCheckpoint::every_truncation_is_seen() {
  QTemporaryDir folder;
  save_step(folder, 1);
  const QString path = path_of(folder, 1, 0);
  const QByteArray good = content_of(path);
  for (qsizetype size = 0; size < good.size(); ++size) {
    put(path, good.first(size));
    const auto looked = looked_at(path);
    QVERIFY2(!looked, qPrintable(QString::number(size)));
    const bool says = looked.error().message.find(size == 0 ? "empty" : "truncated") != std::string::npos;
    QVERIFY2(says, looked.error().message.c_str());
  }
  put(path, good + "x");
  QVERIFY(!looked_at(path));
}

void TestCheckpoint::what_is_no_part_is_named() {
  QTemporaryDir folder;
  QDir(folder.path()).mkdir("d.pdck");
  QVERIFY(looked_at(folder.filePath("d.pdck")).error().message.find("no plain file") != std::string::npos);
  put(folder.filePath("t.pdck"), "{\"format\": \"pipedeck.plan\"}");
  QVERIFY(looked_at(folder.filePath("t.pdck")).error().message.find("no part of a checkpoint") != std::string::npos);
  QCOMPARE(looked_at(folder.filePath("none.pdck")).error().code, ErrorCode::io);
  save_step(folder, 1);
  QByteArray later = content_of(path_of(folder, 1, 0));
  later[8] = 2;
  put(folder.filePath("v.pdck"), later);
  QVERIFY(looked_at(folder.filePath("v.pdck")).error().message.find("found version 2, expected 1") !=
          std::string::npos);
}

void TestCheckpoint::blocks_beyond_their_layer_are_refused() {
  const auto decoded = [](const runtime::checkpoint::LayerPart& layer) {
    return runtime::checkpoint::decode_part(
        runtime::checkpoint::encode({origin_of(three_layers(), 1), 0, DeviceId(0), {layer}}));
  };
  QVERIFY(decoded(whole_layer(1)).has_value());
  constexpr std::int64_t huge = std::int64_t{1} << 62;
  for (const runtime::layers::ParameterBlock& block :
       {runtime::layers::ParameterBlock{0, 1, 13, 0}, runtime::layers::ParameterBlock{9, 1, 4, 0},
        runtime::layers::ParameterBlock{-1, 1, 2, 0}, runtime::layers::ParameterBlock{0, 4, 4, 4},
        runtime::layers::ParameterBlock{0, 2, 4, 3}, runtime::layers::ParameterBlock{0, huge, huge, huge},
        runtime::layers::ParameterBlock{huge, 1, 1, 1}, runtime::layers::ParameterBlock{0, 3, 4, huge}}) {
    runtime::checkpoint::LayerPart bad = whole_layer(1);
    bad.blocks = {block};
    QVERIFY(!decoded(bad));
  }
  runtime::checkpoint::LayerPart bad = whole_layer(1);
  bad.blocks.push_back(bad.blocks[0]);
  QVERIFY(!decoded(bad));
  for (const int layer : {-1, 4, 1 << 30}) QVERIFY(!decoded(whole_layer(layer)));
  bad = whole_layer(1);
  bad.states = 2;  // Adam has three
  QVERIFY(!decoded(bad));
  const std::string good =
      runtime::checkpoint::encode({origin_of(three_layers(), 1), 0, DeviceId(0), {whole_layer(1)}});
  for (std::size_t size = 0; size < good.size(); ++size)
    QVERIFY2(!runtime::checkpoint::decode_part(std::string_view(good).substr(0, size)),
             qPrintable(QString::number(size)));
}

void TestCheckpoint::a_full_disk_leaves_nothing_behind() {
  QTemporaryDir folder;
  const runtime::checkpoint::Part part{origin_of(three_layers(), 1), 0, DeviceId(0), {whole_layer(0)}};
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
  for (const rlim_t most : {0u, 10u, 100u, static_cast<unsigned>(runtime::checkpoint::file_bytes(part).count) - 1}) {
    const rlimit small{most, before.rlim_max};
    QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto written =
        runtime::checkpoint::write_part(folder.filePath("a.pdck").toStdString(), part, values_of(part));
    QCOMPARE(::setrlimit(RLIMIT_FSIZE, &before), 0);
    QVERIFY(!written);
    QCOMPARE(written.error().code, ErrorCode::io);
    QVERIFY2(written.error().message.find("File too large") != std::string::npos, written.error().message.c_str());
    QVERIFY(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).isEmpty());
  }
}

void TestCheckpoint::the_last_step_that_every_stage_has_is_taken() {
  QTemporaryDir folder;
  save_step(folder, 9);
  save_step(folder, 10);
  save(folder, origin_of(three_layers(), 11), 1, {whole_layer(2)});  // worker 0 was killed before
  put(path_of(folder, 11, 0) + ".tmp", "half");
  const auto checkpoint = opened(folder);
  QVERIFY2(checkpoint.has_value(), checkpoint ? "" : checkpoint.error().text().c_str());
  QCOMPARE(checkpoint->origin().step, 10u);
  QCOMPARE(checkpoint->origin().samples, 120u);
  QVERIFY(mentions(checkpoint->warnings(), "step 11: layers 0 to 1 ('linear_0' to 'linear_1') missing: passed over"));
  const auto parameters = checkpoint->parameters();
  QVERIFY(parameters.has_value());
  QCOMPARE(parameters->size(), std::size_t{3});
  for (int layer = 0; layer < 3; ++layer)
    for (std::int64_t i = 0; i < rows * columns; ++i)
      QCOMPARE((*parameters)[static_cast<std::size_t>(layer)][static_cast<std::size_t>(i)], value_of(10, layer, 0, i));
}

void TestCheckpoint::one_step_can_be_named() {
  QTemporaryDir folder;
  save_step(folder, 9);
  save_step(folder, 10);
  for (const char* ending : {"", "/"}) {
    const auto checkpoint = runtime::checkpoint::Checkpoint::open(
        runtime::checkpoint::step_folder(folder.path().toStdString(), 9) + ending);
    QVERIFY2(checkpoint.has_value(), checkpoint ? "" : checkpoint.error().text().c_str());
    QCOMPARE(checkpoint->origin().step, 9u);
  }
}

void TestCheckpoint::damaged_steps_are_passed_over() {
  QTemporaryDir folder;
  for (const std::uint64_t step : {10, 20, 30, 40}) save_step(folder, step);
  QByteArray bad = content_of(path_of(folder, 40, 1));
  bad[bad.size() - 20] = static_cast<char>(bad[bad.size() - 20] ^ 1);
  put(path_of(folder, 40, 1), bad);
  put(path_of(folder, 30, 0), content_of(path_of(folder, 30, 0)).first(200));
  QVERIFY(QFile::remove(path_of(folder, 20, 0)));
  QVERIFY(QFile::copy(path_of(folder, 10, 0), path_of(folder, 20, 0)));  // of another step
  const auto checkpoint = opened(folder);
  QVERIFY2(checkpoint.has_value(), checkpoint ? "" : checkpoint.error().text().c_str());
  QCOMPARE(checkpoint->origin().step, 10u);
  QVERIFY(mentions(checkpoint->warnings(), "step 40: ") && mentions(checkpoint->warnings(), "worker-1.pdck: corrupt"));
  QVERIFY(mentions(checkpoint->warnings(), "worker-0.pdck: truncated: found 200 bytes, expected"));
  QVERIFY(mentions(checkpoint->warnings(), "found step 10, expected 20, its folder's"));
}

void TestCheckpoint::nothing_to_resume_from_says_why() {
  QTemporaryDir folder;
  QCOMPARE(runtime::checkpoint::Checkpoint::open(folder.filePath("none").toStdString()).error().message,
           std::string("found no such folder"));
  put(folder.filePath("file"), "x");
  QVERIFY(runtime::checkpoint::Checkpoint::open(folder.filePath("file").toStdString())
              .error()
              .message.starts_with("found a file"));
  QVERIFY(opened(folder).error().message.find("there is none at all") != std::string::npos);
  save(folder, origin_of(three_layers(), 11), 0, {whole_layer(0)});
  const Error error = opened(folder).error();
  QCOMPARE(error.code, ErrorCode::bad_input);
  QVERIFY2(error.message.find("step 11: layers 1 to 2 ('linear_1' to 'linear_2') missing") != std::string::npos,
           error.message.c_str());
}

void TestCheckpoint::parts_of_different_runs_do_not_mix() {
  QTemporaryDir folder;
  save_step(folder, 10);
  save_step(folder, 20, 7);
  save(folder, origin_of(three_layers(), 20, 8), 1, {whole_layer(2)});  // over the first run's
  const auto checkpoint = opened(folder);
  QVERIFY(checkpoint.has_value());
  QCOMPARE(checkpoint->origin().step, 10u);
}

void TestCheckpoint::any_cut_is_put_together() {
  QTemporaryDir folder;
  const runtime::checkpoint::Origin origin = origin_of(three_layers(), 4);
  save(folder, origin, 0, {layer_columns(0, 0, 1), layer_columns(1, 0, 3)});
  save(folder, origin, 1, {layer_columns(0, 1, 3), layer_columns(1, 2, 4)});  // column 2 twice
  save(folder, origin, 2, {layer_columns(0, 3, 4), whole_layer(2)});
  const auto checkpoint = opened(folder);
  QVERIFY2(checkpoint.has_value(), checkpoint ? "" : checkpoint.error().text().c_str());
  for (const auto& blocks : {std::vector<runtime::layers::ParameterBlock>{{0, 1, 12, 12}},
                             std::vector<runtime::layers::ParameterBlock>{{0, 3, 2, 4}},
                             std::vector<runtime::layers::ParameterBlock>{{4, 1, 8, 8}},
                             std::vector<runtime::layers::ParameterBlock>{{9, 1, 2, 2}, {0, 3, 1, 4}}}) {
    runtime::checkpoint::LayerPart held{0, rows * columns, 0, 1, 0, blocks};
    for (int layer = 0; layer < 3; ++layer)
      for (int state = 0; state < 3; ++state) {
        std::vector<float> own(static_cast<std::size_t>(held.floats()));
        const auto updates = checkpoint->read(layer, state, rows * columns, blocks, own);
        QVERIFY(updates.has_value());
        QCOMPARE(*updates, 5u);
        auto value = own.begin();
        for (const runtime::layers::ParameterBlock& block : blocks)
          for (std::int64_t row = 0; row < block.rows; ++row)
            for (std::int64_t column = 0; column < block.columns; ++column)
              QCOMPARE(*value++, value_of(4, layer, state, block.first + row * block.stride + column));
      }
  }
  std::vector<float> own(13);
  QVERIFY(!checkpoint->read(0, 0, 13, std::vector<runtime::layers::ParameterBlock>{{0, 1, 13, 13}}, own));
}

void TestCheckpoint::another_model_is_refused_data() {
  QTest::addColumn<int>("which");
  QTest::addColumn<QString>("expected");
  QTest::newRow("size") << 0 << "layer 1 'linear_1' (linear): size 'out' is 4, expected 5, the model's";
  QTest::newRow("kind") << 1 << "layer 2 'linear_2' is of kind linear, expected layer_norm";
  QTest::newRow("fewer layers") << 2 << "layer 2 'linear_2'";
  QTest::newRow("more layers") << 3 << "its number of layers is 4, expected 5";
  QTest::newRow("optimizer") << 4 << "its optimizer is adam, expected sgd, the plan's";
}

void TestCheckpoint::another_model_is_refused() {
  QFETCH(int, which);
  QFETCH(QString, expected);
  QTemporaryDir folder;
  save_step(folder, 1);
  const auto checkpoint = opened(folder);
  QVERIFY(checkpoint.has_value());
  ModelSpec model = three_layers();
  Plan plan = plan_for(model, {1, 1}, 4, 3);
  QVERIFY(checkpoint->check(model, plan).has_value() && checkpoint->check(model, plan)->empty());
  model.layers[0].name = "another name";
  model.data.seed = 99;
  model.learning_rate = 0.5;
  const auto differences = checkpoint->check(model, plan);
  QCOMPARE(differences->size(), std::size_t{2});
  QVERIFY(mentions(*differences, "trained on synthetic with seed 1, now on synthetic with seed 99"));
  QVERIFY(mentions(*differences, "learning rate was 0.003, now 0.5"));
  switch (which) {
    case 0:
      model.layers[1].sizes["out"] = 5;
      break;
    case 1:
      model.layers[2].kind = "layer_norm";
      break;
    case 2:
      model.layers.erase(model.layers.begin() + 2);
      break;
    case 3:
      model.layers.push_back(model.layers.back());
      break;
    case 4:
      plan.optimizer = Optimizer::sgd;
      break;
  }
  const auto refused = checkpoint->check(model, plan);
  QVERIFY(!refused);
  QCOMPARE(refused.error().code, ErrorCode::bad_input);
  QCOMPARE(refused.error().file, checkpoint->path());
  QVERIFY2(refused.error().message.find(expected.toStdString()) != std::string::npos, refused.error().message.c_str());
}

void TestCheckpoint::a_folder_in_use_is_refused() {
  QTemporaryDir folder;
  const std::string path = folder.filePath("new/folder").toStdString();
  {
    const auto lock = runtime::checkpoint::FolderLock::take(path);
    QVERIFY2(lock.has_value(), lock ? "" : lock.error().text().c_str());
    const auto second = runtime::checkpoint::FolderLock::take(path);
    QVERIFY(!second);
    QCOMPARE(second.error().code, ErrorCode::bad_input);
    QVERIFY(second.error().message.find(QString("process %1)").arg(QCoreApplication::applicationPid()).toStdString()) !=
            std::string::npos);
  }
  QVERIFY(runtime::checkpoint::FolderLock::take(path).has_value());
  put(folder.filePath("file"), "x");
  QVERIFY(!runtime::checkpoint::FolderLock::take(folder.filePath("file").toStdString()));
}

void TestCheckpoint::no_file_of_a_user_is_written_over() {
  QTemporaryDir folder;
  const QString precious = folder.filePath("precious"), lock = folder.filePath(".lock");
  put(precious, "work of a year");
  for (const bool link : {true, false}) {
    for (const QString& name : {lock, folder.filePath("part.pdck.tmp")})
      QCOMPARE(
          link ? ::symlink(qPrintable(precious), qPrintable(name)) : ::link(qPrintable(precious), qPrintable(name)), 0);
    const auto taken = runtime::checkpoint::FolderLock::take(folder.path().toStdString());
    QVERIFY(!taken);
    QCOMPARE(taken.error().code, ErrorCode::bad_input);
    QCOMPARE(taken.error().file, lock.toStdString());
    const runtime::checkpoint::Part part{origin_of(three_layers(), 1), 1, DeviceId(1), {whole_layer(2)}};
    const auto written =
        runtime::checkpoint::write_part(folder.filePath("part.pdck").toStdString(), part, values_of(part));
    QCOMPARE(written.has_value(), !link);  // a new file takes the place of a killed run's
    QCOMPARE(content_of(precious), QByteArray("work of a year"));
    QFile::remove(lock);
    QFile::remove(folder.filePath("part.pdck.tmp"));
  }
}

void TestCheckpoint::a_pipe_is_no_part() {
  QTemporaryDir folder;
  const std::string path = folder.filePath("worker-0.pdck").toStdString();
  QCOMPARE(::mkfifo(path.c_str(), 0600), 0);
  const auto part = runtime::checkpoint::ShardFile::open(path);
  QVERIFY(!part);
  QCOMPARE(part.error().code, ErrorCode::bad_input);
}

void TestCheckpoint::a_thread_writes_what_was_copied() {
  QTemporaryDir folder;
  runtime::transport::RunControl control(std::chrono::seconds(30), {DeviceId(0), DeviceId(1)});
  runtime::checkpoint::Writer writer(folder.path().toStdString(), 2);
  for (const std::uint64_t step : {1, 2, 3}) {
    for (int worker = 0; worker < 2; ++worker) {
      const auto index = static_cast<std::size_t>(worker);
      runtime::checkpoint::Part part{
          origin_of(three_layers(), step), worker, DeviceId(worker), {whole_layer(2 * worker)}};
      if (worker == 0) part.layers.push_back(whole_layer(1));
      std::vector<float>& buffer = writer.buffer(index, control);
      buffer = values_of(part);
      writer.write(index, part, runtime::tensor::RunClock::now());
    }
  }
  QVERIFY(writer.wait(std::chrono::seconds(30)).has_value());
  QCOMPARE(writer.consume_written().size(), std::size_t{6});
  QVERIFY(writer.consume_written().empty());
  QCOMPARE(opened(folder)->origin().step, 3u);
  QVERIFY(opened(folder)->warnings().empty());
}

void TestCheckpoint::a_failed_write_fails_the_run() {
  QTemporaryDir folder;
  put(folder.filePath("file"), "x");
  runtime::transport::RunControl control(std::chrono::seconds(30), {DeviceId(4)});
  runtime::checkpoint::Writer writer(folder.filePath("file").toStdString(), 1);  // no folder can be made there
  runtime::checkpoint::Part part{origin_of(three_layers(), 7), 0, DeviceId(4), {whole_layer(0)}};
  writer.buffer(0, control) = values_of(part);
  writer.write(0, part, runtime::tensor::RunClock::now());
  const auto waited = writer.wait(std::chrono::seconds(30));
  QVERIFY(!waited);
  QCOMPARE(waited.error().code, ErrorCode::run_failed);
  QVERIFY2(waited.error().message.starts_with("device 4: checkpoint of step 7: "), waited.error().message.c_str());
  bool interrupted = false;
  try {
    writer.buffer(0, control);
  } catch (const runtime::transport::Interrupted&) {
    interrupted = true;
  }
  QVERIFY(interrupted);
  QCOMPARE(*control.failure(), waited.error());
}

void TestCheckpoint::a_disk_that_hangs_is_no_wait_without_end() {
  QTemporaryDir folder;
  const QString path = path_of(folder, 1, 0);
  QVERIFY(QDir().mkpath(QFileInfo(path).path()));
  QCOMPARE(::mkfifo(qPrintable(path + ".tmp"), 0600), 0);  // without a reader, opening it waits forever
  runtime::transport::RunControl control(std::chrono::milliseconds(200), {DeviceId(0)});
  runtime::checkpoint::Writer writer(folder.path().toStdString(), 1);
  runtime::checkpoint::Part part{origin_of(three_layers(), 1), 0, DeviceId(0), {whole_layer(0)}};
  writer.buffer(0, control) = values_of(part);
  writer.write(0, part, runtime::tensor::RunClock::now());
  const auto waited = writer.wait(std::chrono::milliseconds(200));
  QVERIFY(!waited);
  QVERIFY2(waited.error().message.find("the disk does not answer") != std::string::npos,
           waited.error().message.c_str());
  bool interrupted = false;
  try {
    writer.buffer(0, control);  // the copy before is still to be written
  } catch (const runtime::transport::Interrupted&) {
    interrupted = true;
  }
  QVERIFY(interrupted && control.failure());
}

PIPEDECK_TEST(TestCheckpoint)

}  // namespace pipedeck::tst_checkpoint

#include "tst_checkpoint.moc"
