// SPDX-License-Identifier: GPL-3.0-or-later
// Queries as people write them, the operations that they find, and where those lie at any zoom.
#include <random>

#include <QTest>

#include "app/models/gantt/matches.hpp"
#include "app/models/gantt/operation_search.hpp"
#include "tests/app/models/synthetic_simulation.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_gantt_search {

models::gantt::Query query(const QString& text, const models::gantt::QueryWords& words = {}) {
  const models::gantt::ParsedQuery parsed = models::gantt::parse_gantt_query(text, words);
  if (!parsed.problem.isEmpty()) qFatal("%s", qPrintable(parsed.problem));
  return parsed.query;
}

bool wants(const models::gantt::Query& query, OpKind kind) { return query.kinds[static_cast<std::size_t>(kind)]; }

/// Matches in their order, one after another.
std::vector<std::size_t> walked(const models::gantt::Matches& matches) {
  std::vector<std::size_t> all;
  for (auto i = matches.next(std::nullopt); i; i = matches.next(i)) all.push_back(*i);
  return all;
}

class TestGanttSearch : public QObject {
  Q_OBJECT

 private slots:
  void a_set_counts_and_finds() {
    std::mt19937 random(3);
    models::gantt::OperationSet set(20'000);
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < set.size(); ++i)
      if (random() % 7 == 0 || (i > 9000 && i < 9300)) {
        set.insert(i);
        members.push_back(i);
      }
    set.close();
    QCOMPARE(set.count(), members.size());
    for (std::size_t k = 0; k < members.size(); ++k) {
      QCOMPARE(set.select(k), members[k]);
      QCOMPARE(set.rank(members[k]), k);
      QCOMPARE(set.next(k == 0 ? 0 : members[k - 1] + 1, set.size()), std::optional(members[k]));
      QCOMPARE(set.previous(0, members[k] + 1), std::optional(members[k]));
    }
    QCOMPARE(set.rank(set.size()), members.size());
    QCOMPARE(set.next(members.back() + 1, set.size()), std::nullopt);
    QCOMPARE(set.previous(0, members.front()), std::nullopt);
    QVERIFY(!set.next(members[5] + 1, members[6]));
    models::gantt::OperationSet nothing(0);
    nothing.close();
    QCOMPARE(nothing.count(), std::size_t{0});
    QCOMPARE(nothing.rank(0), std::size_t{0});
  }

  void queries_are_understood() {
    QCOMPARE(query("12").micro_batch, std::optional(12));
    QCOMPARE(query(" mb 12 ").micro_batch, std::optional(12));
    QCOMPARE(query("micro-batch 12").micro_batch, std::optional(12));
    QCOMPARE(query("MB12").micro_batch, std::optional(12));
    QCOMPARE(query("s3").stage, std::optional(3));
    QCOMPARE(query("Stage 3").stage, std::optional(3));
    QCOMPARE(query("G5").device, std::optional(DeviceId(5)));
    QCOMPARE(query("device 5").device, std::optional(DeviceId(5)));
    QVERIFY(wants(query("all-reduce"), OpKind::all_reduce));
    QVERIFY(wants(query("All Reduce"), OpKind::all_reduce));
    QVERIFY(wants(query("transfer"), OpKind::send) && wants(query("transfer"), OpKind::receive));
    QVERIFY(wants(query("B"), OpKind::backward) && wants(query("B"), OpKind::backward_input));
    QVERIFY(!wants(query("B"), OpKind::backward_weight) && wants(query("weight gradient"), OpKind::backward_weight));
    const models::gantt::Query all = query("B 12 s3");
    QCOMPARE(all.micro_batch, std::optional(12));
    QCOMPARE(all.stage, std::optional(3));
    QVERIFY(wants(all, OpKind::backward) && !wants(all, OpKind::forward));
    QCOMPARE(query("b12, s3"), all);
    QVERIFY(wants(query("F B"), OpKind::forward) && wants(query("F B"), OpKind::backward));
    QVERIFY(query("  ").empty());
  }

  void words_of_the_reader_are_understood() {
    QStringList kinds(op_kind_count);
    kinds[static_cast<int>(OpKind::forward)] = QStringLiteral("Vorwärts");
    kinds[static_cast<int>(OpKind::backward_weight)] = QStringLiteral("Gewichts-Gradient");
    const models::gantt::QueryWords words{kinds, {QStringLiteral("cpu:0"), QStringLiteral("cpu:1")}};
    QVERIFY(wants(query("vorwärts 3", words), OpKind::forward));
    QVERIFY(wants(query("gewichts gradient", words), OpKind::backward_weight));
    QCOMPARE(query("F cpu:1", words).device, std::optional(DeviceId(1)));
  }

  void what_is_not_understood_is_named() {
    QVERIFY(models::gantt::parse_gantt_query("forwerd 3").problem.contains("forwerd"));
    QVERIFY(models::gantt::parse_gantt_query("s").problem.contains("s"));
    QVERIFY(!models::gantt::parse_gantt_query("3 4").problem.isEmpty());
    QVERIFY(!models::gantt::parse_gantt_query("99999999999999").problem.isEmpty());
    QVERIFY(models::gantt::parse_gantt_query("3 mb 3").problem.isEmpty());
  }

  void finds_what_a_walk_finds_in_order_of_time() {
    const auto content =
        models::gantt::make_gantt_content(app::synthetic_simulation({.stages = 4, .replicas = 2, .micro_batches = 8}));
    const Timeline& timeline = *content->timeline;
    for (const char* text : {"3", "B", "B 3", "s2", "G4", "all-reduce", "transfer", "F s1 G2", "s9"}) {
      const models::gantt::Query wanted = query(text);
      const auto matches = models::gantt::find_matches(content, wanted);
      const std::vector<std::size_t> all = walked(*matches);
      QCOMPARE(all.size(), matches->count());
      std::size_t expected = 0;
      for (const std::size_t lane : matches->lanes)
        for (std::size_t i = timeline.lanes[lane].begin; i < timeline.lanes[lane].end; ++i) {
          const bool links = timeline.lanes[lane].role == LaneRole::link;
          if (wanted.device &&
              (links || content->group_of(timeline.lanes[lane].device) != content->group_of(*wanted.device)))
            continue;
          expected += wanted.matches(timeline.kind[i], timeline.stage[i], timeline.micro_batch[i]);
        }
      QVERIFY2(all.size() >= expected && (wanted.device || all.size() == expected), text);
      for (std::size_t k = 0; k < all.size(); ++k) {
        QCOMPARE(matches->before(all[k]), k);
        QCOMPARE(matches->previous(all[k]), k == 0 ? std::nullopt : std::optional(all[k - 1]));
        if (k > 0) QVERIFY(timeline.start[all[k - 1]] <= timeline.start[all[k]]);
      }
      if (!all.empty()) {
        QCOMPARE(matches->previous(std::nullopt), std::optional(all.back()));
        QCOMPARE(matches->from(static_cast<double>(content->end) * 2), std::optional(all.back()));
      }
    }
  }

  void spans_agree_at_every_zoom() {
    const auto content = models::gantt::make_gantt_content(app::random_timeline(60'000, 2, 5));
    const auto matches = models::gantt::find_matches(content, query("B 77"));
    QCOMPARE(matches->count(), std::size_t{2});
    const std::size_t match = *matches->next(std::nullopt);
    const auto start = static_cast<double>(content->timeline->start[match]);
    models::gantt::TimeAxis axis{0, static_cast<double>(content->end), static_cast<double>(content->end)};
    const std::size_t lane = match < content->timeline->lanes[0].end ? 0 : 1;
    for (int zoom = 0; zoom < 12; ++zoom) {
      const auto spans = models::gantt::match_spans(*matches, lane, axis, 800);
      QCOMPARE(spans.size(), std::size_t{1});
      const double x = axis.to_pixel(start, 800);
      QVERIFY(std::abs(spans[0].left - std::max(-1.0, x)) <= 2);
      axis = axis.zoomed(2, start + 1);
    }
    const auto everywhere = models::gantt::find_matches(content, query("s0"));
    QCOMPARE(everywhere->count(), std::size_t{30'000});
    QVERIFY(models::gantt::match_spans(*everywhere, 1, axis.fitted(), 800).empty());
    QVERIFY(models::gantt::match_spans(*everywhere, 0, axis.fitted(), 800).size() < 40);
  }

  void marks_are_found_as_by_a_walk_over_their_bits() {
    models::gantt::LaneMarks marks;
    marks.levels.push_back({0, 0b1000, std::uint64_t{1} << 63, 0, 1});
    const auto& bits = marks.levels.front();
    const auto last = static_cast<std::int64_t>(bits.size() * 64);
    for (std::int64_t first = -2; first < last + 2; ++first)
      for (std::int64_t end = first - 1; end < last + 3; end += 1 + (end - first) / 9) {
        bool any = false;
        for (std::int64_t i = std::max<std::int64_t>(0, first); i < std::min(end, last); ++i)
          any |= (bits[static_cast<std::size_t>(i / 64)] >> (i % 64) & 1) != 0;
        QVERIFY2(marks.any(0, first, end) == any, qPrintable(QStringLiteral("[%1, %2)").arg(first).arg(end)));
      }
  }

  void a_stopped_search_gives_nothing() {
    const auto content = models::gantt::make_gantt_content(app::random_timeline(2000, 2, 5));
    std::stop_source stop;
    stop.request_stop();
    QVERIFY(!models::gantt::find_matches(content, query("B"), stop.get_token()));
    QVERIFY(!models::gantt::find_operations(*content->timeline, query("B"), stop.get_token()));
  }

  void the_table_s_search_has_all_replicas() {
    const auto simulation = app::synthetic_simulation({.stages = 2, .replicas = 4});
    const auto all = models::gantt::find_operations(simulation->timeline, query("F 1 s0"));
    QCOMPARE(all->count(), std::size_t{4});
    QCOMPARE(models::gantt::find_operations(simulation->timeline, query("F 1 s0 G2"))->count(), std::size_t{1});
  }
};

PIPEDECK_TEST(TestGanttSearch)

}  // namespace pipedeck::tst_gantt_search

#include "tst_gantt_search.moc"
