// SPDX-License-Identifier: GPL-3.0-or-later
// The topology editor in the real window: everything that a hand does to a cluster, each one step that undo takes back
// to the byte.
#include <QAccessible>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <QWheelEvent>

#include "app/session/cluster/edits.hpp"
#include "app/session/project/content.hpp"
#include "app/ui/layout/picture.hpp"
#include "app/views/topology/view.hpp"
#include "app/views/widgets/quantity_edit.hpp"
#include "core/io/documents/formats.hpp"
#include "core/plan/validate.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_topology_editor {

using namespace pipedeck::test;

class Editor : public WindowFixture {
 public:
  Editor() {
    window->open_sample();
    (void)settle();
    window->show_page(ui::window::Page::topology);
    QCoreApplication::processEvents();
    canvas().setFocus();
  }

  views::topology::View& view() const { return *child<views::topology::View>("topology_view"); }
  views::topology::Canvas& canvas() const { return *view().canvas(); }
  const Cluster& cluster() const { return *view().cluster(); }
  const ClusterLayout& layout() const { return view().layout_shown(); }

  /// Shows 128 alike nodes of eight devices on one switch.
  void choose_many() const {
    session().choose_cluster_preset("128 × 8 H100-SXM");
    QCoreApplication::processEvents();
    canvas().setFocus();
  }

  QPoint seen(QPointF point) const { return canvas().camera().to_view(point).toPoint(); }
  QPoint node(std::size_t i) const { return seen(canvas().scene().nodes[i].header.center()); }
  QPoint port(const char* name) const {
    const models::topology::Layout& scene = canvas().scene();
    return seen(scene.ports_of(*scene.find_end(name))[0]);
  }
  void press(QPoint at, Qt::KeyboardModifiers keys = {}) { QTest::mousePress(&canvas(), Qt::LeftButton, keys, at); }
  void release(QPoint at) { QTest::mouseRelease(&canvas(), Qt::LeftButton, {}, at); }
  void drag(QPoint from, QPoint to) {
    press(from);
    for (int i = 1; i <= 4; ++i) QTest::mouseMove(&canvas(), from + (to - from) * i / 4);
    release(to);
  }
  void type(const char* field, const char* text) const {
    auto* edit = view().findChild<QLineEdit*>(QLatin1String(field));
    edit->setFocus();
    edit->selectAll();
    QTest::keyClicks(edit, QLatin1String(text));
    QTest::keyClick(edit, Qt::Key_Return);
  }
  void drag_from_palette(const QString& title, QPoint to) {
    views::topology::Palette& palette = view().palette_list();
    QListWidgetItem* item = palette.find_item(title);
    palette.scrollToItem(item);
    const QPoint from = palette.visualItemRect(item).center();
    QTest::mousePress(palette.viewport(), Qt::LeftButton, {}, from);
    const QPoint target = palette.viewport()->mapFromGlobal(canvas().mapToGlobal(to));
    for (int i = 1; i <= 4; ++i) QTest::mouseMove(palette.viewport(), from + (target - from) * i / 4);
    QTest::mouseRelease(palette.viewport(), Qt::LeftButton, {}, target);
  }
};

/// The project before an edit; afterwards: one step under that name, valid, and undo gives the same bytes again.
class Step {
 public:
  explicit Step(const Editor& editor)
      : editor_(editor),
        content_(session::project::content_of(editor.state())),
        steps_(editor.session().undo_steps()) {}

  void was(const char* name) {
    QCOMPARE(editor_.session().undo_name(), QString(name));
    QCOMPARE(editor_.session().undo_steps(), steps_ + 1);
    const auto valid = plan::validate(editor_.cluster());
    QVERIFY2(valid, valid ? "" : valid.error().text().c_str());
    const store::ProjectContent after = session::project::content_of(editor_.state());
    QVERIFY(!session::project::same_project(after, content_));
    editor_.session().undo();
    QVERIFY(session::project::same_project(session::project::content_of(editor_.state()), content_));
    editor_.session().redo();
    QVERIFY(session::project::same_project(session::project::content_of(editor_.state()), after));
  }
  void was_nothing() { QCOMPARE(editor_.session().undo_steps(), steps_); }

 private:
  const Editor& editor_;
  store::ProjectContent content_;
  std::size_t steps_;
};

class TestTopologyEditor : public QObject {
  Q_OBJECT

 private slots:
  void a_device_type_is_dropped_on_the_ground_and_on_a_node() {
    Editor editor;
    Step on_ground(editor);
    editor.drag_from_palette("T4", editor.canvas().rect().bottomRight() - QPoint(40, 30));
    on_ground.was("Add node");
    QCOMPARE(editor.cluster().nodes.size(), std::size_t{3});
    QCOMPARE(editor.cluster().nodes[2].devices, (std::vector<DeviceGroup>{{"T4", 8}}));
    QVERIFY(editor.cluster().nodes[2].link.has_value());
    QCOMPARE(editor.view().problems().size(), std::size_t{1});  // not linked to anything yet
    Step on_node(editor);
    editor.drag_from_palette("H200", editor.node(0));
    on_node.was("Add a H200 to n0");
    QCOMPARE(editor.cluster().nodes[0].devices.back(), (DeviceGroup{"H200", 1}));
  }

  void clusters_are_imported_from_the_palette() {
    Editor editor;
    views::topology::Palette& palette = editor.view().palette_list();
    for (const char* title : {"Files…", "This machine"}) QVERIFY2(palette.find_item(title), title);
    const std::size_t clusters = editor.state().clusters.size();
    editor.answers.files_to_open = {QStringLiteral(PIPEDECK_FIXTURES "/topology/dgx1-v100.topo.txt")};
    palette.setCurrentItem(palette.find_item("Files…"));
    QTest::keyClick(&palette, Qt::Key_Return);
    QVERIFY2(editor.errors.isEmpty(), qPrintable(editor.errors.join('\n')));
    QCOMPARE(editor.state().clusters.size(), clusters + 1);
    QVERIFY(!palette.dragging());
  }

  void a_type_that_no_node_has_can_go() {
    Editor editor;
    editor.drag_from_palette("T4", editor.canvas().rect().bottomRight() - QPoint(40, 30));
    editor.trigger("action_topology_delete");
    QVERIFY(find_device_type(editor.cluster(), "T4"));
    editor.canvas().select({});
    QToolButton* remove = nullptr;
    for (auto* button : editor.view().findChildren<QToolButton*>("type_remove"))
      if (button->isVisible()) remove = button;
    QVERIFY(remove);
    Step step(editor);
    remove->click();
    step.was("Remove device type T4");
    QVERIFY(!find_device_type(editor.cluster(), "T4"));
    QVERIFY(!session::cluster::without_type({editor.cluster(), {}}, editor.cluster().device_types.front().name));
  }

  void nodes_switches_and_racks_come_from_the_palette() {
    Editor editor;
    Step node(editor);
    views::topology::Palette& palette = editor.view().palette_list();
    palette.setCurrentItem(palette.find_item("Node"));
    QTest::keyClick(&palette, Qt::Key_Return);
    node.was("Add node");
    Step network(editor);
    QTest::keyClick(&editor.canvas(), Qt::Key_S);
    network.was("Add switch");
    Step rack(editor);
    editor.drag_from_palette("Rack", QPoint(200, 300));
    rack.was("Add rack");
    QCOMPARE(editor.canvas().scene().racks.size(), std::size_t{1});
    QCOMPARE(editor.cluster().nodes.size(), std::size_t{7});
    // Given up half-way: nothing.
    Step none(editor);
    const QPoint from = palette.visualItemRect(palette.find_item("Switch")).center();
    QTest::mousePress(palette.viewport(), Qt::LeftButton, {}, from);
    QTest::mouseMove(palette.viewport(), from + QPoint(300, 100));
    QVERIFY(palette.dragging());
    QTest::keyClick(&palette, Qt::Key_Escape);
    QTest::mouseRelease(palette.viewport(), Qt::LeftButton, {}, from + QPoint(300, 100));
    none.was_nothing();
  }

  void boxes_are_moved_by_mouse_and_keys() {
    Editor editor;
    Step moved(editor);
    const QPointF before = editor.canvas().scene().nodes[0].rect.topLeft();
    const QPointF other = editor.canvas().scene().nodes[1].rect.topLeft();
    editor.drag(editor.node(0), editor.node(0) + QPoint(-70, 90));
    moved.was("Move n0");
    QVERIFY(editor.canvas().scene().nodes[0].rect.topLeft() != before);
    QCOMPARE(editor.canvas().scene().nodes[1].rect.topLeft(), other);
    Step nudged(editor);
    const QPointF there = editor.canvas().scene().nodes[0].rect.topLeft();
    QTest::keyClick(&editor.canvas(), Qt::Key_Right);
    nudged.was("Move n0");
    QCOMPARE(editor.canvas().scene().nodes[0].rect.topLeft(), there + QPointF(models::topology::topology_grid, 0));
    // Esc gives a drag up.
    Step none(editor);
    editor.press(editor.node(1));
    QTest::mouseMove(&editor.canvas(), editor.node(1) + QPoint(60, 60));
    QTest::mouseMove(&editor.canvas(), editor.node(1) + QPoint(80, 60));
    QTest::keyClick(&editor.canvas(), Qt::Key_Escape);
    editor.release(editor.node(1) + QPoint(80, 60));
    none.was_nothing();
    // Plans do not care where boxes stand.
    QVERIFY(editor.state().plans.size() > 3);
  }

  void selection_by_click_rubber_band_and_keys() {
    Editor editor;
    QTest::mouseClick(&editor.canvas(), Qt::LeftButton, {}, editor.node(0));
    QCOMPARE(editor.canvas().selection().places, (std::set<std::string>{"n0"}));
    QTest::mouseClick(&editor.canvas(), Qt::LeftButton, Qt::ControlModifier, editor.node(1));
    QCOMPARE(editor.canvas().selection().places.size(), std::size_t{2});
    QTest::keyClick(&editor.canvas(), Qt::Key_Escape);
    QVERIFY(editor.canvas().selection().empty());
    const QRectF bounds = editor.canvas().scene().bounds;
    editor.drag(editor.seen(bounds.topLeft()), editor.seen(bounds.bottomRight()));
    QCOMPARE(editor.canvas().selection().places.size(), std::size_t{3});
    QTest::mouseClick(&editor.canvas(), Qt::LeftButton, {}, editor.seen(bounds.topLeft() + QPointF(2, 2)));
    QVERIFY(editor.canvas().selection().empty());
    QTest::keyClick(&editor.canvas(), Qt::Key_A, Qt::ControlModifier);
    QCOMPARE(editor.canvas().selection().links.size(), std::size_t{2});
    QTest::mouseClick(&editor.canvas(), Qt::LeftButton, {}, editor.node(0));
    QTest::keyClick(&editor.canvas(), Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(editor.canvas().selection().places, (std::set<std::string>{"n1"}));
    QTest::keyClick(&editor.canvas(), Qt::Key_PageDown);
    QCOMPARE(editor.canvas().selection().places, (std::set<std::string>{"switch"}));
  }

  void links_go_from_port_to_port() {
    Editor editor;
    Step linked(editor);
    editor.drag(editor.port("n0"), editor.port("n1"));
    linked.was("Link n0 – n1");
    QCOMPARE(editor.cluster().links.size(), std::size_t{3});
    QCOMPARE(editor.cluster().links[2].link, editor.cluster().links[0].link);  // as most are
    Step again(editor);
    editor.drag(editor.port("n1"), editor.port("n0"));
    again.was_nothing();
    QVERIFY(editor.canvas().message().contains("already linked"));
  }

  void links_are_made_by_keys_too() {
    Editor editor;
    editor.canvas().select({{"n0", "n1"}, {}});
    Step linked(editor);
    QTest::keyClick(&editor.canvas(), Qt::Key_L);
    linked.was("Link selection");
    editor.canvas().select({{"n0", "n1", "switch"}, {}});
    Step again(editor);
    QTest::keyClick(&editor.canvas(), Qt::Key_L);
    again.was_nothing();
  }

  void figures_are_typed_with_their_units() {
    Editor editor;
    editor.canvas().select({{}, {0, 1}});
    Step bandwidth(editor);
    editor.type("property_bandwidth", "100 Gbit/s");
    bandwidth.was(qPrintable(QString("Bandwidth ") + models::topology::network_text(gigabytes_per_second(12.5))));
    QCOMPARE(editor.cluster().links[1].link.bandwidth, gigabytes_per_second(12.5));
    Step latency(editor);
    editor.type("property_latency", "3 us");
    latency.was("Change latency");
    editor.canvas().select({{"n0", "n1"}, {}});
    Step inside(editor);
    editor.type("property_inside", "64 GB/s");
    inside.was(qPrintable(QString("Bandwidth inside ") + models::topology::inside_text(gigabytes_per_second(64))));
    QCOMPARE(editor.cluster().nodes[1].link->bandwidth, gigabytes_per_second(64));
    Step memory(editor);
    editor.type("type_memory", "32 GiB");
    memory.was("Change device type V100-16GB");
    QCOMPARE(editor.cluster().device_types[0].memory.count, std::int64_t{32} << 30);
    Step price(editor);
    editor.type("type_price", "3.06");
    price.was("Change device type V100-16GB");
    Step none(editor);
    editor.type("property_inside", "nonsense");
    none.was_nothing();
  }

  void plans_that_lose_their_devices_are_dropped_with_a_word() {
    Editor editor;
    QVERIFY(editor.settle());
    const std::size_t plans = editor.state().plans.size();
    QStringList notices;
    QObject::connect(&editor.session(), &session::Session::notice, [&](const QString& text) { notices << text; });
    editor.canvas().select({{"n1"}, {}});
    Step fewer(editor);
    editor.type("property_count_0", "2");
    fewer.was("Change devices");
    QVERIFY(editor.state().plans.size() < plans);
    QVERIFY(notices.join(' ').contains("Undo restores"));
    editor.session().undo();
    QCOMPARE(editor.state().plans.size(), plans);
    QVERIFY(editor.settle());
  }

  void names_are_changed_in_the_drawing_and_beside_it() {
    Editor editor;
    editor.canvas().select({{"n1"}, {}});
    Step renamed(editor);
    QTest::keyClick(&editor.canvas(), Qt::Key_F2);
    auto* field = editor.child<QLineEdit>("topology_rename");
    QVERIFY(field->isVisible());
    field->selectAll();
    QTest::keyClicks(field, "g4-a");
    QTest::keyClick(field, Qt::Key_Return);
    renamed.was("Rename n1 to g4-a");
    QCOMPARE(editor.cluster().links[1].from, std::string("g4-a"));
    Step taken(editor);
    QTest::mouseDClick(&editor.canvas(), Qt::LeftButton, {}, editor.node(1));
    QVERIFY(field->isVisible());
    field->selectAll();
    QTest::keyClicks(field, "n0");
    QTest::keyClick(field, Qt::Key_Return);
    taken.was_nothing();
    QVERIFY(editor.canvas().message().contains("already"));
    editor.canvas().select({{"switch"}, {}});
    Step beside(editor);
    editor.type("property_name", "leaf");
    beside.was("Rename switch to leaf");
    editor.canvas().select({});
    Step whole(editor);
    editor.type("property_name", "Two of ours");
    whole.was("Rename cluster to Two of ours");
  }

  void parts_are_copied_cut_pasted_duplicated_and_deleted() {
    Editor editor;
    editor.canvas().select({{"n1", "switch"}, {}});
    editor.canvas().setFocus();
    QTest::keyClick(&editor.canvas(), Qt::Key_C, Qt::ControlModifier);
    QVERIFY(io::documents::cluster_from_json(QGuiApplication::clipboard()->text().toStdString()));
    Step pasted(editor);
    QTest::keyClick(&editor.canvas(), Qt::Key_V, Qt::ControlModifier);
    pasted.was("Paste");
    QCOMPARE(editor.cluster().nodes.size(), std::size_t{3});
    QCOMPARE(editor.cluster().links.size(), std::size_t{3});  // the one between them came along
    editor.canvas().select({{"n0"}, {}});
    Step twice(editor);
    QTest::keyClick(&editor.canvas(), Qt::Key_D, Qt::ControlModifier);
    twice.was("Duplicate");
    QCOMPARE(editor.cluster().links.back().to, std::string("switch"));
    editor.canvas().select({{"n3"}, {}});  // undone and redone it is no longer selected
    Step cut(editor);
    QTest::keyClick(&editor.canvas(), Qt::Key_X, Qt::ControlModifier);
    cut.was("Cut");
    editor.canvas().select({{"n0"}, {}});
    Step removed(editor);
    QTest::keyClick(&editor.canvas(), Qt::Key_Delete);
    removed.was("Delete n0");
    editor.canvas().select_all();
    Step all(editor);
    QTest::keyClick(&editor.canvas(), Qt::Key_Delete);
    all.was_nothing();
    QVERIFY(editor.canvas().message().contains("one node"));
    QGuiApplication::clipboard()->setText("nothing of ours");
    Step nonsense(editor);
    QTest::keyClick(&editor.canvas(), Qt::Key_V, Qt::ControlModifier);
    nonsense.was_nothing();
  }

  void racks_are_grouped_collapsed_and_ungrouped() {
    Editor editor;
    editor.canvas().select({{"n0", "n1"}, {}});
    Step group(editor);
    QTest::keyClick(&editor.canvas(), Qt::Key_G, Qt::ControlModifier);
    group.was("Group in a rack");
    Step shut(editor);
    QTest::mouseClick(&editor.canvas(), Qt::LeftButton, {},
                      editor.seen(editor.canvas().scene().racks[0].toggle.center()));
    shut.was("Collapse rack 1");
    QVERIFY(editor.canvas().scene().nodes[0].hidden);
    QCOMPARE(editor.canvas().scene().links.size(), std::size_t{1});
    Step moved(editor);
    const QPoint rack = editor.seen(editor.canvas().scene().racks[0].rect.center());
    editor.drag(rack, rack + QPoint(60, 40));
    moved.was("Move 2 boxes");
    Step opened(editor);
    QTest::mouseClick(&editor.canvas(), Qt::LeftButton, {},
                      editor.seen(editor.canvas().scene().racks[0].toggle.center()));
    opened.was("Open rack 1");
    editor.canvas().select({{"n0"}, {}});
    Step apart(editor);
    QTest::keyClick(&editor.canvas(), Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
    apart.was("Ungroup");
  }

  void boxes_are_aligned_and_laid_out() {
    Editor editor;
    editor.drag(editor.node(0), editor.node(0) + QPoint(-37, 63));
    editor.canvas().select({{"n0", "n1"}, {}});
    Step aligned(editor);
    editor.trigger("action_topology_align_top");
    aligned.was("Align");
    QCOMPARE(editor.canvas().scene().nodes[0].rect.top(), editor.canvas().scene().nodes[1].rect.top());
    Step laid_out(editor);
    QTest::keyClick(&editor.canvas(), Qt::Key_L, Qt::ControlModifier);
    laid_out.was("Lay out");
    QVERIFY(editor.layout().places.empty());
  }

  void alike_nodes_are_opened_and_closed_by_mouse_and_keys() {
    Editor editor;
    editor.choose_many();
    views::topology::Canvas& canvas = editor.canvas();
    const auto hidden = [&] {
      const auto& nodes = canvas.scene().nodes;
      return std::ranges::count_if(nodes, [](const models::topology::TopologyNode& node) { return node.hidden; });
    };
    QCOMPARE(hidden(), 128);
    QCOMPARE(canvas.scene().ends().size(), std::size_t{2});
    Step none(editor);
    const QPoint arrow = editor.seen(canvas.scene().racks[0].toggle.center());
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, arrow);
    QCOMPARE(hidden(), 0);
    QCOMPARE(editor.seen(canvas.scene().racks[0].toggle.center()), arrow);  // under the pointer still
    // One node is chosen and hovered like any other.
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, editor.node(2));
    QCOMPARE(canvas.selection().places, (std::set<std::string>{"n2"}));
    const QPoint device = editor.seen(canvas.scene().nodes[2].devices[3].rect.center());
    QTest::mouseMove(&canvas, device);
    QCOMPARE(canvas.hovered().value(), (models::topology::Hit{models::topology::Hit::device, 19}));
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, arrow);
    QCOMPARE(hidden(), 128);
    QTest::mouseDClick(&canvas, Qt::LeftButton, {}, editor.seen(canvas.scene().racks[0].header.center()));
    QCOMPARE(hidden(), 0);
    canvas.setFocus();
    canvas.select_all();
    QTest::keyClick(&canvas, Qt::Key_Return);
    QCOMPARE(hidden(), 128);
    QTest::keyClick(&canvas, Qt::Key_Plus);
    QCOMPARE(hidden(), 0);
    QTest::keyClick(&canvas, Qt::Key_Minus);
    QCOMPARE(hidden(), 128);
    // A node that is chosen alone is shown.
    canvas.select({{"n77"}, {}});
    QCOMPARE(hidden(), 0);
    none.was_nothing();
  }

  void a_closed_group_is_edited_as_a_whole() {
    Editor editor;
    editor.choose_many();
    views::topology::Canvas& canvas = editor.canvas();
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, editor.seen(canvas.scene().racks[0].rect.center()));
    QCOMPARE(canvas.selection().places.size(), std::size_t{128});
    Step cards(editor);
    editor.type("property_nic", "100 Gbit/s");
    cards.was(
        qPrintable(QString("Network card per device ") + models::topology::network_text(gigabytes_per_second(12.5))));
    for (const Node& node : editor.cluster().nodes) QCOMPARE(node.nic.value(), gigabytes_per_second(12.5));
    QCOMPARE(canvas.scene().racks.size(), std::size_t{1});
    Step moved(editor);
    const QPoint at = editor.seen(canvas.scene().racks[0].rect.center());
    editor.drag(at, at + QPoint(70, 30));
    moved.was("Move 128 boxes");
    QVERIFY(canvas.scene().racks[0].collapsed);
    // One that becomes different leaves the group.
    canvas.select({{"n5"}, {}});
    editor.type("property_nic", "200 Gbit/s");
    QCOMPARE(canvas.scene().racks[0].members.size(), std::size_t{127});
    QVERIFY(!canvas.scene().nodes[5].hidden && canvas.scene().nodes[5].rack < 0);
    editor.session().undo();
    QCOMPARE(canvas.scene().racks[0].members.size(), std::size_t{128});
    // Dragged onto a switch, all its nodes are linked.
    canvas.setFocus();
    QTest::keyClick(&canvas, Qt::Key_S);
    QCOMPARE(editor.cluster().switches.size(), std::size_t{2});
    canvas.select(models::topology::Selection{{"n0"}, {}});
    QTest::keyClick(&canvas, Qt::Key_Minus);
    canvas.fit();
    Step linked(editor);
    editor.drag(editor.port("n0"), editor.port("s0"));
    linked.was("Link selection");
    QCOMPARE(editor.cluster().links.size(), std::size_t{256});
    QCOMPARE(canvas.scene().links.size(), std::size_t{2});
  }

  void the_view_stays_while_it_is_edited() {
    Editor editor;
    views::topology::Canvas& canvas = editor.canvas();
    const auto view = [&] { return std::pair(canvas.camera().zoom, canvas.camera().origin); };
    const auto before = view();
    QTest::keyClick(&canvas, Qt::Key_S);
    QTest::keyClick(&canvas, Qt::Key_N);
    QVERIFY(view() == before);
    const auto ends = canvas.scene().ends();
    QCOMPARE(ends.size(), std::size_t{5});
    for (std::size_t i = 0; i < ends.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        QVERIFY(!canvas.scene().rect_of(ends[i]).intersects(canvas.scene().rect_of(ends[j])));
    // A switch that is dropped on a node is put next to it.
    editor.drag_from_palette("Switch", editor.node(0));
    QVERIFY(!canvas.scene().switches.back().rect.intersects(canvas.scene().nodes[0].rect));
    editor.drag(editor.node(0), editor.node(0) + QPoint(-30, 20));
    QVERIFY(view() == before);
    editor.session().undo();
    QVERIFY(view() == before);
  }

  void the_view_is_panned_and_zoomed() {
    Editor editor;
    const double zoom = editor.canvas().camera().zoom;
    const QPointF at(200, 150), under = editor.canvas().camera().to_drawing(at);
    QWheelEvent wheel(at, editor.canvas().mapToGlobal(at), {}, {0, 120}, Qt::NoButton, Qt::ControlModifier,
                      Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(&editor.canvas(), &wheel);
    QVERIFY(editor.canvas().camera().zoom > zoom);
    QVERIFY((editor.canvas().camera().to_drawing(at) - under).manhattanLength() < 1e-6);
    QWheelEvent fingers(at, editor.canvas().mapToGlobal(at), {0, -30}, {0, -240}, Qt::NoButton, Qt::NoModifier,
                        Qt::ScrollUpdate, false);
    const QPointF origin = editor.canvas().camera().origin;
    QCoreApplication::sendEvent(&editor.canvas(), &fingers);
    QVERIFY(editor.canvas().camera().origin.y() > origin.y());
    QTest::mousePress(&editor.canvas(), Qt::MiddleButton, {}, {300, 300});
    QTest::mouseMove(&editor.canvas(), {340, 320});
    QTest::mouseRelease(&editor.canvas(), Qt::MiddleButton, {}, {340, 320});
    QVERIFY(editor.canvas().camera().origin.x() < origin.x());
    // Without Ctrl the wheel scrolls, as in charts.
    const auto turn = [&](Qt::KeyboardModifiers keys) {
      const views::topology::Canvas& canvas = editor.canvas();
      const models::topology::Camera before = canvas.camera();
      QWheelEvent down(at, canvas.mapToGlobal(at), {}, {0, -120}, Qt::NoButton, keys, Qt::NoScrollPhase, false);
      QCoreApplication::sendEvent(&editor.canvas(), &down);
      return canvas.camera().origin - before.origin;
    };
    QVERIFY(turn(Qt::NoModifier).y() > 0 && turn(Qt::ShiftModifier).x() > 0);
    QTest::keyClick(&editor.canvas(), Qt::Key_F);
    QCOMPARE(editor.canvas().camera().zoom, zoom);
  }

  void problems_are_marked_and_lead_to_their_place() {
    Editor editor;
    editor.canvas().select({{}, {1}});
    QTest::keyClick(&editor.canvas(), Qt::Key_Delete);
    auto* list = editor.child<QListWidget>("topology_problems");
    QCOMPARE(list->count(), 2);
    QVERIFY(list->isVisible());
    editor.canvas().select({});
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualItemRect(list->item(0)).center());
    QCOMPARE(editor.canvas().selection().places, (std::set<std::string>{"n1"}));
    QVERIFY(editor.view().summary_part().strengths().join(' ').contains("Connect all devices"));
    editor.session().undo();
    QVERIFY(!list->isVisible());
    QVERIFY(editor.view().summary_part().strengths().join(' ').contains("Narrowest cut: n0 | rest"));
  }

  void clusters_are_made_from_nothing_and_duplicated() {
    Editor editor;
    const std::size_t clusters = editor.state().clusters.size();
    editor.trigger("action_new_cluster");
    QCOMPARE(editor.session().undo_name(), QString("New cluster"));
    QCOMPARE(editor.state().clusters.size(), clusters + 1);
    QCOMPARE(editor.cluster().name, std::string("New cluster"));
    QCOMPARE(editor.cluster().nodes.size(), std::size_t{1});
    editor.trigger("action_duplicate_cluster");
    QCOMPARE(editor.state().clusters.size(), clusters + 2);
    QVERIFY(editor.cluster().name != "New cluster");
    editor.session().undo();
    editor.session().undo();
    QCOMPARE(editor.state().clusters.size(), clusters);
    // From the empty page.
    WindowFixture empty;
    empty.session().choose_profile_preset("BERT-48");
    empty.window->show_page(ui::window::Page::topology);
    auto* button = empty.child<QPushButton>("topology_new_cluster");
    QVERIFY(button->isVisible());
    QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(empty.state().clusters.size(), std::size_t{1});
    QCOMPARE(empty.state().question.cluster, empty.state().clusters[0].id);
  }

  void a_matrix_becomes_links_on_request() {
    Editor editor;
    Cluster cluster = editor.cluster();
    cluster.name = "matrix";
    cluster.links.clear();
    cluster.bandwidth_matrix.emplace(16, std::vector<BytesPerSecond>(16, gigabytes_per_second(3)));
    session::project::State next = session::project::with_cluster(editor.state(), cluster).state;
    editor.session().change("add", std::move(next));
    editor.session().choose_cluster(editor.state().clusters.back().id);
    QCOMPARE(editor.cluster().name, std::string("matrix"));
    Step refused(editor);
    QTest::keyClick(&editor.canvas(), Qt::Key_N);
    refused.was_nothing();
    QVERIFY(editor.canvas().message().contains("matrix"));
    Step linked(editor);
    editor.trigger("action_links_for_matrix");
    linked.was("Convert matrix into links");
  }

  void the_list_beside_it_selects_and_tells() {
    Editor editor;
    auto* list = editor.child<QListWidget>("topology_items");
    QCOMPARE(list->count(), 5);
    list->setFocus();
    list->setCurrentRow(1);
    QCOMPARE(editor.canvas().selection().places, (std::set<std::string>{"n1"}));
    editor.canvas().select({{"switch"}, {}});
    QVERIFY(list->item(2)->isSelected());
    QVERIFY(!list->item(1)->isSelected());
  }

  void the_drawing_is_readable_for_assistive_technology() {
    Editor editor;
    QAccessibleInterface* canvas = QAccessible::queryAccessibleInterface(&editor.canvas());
    QCOMPARE(canvas->childCount(), 5);
    QCOMPARE(canvas->child(0)->text(QAccessible::Name), QString("Node n0, 8 × V100-16GB"));
    QVERIFY(canvas->child(4)->text(QAccessible::Name).startsWith("Link n1 – switch"));
    QCOMPARE(canvas->indexOfChild(canvas->child(2)), 2);
    const QPoint middle = canvas->child(1)->rect().center();
    QCOMPARE(canvas->childAt(middle.x(), middle.y()), canvas->child(1));
    canvas->child(1)->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
    QCOMPARE(editor.canvas().selection().places, (std::set<std::string>{"n1"}));
    QVERIFY(canvas->child(1)->state().selected && !canvas->child(0)->state().selected);
    editor.canvas().select_all();
    QTest::keyClick(&editor.canvas(), Qt::Key_Delete, Qt::NoModifier);  // refused: nothing is invalid afterwards
    QVERIFY(canvas->child(1)->isValid());
  }

  /// For people to look at, and for the user guide.
  void pictures() {
    Editor editor;
    editor.session().choose_cluster_preset("DAPPLE config A, 2 × 8 V100");
    const auto in_the_corner = [&] { return editor.canvas().rect().bottomRight() - QPoint(40, 30); };
    editor.drag_from_palette("T4", in_the_corner());
    editor.canvas().fit();
    editor.drag(editor.port("n2"), editor.port("switch"));
    editor.type("property_bandwidth", "10 Gbit/s");
    editor.drag_from_palette("Rack", in_the_corner());
    editor.canvas().select({{"tor1", "switch"}, {}});
    QTest::keyClick(&editor.canvas(), Qt::Key_L);
    QTest::keyClick(&editor.canvas(), Qt::Key_L, Qt::ControlModifier);
    const auto draw = [&](const char* name) {
      QCoreApplication::processEvents();
      QCOMPARE(ui::layout::write_picture(*editor.window, pictures_folder() + QLatin1String(name)), QString());
    };
    editor.canvas().select({{"n2"}, {}});
    draw("topology-editor.png");
    editor.canvas().select({{"n3"}, {}});
    QTest::keyClick(&editor.canvas(), Qt::Key_Minus);
    QTest::keyClick(&editor.canvas(), Qt::Key_L, Qt::ControlModifier);
    editor.canvas().select({{}, {0}});
    QTest::keyClick(&editor.canvas(), Qt::Key_Delete);
    editor.canvas().select({{}, {1, 2}});
    draw("topology-editor-problems.png");
    editor.trigger("action_appearance_dark");
    draw("topology-editor-dark.png");
    editor.trigger("action_appearance_light");
    QCOMPARE(ui::layout::write_picture(editor.view(), pictures_folder() + "topology-editor.svg"), QString());
    Cluster large = editor.cluster();
    large.name = "64 × 8";
    large.links.clear();
    large.switches = {{"spine"}};
    large.nodes.clear();
    ClusterLayout racks;
    for (int i = 0; i < 64; ++i) {
      const std::string leaf = "leaf" + std::to_string(i / 8), node = "node" + std::to_string(i);
      if (i % 8 == 0) {
        large.switches.push_back({leaf});
        large.links.push_back({leaf, "spine", {gigabytes_per_second(100), microseconds(2)}});
        racks.racks[leaf] = "rack " + std::to_string(i / 8);
      }
      large.nodes.push_back({node, {{"V100-16GB", 8}}, Link{gigabytes_per_second(130), {}}, false, {}});
      large.links.push_back({node, leaf, {gigabytes_per_second(12.5), microseconds(5)}});
      racks.racks[node] = "rack " + std::to_string(i / 8);
    }
    racks.collapsed = {"rack 5", "rack 6", "rack 7"};
    session::project::Added added = session::cluster::with_new_cluster(editor.state(), {large, racks});
    const int id = added.id;
    editor.session().change("Large", std::move(added.state));
    editor.session().choose_cluster(id);
    draw("topology-editor-large.png");
  }

  void the_context_menu_offers_what_fits() {
    Editor editor;
    QContextMenuEvent event(QContextMenuEvent::Mouse, editor.node(0), editor.canvas().mapToGlobal(editor.node(0)));
    QCoreApplication::sendEvent(&editor.canvas(), &event);
    auto* menu = editor.child<QMenu>("topology_context_menu");
    QVERIFY(menu && menu->actions().contains(editor.action("action_topology_rename")));
    QCOMPARE(editor.canvas().selection().places, (std::set<std::string>{"n0"}));
    menu->close();
  }
};

PIPEDECK_WINDOW_TEST(TestTopologyEditor)

}  // namespace pipedeck::tst_topology_editor

#include "tst_topology_editor.moc"
