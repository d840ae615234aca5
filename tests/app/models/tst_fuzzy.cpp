// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "app/models/fuzzy.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_fuzzy {

class TestFuzzy : public QObject {
  Q_OBJECT

 private:
  /// Returns the texts that match, best first.
  static QStringList ranked(const QString& wanted, const QStringList& texts) {
    std::vector<std::pair<int, QString>> found;
    for (const QString& text : texts)
      if (const auto match = models::fuzzy_match(wanted, text)) found.emplace_back(-match->score, text);
    std::ranges::stable_sort(found, {}, &std::pair<int, QString>::first);
    QStringList names;
    for (const auto& [score, text] : found) names << text;
    return names;
  }

 private slots:
  void letters_in_order_match() {
    QVERIFY(models::fuzzy_match("ds3", "DeepSeek-V3"));
    QVERIFY(models::fuzzy_match("l70", "Llama-3-70B"));
    QVERIFY(models::fuzzy_match("exp plan", "Export: Plan…"));
    QVERIFY(models::fuzzy_match("plan exp", "Export: Plan…"));  // words in any order
    QVERIFY(!models::fuzzy_match("3sd", "DeepSeek-V3"));
    QVERIFY(!models::fuzzy_match("plan zebra", "Export: Plan…"));
    QVERIFY(models::fuzzy_match("", "anything")->positions.empty());
    QVERIFY(!models::fuzzy_match("x", ""));
  }

  void positions_are_those_of_the_matched_letters() {
    for (const auto& [wanted, text] :
         {std::pair("zoom", "Zoom to fit"), std::pair("tofit", "Zoom to fit"), std::pair("H1", "8 × 8 H100-SXM")}) {
      const auto match = models::fuzzy_match(wanted, text);
      QVERIFY(match);
      QString letters;
      for (const int at : match->positions) letters += QString(text)[at];
      QCOMPARE(letters.toLower(), QString(wanted).toLower());
    }
    QCOMPARE(models::fuzzy_match("zo", "Size of zoom")->positions,
             (std::vector<int>{8, 9}));  // the word that begins so
  }

  void whole_words_and_beginnings_come_first() {
    QCOMPARE(ranked("run", {"Prune nodes", "Run", "Running jobs", "Add a trial run"}).first(), "Run");
    QCOMPARE(ranked("compare", {"Compare with the other plan of this table", "Compare"}).first(), "Compare");
    QCOMPARE(ranked("sp", {"Inspector", "Stage plan", "Span"}).first(), "Span");
    QCOMPARE(ranked("llama 70", {"Llama-3-8B", "Llama-3-70B", "Llama-2-70B chat"}),
             (QStringList{"Llama-3-70B", "Llama-2-70B chat"}));
  }
};

PIPEDECK_TEST(TestFuzzy)

}  // namespace pipedeck::tst_fuzzy

#include "tst_fuzzy.moc"
