// SPDX-License-Identifier: GPL-3.0-or-later
// At two pixels a point all that the charts keep in pictures is as fine as the screen.
#include <QApplication>
#include <QTest>

#include "app/views/compare/comparison_pane.hpp"
#include "app/views/compare/plan_panel.hpp"
#include "app/views/gantt/minimap_view.hpp"
#include "app/views/gantt/view.hpp"
#include "app/views/memory/view.hpp"
#include "tests/app/models/synthetic_simulation.hpp"

using namespace pipedeck;

namespace {

/// Pixels that differ from their neighbour in the same point: none where a picture was only made larger.
int fine_pixels(const QImage& picture) {
  int fine = 0;
  for (int y = 0; y + 1 < picture.height(); y += 2)
    for (int x = 0; x + 1 < picture.width(); x += 2)
      fine += picture.pixel(x, y) != picture.pixel(x + 1, y) || picture.pixel(x, y) != picture.pixel(x, y + 1);
  return fine;
}

}  // namespace

class TestHighDpi : public QObject {
  Q_OBJECT

 private slots:
  void charts_are_crisp() {
    models::compare::PlanRow row;
    row.id = 1;
    row.plan.name = "DAPPLE";
    row.simulation = app::synthetic_simulation({.stages = 4, .replicas = 2, .recompute = true});
    views::compare::Pane pane;
    pane.setPalette(views::widgets::Theme::light().palette());
    pane.resize(900, 420);
    pane.set_rows({row});
    pane.show();
    QVERIFY(QTest::qWaitForWindowExposed(&pane));
    QCOMPARE(pane.devicePixelRatioF(), 2.0);
    const QImage picture = pane.grab().toImage();
    QCOMPARE(picture.size(), QSize(1800, 840));
    picture.save(QCoreApplication::applicationDirPath() + "/high-dpi.png");
    for (QWidget* part :
         {static_cast<QWidget*>(&pane.panel(1)->gantt()), static_cast<QWidget*>(&pane.panel(1)->memory()),
          static_cast<QWidget*>(&pane.panel(1)->title()), static_cast<QWidget*>(&pane.minimap())}) {
      const QImage fine = part->grab().toImage();
      QVERIFY2(fine_pixels(fine) > 60, qPrintable(part->objectName()));
    }
  }

  void a_box_begins_at_half_a_point() {
    views::gantt::TimeAxisController link;
    views::gantt::View view(&link);
    view.setPalette(views::widgets::Theme::light().palette());
    view.set_simulation(app::synthetic_simulation({.stages = 2, .replicas = 1}));
    view.resize(900, view.sizeHint().height());
    link.set_full(static_cast<double>(view.content()->end));
    const QImage picture = view.grab().toImage();
    const models::gantt::Row& row = view.geometry_of_lanes().rows[1];
    const models::gantt::Content& content = *view.content();
    const std::size_t first = content.timeline->lanes[*content.groups[1].compute].begin;
    const double x = view.x_of(static_cast<double>(content.timeline->start[first]));
    const int y = (row.top + 4) * 2, edge = qRound(x * 2);
    QCOMPARE(picture.pixelColor(edge - 1, y), views::widgets::Theme::light().panel);
    QCOMPARE(picture.pixelColor(edge + 6, y), views::widgets::Theme::light().of(OpKind::forward));
  }
};

int main(int argc, char** argv) {
  qputenv("QT_SCALE_FACTOR", "2");
  QApplication application(argc, argv);
  TestHighDpi test;
  return QTest::qExec(&test, argc, argv);
}

#include "tst_high_dpi.moc"
