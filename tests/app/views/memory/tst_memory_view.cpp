// SPDX-License-Identifier: GPL-3.0-or-later
// Memory by item in strips: the pixels, the card's text, sizes, and the mark of the upper estimate.
#include <QTest>

#include <algorithm>

#include "app/views/compare/comparison_pane.hpp"
#include "app/views/compare/plan_panel.hpp"
#include "app/views/gantt/legend_view.hpp"
#include "app/views/memory/view.hpp"
#include "app/views/widgets/hover_card.hpp"
#include "tests/app/models/synthetic_simulation.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_memory_view {

constexpr int stages = 3;

std::shared_ptr<const Simulation> simulation_of(int count = stages, double memory_gib = 16) {
  return app::synthetic_simulation(
      {.stages = count, .replicas = 2, .micro_batches = 6, .memory_gib = memory_gib, .static_gib = 6});
}

struct Shown {
  std::shared_ptr<const Simulation> simulation;
  views::gantt::TimeAxisController link;
  views::memory::View view{&link};

  explicit Shown(std::shared_ptr<const Simulation> shown) : simulation(std::move(shown)) {
    view.set_simulation(simulation);
    view.set_by_item(true);
    view.resize(900, view.sizeHint().height());
    link.set_full(static_cast<double>(simulation->timeline.makespan().count));
  }
  void add_items() { view.set_items(models::memory::make_memory_stacks(app::synthetic_items(*simulation))); }
  QImage picture() {
    QImage image(view.size(), QImage::Format_RGB32);
    view.render(&image);
    return image;
  }
};

class TestMemoryView : public QObject {
  Q_OBJECT

 private slots:
  /// The middle of every item's part of the pile has the item's colour.
  void pixels_are_the_items() {
    Shown shown(simulation_of());
    shown.add_items();
    const QImage image = shown.picture();
    const models::memory::Strips strips = shown.view.strips();
    QCOMPARE(strips.count, stages);  // replicas share a strip
    int checked = 0;
    for (int strip = 0; strip < strips.count; ++strip) {
      const models::memory::Stack& stack = *shown.view.items()->of(DeviceId(std::int32_t{2 * strip}));
      for (int x = shown.view.plot().left() + 3; x < shown.view.plot().right() - 20; x += 17) {
        const double begin = shown.view.time_at(x), end = shown.view.time_at(x + 1);
        const MemoryBreakdown parts = stack.items().at(stack.highest(begin, end));
        Bytes below;
        for (const MemoryItem item : models::memory::stacking_order) {
          const double low = strips.y_of(strip, below), high = strips.y_of(strip, below + parts[item]);
          below += parts[item];
          if (low - high < 4) continue;
          const int y = static_cast<int>((low + high) / 2);
          const QRgb found = image.pixel(x, y), wanted = shown.view.theme().of(item).rgb();
          // The peak's mark and the line of the capacity lie over the piles.
          const auto peak_x = shown.view.x_of(static_cast<double>(
              shown.view.curves()->curves[static_cast<std::size_t>(strip)].simulated->peak_time.count));
          if (std::abs(x - peak_x) < 8) continue;
          QVERIFY2(
              found == wanted,
              qPrintable(QStringLiteral("strip %1, x %2, %3").arg(strip).arg(x).arg(views::widgets::item_text(item))));
          ++checked;
        }
      }
    }
    QVERIFY(checked > 200);
  }

  void without_items_the_sum_is_shown() {
    Shown shown(simulation_of());
    const QImage image = shown.picture();
    const models::memory::Strips strips = shown.view.strips();
    const int x = shown.view.plot().left() + 40, y = static_cast<int>(strips.bottom(0)) - 4;
    QVERIFY(image.pixel(x, y) != shown.view.theme().panel.rgb());
    QVERIFY(image.pixel(x, y) != shown.view.theme().of(MemoryItem::weights).rgb());
    // Another simulation's items are not those of this one.
    shown.add_items();
    QVERIFY(shown.view.items());
    shown.view.set_simulation(simulation_of(2));
    QVERIFY(!shown.view.items());
  }

  /// With more steps than pixels each pixel shows the minimum and maximum during it: the last curve, drawn over the
  /// others, in its colour, red above the capacity.
  void many_steps_fill_their_columns() {
    Shown shown(app::synthetic_simulation({.stages = stages, .micro_batches = 4000, .memory_gib = 9, .static_gib = 6}));
    shown.view.set_by_item(false);
    shown.view.resize(900, 160);
    const models::memory::Curve& last = shown.view.curves()->curves.back();
    QVERIFY(last.simulated->curve.size() > 4000);
    const QImage image = shown.picture();
    const QRgb own = shown.view.theme().of_group(last.stage).rgb(), bad = shown.view.theme().bad.rgb();
    const double capacity = shown.view.y_of(last.simulated->capacity);
    int in_colour = 0, red = 0;
    for (int x = shown.view.plot().left() + 20; x < shown.view.plot().right() - 80; x += 9) {
      const models::memory::Range range = last.range(shown.view.time_at(x), shown.view.time_at(x + 1));
      const double high = shown.view.y_of(Bytes(range.most)), low = shown.view.y_of(Bytes(range.least));
      for (int y = static_cast<int>(high) + 2; y < static_cast<int>(low) - 2; ++y) {
        if (std::abs(y - capacity) < 2) continue;
        const bool over = y < capacity;
        QCOMPARE(QColor(image.pixel(x, y)).name(), QColor(over ? bad : own).name());
        ++(over ? red : in_colour);
      }
    }
    QVERIFY2(in_colour > 50, qPrintable(QString::number(in_colour)));
    QVERIFY2(red > 50 || last.simulated->peak <= last.simulated->capacity, qPrintable(QString::number(red)));
  }

  void what_is_too_much_is_red() {
    Shown shown(simulation_of(stages, 9));
    shown.add_items();
    const models::memory::Curve& curve = shown.view.curves()->curves.front();
    QVERIFY(curve.simulated->peak > curve.simulated->capacity);
    const QImage image = shown.picture();
    const models::memory::Strips strips = shown.view.strips();
    const auto x = static_cast<int>(shown.view.x_of(static_cast<double>(curve.simulated->peak_time.count))) + 12;
    const double over = (strips.y_of(0, curve.simulated->peak) + strips.y_of(0, curve.simulated->capacity)) / 2;
    const QColor red(image.pixel(x, static_cast<int>(over)));
    QVERIFY2(red.red() > red.green() + 30, qPrintable(red.name()));
    QVERIFY(shown.view.describe_strip(0, static_cast<double>(curve.simulated->peak_time.count), 10)
                .join('\n')
                .contains("above its memory"));
  }

  void the_card_names_the_item_under_the_mouse() {
    Shown shown(simulation_of());
    shown.add_items();
    const models::memory::Strips strips = shown.view.strips();
    const models::memory::Curve& curve = shown.view.curves()->curves[1];
    const auto time = static_cast<double>(curve.simulated->peak_time.count);
    const double in_weights = strips.y_of(1, Bytes(std::int64_t{1} << 30));
    const QStringList lines = shown.view.describe_strip(1, time, in_weights);
    QVERIFY(lines.front().contains("G2"));
    QCOMPARE(lines.filter("›").size(), 1);
    QVERIFY2(lines.filter("›").front().contains("weights"), qPrintable(lines.join('\n')));
    const double in_activations = strips.y_of(1, curve.simulated->peak - Bytes(std::int64_t{1} << 30));
    QVERIFY(shown.view.describe_strip(1, time, in_activations).filter("›").front().contains("activations"));
    QVERIFY(shown.view.describe_strip(1, time, strips.top(1)).filter("›").isEmpty());  // above the pile
    QVERIFY(lines.filter("peak").size() >= 1);

    shown.view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&shown.view));
    QTest::mouseMove(&shown.view, QPoint(static_cast<int>(shown.view.x_of(time)), static_cast<int>(in_weights)));
    const auto* card = shown.view.window()->findChild<views::widgets::HoverCard*>();
    QVERIFY(card && card->isVisible());
    QVERIFY(card->lines().join('\n').contains("weights"));
    QTest::mouseMove(&shown.view, QPoint(4, static_cast<int>(in_weights)));
    QVERIFY(!card->isVisible());
  }

  void the_upper_estimate_is_said_and_marked() {
    auto changed = std::make_shared<Simulation>(*simulation_of());
    for (SimulatedDevice& device : changed->devices)
      device.peak_upper_bound = device.capacity + Bytes(std::int64_t{1} << 30);
    for (const bool by_item : {true, false}) {
      Shown shown(changed);
      shown.view.set_by_item(by_item);
      shown.view.resize(900, shown.view.sizeHint().height());
      const QStringList lines = by_item ? shown.view.describe_strip(0, 0, 20) : shown.view.describe(0, 0);
      QVERIFY2(lines.join('\n').contains("above its memory"), qPrintable(lines.join('\n')));
      const models::memory::Curve& curve = *std::ranges::max_element(
          shown.view.curves()->curves, {}, [](const models::memory::Curve& c) { return c.simulated->peak; });
      const int x = static_cast<int>(shown.view.x_of(static_cast<double>(curve.simulated->peak_time.count)));
      const double y = by_item ? shown.view.strips().y_of(0, curve.simulated->peak_upper_bound)
                               : shown.view.y_of(curve.simulated->peak_upper_bound);
      const QImage image = shown.picture();
      const QColor warning = shown.view.theme().warning;
      bool marked = false;
      for (int row = static_cast<int>(y) - 2; row <= static_cast<int>(y) + 3; ++row) {
        const QColor found(image.pixel(x - 3, std::max(0, row)));
        marked |= std::abs(found.red() - warning.red()) < 60 && std::abs(found.blue() - warning.blue()) < 90;
      }
      QVERIFY2(marked, by_item ? "strips" : "curves");
    }
  }

  void sizes_follow_the_mode_and_the_devices() {
    Shown shown(simulation_of());
    const int high = shown.view.sizeHint().height();
    QCOMPARE(high, shown.view.strips().height());
    shown.view.set_by_item(false);
    QVERIFY(shown.view.sizeHint().height() < high);
    shown.view.set_by_item(true);
    shown.view.set_simulation(app::synthetic_simulation({.stages = 40, .replicas = 1, .micro_batches = 44}));
    QVERIFY(shown.view.sizeHint().height() > high);
    QCOMPARE(shown.view.strips().count, 40);
  }

  void a_pane_names_its_items() {
    views::compare::Pane pane;
    pane.resize(1000, 800);
    models::compare::PlanRow row;
    row.id = 1;
    row.simulation = simulation_of();
    pane.set_rows({row});
    auto* legend = pane.findChild<views::gantt::LegendView*>();
    QVERIFY(!legend->accessibleDescription().contains("optimizer state"));
    pane.set_memory_by_item(true);
    const auto items = app::synthetic_items(*row.simulation);
    pane.set_memory_items(1, items);
    QVERIFY2(legend->accessibleDescription().contains("optimizer state"), qPrintable(legend->accessibleDescription()));
    QCOMPARE(pane.panel(1)->memory().items()->items, items);
    const auto stacks = pane.panel(1)->memory().items();
    pane.set_memory_items(1, items);
    QCOMPARE(pane.panel(1)->memory().items(), stacks);  // not made anew
    row.simulation = simulation_of(2);
    pane.set_rows({row});
    QVERIFY(!pane.panel(1)->memory().items());
    pane.set_memory_by_item(false);
    QVERIFY(!legend->accessibleDescription().contains("optimizer state"));
  }
};

PIPEDECK_WINDOW_TEST(TestMemoryView)

}  // namespace pipedeck::tst_memory_view

#include "tst_memory_view.moc"
