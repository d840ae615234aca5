// SPDX-License-Identifier: Apache-2.0
// CSV and job scripts, read back by a reader of their own; timelines as columns.
#include <clocale>

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "core/io/csv/tables.hpp"
#include "core/io/csv/timeline_columns.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/documents/job_script.hpp"
#include "core/io/text/decimal.hpp"
#include "tests/core/io/documents/sample_documents.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_csv {

/// RFC 4180, to the letter: an error leaves an empty table.
std::vector<std::vector<std::string>> parsed(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row(1);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"') {
        row.back() += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        row.back() += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      if (!row.back().empty()) return {};
      quoted = true;
    } else if (c == ',') {
      row.emplace_back();
    } else if (c == '\r') {
      if (++i == text.size() || text[i] != '\n') return {};
      rows.push_back(row);
      row.assign(1, {});
    } else {
      row.back() += c;
    }
  }
  return quoted || row.size() > 1 || !row[0].empty() ? std::vector<std::vector<std::string>>() : rows;
}

std::vector<std::vector<std::string>> read_back(const io::csv::CsvTable& table) {
  auto rows = parsed(table.text());
  if (rows.empty() || rows[0] != table.columns() || rows.size() != table.rows().size() + 1) return {};
  for (const auto& row : rows)
    if (row.size() != table.columns().size()) return {};
  rows.erase(rows.begin());
  return rows;
}

Simulation simulation() {
  Simulation s;
  s.iteration = Nanoseconds(12'345'678);
  s.samples_per_second = 1234.5;
  SimulatedDevice device;
  device.device = DeviceId(3);
  device.busy = Nanoseconds(1'000'001);
  device.peak = Bytes(1000);
  device.capacity = Bytes(4000);
  device.peak_breakdown[MemoryItem::weights] = Bytes(700);
  device.peak_breakdown[MemoryItem::activations] = Bytes(300);
  device.curve = {{Nanoseconds(0), Bytes(700)}, {Nanoseconds(5), Bytes(1000)}};
  s.devices = {device};
  const std::vector<TimelineRow> rows{{Nanoseconds(0), Nanoseconds(5), {OpKind::forward, StageId(1), 0}},
                                      {Nanoseconds(7), Nanoseconds(9), {OpKind::backward, StageId(1), 2}}};
  s.timeline.append_lane({LaneRole::compute, DeviceId(3), {}, 0, 0}, rows);
  s.timeline.append_lane({LaneRole::link, DeviceId(0), DeviceId(3), 0, 0}, {});
  return s;
}

Plan plan() {
  Plan p;
  p.name = "two, \"stages\"";
  p.planner = "hand";
  Stage first{.first = 0,
              .last = 2,
              .devices = {DeviceId(0), DeviceId(1)},
              .samples_per_replica = {},
              .recompute = {},
              .extra = {}};
  Stage second{
      .first = 2, .last = 3, .devices = {DeviceId(2)}, .samples_per_replica = {}, .recompute = {}, .extra = {}};
  p.stages = {first, second};
  return p;
}

ModelSpec model() {
  ModelSpec m;
  m.name = "three layers";
  for (int i = 0; i < 3; ++i)
    m.layers.push_back(
        {"fc" + std::to_string(i), "linear", {{"in", 4}, {"out", 4}, {"sequence", 1}, {"activation", 0}}});
  m.layers.push_back({"loss", "softmax_cross_entropy", {{"classes", 4}, {"sequence", 1}}});
  return m;
}

class TestCsv : public QObject {
  Q_OBJECT

 private slots:
  void fields_are_quoted_where_they_need_it() {
    io::csv::CsvTable table({"a", "b, of it"});
    table.add({"plain", "with \"quotes\""});
    table.add({"two\r\nlines", "comma,"});
    table.add({"", "größer"});
    const auto rows = read_back(table);
    QCOMPARE(rows.size(), std::size_t{3});
    QCOMPARE(rows[0][1], std::string("with \"quotes\""));
    QCOMPARE(rows[1][0], std::string("two\r\nlines"));
    QCOMPARE(rows[2][1], std::string("größer"));
    QVERIFY(table.text().starts_with("a,\"b, of it\"\r\nplain,\"with \"\"quotes\"\"\"\r\n"));
  }

  void names_are_no_formulas_of_spreadsheets() {
    for (const char* name : {"=1+1", "+cmd|' /C calc'!A0", "-x", "@sum", "\t=1", "'=1", "''-x", "-", "+"}) {
      const std::string cell = io::csv::CsvTable::Field(name).text();
      QVERIFY2(cell.starts_with('\''), name);
      QCOMPARE(io::csv::without_defusing(cell), std::string(name));
    }
    for (const char* plain : {"", "a=b", "'quoted'", "'", "-12.5", "+3", "-1e-9", "1-2"}) {
      QCOMPARE(io::csv::CsvTable::Field(plain).text(), std::string(plain));
      QCOMPARE(io::csv::without_defusing(plain), std::string(plain));
    }
    QCOMPARE(io::csv::CsvTable::Field(-5).text(), std::string("-5"));
    QCOMPARE(io::csv::CsvTable::Field(-0.5).text(), std::string("-0.5"));
  }

  void numbers_read_back_the_same_in_any_locale() {
    const char* there = nullptr;
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"})
      if (!there) there = std::setlocale(LC_ALL, name);
    io::csv::CsvTable table({"value"});
    const std::vector<double> values{0.1, 1.0 / 3, 1e-300, -123456.789, 5e20};
    for (const double value : values) table.add({value});
    table.add({std::numeric_limits<double>::infinity()});
    table.add({io::csv::CsvTable::milliseconds(Nanoseconds(1'234'567))});
    const auto rows = read_back(table);
    for (std::size_t i = 0; i < values.size(); ++i)
      QCOMPARE(io::text::decimal_to_double(rows[i][0]).value(), values[i]);
    QVERIFY(rows[values.size()][0].empty());
    QCOMPARE(rows[values.size() + 1][0], std::string("1.234567"));
    std::setlocale(LC_ALL, "C");
  }

  void tables_have_units_and_every_figure() {
    const auto devices = read_back(io::csv::devices_csv(simulation()));
    QCOMPARE(devices[0][0], std::string("3"));
    QCOMPARE(devices[0][1], std::string("1.000001"));
    const auto items = read_back(io::csv::memory_items_csv(simulation()));
    QCOMPARE(items[0][2], std::string("700"));
    const io::csv::CsvTable memory = io::csv::memory_items_csv(simulation());
    QCOMPARE(memory.columns()[2], std::string("weights_bytes"));
    QCOMPARE(read_back(io::csv::memory_curve_csv(simulation())).size(), std::size_t{2});
    const auto operations = read_back(io::csv::operations_csv(simulation().timeline));
    QCOMPARE(operations.size(), std::size_t{2});
    QCOMPARE(operations[1][3], std::string("backward"));
    QCOMPARE(operations[1][7], std::string("0.000016"));
    const auto stages = read_back(io::csv::stages_csv(plan()));
    QCOMPARE(stages[0][4], std::string("0 1"));
    QVERIFY(!read_back(io::csv::layers_csv(*io::documents::profile_from_json(test::sample_profile()))).empty());
    QVERIFY(
        !read_back(io::csv::cluster_devices_csv(*io::documents::cluster_from_json(test::sample_cluster()))).empty());
  }

  void plans_stand_with_and_without_figures() {
    const Plan with = plan();
    Plan without;
    without.name = "none";
    const Simulation s = simulation();
    const std::vector<io::csv::ComparedPlanFigures> rows{{&with, &s, Seconds(0.1), Seconds(0.01), {}},
                                                         {&without, nullptr, {}, {}, "does not fit, at all"}};
    const auto table = read_back(io::csv::plans_csv(rows));
    QCOMPARE(table.size(), std::size_t{2});
    QCOMPARE(table[0][0], with.name);
    QCOMPARE(table[0][7], std::string("12.345678"));
    QCOMPARE(table[0][15], std::string("yes"));
    QCOMPARE(table[1][16], std::string("does not fit, at all"));
    QVERIFY(table[1][7].empty());
  }

  void explanations_are_tables() {
    TimeBreakdown a, b;
    a[TimePart::compute] = Nanoseconds(10);
    b[TimePart::compute] = Nanoseconds(8);
    const auto fall = read_back(io::csv::waterfall_csv(waterfall(a, b), "from, here", "to"));
    QCOMPARE(fall.size(), std::size_t(8 + 1));  // the parts of all plans, and the iteration
    QCOMPARE(fall[0][3], std::string("-0.000002"));
    QCOMPARE(read_back(io::csv::parts_csv(a)).back()[1], std::string("0.00001"));
    CriticalPath path;
    path.links.push_back({});
    QCOMPARE(read_back(io::csv::critical_path_csv(path)).size(), std::size_t{1});
    Sensitivity sensitivity;
    sensitivity.entries.push_back({SensitivityKind::link_bandwidth, {}, "a", "b", Nanoseconds(5), Nanoseconds(1)});
    QCOMPARE(read_back(io::csv::sensitivity_csv(sensitivity))[0][0], std::string("link_bandwidth"));
  }

  void steps_have_a_column_a_device() {
    StepDone step;
    step.step = 1;
    step.busy_fraction = {0.5, 0.25};
    step.memory = {Bytes(1), Bytes(2)};
    const auto rows = read_back(io::csv::steps_csv({RunEvent(RunStarted{}), RunEvent(step)}));
    QCOMPARE(rows.size(), std::size_t{1});
    QCOMPARE(rows[0], (std::vector<std::string>{"1", "0.0", "0.0", "0.0", "0.5", "0.25", "1", "2"}));
  }

  void job_scripts_carry_plan_and_model() {
    for (const io::documents::JobLauncher launcher : io::documents::job_launchers) {
      const auto script = io::documents::job_script({launcher, 25}, plan(), model());
      QVERIFY2(script, script ? "" : script.error().text().c_str());
      QVERIFY(script->starts_with("#!/bin/bash\n"));
      QVERIFY(script->find(io::documents::plan_to_json(plan())) != std::string::npos);
      QVERIFY(script->find(io::documents::model_to_json(model())) != std::string::npos);
      QVERIFY(script->find("--steps 25") != std::string::npos);
      QCOMPARE(script->find("#SBATCH --cpus-per-task=3") != std::string::npos,
               launcher == io::documents::JobLauncher::slurm);
    }
    const RunBackend gpus{true, ProductPrecision::bf16, true};
    const auto script = io::documents::job_script({.steps = 25, .backend = gpus}, plan(), model());
    QVERIFY(script->find("#SBATCH --gpus-per-task=3\n") != std::string::npos);
    QVERIFY(script->find("  --backend cuda --precision bf16 --steps 25") != std::string::npos);  // none is shared
    using Words = std::vector<std::string>;
    QCOMPARE(arguments_of(gpus), (Words{"--backend", "cuda", "--precision", "bf16", "--oversubscribe"}));
    QCOMPARE(arguments_of({.share_gpus = true}), (Words{"--backend", "cpu"}));
    ModelSpec other = model();
    other.layers.pop_back();
    other.layers.pop_back();
    QCOMPARE(io::documents::job_script({.steps = 1}, plan(), other).error().code, ErrorCode::bad_input);
  }

  /// Nodes, segments and spare nodes of a Slurm job. Stand-ins for Slurm's programs run the script: of four nodes the
  /// second does not answer, so the others train.
  void jobs_have_spare_nodes() {
    io::documents::JobOptions how{.steps = 2, .processes = 3, .nodes = {.count = 3, .segment = 2, .spare = 1}};
    const auto script = io::documents::job_script(how, plan(), model());
    QVERIFY2(script, script ? "" : script.error().text().c_str());
    for (const char* const line : {"\n#SBATCH --nodes=4\n", "\n#SBATCH --ntasks-per-node=1\n",
                                   "\n#SBATCH --segment=2\n", "\n#SBATCH --no-kill\n"})
      QVERIFY2(script->find(line) != std::string::npos, line);
    const QTemporaryDir folder;
    const auto write = [&](const QString& name, const QByteArray& text) {
      QFile file(folder.filePath(name));
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(text);
      file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    };
    write("job.sh", QByteArray::fromStdString(*script));
    write("scontrol", "#!/bin/sh\nfor node in $NODES; do echo $node; done\n");
    write("srun",
          "#!/bin/sh\ncase \"$*\" in\n  *--nodelist=n2\\ true) exit 1 ;;\n  *\\ true) exit 0 ;;\n"
          "  *) echo \"$@\" > \"$PIPEDECK_DIR/arguments\" ;;\nesac\n");
    const auto run = [&](const char* nodes) {
      QProcess job;
      QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
      environment.insert("PATH", folder.path() + ":" + environment.value("PATH"));
      environment.insert("PIPEDECK_DIR", folder.path());
      environment.insert("SLURM_JOB_NODELIST", "n[1-4]");
      environment.insert("NODES", nodes);
      job.setProcessEnvironment(environment);
      job.start("bash", {folder.filePath("job.sh")});
      return job.waitForFinished(60000) ? job.exitCode() : -1;
    };
    QCOMPARE(run("n1 n2"), 1);
    QVERIFY(!QFile::exists(folder.filePath("arguments")));
    QCOMPARE(run("n1 n2 n3 n4"), 0);
    QFile arguments(folder.filePath("arguments"));
    QVERIFY(arguments.open(QIODevice::ReadOnly));
    const QByteArray started = arguments.readAll();
    QVERIFY2(started.startsWith("--mpi=pmix --nodes=3 --nodelist=n1,n3,n4 --ntasks=3 "), started);

    const auto refused = [&](io::documents::SlurmNodes nodes) {
      how.nodes = nodes;
      return io::documents::job_script(how, plan(), model()).error().message;
    };
    QCOMPARE(refused({.count = 2}), std::string("found 3 processes on 2 nodes, expected equally many on each"));
    QVERIFY(refused({.count = 3, .segment = 2}).starts_with("found 3 nodes with the spare ones, expected a multiple"));
    QVERIFY(refused({.spare = 1}).starts_with("found segments or spare nodes, expected a number of nodes"));
  }

  void timelines_read_back_from_columns() {
    const Timeline timeline = simulation().timeline;
    const std::string bytes = io::csv::timeline_to_columns(timeline);
    const auto read = io::csv::timeline_from_columns(bytes);
    QVERIFY(read && *read == timeline);
    QVERIFY(*io::csv::timeline_from_columns(io::csv::timeline_to_columns({})) == Timeline());
    for (std::size_t size = 0; size < bytes.size(); ++size)
      QVERIFY(!io::csv::timeline_from_columns(bytes.substr(0, size)));
    QVERIFY(!io::csv::timeline_from_columns(bytes + "x"));
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
      (void)io::csv::timeline_from_columns(damaged);  // never crashes
    }
  }
};

PIPEDECK_TEST(TestCsv)

}  // namespace pipedeck::tst_csv

#include "tst_csv.moc"
