// SPDX-License-Identifier: GPL-3.0-or-later
// The mesh editor's geometry at any width: every text has its room, nothing overlaps, columns go in their order.
#include <QTest>

#include <algorithm>

#include "app/models/mesh/layout.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_mesh_layout {

using namespace models::mesh;

Sheet sheet() {
  const auto degrees = [](int count, const QString& below) {
    std::vector<Degree> all;
    for (int i = 0; i < count; ++i) {
      Degree& one = all.emplace_back();
      one.value = 1 << i, one.text = QString::number(one.value), one.below = below;
    }
    return all;
  };
  const auto row = [](const QString& name, std::vector<Degree> degrees, const QString& note = {}) {
    Row made;
    made.name = name, made.about = name + QStringLiteral(" of something"), made.note = note;
    made.degrees = std::move(degrees);
    made.bytes = QStringLiteral("1.29 TiB"), made.exposed = QStringLiteral("3.09 s"), made.memory = QStringLiteral("–");
    return made;
  };
  Sheet made;
  made.rows = {row("TP", degrees(5, "246.7 GiB")), row("VP", degrees(8, "+16.3 %")), row("DP", {}),
               row("Micro-batch", degrees(3, "now"), "64 micro-batches per step"), row("Overlap", degrees(4, "+1 %"))};
  made.rows.back().switches = true;
  return made;
}

/// Seven pixels a character.
Fonts fonts() {
  const auto width = [](const QString& text) { return 7.0 * static_cast<double>(text.size()); };
  return {width, width, 18, 14};
}

Layout laid_out(double width) { return lay_out(sheet(), width, fonts(), {"Bytes", "Exposed", "Memory"}); }

class TestMeshLayout : public QObject {
  Q_OBJECT
 private slots:
  void texts_have_room_and_nothing_overlaps() {
    const Sheet all = sheet();
    for (double width = 200; width < 1600; width += 37) {
      const Layout layout = laid_out(width);
      QCOMPARE(layout.rows.size(), all.rows.size());
      QVERIFY(layout.width >= width && layout.width >= layout.least);
      for (std::size_t r = 0; r < all.rows.size(); ++r) {
        const RowPlace& place = layout.rows[r];
        std::vector<std::pair<QRectF, QString>> parts{
            {place.name, all.rows[r].about},   {place.lock, {}}, {place.note, all.rows[r].note},
            {place.bytes, all.rows[r].bytes},  {place.bar, {}},  {place.exposed, all.rows[r].exposed},
            {place.memory, all.rows[r].memory}};
        for (std::size_t d = 0; d < place.degrees.size(); ++d)
          parts.emplace_back(place.degrees[d],
                             std::max(all.rows[r].degrees[d].text, all.rows[r].degrees[d].below,
                                      [](const QString& a, const QString& b) { return a.size() < b.size(); }));
        std::erase_if(parts, [](const auto& part) { return part.first.isEmpty(); });
        for (std::size_t i = 0; i < parts.size(); ++i) {
          QVERIFY(parts[i].first.width() >= fonts().caption(parts[i].second));
          QVERIFY(place.whole.contains(parts[i].first));
          for (std::size_t j = i + 1; j < parts.size(); ++j) QVERIFY(!parts[i].first.intersects(parts[j].first));
        }
      }
    }
  }

  void columns_go_one_after_another() {
    int before = 4;
    for (double width = 1600; width > 200; width -= 11) {
      const RowPlace& row = laid_out(width).rows.front();
      const bool bar = !row.bar.isEmpty(), memory = !row.memory.isEmpty(), bytes = !row.bytes.isEmpty();
      const int columns = 1 + (bytes ? 1 : 0) + (memory ? 1 : 0) + (bar ? 1 : 0);
      QVERIFY(!row.exposed.isEmpty());
      QVERIFY(columns <= before);
      QVERIFY((!bar || memory) && (!memory || bytes));
      before = columns;
    }
    QCOMPARE(before, 1);
  }

  void places_are_found_where_they_are() {
    const Layout layout = laid_out(1200);
    for (int r = 0; r < static_cast<int>(layout.rows.size()); ++r) {
      const RowPlace& row = layout.rows[static_cast<std::size_t>(r)];
      QCOMPARE(place_at(layout, row.lock.center()), std::optional(Place{r, -1}));
      for (int d = 0; d < static_cast<int>(row.degrees.size()); ++d)
        QCOMPARE(place_at(layout, row.degrees[static_cast<std::size_t>(d)].center()), std::optional(Place{r, d}));
      QVERIFY(!place_at(layout, row.name.center()));
    }
    QVERIFY(!place_at(layout, {5, layout.height + 5}));
  }
};

PIPEDECK_TEST(TestMeshLayout)

}  // namespace pipedeck::tst_mesh_layout

#include "tst_mesh_layout.moc"
