// SPDX-License-Identifier: GPL-3.0-or-later
// Inspector, project tree, topology, profile and start panel, driven as a user does.
#include <set>

#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSet>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include "app/models/compare/inspector_content.hpp"
#include "app/models/compare/project_tree_model.hpp"
#include "app/models/format.hpp"
#include "app/views/compare/inspector.hpp"
#include "app/views/compare/project_tree.hpp"
#include "app/views/compare/stacked_bar.hpp"
#include "app/views/compare/start_panel.hpp"
#include "app/views/profile/view.hpp"
#include "app/views/topology/bandwidth_map.hpp"
#include "app/views/topology/view.hpp"
#include "app/views/widgets/theme.hpp"
#include "core/study/bandwidths.hpp"
#include "tests/app/models/samples.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_side_views {

QAccessibleInterface* accessible(QObject* object) { return QAccessible::queryAccessibleInterface(object); }

/// Returns the names that a screen reader reads, in its order.
QStringList names_in(QAccessibleInterface* part) {
  QStringList names;
  if (const QString name = part->text(QAccessible::Name); !name.isEmpty()) names << name;
  for (int i = 0; i < part->childCount(); ++i) names += names_in(part->child(i));
  return names;
}

class TestSideViews : public QObject {
  Q_OBJECT

 private slots:
  void the_inspector_shows_what_it_is_given() {
    views::compare::Inspector view;
    const auto content = models::compare::inspector_content(samples::rows()[1]);
    view.set_content(content);
    QCOMPARE(view.findChild<QLabel*>("inspector_title")->text(), content.title);
    QCOMPARE(view.findChild<QLabel*>("inspector_why")->text(), content.why.front());
    QCOMPARE(view.findChildren<views::compare::StackedBar*>().size(), 2);
    view.clear();
    QVERIFY(!view.findChild<QLabel*>("inspector_hint")->text().isEmpty());
  }

  void the_inspector_is_read_in_the_order_it_is_seen() {
    views::compare::Inspector view;
    const auto content = models::compare::inspector_content(samples::rows()[1]);
    view.set_content(content);
    view.resize(300, 900);
    view.show();
    const QStringList names = names_in(accessible(&view));
    QStringList expected{"Inspector", content.title, content.subtitle};
    for (const QString& sentence : content.why) expected << sentence;
    expected << content.memory_text;
    for (const models::compare::InspectorPart& part : content.memory) expected << part.label + ' ' + part.text;
    for (const QString& sentence : content.certificate) expected << sentence;
    for (const models::compare::InspectorFact& fact : content.figures) expected << fact.first << fact.second;
    qsizetype at = -1;
    for (const QString& name : expected) {
      if (name.isEmpty()) continue;
      const qsizetype place = names.indexOf(name, at + 1);
      QVERIFY2(place > at, qPrintable(name + " is not read after " + names.value(at)));
      at = place;
    }
  }

  void bars_of_layers_are_read_and_pressed() {
    views::profile::View view;
    const auto profile = std::make_shared<const Profile>(samples::profile());
    view.set_profile(profile);
    view.resize(900, 700);
    view.show();
    auto* bars = view.findChild<QWidget*>("profile_bars");
    QAccessibleInterface* read = accessible(bars);
    QCOMPARE(read->childCount(), static_cast<int>(profile->layers.size()));
    QAccessibleInterface* second = read->child(1);
    const Layer& layer = profile->layers[1];
    const QString text = second->text(QAccessible::Name);
    QVERIFY(text.contains(QString::fromStdString(layer.name)) && text.contains(models::format_time(layer.forward)) &&
            text.contains(models::format_bytes(layer.parameters)));
    QVERIFY(read->rect().contains(second->rect()));
    QCOMPARE(read->childAt(second->rect().center().x(), second->rect().center().y()), second);
    QVERIFY(!second->state().selected);
    second->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
    QCOMPARE(view.selected_layer(), 1);
    QVERIFY(second->state().selected);
  }

  void the_bandwidth_map_is_read_pair_by_pair() {
    views::topology::BandwidthMap map;
    const Bandwidths table = study::bandwidths_of(samples::cluster()).value();
    map.set_bandwidths(table);
    map.resize(400, 300);
    map.show();
    const int devices = static_cast<int>(table.rows.size());
    QAccessibleInterface* read = accessible(&map);
    QCOMPARE(read->childCount(), devices * (devices - 1) / 2);
    QSet<QString> heard;
    for (int i = 0; i < read->childCount(); ++i) {
      QAccessibleInterface* pair = read->child(i);
      const QString text = pair->text(QAccessible::Name);
      QCOMPARE(text, map.tip(map.mapFromGlobal(pair->rect().center())));
      heard.insert(text);
    }
    QCOMPARE(heard.size(), read->childCount());
    QVERIFY(read->child(0)->text(QAccessible::Name).startsWith("G0 – G1: "));
    map.set_bandwidths({});
    QCOMPARE(read->childCount(), 0);
  }

  void the_inspector_follows_a_drag() {
    views::compare::Inspector view;
    view.resize(300, 800);
    view.show();
    auto row = samples::rows()[1];
    QElapsedTimer clock;
    clock.start();
    constexpr int times = 50;
    for (int i = 0; i < times; ++i) {
      row.lower_bound = milliseconds(600 + i);
      view.set_content(models::compare::inspector_content(row));
    }
    QVERIFY(view.findChild<QLabel*>("inspector_certificate")->text().contains(models::format_time(milliseconds(649))));
    qInfo("new content in %.2f ms", static_cast<double>(clock.elapsed()) / times);
    QVERIFY(clock.elapsed() < times * 100);
  }

  void the_tree_tells_what_is_selected() {
    models::compare::ProjectTreeModel model;
    views::compare::ProjectTree tree(&model);
    model.set_questions({{"model", "cluster · batch 8", "1.2 s", 4, {{4, "a", {}}, {5, "b", {}}}}});
    tree.show();
    QSignalSpy selected(&tree, &views::compare::ProjectTree::selected);
    tree.select(models::compare::ProjectSection::plans, 5);
    QCOMPARE(selected.count(), 0);
    const QModelIndex index = model.entry_index(models::compare::ProjectSection::plans, 4);
    QVERIFY(tree.isExpanded(index.parent()));
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, tree.visualRect(index).center());
    QCOMPARE(selected.count(), 1);
    QCOMPARE(selected.front()[0].value<models::compare::ProjectSection>(), models::compare::ProjectSection::plans);
    QCOMPARE(selected.front()[1].toInt(), 4);
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, tree.visualRect(index.parent()).center());
    QCOMPARE(selected.back()[1].toInt(), 4);  // a question is its best plan
  }

  void the_tree_keeps_its_state_when_plans_arrive() {
    models::compare::ProjectTreeModel model;
    views::compare::ProjectTree tree(&model);
    using models::compare::ProjectSection;
    model.set_questions({{"one", "c", "", 4, {{4, "a", {}}, {5, "b", {}}}}, {"two", "c", "", 6, {{6, "x", {}}}}});
    tree.show();
    tree.collapse(model.question_index(1));
    tree.select(ProjectSection::plans, 5);
    QSignalSpy selected(&tree, &views::compare::ProjectTree::selected);
    model.set_questions(
        {{"one", "c", "", 7, {{7, "new", {}}, {4, "a", {}}, {5, "b", {}}}}, {"two", "c", "", 6, {{6, "x", {}}}}});
    QCOMPARE(selected.count(), 0);
    QCOMPARE(tree.selected_entries(ProjectSection::plans), (std::vector<int>{5}));
    QVERIFY(tree.isExpanded(model.question_index(0)));
    QVERIFY(!tree.isExpanded(model.question_index(1)));
  }

  void the_filter_hides_what_does_not_match() {
    models::compare::ProjectTreeModel model;
    auto& tree = *new views::compare::ProjectTree(&model);
    views::compare::ProjectPane pane(&tree);
    using models::compare::ProjectSection;
    model.set_questions({{"BERT", "V100 · batch 64", "", 4, {{4, "DAPPLE", {}}, {5, "Whale", {}}}},
                         {"Llama", "H100 · batch 1024", "", 6, {{6, "Whale", {}}, {7, "AMP", {}}}}});
    pane.show();
    const auto shown = [&] {
      std::vector<int> ids = model.ids(ProjectSection::plans);
      std::erase_if(ids, [&](int id) {
        const QModelIndex index = model.entry_index(ProjectSection::plans, id);
        return tree.isRowHidden(index.row(), index.parent()) ||
               tree.isRowHidden(index.parent().row(), index.parent().parent());
      });
      return ids;
    };
    QCOMPARE(shown().size(), std::size_t{4});
    QTest::keyClicks(pane.findChild<QLineEdit*>("project_filter"), "whale");
    QCOMPARE(shown(), (std::vector<int>{5, 6}));
    pane.findChild<QLineEdit*>("project_filter")->setText("h100");
    QCOMPARE(shown(), (std::vector<int>{6, 7}));
    pane.findChild<QLineEdit*>("project_filter")->clear();
    QCOMPARE(shown().size(), std::size_t{4});
  }

  void the_pointer_finds_a_device() {
    views::topology::View view;
    view.resize(1300, 900);
    view.set_cluster(std::make_shared<const Cluster>(samples::cluster()));
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    QCOMPARE(view.scene().nodes.size(), std::size_t{2});
    // Move over the canvas until a device answers: every device must be reachable.
    std::set<int> met;
    for (int y = 0; y < view.canvas()->height(); y += 12)
      for (int x = 0; x < view.canvas()->width(); x += 12) {
        QMouseEvent move(QEvent::MouseMove, QPointF(x, y), view.canvas()->mapToGlobal(QPointF(x, y)), Qt::NoButton, {},
                         {});
        QCoreApplication::sendEvent(view.canvas(), &move);
        if (view.hovered() && view.hovered()->kind == models::topology::Hit::device) met.insert(view.hovered()->index);
      }
    QCOMPARE(met.size(), std::size_t{16});
    view.clear();
    QVERIFY(!view.cluster());
  }

  void bars_and_table_select_the_same_layer() {
    views::profile::View view;
    view.resize(1000, 800);
    view.set_profile(std::make_shared<const Profile>(samples::profile()));
    view.show();
    QSignalSpy selected(&view, &views::profile::View::layer_selected);
    view.select_layer(12);
    QCOMPARE(view.selected_layer(), 12);
    QCOMPARE(selected.count(), 1);
    view.findChild<QTableView*>("profile_table")->sortByColumn(3, Qt::DescendingOrder);
    QCOMPARE(view.selected_layer(), 12);
    QVERIFY(view.findChild<QLabel*>("profile_totals")->text().contains("50 layers"));
    QVERIFY(view.findChild<QLabel*>("profile_gaps")->isVisible());
    view.clear();
    QCOMPARE(view.selected_layer(), -1);
  }

  void the_start_panel_needs_model_and_cluster() {
    views::compare::StartPanel panel;
    panel.show();
    auto* compare = panel.findChild<QPushButton*>("start_compare");
    QVERIFY(!compare->isEnabled());
    panel.set_profiles({"BERT-48", "VGG-19"}, "VGG-19");
    QVERIFY(!compare->isEnabled());
    panel.set_clusters({"config A"});
    QVERIFY(compare->isEnabled());
    panel.set_global_batch(128);
    QSignalSpy asked(&panel, &views::compare::StartPanel::compare_requested);
    QTest::mouseClick(compare, Qt::LeftButton);
    QCOMPARE(asked.front(), (QVariantList{"VGG-19", "config A", 128}));
  }

  void all_follow_the_palette() {
    views::compare::Inspector inspector;
    views::compare::StartPanel panel;
    views::profile::View profile;
    for (const views::widgets::Theme* theme : {&views::widgets::Theme::night(), &views::widgets::Theme::light()}) {
      QApplication::setPalette(theme->palette());
      for (QWidget* widget :
           {static_cast<QWidget*>(&inspector), static_cast<QWidget*>(&panel), static_cast<QWidget*>(&profile)}) {
        widget->setPalette(theme->palette());
        widget->show();
      }
      QCoreApplication::processEvents();
      QCOMPARE(profile.findChild<QLabel*>("profile_title")->palette().color(QPalette::WindowText), theme->text);
    }
  }
};

PIPEDECK_WINDOW_TEST(TestSideViews)

}  // namespace pipedeck::tst_side_views

#include "tst_side_views.moc"
