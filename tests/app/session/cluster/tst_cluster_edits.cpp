// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of clusters as pure functions: what they change, what they refuse, and that nothing they give is invalid.
#include <random>

#include <QTest>

#include "app/session/cluster/device_options.hpp"
#include "app/session/cluster/edits.hpp"
#include "app/session/cluster/strengths.hpp"
#include "app/session/project/content.hpp"
#include "core/io/documents/formats.hpp"
#include "core/plan/validate.hpp"
#include "tests/app/session/session_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cluster_edits {

const Link slow{gigabytes_per_second(3.125), microseconds(10)};
const Link fast{gigabytes_per_second(130), microseconds(5)};

DeviceType type_named(const std::string& name, double speed = 1) {
  DeviceType type;
  type.name = name;
  type.memory = Bytes(std::int64_t{16} << 30);
  type.relative_speed = speed;
  return type;
}

/// Two nodes of eight on a switch.
session::cluster::DrawnCluster two_nodes() {
  session::cluster::DrawnCluster drawn;
  drawn.cluster.name = "two";
  drawn.cluster.device_types = {type_named("V100-16GB")};
  drawn.cluster.switches = {{"tor"}};
  for (const char* name : {"n0", "n1"}) {
    drawn.cluster.nodes.push_back({name, {{"V100-16GB", 8}}, fast, false, {}});
    drawn.cluster.links.push_back({name, "tor", slow});
  }
  drawn.layout.places = {{"n0", {0, 100}}, {"n1", {300, 100}}, {"tor", {150, 0}}};
  return drawn;
}

class TestClusterEdits : public QObject {
  Q_OBJECT

 private slots:
  void nodes_and_switches_get_unused_names() {
    auto drawn = session::cluster::with_node(two_nodes(), {"n0", {{"V100-16GB", 4}}, fast, false, {}}, {600, 100});
    QVERIFY(drawn);
    QCOMPARE(drawn->cluster.nodes.back().name, std::string("n2"));
    QCOMPARE(drawn->layout.places.at("n2").x, 600.0);
    drawn = session::cluster::with_switch(*drawn, "tor", {0, 0});
    QCOMPARE(drawn->cluster.switches.back().name, std::string("tor2"));
  }

  void a_device_dropped_on_a_node_is_joined_to_the_others() {
    session::cluster::DrawnCluster drawn = two_nodes();
    drawn.cluster.nodes[1].devices[0].count = 1;
    drawn.cluster.nodes[1].link.reset();
    auto more = session::cluster::with_device(drawn, "n1", type_named("T4", 0.5), slow);
    QVERIFY(more);
    QCOMPARE(more->cluster.nodes[1].devices, (std::vector<DeviceGroup>{{"V100-16GB", 1}, {"T4", 1}}));
    QCOMPARE(more->cluster.nodes[1].link.value(), fast);  // as its neighbour
    QCOMPARE(more->cluster.device_types.size(), std::size_t{2});
    more = session::cluster::with_device(*more, "n1", type_named("T4", 0.5), slow);
    QCOMPARE(more->cluster.nodes[1].devices[1].count, 2);
    QCOMPARE(more->cluster.device_types.size(), std::size_t{2});
  }

  void what_goes_takes_its_links_along() {
    session::cluster::DrawnCluster drawn = two_nodes();
    drawn.layout.racks = {{"n1", "rack 1"}};
    drawn.layout.collapsed = {"rack 1"};
    const auto less = session::cluster::without(drawn, {"n1"}, {});
    QVERIFY(less);
    QCOMPARE(less->cluster.links.size(), std::size_t{1});
    QVERIFY(!less->layout.places.contains("n1") && less->layout.racks.empty() && less->layout.collapsed.empty());
    const auto none = session::cluster::without(drawn, {"n0", "n1"}, {});
    QVERIFY(!none);
    QVERIFY(none.error().message.find("at least one node") != std::string::npos);
    const auto unlinked = session::cluster::without(drawn, {}, {0});
    QCOMPARE(unlinked->cluster.links.front().from, std::string("n1"));
  }

  void names_are_changed_everywhere() {
    session::cluster::DrawnCluster drawn = two_nodes();
    drawn.layout.racks = {{"n1", "rack 1"}};
    const auto renamed = session::cluster::renamed_place(drawn, "n1", "g4-a");
    QVERIFY(renamed);
    QCOMPARE(renamed->cluster.links[1].from, std::string("g4-a"));
    QCOMPARE(renamed->layout.places.at("g4-a").x, 300.0);
    QCOMPARE(renamed->layout.racks.at("g4-a"), std::string("rack 1"));
    QVERIFY(!session::cluster::renamed_place(drawn, "n1", "tor"));
    QVERIFY(!session::cluster::renamed_place(drawn, "n1", ""));
  }

  void links_are_refused_in_words() {
    const session::cluster::DrawnCluster drawn = two_nodes();
    QVERIFY(!session::cluster::with_link(drawn, "n0", "n0", slow));
    QVERIFY(!session::cluster::with_link(drawn, "tor", "n0", slow));
    QVERIFY(session::cluster::not_joinable_reason(drawn.cluster, "tor", "n0").find("already linked") !=
            std::string::npos);
    const auto linked = session::cluster::with_link(drawn, "n0", "n1", slow);
    QVERIFY(linked);
    QCOMPARE(linked->cluster.links.size(), std::size_t{3});
    QVERIFY(!session::cluster::with_links_changed(*linked, {2}, {BytesPerSecond(0), {}}));
    const auto wider = session::cluster::with_links_changed(*linked, {0, 2}, {gigabytes_per_second(12.5), {}});
    QCOMPARE(wider->cluster.links[2].link.bandwidth, gigabytes_per_second(12.5));
    QCOMPARE(wider->cluster.links[0].link.latency, slow.latency);
    QCOMPARE(wider->cluster.links[1].link, slow);
  }

  void figures_of_nodes_and_types() {
    const session::cluster::DrawnCluster drawn = two_nodes();
    auto next = session::cluster::with_inside(drawn, {"n0", "n1"}, {gigabytes_per_second(64), {}});
    QCOMPARE(next->cluster.nodes[1].link->bandwidth, gigabytes_per_second(64));
    QCOMPARE(next->cluster.nodes[1].link->latency, fast.latency);
    next = session::cluster::with_bus(*next, {"n1"}, true);
    QVERIFY(next->cluster.nodes[1].bus && !next->cluster.nodes[0].bus);
    next = session::cluster::with_devices(*next, {"n1"}, {{"V100-16GB", 2}}, fast);
    QCOMPARE(next->cluster.nodes[1].devices[0].count, 2);
    QVERIFY(!session::cluster::with_devices(*next, {"n1"}, {}, fast));
    QVERIFY(!session::cluster::with_devices(*next, {"n1"}, {{"unknown", 2}}, fast));
    DeviceType type = next->cluster.device_types[0];
    type.name = "V100";
    type.memory = Bytes(std::int64_t{32} << 30);
    next = session::cluster::with_type_changed(*next, "V100-16GB", type);
    QCOMPARE(next->cluster.nodes[0].devices[0].type, std::string("V100"));
    type.memory = Bytes(0);
    QVERIFY(!session::cluster::with_type_changed(*next, "V100", type));
  }

  void racks_group_collapse_and_ungroup() {
    auto drawn = session::cluster::grouped(two_nodes(), {"n0", "tor"});
    QVERIFY(drawn);
    QCOMPARE(drawn->layout.racks.at("n0"), std::string("rack 1"));
    session::cluster::DrawnCluster shut = session::cluster::with_collapsed(*drawn, "rack 1", true);
    const auto named = session::cluster::renamed_rack(shut, "rack 1", "left");
    QVERIFY(named->layout.collapsed.contains("left"));
    QCOMPARE(named->layout.racks.at("tor"), std::string("left"));
    const session::cluster::DrawnCluster apart = session::cluster::ungrouped(*named, {"n0"});
    QVERIFY(apart.layout.racks.empty() && apart.layout.collapsed.empty());
    QVERIFY(!session::cluster::grouped(two_nodes(), {}));
    const auto made =
        session::cluster::with_rack(two_nodes(), two_nodes().cluster.nodes[0], {{0, 300}, {0, 400}, {300, 400}}, slow);
    QVERIFY(made);
    QCOMPARE(made->cluster.nodes.size(), std::size_t{4});
    QCOMPARE(made->cluster.links.size(), std::size_t{4});
    QCOMPARE(made->layout.racks.at("n3"), std::string("rack 1"));
  }

  void fragments_go_from_cluster_to_cluster() {
    session::cluster::DrawnCluster from = two_nodes();
    from.layout.racks = {{"n1", "rack 1"}, {"tor", "rack 1"}};
    const std::string text = session::cluster::fragment_of(from, {"n1", "tor"});
    QVERIFY(io::documents::cluster_from_json(text));  // a cluster by itself: files of it open
    QCOMPARE(session::cluster::fragment_corner(text)->x, 150.0);
    const auto pasted = session::cluster::with_fragment(from, text, {28, 28});
    QVERIFY(pasted);
    QCOMPARE(pasted->places, (std::set<std::string>{"n2", "tor2"}));
    QCOMPARE(pasted->drawn.cluster.links.back().from, std::string("n2"));
    QCOMPARE(pasted->drawn.cluster.links.back().to, std::string("tor2"));
    QCOMPARE(pasted->drawn.layout.places.at("n2").x, 328.0);
    QCOMPARE(pasted->drawn.layout.racks.at("n2"), std::string("rack 1 (2)"));
    QCOMPARE(pasted->drawn.cluster.device_types.size(), std::size_t{1});
    // A known name with other figures is another type.
    session::cluster::DrawnCluster other = two_nodes();
    other.cluster.device_types[0].memory = Bytes(std::int64_t{32} << 30);
    const auto into = session::cluster::with_fragment(other, text, {});
    QCOMPARE(into->drawn.cluster.device_types.back().name, std::string("V100-16GB (2)"));
    QCOMPARE(into->drawn.cluster.nodes.back().devices[0].type, std::string("V100-16GB (2)"));
    // Switches alone are no cluster, but a fragment.
    const auto only =
        session::cluster::with_fragment(two_nodes(), session::cluster::fragment_of(two_nodes(), {"tor"}), {});
    QVERIFY(only);
    QCOMPARE(only->drawn.cluster.nodes.size(), std::size_t{2});
    QCOMPARE(only->drawn.cluster.switches.back().name, std::string("tor2"));
    for (const char* nonsense : {"", "hello", "{}", "[1]", "{\"format\":\"pipedeck.plan\"}", "{\"format\":1}"})
      QVERIFY(!session::cluster::with_fragment(two_nodes(), nonsense, {}));
    QVERIFY(!session::cluster::with_fragment(
        two_nodes(), R"({"format":"pipedeck.cluster","version":1,"nodes":[{"name":"x"}]})", {}));
    QVERIFY(session::cluster::with_fragment(two_nodes(),
                                            R"({"format":"pipedeck.cluster","version":1,"device_types":[],"nodes":[],
                              "switches":[{"name":"s"}],"drawing":{"places":[1],"racks":{"s":3},"collapsed":"x"}})",
                                            {}));
  }

  void a_duplicate_hangs_on_the_same_switches() {
    const auto twice = session::cluster::duplicated(two_nodes(), {"n1"}, {300, 0});
    QVERIFY(twice);
    QCOMPARE(twice->drawn.cluster.links.size(), std::size_t{3});
    QCOMPARE(twice->drawn.cluster.links.back(), (NetworkLink{"n2", "tor", slow}));
  }

  void a_matrix_is_turned_into_links_before_devices_come_or_go() {
    session::cluster::DrawnCluster drawn = two_nodes();
    drawn.cluster.links.clear();
    for (Node& node : drawn.cluster.nodes) node.devices[0].count = 2, node.link.reset();
    const auto g = [](double rate) { return gigabytes_per_second(rate); };
    drawn.cluster.bandwidth_matrix = {
        {g(0), g(9), g(1), g(2)}, {g(9), g(0), g(1), g(1)}, {g(1), g(1), g(0), g(8)}, {g(2), g(1), g(8), g(0)}};
    QVERIFY(plan::validate(drawn.cluster));
    QVERIFY(!session::cluster::without(drawn, {"n1"}, {}));
    QVERIFY(!session::cluster::with_link(drawn, "n0", "n1", slow));
    QVERIFY(!session::cluster::with_device(drawn, "n0", type_named("T4"), slow));
    QVERIFY(session::cluster::with_type_changed(drawn, "V100-16GB", type_named("V100")));
    const auto linked = session::cluster::with_links_for_matrix(drawn);
    QVERIFY(linked && !linked->cluster.bandwidth_matrix);
    QCOMPARE(linked->cluster.nodes[0].link->bandwidth, g(9));
    QCOMPARE(linked->cluster.links.front().link.bandwidth, g(1));
    QVERIFY(session::cluster::without(*linked, {"n1"}, {}));
  }

  void plans_that_no_longer_fit_are_dropped_and_undo_brings_the_bytes_back() {
    session::project::State state;
    session::project::Added cluster = session::project::with_cluster(state, two_nodes().cluster);
    const store::ProjectContent before = session::project::content_of(cluster.state);
    const auto fewer = session::cluster::with_devices(two_nodes(), {"n1"}, {{"V100-16GB", 1}}, fast);
    const session::project::Replaced replaced = session::cluster::edited_cluster(cluster.state, cluster.id, *fewer);
    QVERIFY(!session::project::same_project(session::project::content_of(replaced.state), before));
    QVERIFY(session::project::same_project(session::project::content_of(cluster.state), before));
    QCOMPARE(session::project::find_cluster(replaced.state, cluster.id)->layout, fewer->layout);
  }

  void every_step_of_an_edit_is_undone_to_the_byte();
  void random_edits_keep_the_cluster_valid_data() {
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 20; ++seed) QTest::newRow(qPrintable(QString::number(seed))) << seed;
  }
  void random_edits_keep_the_cluster_valid();

  void offers_are_the_clusters_own_and_the_catalogue() {
    const Cluster cluster = two_nodes().cluster;
    const auto offers = session::cluster::device_offers(&cluster);
    QVERIFY(offers.front().own);
    QCOMPARE(offers.front().inside, fast);
    QCOMPARE(std::ranges::count(offers, std::string("V100-16GB"), [](const auto& o) { return o.type.name; }), 1);
    QVERIFY(offers.size() > 10);
    for (const session::cluster::DeviceOption& offer : offers)
      QVERIFY(offer.type.memory.count > 0 && offer.inside.bandwidth.count > 0);
  }

  void strengths_are_computed() {
    session::cluster::DrawnCluster drawn = two_nodes();
    drawn.cluster.device_types.push_back(type_named("T4", 0.5));
    drawn.cluster.nodes.push_back({"g4", {{"T4", 4}}, slow, false, {}});
    drawn.cluster.links.push_back({"g4", "tor", {gigabytes_per_second(1.25), {}}});
    const auto found = session::cluster::summarize_cluster(drawn.cluster, Bytes(1'000'000'000), {});
    QCOMPARE(found.narrowest->side, (std::vector<std::string>{"g4"}));
    QCOMPARE(found.narrowest->bandwidth, gigabytes_per_second(1.25));
    QCOMPARE(found.types.back().name, std::string("T4"));
    QCOMPARE(found.types.back().slowdown, 2.0);
    QCOMPARE(found.all_reduce->between.value(), gigabytes_per_second(1.25));
    QVERIFY(found.all_reduce->everywhere > found.all_reduce->inside.value());
    // Two pairs of nodes, joined by one link of less than theirs.
    session::cluster::DrawnCluster pairs = two_nodes();
    pairs.cluster.nodes.push_back({"m0", {{"V100-16GB", 8}}, fast, false, {}});
    pairs.cluster.nodes.push_back({"m1", {{"V100-16GB", 8}}, fast, false, {}});
    pairs.cluster.switches.push_back({"tor2"});
    for (const char* end : {"m0", "m1"}) pairs.cluster.links.push_back({end, "tor2", slow});
    pairs.cluster.links.push_back({"tor", "tor2", {gigabytes_per_second(2), {}}});
    const auto cut = session::cluster::summarize_cluster(pairs.cluster, Bytes(1), {}).narrowest;
    QCOMPARE(cut->bandwidth, gigabytes_per_second(2));
    QCOMPARE(cut->side, (std::vector<std::string>{"n0", "n1"}));
    // Domains are joined by more than each node's link: the cut is between them.
    for (std::size_t n = 0; n < 4; ++n) pairs.cluster.nodes[n].domain = n < 2 ? "rack 0" : "rack 1";
    pairs.cluster.links.back().link.bandwidth = gigabytes_per_second(1000);
    const auto racks = session::cluster::summarize_cluster(pairs.cluster, Bytes(1), {}).narrowest;
    QCOMPARE(racks->side, (std::vector<std::string>{"n0", "n1"}));
    QCOMPARE(racks->bandwidth, slow.bandwidth * 2);  // of the links of n0 and n1
    drawn.cluster.links.pop_back();
    QVERIFY(!session::cluster::summarize_cluster(drawn.cluster, Bytes(1), {}).all_reduce);
  }
};

/// One edit that a hand could make, chosen by the generator; nothing where it was refused.
class Hand {
 public:
  explicit Hand(unsigned seed) : random_(seed) {}

  Result<session::cluster::DrawnCluster> edit(const session::cluster::DrawnCluster& now) {
    const Cluster& c = now.cluster;
    switch (below(16)) {
      case 0:
        return session::cluster::with_node(
            now, {"n0", {{c.device_types[below(c.device_types.size())].name, int(below(9))}}, slow, false, {}},
            {double(below(900)), 0});
      case 1:
        return session::cluster::with_switch(now, "s0", {0, double(below(900))});
      case 2:
        return session::cluster::with_link(now, place(c), place(c), below(9) == 0 ? Link{} : slow);
      case 3:
        return session::cluster::without(now, {place(c)}, {});
      case 4:
        return session::cluster::without(now, {}, {int(below(c.links.size() + 1))});
      case 5:
        return session::cluster::renamed_place(now, place(c),
                                               below(4) == 0 ? place(c) : "x" + std::to_string(below(50)));
      case 6:
        return session::cluster::with_device(now, node(c),
                                             type_named("T" + std::to_string(below(3)), 1 + double(below(2))), slow);
      case 7:
        return session::cluster::with_devices(now, {node(c), node(c)}, {{c.device_types[0].name, int(below(5)) - 1}},
                                              fast);
      case 8:
        return session::cluster::with_inside(now, {node(c)}, {BytesPerSecond(double(below(5)) * 1e9 - 1e9), {}});
      case 9:
        return session::cluster::with_links_changed(now, {int(below(c.links.size() + 1)), -1},
                                                    {{}, Seconds(double(below(4)) * 1e-6 - 1e-6)});
      case 10:
        return session::cluster::grouped(now, {place(c), place(c)});
      case 11:
        return session::cluster::ungrouped(now, {place(c)});
      case 12:
        return session::cluster::with_collapsed(now, "rack 1", below(2) == 0);
      case 13: {
        auto pasted =
            session::cluster::with_fragment(now, session::cluster::fragment_of(now, {place(c), place(c)}), {28, 28});
        return pasted ? Result<session::cluster::DrawnCluster>(pasted->drawn) : tl::unexpected(pasted.error());
      }
      case 14: {
        auto twice = session::cluster::duplicated(now, {place(c), place(c)}, {28, 0});
        return twice ? Result<session::cluster::DrawnCluster>(twice->drawn) : tl::unexpected(twice.error());
      }
      default: {
        DeviceType type = c.device_types[below(c.device_types.size())];
        const std::string name = type.name;
        type.memory = Bytes(std::int64_t(below(3)) << 30);
        if (below(3) == 0) type.name = "U" + std::to_string(below(4));
        return session::cluster::with_type_changed(now, name, type);
      }
    }
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  std::string place(const Cluster& c) {
    const std::size_t at = below(c.nodes.size() + c.switches.size());
    return at < c.nodes.size() ? c.nodes[at].name : c.switches[at - c.nodes.size()].name;
  }
  std::string node(const Cluster& c) { return c.nodes[below(c.nodes.size())].name; }

  std::mt19937 random_;
};

void TestClusterEdits::random_edits_keep_the_cluster_valid() {
  QFETCH(unsigned, seed);
  Hand hand(seed);
  session::cluster::DrawnCluster now = two_nodes();
  int done = 0, refused = 0;
  for (int step = 0; step < 400; ++step) {
    if (now.cluster.nodes.size() > 60) now = two_nodes();
    auto next = hand.edit(now);
    if (!next) {
      QVERIFY(!next.error().message.empty());
      ++refused;
      continue;
    }
    const auto valid = plan::validate(next->cluster);
    QVERIFY2(valid, valid ? "" : valid.error().text().c_str());
    // Nothing is remembered of what is gone.
    for (const auto& [name, rack] : next->layout.racks)
      QVERIFY2(std::ranges::any_of(next->cluster.nodes, [&](const Node& n) { return n.name == name; }) ||
                   std::ranges::any_of(next->cluster.switches, [&](const Switch& s) { return s.name == name; }),
               name.c_str());
    const auto read = io::documents::cluster_from_json(io::documents::cluster_to_json(next->cluster));
    QVERIFY(read && *read == next->cluster);
    now = std::move(*next);
    ++done;
  }
  QVERIFY(done > 100 && refused > 10);
}

/// Through the session's own undo list.
void TestClusterEdits::every_step_of_an_edit_is_undone_to_the_byte() {
  test::Recorded fixture;
  session::Session& session = fixture.session;
  session::project::Added added = session::cluster::with_new_cluster(session.state(), two_nodes());
  const int id = added.id;
  QCOMPARE(added.state.question.cluster, id);
  session.change("New cluster", std::move(added.state));
  Hand hand(7);
  std::vector<store::ProjectContent> contents{session::project::content_of(session.state())};
  for (int step = 0; step < 120; ++step) {
    const session::project::ClusterEntry& entry = *session::project::find_cluster(session.state(), id);
    auto next = hand.edit({*entry.cluster, entry.layout});
    if (!next || !session.change("edit", session::cluster::edited_cluster(session.state(), id, std::move(*next)).state))
      continue;
    contents.push_back(session::project::content_of(session.state()));
  }
  QVERIFY(contents.size() > 20);
  for (std::size_t i = contents.size(); i-- > 1;) {
    QVERIFY(session::project::same_project(session::project::content_of(session.state()), contents[i]));
    session.undo();
  }
  QVERIFY(session::project::same_project(session::project::content_of(session.state()), contents[0]));
  for (std::size_t i = 1; i < contents.size(); ++i) {
    session.redo();
    QVERIFY(session::project::same_project(session::project::content_of(session.state()), contents[i]));
  }
}

PIPEDECK_TEST(TestClusterEdits)

}  // namespace pipedeck::tst_cluster_edits

#include "tst_cluster_edits.moc"
