// SPDX-License-Identifier: GPL-3.0-or-later
// Profiles edited by hand: figures keep what belongs to them, layers come and go without breaking chain or graph, rows
// travel to a spreadsheet and back, and every edit undoes to the same bytes.
#include <QTest>

#include "app/session/profile/edits.hpp"
#include "app/session/project/content.hpp"
#include "app/session/project/history.hpp"
#include "core/plan/validate.hpp"
#include "tests/app/models/samples.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_profile_edits {

Profile chain() { return samples::profile(); }

/// a -> b -> d, a -> c -> d; a has two outputs.
Profile diamond() {
  Profile profile;
  profile.name = "diamond";
  profile.device = "T4";
  for (const char* name : {"a", "b", "c", "d"}) {
    Layer layer;
    layer.name = name;
    layer.forward = milliseconds(1);
    layer.backward = milliseconds(2);
    layer.backward_weight = milliseconds(1);
    layer.output = Bytes(100);
    layer.saved = Bytes(50);
    layer.parameters = Bytes(40);
    profile.layers.push_back(layer);
  }
  profile.layers[0].outputs = {Bytes(70), Bytes(30)};
  profile.edges = {{LayerId(0), LayerId(1), 0},
                   {LayerId(0), LayerId(2), 1},
                   {LayerId(1), LayerId(3), {}},
                   {LayerId(2), LayerId(3), {}}};
  return profile;
}

Profile measured() {
  Profile profile = chain();
  for (Layer& layer : profile.layers)
    layer.at = {{1, layer.forward * 0.6, layer.backward * 0.6},
                {2, layer.forward, layer.backward},
                {4, layer.forward * 2, layer.backward * 2}};
  return profile;
}

Profile taken(Result<Profile> edited) {
  ensure(edited.has_value(), edited ? "" : edited.error().text());
  ensure(plan::validate(*edited).has_value(), "valid");
  return *std::move(edited);
}

Seconds whole_forward(const Profile& profile) {
  Seconds sum;
  for (const Layer& layer : profile.layers) sum += layer.forward;
  return sum;
}

/// The contents of the project file, without runs.
auto bytes_of(const session::project::State& state) {
  store::ProjectContent content = session::project::content_of(state);
  return std::pair(std::move(content.documents), std::move(content.settings));
}

QStringList names(const Profile& profile) {
  QStringList names;
  for (const Layer& layer : profile.layers) names << QString::fromStdString(layer.name);
  return names;
}

class TestProfileEdits : public QObject {
  Q_OBJECT

 private slots:
  void figures_keep_what_belongs_to_them() {
    Profile edited =
        taken(session::profile::with_figure(measured(), {3}, session::profile::LayerFigure::forward, 0.010));
    QCOMPARE(edited.layers[3].forward, Seconds(0.010));
    QCOMPARE(edited.layers[3].at[1].forward, Seconds(0.010));
    QCOMPARE(edited.layers[3].at[0], measured().layers[3].at[0]);  // other sizes stay
    QCOMPARE(edited.layers[4], measured().layers[4]);
    edited = taken(session::profile::with_figure(chain(), {3}, session::profile::LayerFigure::backward, 0.0268));
    QVERIFY(std::abs(edited.layers[3].backward_weight.count - 0.0122) < 1e-12);  // its share of backward
    edited = taken(session::profile::with_figure(chain(), {3}, session::profile::LayerFigure::backward, 0));
    QCOMPARE(edited.layers[3].backward_weight, Seconds());
    edited = taken(session::profile::with_figure(diamond(), {0}, session::profile::LayerFigure::output, 1001));
    QCOMPARE(edited.layers[0].outputs, (std::vector<Bytes>{Bytes(700), Bytes(301)}));
    Profile with_memory = chain();
    with_memory.layers[3].memory = LayerMemory{};
    with_memory.layers[3].memory->input = with_memory.layers[3].saved;
    edited = taken(session::profile::with_figure(with_memory, {3}, session::profile::LayerFigure::saved, 10));
    QCOMPARE(edited.layers[3].memory->input, Bytes(10));
    QCOMPARE(taken(session::profile::with_figure(chain(), {3}, session::profile::LayerFigure::parameters, 7))
                 .layers[3]
                 .parameters,
             Bytes(7));
    Profile cut = chain();
    cut.layers[3].parameters = Bytes(1000), cut.layers[3].replicated_parameters = Bytes(100);
    edited = taken(
        session::profile::with_figure(cut, {3}, session::profile::LayerFigure::parameters, 500));  // its share stays
    QCOMPARE(edited.layers[3].replicated_parameters, Bytes(50));
  }

  void several_layers_at_once() {
    const Profile set =
        taken(session::profile::with_figure(chain(), {0, 5, 49}, session::profile::LayerFigure::saved, 1e6));
    for (const std::size_t layer : {0u, 5u, 49u}) QCOMPARE(set.layers[layer].saved, Bytes(1'000'000));
    const Profile scaled = taken(
        session::profile::with_figure_scaled(measured(), {0, 5, 49}, session::profile::LayerFigure::forward, 1.5));
    for (const std::size_t layer : {0u, 5u, 49u})
      QCOMPARE(scaled.layers[layer].forward, measured().layers[layer].forward * 1.5);
    QCOMPARE(taken(session::profile::with_layer_kind(chain(), {1, 2}, " conv ")).layers[2].kind, std::string("conv"));
  }

  void nonsense_is_refused_data() {
    QTest::addColumn<double>("value");
    QTest::newRow("below 0") << -1.0;
    QTest::newRow("no number") << std::nan("");
    QTest::newRow("endless") << std::numeric_limits<double>::infinity();
    QTest::newRow("huge") << 1e300;
  }
  void nonsense_is_refused() {
    QFETCH(double, value);
    for (const auto figure : {session::profile::LayerFigure::forward, session::profile::LayerFigure::backward,
                              session::profile::LayerFigure::output, session::profile::LayerFigure::saved,
                              session::profile::LayerFigure::parameters}) {
      QVERIFY(!session::profile::with_figure(chain(), {3}, figure, value));
      QVERIFY(!session::profile::with_figure_scaled(chain(), {3}, figure, value));
    }
    QVERIFY(!session::profile::with_figure(chain(), {}, session::profile::LayerFigure::forward, 1));
    QVERIFY(!session::profile::with_figure(chain(), {50}, session::profile::LayerFigure::forward, 1));
    QVERIFY(!session::profile::with_figure(chain(), {-1}, session::profile::LayerFigure::forward, 1));
    QVERIFY(!session::profile::rename_layer(chain(), 3, "  "));
    QVERIFY(!session::profile::rename_layer(chain(), 3, "layer_4"));
    QCOMPARE(taken(session::profile::rename_layer(chain(), 3, " layer_3 ")), chain());
  }

  void layers_come_into_chains_and_graphs() {
    Profile edited = taken(session::profile::with_layer_inserted(chain(), 2));
    QCOMPARE(edited.layers.size(), std::size_t{51});
    QCOMPARE(edited.layers[2].forward, Seconds());
    QCOMPARE(edited.layers[2].output, chain().layers[1].output);
    QVERIFY(edited.is_chain());
    QCOMPARE(taken(session::profile::with_layer_inserted(chain(), 50)).layers.back().name, std::string("new layer"));
    edited = taken(session::profile::with_layer_inserted(diamond(), 3));
    QCOMPARE(edited.edges.size(), std::size_t{5});  // both branches join in the new one
    edited = taken(session::profile::with_layer_inserted(diamond(), 0));
    QCOMPARE(edited.layers[1].name, std::string("a"));
    edited = taken(session::profile::with_layer_inserted(diamond(), 4));
    QCOMPARE(edited.edges.back(), (Edge{LayerId(3), LayerId(4), {}}));
    QVERIFY(!session::profile::with_layer_inserted(chain(), 51));
    QVERIFY(!session::profile::with_layer_inserted(chain(), -1));
  }

  void layers_are_doubled() {
    const Profile edited = taken(session::profile::with_layers_duplicated(chain(), {2, 3}));
    QCOMPARE(names(edited).mid(2, 4), (QStringList{"layer_2", "layer_2 (2)", "layer_3", "layer_3 (2)"}));
    const Profile graph = taken(session::profile::with_layers_duplicated(diamond(), {0, 1}));
    QCOMPARE(names(graph), (QStringList{"a", "a (2)", "b", "b (2)", "c", "d"}));
    QCOMPARE(graph.edges.size(), std::size_t{6});
  }

  void layers_go() {
    const Profile edited = taken(session::profile::without_layers(chain(), {0, 1, 49}));
    QCOMPARE(edited.layers.size(), std::size_t{47});
    const Profile graph = taken(session::profile::without_layers(diamond(), {1}));
    QCOMPARE(names(graph), (QStringList{"a", "c", "d"}));
    QCOMPARE(graph.edges.size(), std::size_t{3});  // a goes to d by itself
    QCOMPARE(taken(session::profile::without_layers(diamond(), {1, 2, 3})).layers.size(), std::size_t{1});
    QVERIFY(!session::profile::without_layers(diamond(), {0, 1, 2, 3}));
  }

  void merged_layers_are_sums() {
    const Profile edited = taken(session::profile::with_layers_merged(chain(), {2, 3, 4}));
    QCOMPARE(edited.layers.size(), std::size_t{48});
    QCOMPARE(edited.layers[2].name, std::string("layer_2 … layer_4"));
    QVERIFY(std::abs(edited.layers[2].forward.count - 3 * 0.00807) < 1e-12);
    QCOMPARE(edited.layers[2].output, chain().layers[4].output);
    QCOMPARE(edited.layers[2].parameters.count, 3 * chain().layers[2].parameters.count);
    Profile cut = chain();
    for (const std::size_t layer : {2, 3}) cut.layers[layer].replicated_parameters = Bytes(10);
    QCOMPARE(taken(session::profile::with_layers_merged(cut, {2, 3, 4})).layers[2].replicated_parameters, Bytes(20));
    QVERIFY(std::abs((whole_forward(edited) - whole_forward(chain())).count) < 1e-12);
    QVERIFY(!session::profile::with_layers_merged(chain(), {2, 4}));
    QVERIFY(!session::profile::with_layers_merged(chain(), {2}));
    const Profile graph = taken(session::profile::with_layers_merged(diamond(), {1, 2}));
    QCOMPARE(graph.edges.size(), std::size_t{3});
    QCOMPARE(graph.layers[1].output, Bytes(200));
    QVERIFY(!session::profile::with_layers_merged(diamond(), {0, 3}));  // it would depend on itself
    const Profile sizes = taken(session::profile::with_layers_merged(measured(), {2, 3}));
    QCOMPARE(sizes.layers[2].at.size(), std::size_t{3});
    QCOMPARE(sizes.layers[2].at[2].forward, measured().layers[2].at[2].forward * 2);
  }

  void gaps_can_be_filled() {
    const Profile split = taken(session::profile::with_even_splits(chain(), {0, 1}));
    QCOMPARE(split.layers[0].tensor_parallel.size(), std::size_t{3});
    QCOMPARE(split.layers[0].tensor_parallel[1].forward, split.layers[0].forward * 0.25);
    QVERIFY(split.layers[2].tensor_parallel.empty());
    QCOMPARE(taken(session::profile::rename_device(chain(), " T4 ")).device, std::string("T4"));
    QVERIFY(!session::profile::rename_device(chain(), ""));
  }

  void rows_come_back_as_they_went() {
    const QString text = session::profile::layers_to_text(measured(), {0, 1, 2, 49});
    QCOMPARE(text.count('\n'), 5);
    QVERIFY(
        text.startsWith("Layer\tKind\tForward\tBackward\tOutput\tSaved\tParameters\nembedding_0\tembedding\t4 ms\t"));
    QCOMPARE(taken(session::profile::with_text_pasted(measured(), 7, 0, text)), measured());
    QCOMPARE(taken(session::profile::with_text_pasted(measured(), 7, 3, QString(text).replace("\n", "\r\n"))),
             measured());
  }

  void rows_under_a_heading_find_their_layers() {
    const Profile edited = taken(session::profile::with_text_pasted(
        chain(), 2, 0, "layer\tForward (us)\tParameters (MiB)\tcolour\nlayer_9\t1500\t2\tred\nfresh\t0,25\t1\tblue\n"));
    QCOMPARE(edited.layers.size(), std::size_t{51});
    QVERIFY(std::abs(edited.layers[10].forward.count - 0.0015) < 1e-12);
    QCOMPARE(edited.layers[10].parameters, Bytes(2 << 20));
    QCOMPARE(edited.layers[3].name, std::string("fresh"));
    QVERIFY(std::abs(edited.layers[3].forward.count - 0.25e-6) < 1e-15);
  }

  void cells_without_a_heading_go_from_the_current_one_on() {
    const Profile edited = taken(session::profile::with_text_pasted(chain(), 48, 2, "1\t2 ms\n3 s\t\n5us\t6"));
    QCOMPARE(edited.layers.size(), std::size_t{51});  // one row more than there were
    QCOMPARE(edited.layers[48].forward, Seconds(0.001));
    QCOMPARE(edited.layers[49].forward, Seconds(3));
    QCOMPARE(edited.layers[49].backward, chain().layers[49].backward);  // an empty cell
    QVERIFY(std::abs(edited.layers[50].forward.count - 5e-6) < 1e-15);
  }

  void bad_rows_are_refused_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("place");
    QTest::newRow("nothing") << "\n\n"
                             << "";
    QTest::newRow("a document") << "{\n\"format\": \"pipedeck.plan\"}"
                                << "";
    QTest::newRow("words for figures") << "1\nfast"
                                       << "row 2, Forward";
    QTest::newRow("another unit") << "3 GiB"
                                  << "row 1, Forward";
    QTest::newRow("below 0") << "-3"
                             << "row 1, Forward";
    QTest::newRow("no number") << "nan"
                               << "row 1, Forward";
    QTest::newRow("a crowd") << QString("1\n").repeated(6000) << "";
  }
  void bad_rows_are_refused() {
    QFETCH(QString, text);
    QFETCH(QString, place);
    const auto edited = session::profile::with_text_pasted(chain(), 0, 2, text);
    QVERIFY(!edited);
    QCOMPARE(QString::fromStdString(edited.error().place), place);
  }

  /// Each edit is one step whose undo gives the bytes of the project back.
  void undo_gives_the_bytes_back() {
    session::project::State state = session::project::with_profile({}, chain()).state;
    const int id = state.profiles.front().id;
    const auto before = bytes_of(state);
    const std::vector<std::function<Result<Profile>(const Profile&)>> edits{
        [](const Profile& p) {
          return session::profile::with_figure(p, {1}, session::profile::LayerFigure::forward, 1);
        },
        [](const Profile& p) {
          return session::profile::with_figure_scaled(p, {1, 2}, session::profile::LayerFigure::saved, 2);
        },
        [](const Profile& p) { return session::profile::rename_layer(p, 1, "other"); },
        [](const Profile& p) { return session::profile::with_layer_kind(p, {1}, "other"); },
        [](const Profile& p) { return session::profile::with_layer_inserted(p, 1); },
        [](const Profile& p) {
          return session::profile::with_layers_duplicated(p, {1, 4});
        },
        [](const Profile& p) {
          return session::profile::without_layers(p, {1, 4});
        },
        [](const Profile& p) {
          return session::profile::with_layers_merged(p, {1, 2});
        },
        [](const Profile& p) { return session::profile::with_even_splits(p, {1}); },
        [](const Profile& p) { return session::profile::rename_device(p, "L4"); },
        [](const Profile& p) { return session::profile::with_text_pasted(p, 1, 0, "renamed\tkind\t1"); }};
    session::project::History<session::project::State> history(state);
    for (const auto& edit : edits) {
      const session::project::Replaced replaced =
          session::profile::with_profile_edited(history.state(), id, taken(edit(chain())));
      QVERIFY(history.push("edit", replaced.state));
      QVERIFY(session::project::find_profile(history.state(), id)->profile->source.ends_with("edited by hand"));
      QVERIFY(!(bytes_of(history.state()) == before));
      history.undo();
      QVERIFY(bytes_of(history.state()) == before);
    }
  }
};

PIPEDECK_TEST(TestProfileEdits)

}  // namespace pipedeck::tst_profile_edits

#include "tst_profile_edits.moc"
