// SPDX-License-Identifier: Apache-2.0
// All text of a report is translated: in a language that marks its messages, only names and figures are outside the
// marks. English is unchanged, byte by byte.
#include <map>

#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include "core/io/checksum.hpp"
#include "core/study/reports/document.hpp"
#include "core/study/reports/figures.hpp"
#include "core/study/reports/translator.hpp"
#include "tests/core/study/reports/random_question.hpp"
#include "tests/support/page_texts.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_report_words {

using namespace pipedeck::test;
using pipedeck::test::Asked;
using pipedeck::test::random_question;

/// Writes all texts between two marks.
class Marking : public study::reports::Translation {
 public:
  std::string language() const override { return "x-marked"; }
  std::string decimal_sign() const override { return ","; }
  std::string pattern(const std::string& english) const override { return "\u2039" + english + "\u203a"; }
  std::string translate(const std::string& english) const override { return pattern(english); }
  std::string error(const Error& error) const override { return pattern(error.text()); }
};

/// Writes patterns from a table.
class Phrases : public study::reports::Translation {
 public:
  explicit Phrases(std::map<std::string, std::string> table) : table_(std::move(table)) {}
  std::string language() const override { return "de"; }
  std::string decimal_sign() const override { return ","; }
  std::string pattern(const std::string& english) const override {
    const auto found = table_.find(english);
    return found == table_.end() ? "?" + english : found->second;
  }
  std::string translate(const std::string& english) const override { return english; }
  std::string error(const Error& error) const override { return error.text(); }

 private:
  std::map<std::string, std::string> table_;
};

/// Returns the text outside all marks.
QString outside_marks(const QString& text) {
  QString outside;
  int depth = 0;
  for (const QChar letter : text) {
    if (letter == QChar(0x2039)) ++depth;
    if (depth == 0) outside += letter;
    if (letter == QChar(0x203a)) --depth;
  }
  return outside;
}

QStringList names_of(const study::reports::Request& question) {
  QStringList names{"SHA-256", "GiB", "MiB", "KiB", "GB/s", "ms", "s", "B"};
  const auto add = [&](const std::string& name) { names << QString::fromStdString(name).simplified(); };
  add(question.title), add(question.program), add(question.problem.profile->name), add(question.problem.cluster->name);
  add(io::sha256_of(*question.problem.profile)), add(io::sha256_of(*question.problem.cluster));
  for (const DeviceType& type : question.problem.cluster->device_types) add(type.name);
  for (const study::reports::ReportedPlan& reported : question.plans)
    add(reported.plan->name), add(study::reports::schedule_text(*reported.plan));
  std::ranges::sort(names, std::ranges::greater(), &QString::size);
  return names;
}

QByteArray fixture(const char* name) {
  QFile file(QStringLiteral(PIPEDECK_FIXTURES "/reports/") + QLatin1String(name));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Left in the working folder where it differs, so that somebody can look.
void compare_with_fixture(const char* name, const std::string& text) {
  const QByteArray made = QByteArray::fromStdString(text);
  if (made == fixture(name)) return;
  QFile file{QLatin1String(name)};
  QVERIFY(file.open(QIODevice::WriteOnly) && file.write(made) == made.size());
  QFAIL(qPrintable(QStringLiteral("the report differs from tests/fixtures/reports/%1: see ./%1").arg(name)));
}

class TestReportWords : public QObject {
  Q_OBJECT

 private slots:
  void english_is_the_pattern_itself() {
    const study::reports::Translator english;
    QCOMPARE(english.language(), std::string("en"));
    QCOMPARE(english("{} of {:.2f} {{}}", 1, 2.5), std::string("1 of 2.50 {}"));
    QCOMPARE(english.count(1, "1 node of {}", "{} nodes of {}", "x"), std::string("1 node of x"));
    QCOMPARE(english.count(2, "1 node of {}", "{} nodes of {}", "x"), std::string("2 nodes of x"));
    QCOMPARE(english.count(3, "{} on 1 device", "{1} on {0} devices", "x"), std::string("x on 3 devices"));
    QCOMPARE(english.figure("{:.3f} ms", 1.5), std::string("1.500 ms"));
    QCOMPARE(english.translate("It is so."), std::string("It is so."));
  }

  void another_language_has_its_own_order_and_decimal_sign() {
    const Phrases german({{"%1 of %2", "von %2 sind es %1"},
                          {"1 node of %1", "1 Knoten zu %1"},
                          {"%1 on %2 devices", "auf %2 Ger\u00e4ten: %1"},
                          {"{%1} %%", "{%1} %%"}});
    const study::reports::Translator words(&german);
    QCOMPARE(words("{} of {:.2f}", 1, 2.5), std::string("von 2,50 sind es 1"));
    QCOMPARE(words.count(1, "1 node of {}", "{} nodes of {}", "a.b"), std::string("1 Knoten zu a.b"));
    QCOMPARE(words.count(3, "{} on 1 device", "{1} on {0} devices", "x"), std::string("auf 3 Ger\u00e4ten: x"));
    QCOMPARE(words.figure("{:.3f} ms", 1.5), std::string("1,500 ms"));
    QCOMPARE(words.figure("{} {:g}", "1.5", 2.5f), std::string("1.5 2,5"));
    QCOMPARE(words("{{{}}} %%", 7), std::string("{7} %%"));
    // A name is never taken for a pattern.
    QCOMPARE(words("{} of {}", "%2", "{}"), std::string("von {} sind es %2"));
  }

  void nothing_is_said_past_the_words() {
    static const QRegularExpression word(QStringLiteral("[A-Za-z]{2,}"));
    static const QRegularExpression devices(QStringLiteral("G\\d+"));
    qsizetype checked = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      Asked asked = random_question(seed, {});
      SimulationOptions& simulated_plan = asked.question.problem.workload.conventions;
      if (seed % 2)
        simulated_plan.reserve = Bytes(1 << 20), simulated_plan.fragmentation = 0.1,
        simulated_plan.overlap = Overlap::bucket;
      if (seed % 3 == 0) simulated_plan.calibration.operation_overhead = Seconds(1e-6);
      if (!asked.question.plans.empty() && seed % 4 == 0) asked.question.plans.front().detailed = false;
      asked.question.translation = std::make_shared<const Marking>();
      const auto document = study::reports::make_report(asked.question);
      QVERIFY2(document, document ? "" : document.error().text().c_str());
      const std::string html = study::reports::to_html(*document);
      QVERIFY(html.find("lang=\"x-marked\"") != std::string::npos);
      const QStringList names = names_of(asked.question);
      for (const QString& text : texts_of(html)) {
        QString left = outside_marks(text);
        for (const QString& name : names) left.remove(name);
        QVERIFY2(!left.contains(word) || left.contains(devices), qPrintable(text));
        ++checked;
      }
      const QRegularExpression point(QStringLiteral("(?<![\\w.])\\d+\\.\\d+(?![\\w.])"));
      for (const QString& text : texts_of(html)) QVERIFY2(!text.contains(point), qPrintable(text));
    }
    QVERIFY(checked > 1000);
  }

  /// A program that knows no language writes what it always wrote.
  void english_reports_are_what_they_were() {
    const auto page = study::reports::make_report(random_question(1, {}).question),
               text = study::reports::make_report(random_question(8, {}).question);
    QVERIFY(page && text);
    compare_with_fixture("english-1.html", study::reports::to_html(*page));
    compare_with_fixture("english-8.md", study::reports::to_markdown(*text, "pictures").text);
  }
};

PIPEDECK_TEST(TestReportWords)

}  // namespace pipedeck::tst_report_words

#include "tst_report_words.moc"
