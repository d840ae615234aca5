// SPDX-License-Identifier: GPL-3.0-or-later
// Reports in German of the plans of every planner, under every schedule and convention: no pattern of the core is left
// in English, and no word is that German translations never use.
#include <algorithm>

#include <QFile>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

#include "app/language/core_text.hpp"
#include "app/language/core_texts.hpp"
#include "app/language/in_qt.hpp"
#include "app/language/language.hpp"
#include "app/session/report_translation.hpp"
#include "core/io/files.hpp"
#include "core/planner/planner.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/presets.hpp"
#include "core/report/report.hpp"
#include "core/schedule/build.hpp"
#include "core/sim/simulate.hpp"
#include "tests/support/page_texts.hpp"

using namespace pipedeck;
using namespace pipedeck::app;
using namespace pipedeck::reports;
using namespace pipedeck::test;

namespace {

QSet<QString> words_in(const QString& text) {
  static const QRegularExpression word(QStringLiteral("[A-Za-z\u00c0-\u024f]{2,}"));
  QSet<QString> words;
  for (auto match = word.globalMatch(text); match.hasNext();) words.insert(match.next().captured().toLower());
  return words;
}

/// Words that the core's English has and no German text of the program: whoever shows one was not translated.
QSet<QString> english_words() {
  QFile file(QStringLiteral(PIPEDECK_TRANSLATIONS));
  if (!file.open(QIODevice::ReadOnly)) return {};
  QSet<QString> english, german;
  QString context;
  for (QXmlStreamReader xml(&file); !xml.atEnd(); xml.readNext()) {
    if (!xml.isStartElement()) continue;
    if (xml.name() == u"name") context = xml.readElementText();
    if (xml.name() == u"source" && (context == u"core" || context == u"report"))
      english |= words_in(xml.readElementText());
    if (xml.name() == u"translation") german |= words_in(xml.readElementText(QXmlStreamReader::IncludeChildElements));
  }
  return english - german;
}

/// Patterns of reports that German says otherwise, as they would be met: any figure or name in their places.
std::vector<QRegularExpression> english_patterns() {
  std::vector<QRegularExpression> patterns;
  for (const char* english : report_texts()) {
    const QString text = QString::fromUtf8(english);
    if (QCoreApplication::translate("report", english) == text) continue;
    QStringList pieces;
    for (const QString& piece : text.split(QRegularExpression(QStringLiteral("%\\d+"))))
      pieces << QRegularExpression::escape(piece);
    patterns.emplace_back(QRegularExpression::anchoredPattern(pieces.join(QStringLiteral(".+"))));
  }
  return patterns;
}

/// What is called the same in every language.
class Names {
 public:
  explicit Names(const ReportQuestion& question) {
    add(question.program), add(question.problem.profile->source);
    add(sha256_of(*question.problem.profile)), add(sha256_of(*question.problem.cluster));
    add(question.problem.profile->name), add(question.problem.cluster->name), add(question.problem.profile->device);
    for (const DeviceType& type : question.problem.cluster->device_types) add(type.name);
    for (const ReportedPlan& reported : question.plans) {
      add(reported.plan->name), add(reported.plan->planner);
      add(std::string(name_of(reported.plan->schedule)));
    }
    std::ranges::sort(names_, std::ranges::greater(), &QString::size);
  }

  QString left_out(QString text) const {
    static const QRegularExpression quoted(QStringLiteral("\u201e[^\u201c]*\u201c|\"[^\"]*\"|--[\\w-]+"));
    for (const QString& name : names_) text.replace(name, QStringLiteral("-"));
    // First and last layers of stages stand without quotation marks.
    static const QRegularExpression layers(QStringLiteral("^(\\d+(?: bis \\d+)?): .*"));
    text.replace(layers, QStringLiteral("\\1"));
    return text.remove(quoted);
  }

 private:
  void add(const std::string& name) {
    if (name.size() > 1) names_ << in_qt(name);
  }
  QStringList names_;
};

struct Asked {
  const char* name;
  const char* model;
  const char* cluster;
  int global_batch;
  std::int64_t gibibytes = 0;  ///< 0: the preset's own
};
constexpr Asked asked[]{{"bert", "BERT-48", "DAPPLE config A, 2 \u00d7 8 V100", 64},
                        {"little memory", "BERT-48", "DAPPLE config A, 2 \u00d7 8 V100", 64, 4},
                        {"none fits", "BERT-48", "DAPPLE config A, 2 \u00d7 8 V100", 64, 1},
                        {"odd batch", "BERT-48", "DAPPLE config A, 2 \u00d7 8 V100", 3},
                        {"one device a node", "VGG-19", "DAPPLE config C, 16 \u00d7 1 V100", 256},
                        {"two types", "BERT-Large", "Whale pipeline, 4 V100 + 4 P100", 64},
                        {"a classifier", "Whale classifier 100K", "Whale pipeline, 4 V100 + 4 P100", 64},
                        {"recurrent", "GNMT-16", "PipeDream Cluster-A, 4 \u00d7 4 V100", 64},
                        {"threads", "gpt-tiny", "4 CPU threads", 32}};

Problem problem_of(const Asked& what) {
  Problem problem;
  problem.profile = std::make_shared<const Profile>(*profile_preset(what.model));
  Cluster cluster = *cluster_preset(what.cluster);
  for (DeviceType& type : cluster.device_types)
    if (what.gibibytes > 0) type.memory = Bytes(what.gibibytes << 30);
  problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
  problem.workload.global_batch = what.global_batch;
  return problem;
}

ReportQuestion question_of(Problem problem) {
  ReportQuestion question;
  question.title = problem.profile->name + " / " + problem.cluster->name;
  question.problem = std::move(problem);
  question.price_list = device_catalogue();
  question.program = "tests";
  question.date = "2026-01-02";
  question.translation = report_translation();
  return question;
}

/// What the planner says, with reasons; where it finds no plan, why.
void add_answers(ReportQuestion& question, const PlannerInfo& planner) {
  const Problem& problem = question.problem;
  const auto simulator = Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  PlannerContext context;
  context.score = score_of(*simulator);
  context.fits = fits_of(*simulator);
  context.explain = true;
  const auto ranking = run_planner(planner, problem, {}, context);
  Plan none;
  none.name = core_text(planner.title).toStdString();
  const auto add = [&](Plan plan, const std::string& note) {
    question.plans.push_back({std::make_shared<const Plan>(std::move(plan)), note, {}, true, {"simulate"}});
  };
  if (!ranking) return add(none, ranking.error().message);
  if (ranking->infeasible) add(none, ranking->infeasible->reason + "; " + ranking->infeasible->relaxation);
  for (const Plan& plan : ranking->plans) add(plan, {});
}

const PlannerInfo& planner_called(const char* name) { return *std::ranges::find(planners(), name, &PlannerInfo::name); }

/// Fills `count` with how many texts there are.
void check_german(const ReportQuestion& question, qsizetype& count) {
  static const QSet<QString> english = english_words();
  static const std::vector<QRegularExpression> patterns = english_patterns();
  static const QRegularExpression point(QStringLiteral("(?<![\\w./])\\d+\\.\\d+(?![\\w./])"));
  QVERIFY(english.size() > 500 && patterns.size() > 80);
  const auto document = make_report(question);
  QVERIFY2(document, document ? "" : document.error().text().c_str());
  const std::string html = to_html(*document);
  QVERIFY(html.find("lang=\"de\"") != std::string::npos);
  const QStringList texts = texts_of(html);
  QVERIFY(!texts.isEmpty());
  const Names names(question);
  QStringList found;
  for (const QString& text : texts) {
    const QString plain = names.left_out(text);
    const QSet<QString> words = words_in(plain) & english;
    if (!words.isEmpty()) found << text + QStringLiteral("  <- ") + words.values().join(QLatin1Char(' '));
    if (plain.contains(point)) found << text + QStringLiteral("  <- a decimal point");
    for (const QRegularExpression& pattern : patterns)
      if (plain.size() > 1 && pattern.match(plain).hasMatch())
        found << text + QStringLiteral("  <- ") + pattern.pattern();
  }
  found.removeDuplicates();
  QVERIFY2(found.isEmpty(), qPrintable(found.join(QLatin1Char('\n'))));
  count += texts.size();
}

}  // namespace

class TestGermanReport : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QCOMPARE(report_translation(), nullptr);
    install_language(*QCoreApplication::instance(), QStringLiteral("de"));
    QVERIFY(report_translation());
  }

  void everyPlannersPlans_data() {
    QTest::addColumn<int>("row");
    for (std::size_t i = 0; i < std::size(asked); ++i) QTest::newRow(asked[i].name) << int(i);
  }
  void everyPlannersPlans() {
    QFETCH(int, row);
    ReportQuestion question = question_of(problem_of(asked[row]));
    for (const PlannerInfo& planner : planners()) add_answers(question, planner);
    QVERIFY(!question.plans.empty());
    qsizetype count = 0;
    check_german(question, count);
    QVERIFY(count > 50);
  }

  void everyConvention() {
    Problem problem = problem_of(asked[0]);
    Conventions& judged = problem.workload.conventions;
    judged.network = NetworkModel::shared;
    judged.reserve = Bytes(1 << 28);
    judged.communication = Bytes(1 << 22);
    judged.fragmentation = 0.05;
    judged.calibration.operation_overhead = Seconds(2.5e-6);
    qsizetype count = 0;
    for (const Overlap overlap : {Overlap::none, Overlap::bucket})
      for (const Collectives collectives :
           {Collectives::ring, Collectives::hierarchical, Collectives::tree, Collectives::nccl}) {
        judged.overlap = overlap;
        judged.collectives = collectives;
        ReportQuestion question = question_of(problem);
        add_answers(question, planner_called("straight"));
        check_german(question, count);
        if (QTest::currentTestFailed()) return;
      }
    QVERIFY(count > 500);
  }

  void everySchedule() {
    ReportQuestion question = question_of(problem_of(asked[0]));
    add_answers(question, planner_called("straight"));
    const Plan straight = *question.plans.front().plan;
    for (const ScheduleInfo& schedule : schedules()) {
      Plan plan = straight;
      plan.schedule = schedule.kind;
      plan.name = std::string(name_of(schedule.kind));
      question.plans.push_back({std::make_shared<const Plan>(plan), {}, "x1", true, {}});
    }
    qsizetype count = 0;
    check_german(question, count);
    QVERIFY(count > 500);
  }
};

QTEST_GUILESS_MAIN(TestGermanReport)
#include "tst_german_report.moc"
