// SPDX-License-Identifier: Apache-2.0
// Reports of random plans are read back: the page by an XML parser, figures against the simulator asked again, boxes of
// the pictures against the timeline.
#include <QMap>
#include <QRegularExpression>
#include <QSet>
#include <QTest>
#include <QXmlStreamReader>

#include "core/study/reports/document.hpp"
#include "core/study/reports/plain_text.hpp"
#include "tests/core/study/reports/random_question.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_report {

using pipedeck::test::Asked;
using pipedeck::test::random_question;

/// All that has broken pages, tables and shells.
const std::string hostile =
    "<script>alert(1)</script> | \"a\" & 'b' `c` *d* _e_ [f](http://x) ![g](h) \\ ]]> --> \n\t\x01\x7f \xff $(id) "
    "@team "
    "\xEF\xBF\xBF # \xE2\x80\xAE";

/// A parsed page.
struct Page {
  QString error;
  QMap<QString, int> elements;
  QStringList ids, addresses;
  QList<QList<QStringList>> tables;
  QString text;
};

Page parsed(const std::string& html) {
  Page page;
  QXmlStreamReader xml(QByteArray::fromStdString(html));
  QString* cell = nullptr;
  while (!xml.atEnd()) {
    const auto token = xml.readNext();
    if (token == QXmlStreamReader::StartElement) {
      ++page.elements[xml.name().toString()];
      for (const QXmlStreamAttribute& attribute : xml.attributes()) {
        if (attribute.name() == u"id") page.ids << attribute.value().toString();
        if (attribute.name() == u"href" || attribute.name() == u"src") page.addresses << attribute.value().toString();
      }
      if (xml.name() == u"table") page.tables << QList<QStringList>();
      if (xml.name() == u"tr") page.tables.back() << QStringList();
      if (xml.name() == u"td" || xml.name() == u"th") cell = &page.tables.back().back().emplaceBack();
    } else if (token == QXmlStreamReader::EndElement) {
      if (xml.name() == u"td" || xml.name() == u"th") cell = nullptr;
    } else if (token == QXmlStreamReader::Characters) {
      page.text += xml.text();
      if (cell) *cell += xml.text();
    }
  }
  if (xml.hasError()) page.error = QStringLiteral("%1: %2").arg(xml.lineNumber()).arg(xml.errorString());
  return page;
}

QList<QList<QStringList>> tables_with(const Page& page, const QString& head) {
  QList<QList<QStringList>> found;
  for (const auto& table : page.tables)
    if (table.front().front() == head) found << table;
  return found;
}

/// Cells of a row of a Markdown table: bars that are not escaped part them.
qsizetype cells_of(const QString& row) {
  static const QRegularExpression bar(QStringLiteral("(?<!\\\\)(?:\\\\\\\\)*\\|"));
  return row.count(bar) - 1;
}

std::string shown(const Result<study::reports::Document>& document) { return document ? "" : document.error().text(); }

/// "0 to 3, 6" as devices.
QList<int> devices_in(const QString& text) {
  QList<int> devices;
  for (const QString& range : text.split(QStringLiteral(", "))) {
    const QStringList ends = range.split(QStringLiteral(" to "));
    for (int d = ends.front().toInt(); d <= ends.back().toInt(); ++d) devices << d;
  }
  return devices;
}

QString gib(Bytes bytes) { return QString::number(static_cast<double>(bytes.count) / (1 << 30), 'f', 2); }
QString ms(Nanoseconds time) { return QString::number(static_cast<double>(time.count) / 1e6, 'f', 3); }

class TestReport : public QObject {
  Q_OBJECT

 private slots:
  void pages_are_xml_whatever_the_names() {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Asked asked = test::random_question(seed, hostile);
      const auto document = study::reports::make_report(asked.question);
      QVERIFY2(document, shown(document).c_str());
      const Page page = parsed(study::reports::to_html(*document));
      QVERIFY2(page.error.isEmpty(), qPrintable(page.error));
      QCOMPARE(page.elements.value(QStringLiteral("script")), 0);
      QCOMPARE(page.elements.value(QStringLiteral("img")), 0);
      QVERIFY2(page.addresses.isEmpty(), qPrintable(page.addresses.join(' ')));
      QCOMPARE(QSet<QString>(page.ids.begin(), page.ids.end()).size(), page.ids.size());
      QVERIFY(page.text.contains(QStringLiteral("<script>alert(1)</script>")));
      QCOMPARE(page.elements.value(QStringLiteral("svg")), int(2 * asked.simulations.size()));
    }
  }

  void figures_are_the_simulators() {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      const Asked asked = test::random_question(seed, {});
      const auto document = study::reports::make_report(asked.question);
      QVERIFY2(document, shown(document).c_str());
      const Page page = parsed(study::reports::to_html(*document));
      const auto comparison = tables_with(page, QStringLiteral("Plan"));
      QCOMPARE(comparison.size(), 1);
      const QStringList head = comparison[0][0];
      const auto devices = tables_with(page, QStringLiteral("Devices"));
      const auto parts = tables_with(page, QStringLiteral("The iteration consists of"));
      for (std::size_t p = 0; p < asked.simulations.size(); ++p) {
        const Simulation& simulation = asked.simulations[p];
        const QStringList row = comparison[0][int(p) + 1];
        const auto figure = [&](const char* column) { return row[head.indexOf(QLatin1String(column))]; };
        QCOMPARE(figure("Iteration ms"), ms(simulation.iteration));
        QCOMPARE(figure("Samples/s"), QString::number(simulation.samples_per_second, 'f', 2));
        QCOMPARE(figure("Bubble"), QString::number(simulation.bubble_fraction * 100, 'f', 1) + " %");
        QCOMPARE(figure("Fits").startsWith(QLatin1String("yes")), simulation.fits);
        compare_devices(devices[int(p)], simulation);
        if (QTest::currentTestFailed()) return;
        QCOMPARE(parts[int(p)].back()[1], ms(simulation.iteration));
      }
    }
  }

  /// For each kind the boxes equal the timeline's operations in number and length, if none is narrower than a pixel.
  void boxes_are_the_timelines() {
    int compared = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      const Asked asked = test::random_question(seed, {});
      const auto document = study::reports::make_report(asked.question);
      QVERIFY(document);
      std::vector<const study::reports::Picture*> pictures;
      for (const study::reports::Block& block : document->blocks)
        if (const auto* picture = std::get_if<study::reports::Picture>(&block);
            picture && picture->name.ends_with("-schedule"))
          pictures.push_back(picture);
      QCOMPARE(pictures.size(), asked.simulations.size());
      for (std::size_t p = 0; p < pictures.size(); ++p) {
        compared += compare_boxes(*pictures[p], asked.simulations[p]) ? 1 : 0;
        if (QTest::currentTestFailed()) return;
      }
    }
    QVERIFY(compared > 20);
  }

  void markdown_tables_have_equal_rows() {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const auto document = study::reports::make_report(test::random_question(seed, hostile).question);
      QVERIFY(document);
      const study::reports::MarkdownText made = study::reports::to_markdown(*document, "my pictures (1)");
      const QString text = QString::fromStdString(made.text);
      qsizetype columns = 0;
      int tables = 0;
      bool code = false;
      for (const QString& line : text.split('\n')) {
        if (line.startsWith(QLatin1String("```"))) code = !code;
        if (code) continue;
        QVERIFY2(!line.contains('<') && !line.contains('@'), qPrintable(line));
        if (!line.startsWith('|')) {
          columns = 0;
          continue;
        }
        if (columns == 0) ++tables;
        if (columns == 0) columns = cells_of(line);
        QVERIFY2(cells_of(line) == columns, qPrintable(line));
      }
      QVERIFY(tables >= 3);
      QVERIFY(!code);
      for (const study::reports::PictureFile& picture : made.pictures) {
        QVERIFY(
            text.contains(QStringLiteral("](my%20pictures%20%281%29/%1)").arg(QString::fromStdString(picture.name))));
        const Page alone = parsed(picture.svg);
        QVERIFY2(alone.error.isEmpty(), qPrintable(alone.error));
      }
    }
  }

  void domains_are_named() {
    test::Asked asked = test::random_question(1, "");
    Cluster cluster = test::flat_cluster(4);
    cluster.nodes.front().domain = "rack 7";
    asked.question.plans.clear();
    asked.question.problem.cluster = std::make_shared<const Cluster>(cluster);
    const auto document = study::reports::make_report(asked.question);
    QVERIFY2(document, shown(document).c_str());
    const std::string text = study::reports::to_markdown(*document, "pictures").text;
    QVERIFY2(text.find(" inside and to the other nodes of rack 7") != std::string::npos, text.c_str());
  }

  void plans_without_an_answer_are_told() {
    Asked asked = test::random_question(3, {});
    Plan none;
    none.name = "a planner";
    asked.question.plans.push_back({std::make_shared<const Plan>(none), "no device is large enough", {}, true, {}});
    Plan broken = *asked.question.plans.front().plan;
    broken.name = "broken";
    broken.stages.back().last += 7;
    asked.question.plans.push_back({std::make_shared<const Plan>(broken), {}, {}, true, {}});
    const auto document = study::reports::make_report(asked.question);
    QVERIFY2(document, shown(document).c_str());
    const Page page = parsed(study::reports::to_html(*document));
    QVERIFY(page.text.contains(QStringLiteral("a planner: no device is large enough")));
    QVERIFY(page.text.contains(QStringLiteral("broken: ")));
    const auto comparison = tables_with(page, QStringLiteral("Plan"));
    QCOMPARE(comparison[0].size(), qsizetype(asked.question.plans.size() + 1));
    QCOMPARE(comparison[0].back().size(), comparison[0].front().size());
  }

  void a_stopped_report_is_none() {
    std::stop_source source;
    source.request_stop();
    const auto document = study::reports::make_report(test::random_question(1, {}).question, {}, source.get_token());
    QVERIFY(!document);
    QCOMPARE(document.error().code, ErrorCode::cancelled);
  }

  /// A hundred thousand operations make no larger a page than a thousand.
  void pictures_stay_small() {
    study::reports::Request question;
    question.problem.profile = std::make_shared<const Profile>(test::uniform_profile(16, Seconds(1e-3), Seconds(2e-3)));
    question.problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(16));
    Plan plan;
    plan.name = "long";
    plan.global_batch = plan.micro_batches = 4096;
    for (int s = 0; s < 16; ++s) {
      Stage stage;
      stage.first = s;
      stage.last = s + 1;
      stage.devices = {DeviceId(s)};
      plan.stages.push_back(stage);
    }
    question.plans.push_back({std::make_shared<const Plan>(plan), {}, {}, true, {}});
    const auto document = study::reports::make_report(question);
    QVERIFY2(document, shown(document).c_str());
    const std::string html = study::reports::to_html(*document);
    QVERIFY2(html.size() < 600'000, qPrintable(QString::number(html.size())));
    QVERIFY(parsed(html).error.isEmpty());
  }

 private:
  void compare_devices(const QList<QStringList>& table, const Simulation& simulation) {
    QList<int> told;
    for (const QStringList& row : table.mid(1))
      for (const int device : devices_in(row[0])) {
        told << device;
        const auto simulated = std::ranges::find(simulation.devices, DeviceId(device), &SimulatedDevice::device);
        QVERIFY(simulated != simulation.devices.end());
        QCOMPARE(row[2], gib(simulated->peak));
        QCOMPARE(row[3], gib(simulated->peak_upper_bound));
        QCOMPARE(row[4], gib(simulated->capacity));
        QCOMPARE(row[5].toInt(), simulated->peak_micro_batches);
      }
    QCOMPARE(told.size(), qsizetype(simulation.devices.size()));
  }

  /// Replicas that do the same at the same times have one row.
  static bool alike(const Simulation& simulation, const TimelineLane& a, const TimelineLane& b) {
    const auto simulated = [&](DeviceId device) {
      SimulatedDevice of = *std::ranges::find(simulation.devices, device, &SimulatedDevice::device);
      of.device = DeviceId(0);
      return of;
    };
    if (a.size() != b.size() || !(simulated(a.device) == simulated(b.device))) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!(simulation.timeline.row(a.begin + i) == simulation.timeline.row(b.begin + i))) return false;
    return true;
  }

  static bool compare_boxes(const study::reports::Picture& picture, const Simulation& simulation) {
    constexpr double plot = 816;
    const Timeline& timeline = simulation.timeline;
    const auto end = static_cast<double>(std::max(timeline.makespan().count, simulation.iteration.count));
    std::map<std::string, std::pair<int, double>> expected;
    std::vector<const TimelineLane*> drawn_lanes;
    for (const TimelineLane& lane : timeline.lanes) {
      if (lane.role != LaneRole::compute) continue;
      if (std::ranges::any_of(drawn_lanes, [&](const auto* other) { return alike(simulation, *other, lane); }))
        continue;
      drawn_lanes.push_back(&lane);
      for (std::size_t i = lane.begin; i < lane.end; ++i) {
        const double width = static_cast<double>(timeline.duration[i]) / end * plot;
        if (width < 1.5) return false;
        std::string name(name_of(timeline.kind[i]));
        std::ranges::replace(name, '_', '-');
        auto& [count, length] = expected[name == "optimizer" ? "optimizer-step" : name];
        ++count;
        length += width;
      }
    }
    const QString svg = QString::fromStdString(picture.svg);
    for (const auto& [name, boxes] : expected) {
      const QRegularExpression path(
          QStringLiteral("<path d=\"([^\"]*)\" class=\"f-%1\"").arg(QString::fromStdString(name)));
      const auto match = path.match(svg);
      [&] { QVERIFY2(match.hasMatch(), name.c_str()); }();
      const QString data = match.captured(1);
      [&, count = boxes.first] { QCOMPARE(data.count('M'), count); }();
      static const QRegularExpression across(QStringLiteral("h([0-9.]+)v"));
      double drawn = 0;
      for (auto width = across.globalMatch(data); width.hasNext();) drawn += width.next().captured(1).toDouble();
      [&, length = boxes.second, count = boxes.first] {
        QVERIFY2(drawn <= length + 0.01 * count && drawn >= length - 0.62 * count, name.c_str());
      }();
    }
    return true;
  }
};

PIPEDECK_TEST(TestReport)

}  // namespace pipedeck::tst_report

#include "tst_report.moc"
