// SPDX-License-Identifier: GPL-3.0-or-later
// German: the translations are whole, and what the core puts together of parts is German too.
#include <QFile>
#include <QRegularExpression>
#include <QTest>
#include <QXmlStreamReader>

#include "app/language/core_text.hpp"
#include "app/language/core_texts.hpp"
#include "app/language/language.hpp"
#include "app/models/format.hpp"
#include "app/views/quantity_edit.hpp"
#include "core/io/json_formats.hpp"
#include "core/planner/planner.hpp"
#include "core/presets/computed_profile.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/presets.hpp"
#include "core/schedule/build.hpp"
#include "core/sim/simulate.hpp"

using namespace pipedeck;
using namespace pipedeck::app;

namespace {

struct Message {
  QString context, source, type;
  bool plural = false;
  QStringList translations;  ///< one, or one a form of the plural
};

std::vector<Message> messages() {
  QFile file(QStringLiteral(PIPEDECK_TRANSLATIONS));
  if (!file.open(QIODevice::ReadOnly)) return {};
  std::vector<Message> all;
  QString context;
  for (QXmlStreamReader xml(&file); !xml.atEnd(); xml.readNext()) {
    if (!xml.isStartElement()) continue;
    const auto name = xml.name();
    if (name == QLatin1String("name")) context = xml.readElementText();
    if (name == QLatin1String("message"))
      all.push_back({context, {}, {}, xml.attributes().hasAttribute(QLatin1String("numerus")), {}});
    if (name == QLatin1String("source")) all.back().source = xml.readElementText();
    if (name == QLatin1String("translation")) {
      all.back().type = xml.attributes().value(QLatin1String("type")).toString();
      if (all.back().plural) continue;
      const QString text = xml.readElementText();
      if (!text.isEmpty()) all.back().translations << text;
    }
    if (name == QLatin1String("numerusform")) all.back().translations << xml.readElementText();
  }
  return all;
}

QStringList found(const QString& text, const char* pattern) {
  QStringList all;
  for (auto match = QRegularExpression(QLatin1String(pattern)).globalMatch(text); match.hasNext();)
    all << match.next().captured();
  all.sort();
  return all;
}
QStringList placeholders(const QString& text) { return found(text, "%(?:L?\\d+|n)"); }

/// Words that no German sentence has.
QStringList english_words(const QString& text) {
  return found(
      text,
      "(?i)\\b(the|of|and|with|found|expected|stages?|layers?|devices?|fits?|every|each|more|than|takes|costs|"
      "moving|warm-up|slowest|without|which|none|has|have|is|are|all|before|after|to|from|for|its|quicker)\\b");
}

/// The digits of figures, however they are written.
QStringList figures(QString text) {
  text.replace(QLatin1Char(','), QLatin1Char('.'));
  return found(text, "\\d+(?:\\.\\d+)?");
}

void check_german(const std::string& english, bool figures_too = true) {
  const QString text = core_text(english);
  const QString names =
      QStringLiteral("(DAPPLE|All-Reduces?|any:|all:|PipeDream|CAPTURE|Megatron-LM|--[\\w-]+|\u201e[^\u201c]*\u201c)");
  const QString plain = QString(text).remove(QRegularExpression(names));
  QVERIFY2(english_words(plain).isEmpty(), qPrintable(QStringLiteral("%1\n -> %2\n has %3")
                                                          .arg(QString::fromStdString(english), text,
                                                               english_words(plain).join(QStringLiteral(", ")))));
  if (figures_too)
    QVERIFY2(figures(text) == figures(QString::fromStdString(english)),
             qPrintable(QString::fromStdString(english) + QStringLiteral("\n -> ") + text));
}

Problem sample(std::int64_t gibibytes = 16, int batch = 64) {
  Problem problem;
  problem.profile = std::make_shared<const Profile>(*profile_preset("BERT-48"));
  Cluster cluster = *cluster_preset("DAPPLE config A, 2 \u00d7 8 V100");
  for (DeviceType& type : cluster.device_types) type.memory = Bytes(gibibytes << 30);
  problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
  problem.workload.global_batch = batch;
  return problem;
}

Result<Ranking> answer(const PlannerInfo& planner, const Problem& problem) {
  const auto simulator = Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  if (!simulator) return tl::unexpected(simulator.error());
  PlannerContext context;
  context.score = score_of(*simulator);
  context.fits = fits_of(*simulator);
  context.explain = true;
  return run_planner(planner, problem, {}, context);
}

}  // namespace

class TestLanguage : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { install_language(*QCoreApplication::instance(), QStringLiteral("de")); }

  void everyTextIsTranslated() {
    const std::vector<Message> all = messages();
    QVERIFY(all.size() > 1400);
    for (const Message& message : all) {
      const QByteArray source = message.source.toUtf8();
      QVERIFY2(!message.context.isEmpty(), source.constData());
      QVERIFY2(message.type.isEmpty() && !message.translations.isEmpty(), source.constData());
    }
  }

  void formulasAreGerman() {
    AnalyticOptions options;
    for (const AttentionMemory attention : {AttentionMemory::fused, AttentionMemory::selective}) {
      options.attention = attention;
      const auto made = computed_profile(*transformer_preset("Llama 3 8B"), *catalogue_device("A100-80GB"), options);
      QVERIFY(made.has_value());
      for (const LayerExplanation& layer : made->explanations)
        for (const std::string& figure : layer.figures) {
          const QString english = QString::fromStdString(figure);
          if (!english.contains(QLatin1String(" ms"))) continue;
          check_german(figure);
          for (const char* word : {"forward,", "backward", "operations", "launches", "weights", "moved"})
            QVERIFY2(!core_text(figure).contains(QLatin1String(word)), qPrintable(core_text(figure)));
        }
    }
  }

  void placeholdersStay() {
    for (const Message& message : messages())
      for (const QString& translation : message.translations) {
        QStringList wanted = placeholders(message.source);
        if (message.plural && !translation.contains(QLatin1String("%n"))) wanted.removeAll(QStringLiteral("%n"));
        QCOMPARE(placeholders(translation), wanted);
        QCOMPARE(translation.count(QLatin1Char('\n')), message.source.count(QLatin1Char('\n')));
        QCOMPARE(found(translation, "<[^>]+>"), found(message.source, "<[^>]+>"));
        QCOMPARE(translation.endsWith(QChar(0x2026)), message.source.endsWith(QChar(0x2026)));
        if (message.context != QLatin1String("core"))
          QCOMPARE(translation.contains(QRegularExpression("&[^ &;]")),
                   message.source.contains(QRegularExpression("&[^ &;]")));
      }
  }

  void theProgramHasThem() {
    QCOMPARE(QCoreApplication::translate("pipedeck::app::MainWindow", "&File"), QStringLiteral("&Datei"));
    for (const Message& message : messages())
      if (message.translations.size() == 1 && message.context == QLatin1String("core"))
        QCOMPARE(QCoreApplication::translate("core", message.source.toUtf8().constData()),
                 message.translations.front());
  }

  void composedSentences_data() {
    QTest::addColumn<QString>("english");
    QTest::addColumn<QString>("german");
    const auto row = [](const char* name, const char* english, const char* german) {
      QTest::newRow(name) << QString::fromUtf8(english) << QString::fromUtf8(german);
    };
    row("whole", "found -1, expected a finite number from 0 to 5",
        "gefunden: -1, erwartet: eine endliche Zahl von 0 bis 5");
    row("a name is no word", "found the device type 'model', expected one of device_types",
        "gefunden: der Ger\u00e4tetyp \u201emodel\u201c, erwartet: einer aus device_types");
    row("at the end", "no plan fits the devices' memory with these pins",
        "kein Plan passt in den Speicher der Ger\u00e4te mit diesen Vorgaben");
    row("alternatives", "2 more nodes like \"n1\", or --global-batch 128 with --micro-batch 4",
        "2 weitere Knoten wie \u201en1\u201c, oder --global-batch 128 mit --micro-batch 4");
    row("capital",
        "Moving layer \"a\" from stage 1 to stage 0 costs 1.6 % and does not fit; moving layer \"b\" from "
        "stage 0 to stage 1 takes the same time.",
        "Verschieben von Schicht \u201ea\u201c aus Stufe 1 in Stufe 0 kostet 1,6 % und passt nicht; Verschieben von "
        "Schicht \u201eb\u201c aus Stufe 0 in Stufe 1 dauert gleich lange.");
    row("nested", "planner amp cannot honour --pin", "Planer amp kann --pin nicht einhalten");
    row("comma", "Micro-batch 8 is 3.0 % quicker but does not fit.",
        "Mikro-Batch 8 ist 3,0 % schneller, passt aber nicht.");
    row("certificate",
        "plans on all devices that DAPPLE's three placement policies reach, with micro-batches of 4, without "
        "recompute, under the pins: none has a lower L_max",
        "Pl\u00e4ne auf allen Ger\u00e4ten, die DAPPLEs drei Platzierungsregeln erreichen, mit Mikro-Batches von 4, "
        "ohne "
        "Neuberechnung, unter den Vorgaben: keiner hat ein kleineres L_max");
    row("levels",
        "no partition over the levels 8 x 2, on one level, or on any consecutive devices that uses every device "
        "has a quicker slowest stage",
        "keine Aufteilung \u00fcber die Ebenen 8 x 2, auf einer Ebene, oder auf beliebigen aufeinanderfolgenden "
        "Ger\u00e4ten, "
        "die jedes Ger\u00e4t nutzt, hat eine schnellere langsamste Stufe");
    row("objective",
        "T 96.000 ms = 3 x 12.000 ms (slowest stage, 0) + 60.000 ms (one micro-batch through all stages) + "
        "2.500 ms (its transfers).",
        "T 96,000 ms = 3 x 12,000 ms (langsamste Stufe, 0) + 60,000 ms (ein Mikro-Batch durch alle Stufen) + 2,500 ms "
        "(ihre \u00dcbertragungen).");
    row("a statement among others",
        "Busiest device 767.875 ms = 4 micro-batches x 191.969 ms (2 samples on device 8, V100-16GB). TaskGraph 0: "
        "replicate(8), sum of eq. 1 0.0000.",
        "Am st\u00e4rksten belegtes Ger\u00e4t 767,875 ms = 4 Mikro-Batches x 191,969 ms (2 Samples auf Ger\u00e4t 8, "
        "V100-16GB). TaskGraph 0: replicate(8), Summe von Gl. 1 0.0000.");
    row("a sum of items", "weights 1.875 GiB + activations of 5 micro-batches in flight 1.875 GiB + boundary 0.004 GiB",
        "Gewichte 1,875 GiB + Aktivierungen von 5 laufenden Mikro-Batches 1,875 GiB + Stufengrenze 0,004 GiB");
    row("an edit refused", "4 replicas of stage 1 need 2 more devices, and none is spare",
        "4 Replikate von Stufe 1 brauchen 2 weitere Ger\u00e4te, und keines ist frei");
    row("a GPU that is held back",
        "NVIDIA H200 at 00000000:81:00.0 (device 1, 3): its power limit holds its clocks back (1200 of 1980 MHz)",
        "NVIDIA H200 auf 00000000:81:00.0 (Ger\u00e4t 1, 3): die Leistungsgrenze bremst ihren Takt (1200 von 1980 "
        "MHz)");
    row("a GPU that is hot", "H200 at 00000000:81:00.0 (device 0): heat holds its clocks back: look at its cooling",
        "H200 auf 00000000:81:00.0 (Ger\u00e4t 0): W\u00e4rme bremst ihren Takt: die K\u00fchlung ansehen");
    row("unknown", "cuda_driver_17 says xyz", "cuda_driver_17 says xyz");
    row("nothing", "", "");
  }
  void composedSentences() {
    QFETCH(QString, english);
    QFETCH(QString, german);
    QCOMPARE(core_text(english), german);
  }

  void errorsSayFileAndPlace() {
    const auto profile = profile_from_json("{\"format\": \"pipedeck.profile\", \"version\": 1, \"name\": 3}");
    QVERIFY(!profile);
    Error error = profile.error();
    error.file = "a.profile.json";
    const QString text = core_text(error);
    QVERIFY2(text.startsWith(QStringLiteral("a.profile.json: ") + QString::fromStdString(error.place)),
             qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("erwartet")), qPrintable(text));
    QCOMPARE(core_text(Error{ErrorCode::bad_input, "found no such file", "b.csv", "line 3, cell 4"}),
             QStringLiteral("b.csv: Zeile 3, Zelle 4: gefunden: keine solche Datei"));
  }

  void whatPlannersSay() {
    for (const PlannerInfo& planner : planners()) {
      check_german(planner.summary, false);
      for (const OptionInfo& option : planner.options) check_german(option.help, false);
    }
    for (const ScheduleInfo& schedule : schedules()) check_german(schedule.summary, false);
  }

  void whyAPlanIsAsItIs() {
    const Problem problem = sample();
    int sentences = 0;
    for (const PlannerInfo& planner : planners()) {
      const auto ranking = answer(planner, problem);
      QVERIFY2(ranking, ranking ? "" : ranking.error().message.c_str());
      for (const Plan& plan : ranking->plans) {
        for (const std::string& why : plan.why) check_german(why), ++sentences;
        if (plan.objective) check_german(plan.objective->name, false);
        if (plan.certificate) check_german(plan.certificate->optimal_in), ++sentences;
      }
    }
    QVERIFY2(sentences > 20, qPrintable(QString::number(sentences)));
  }

  void whyNoPlanFits() {
    int reasons = 0;
    for (const Problem& problem : {sample(1), sample(16, 3)})
      for (const PlannerInfo& planner : planners()) {
        const auto ranking = answer(planner, problem);
        if (!ranking || !ranking->infeasible) continue;
        ++reasons;
        check_german(ranking->infeasible->reason);
        check_german(ranking->infeasible->relaxation);
      }
    QVERIFY(reasons > 5);
  }

  void figuresHaveTheCommaOfTheLanguage() {
    QCOMPARE(decimal(0.5, 1), QStringLiteral("0,5"));
    QCOMPARE(format_bytes(Bytes(12025908429)), QStringLiteral("11,2\u00a0GiB"));
    QCOMPARE(core_text(QStringLiteral("Warm-up A costs 2.5 %")), QStringLiteral("Anlauf A kostet 2,5 %"));
  }

  void fieldsReadCommaAndPoint() {
    QuantityEdit field(Measure::rate, QStringLiteral("GB/s"));
    field.set_range(0, 1e15, true);
    for (const char* text : {"3,1 GB/s", "3.1 GB/s"}) {
      field.set_value(1e9);
      field.setFocus();
      field.selectAll();
      QTest::keyClicks(&field, QString::fromUtf8(text));
      QTest::keyClick(&field, Qt::Key_Return);
      QCOMPARE(*field.value(), 3.1e9);
    }
    QVERIFY2(field.text().contains(QLatin1Char(',')), qPrintable(field.text()));
    QuantityEdit price(Measure::number);
    price.set_value(3.06);
    QCOMPARE(price.text(), QStringLiteral("3,06"));
  }
};

QTEST_MAIN(TestLanguage)
#include "tst_language.moc"
