// SPDX-License-Identifier: GPL-3.0-or-later
// Entries of the topology's palette while the list changes under the mouse, as when a job ends.
#include "app/views/topology/palette.hpp"

#include <QSignalSpy>
#include <QTest>

#include "tests/support/test_program.hpp"

namespace pipedeck::tst_palette {

using views::topology::Palette;
using views::topology::PaletteEntry;

class TestPalette : public QObject {
  Q_OBJECT

 private slots:
  void a_dragged_entry_stays_the_pressed_one();
};

PaletteEntry device(const char* name) {
  PaletteEntry entry;
  entry.kind = PaletteEntry::device;
  entry.title = QLatin1String(name);
  entry.type.name = name;
  return entry;
}

void TestPalette::a_dragged_entry_stays_the_pressed_one() {
  Palette palette;
  palette.resize(200, 400);
  palette.set_sections({{QStringLiteral("Devices"), {device("T4"), device("V100"), device("H100")}}});
  palette.show();
  QVERIFY(QTest::qWaitForWindowExposed(&palette));
  QStringList dragged, dropped;
  connect(&palette, &Palette::dragged, this, [&](const PaletteEntry& entry) { dragged << entry.title; });
  connect(&palette, &Palette::dropped, this, [&](const PaletteEntry& entry) { dropped << entry.title; });
  const QPoint at = palette.visualItemRect(palette.find_item(QStringLiteral("H100"))).center();
  QTest::mousePress(palette.viewport(), Qt::LeftButton, {}, at);
  palette.set_sections({{QStringLiteral("Devices"), {device("A100")}}});
  QTest::mouseMove(palette.viewport(), at + QPoint(60, 0));
  QVERIFY(palette.dragging());
  QTest::mouseRelease(palette.viewport(), Qt::LeftButton, {}, at + QPoint(60, 0));
  QVERIFY(!dragged.isEmpty() && dragged.back() == QStringLiteral("H100"));
  QCOMPARE(dropped, QStringList{QStringLiteral("H100")});
}

PIPEDECK_WINDOW_TEST(TestPalette)

}  // namespace pipedeck::tst_palette

#include "tst_palette.moc"
