// SPDX-License-Identifier: GPL-3.0-or-later
// Every reader can distinguish the kinds of operations. Eyes without red, green or blue cones are simulated (Machado,
// Oliveira and Fernandes 2009, severity 1). Two kinds must then differ in colour, or one of them is hatched.
#include <array>
#include <cmath>

#include <QTest>

#include "app/views/compare/stacked_bar.hpp"
#include "app/views/gantt/painter.hpp"
#include "app/views/widgets/theme.hpp"
#include "core/study/reports/kind_words.hpp"
#include "core/study/reports/palette.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_colours {

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

constexpr Matrix same{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix protanopia{
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix deuteranopia{
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
constexpr Matrix tritanopia{
    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};

double linear(double share) { return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4); }

Triple times(const Matrix& matrix, const Triple& from) {
  Triple to{};
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t i = 0; i < 3; ++i) to[row] += matrix[row][i] * from[i];
  return to;
}

/// CIE L*a*b* of a colour as such an eye sees it.
Triple seen(const QColor& color, const Matrix& eye) {
  Triple rgb = times(eye, {linear(color.redF()), linear(color.greenF()), linear(color.blueF())});
  for (double& part : rgb) part = std::clamp(part, 0.0, 1.0);
  constexpr Matrix to_xyz{
      {{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}};
  const Triple xyz = times(to_xyz, rgb);
  const auto root = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = root(xyz[0] / 0.95047), y = root(xyz[1]), z = root(xyz[2] / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double distance(const QColor& a, const QColor& b, const Matrix& eye) {
  const Triple left = seen(a, eye), right = seen(b, eye);
  return std::hypot(left[0] - right[0], left[1] - right[1], left[2] - right[2]);
}

class TestColours : public QObject {
  Q_OBJECT

 private slots:
  /// Pictures of reports are made without the window, in its colours.
  void reports_have_the_windows_colours() {
    const auto same = [](const study::reports::ColorRole& ink, const QColor& light, const QColor& dark) {
      QCOMPARE(QColor(QLatin1String(ink.light.data(), int(ink.light.size()))), light);
      QCOMPARE(QColor(QLatin1String(ink.dark.data(), int(ink.dark.size()))), dark);
    };
    const views::widgets::Theme &light = views::widgets::Theme::light(), &night = views::widgets::Theme::night();
    for (int k = 0; k < op_kind_count; ++k) {
      const auto kind = static_cast<OpKind>(k);
      same(study::reports::color_of(kind), light.of(kind), night.of(kind));
      QCOMPARE(study::reports::hatched(kind), views::widgets::Theme::hatched(kind));
      QCOMPARE(QString::fromStdString(study::reports::label_of(study::reports::Translator(), kind)),
               views::widgets::kind_text(kind));
    }
    for (int i = 0; i < memory_item_count; ++i) {
      const auto item = static_cast<MemoryItem>(i);
      same(study::reports::color_of(item), light.of(item), night.of(item));
      QCOMPARE(QString::fromStdString(study::reports::label_of(study::reports::Translator(), item)),
               views::widgets::item_text(item));
    }
    same(study::reports::inks::text, light.text, night.text);
    same(study::reports::inks::muted, light.muted, night.muted);
    same(study::reports::inks::panel, light.panel, night.panel);
    same(study::reports::inks::window, light.window, night.window);
    same(study::reports::inks::border, light.border, night.border);
    same(study::reports::inks::warning, light.warning, night.warning);
    same(study::reports::inks::bad, light.bad, night.bad);
  }

  void kinds_differ_for_every_eye_data() {
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
  }

  void kinds_differ_for_every_eye() {
    QFETCH(bool, dark);
    constexpr double least = 12;  // a quarter of that is just noticed side by side
    const views::widgets::Theme& theme = dark ? views::widgets::Theme::night() : views::widgets::Theme::light();
    for (int i = 0; i < op_kind_count; ++i)
      for (int j = i + 1; j < op_kind_count; ++j) {
        const auto a = static_cast<OpKind>(i), b = static_cast<OpKind>(j);
        if (views::widgets::kind_text(a) == views::widgets::kind_text(b)) continue;  // send and receive: a transfer
        if (views::widgets::Theme::hatched(a) != views::widgets::Theme::hatched(b)) continue;
        for (const Matrix& eye : {same, protanopia, deuteranopia, tritanopia})
          QVERIFY2(distance(theme.of(a), theme.of(b), eye) >= least,
                   qPrintable(QString("%1 and %2: %3")
                                  .arg(views::widgets::kind_text(a), views::widgets::kind_text(b))
                                  .arg(distance(theme.of(a), theme.of(b), eye))));
      }
  }

  /// A hatch is one only where its lines differ from its ground, for every eye.
  void hatches_are_seen_data() { kinds_differ_for_every_eye_data(); }

  void hatches_are_seen() {
    QFETCH(bool, dark);
    const views::widgets::Theme& theme = dark ? views::widgets::Theme::night() : views::widgets::Theme::light();
    for (const auto& [kind, lines] :
         {std::pair(OpKind::backward_weight, OpKind::backward), std::pair(OpKind::recompute, OpKind::forward)}) {
      QVERIFY(views::widgets::Theme::hatched(kind));
      for (const Matrix& eye : {same, protanopia, deuteranopia, tritanopia})
        QVERIFY(distance(theme.of(kind), theme.of(lines), eye) >= 20);
    }
  }

  /// A dimension of parallelism has one colour in all charts, and each another one.
  void dimensions_have_colours_of_their_own_data() { kinds_differ_for_every_eye_data(); }

  void dimensions_have_colours_of_their_own() {
    QFETCH(bool, dark);
    const views::widgets::Theme& theme = dark ? views::widgets::Theme::night() : views::widgets::Theme::light();
    using models::compare::InspectorPartKind;
    using models::gantt::LanePart;
    const std::tuple<TimePart, LanePart, InspectorPartKind> dimensions[] = {
        {TimePart::tensor_parallel, LanePart::tensor, InspectorPartKind::tensor_parallel},
        {TimePart::context_parallel, LanePart::context, InspectorPartKind::context_parallel},
        {TimePart::expert_parallel, LanePart::expert, InspectorPartKind::expert_parallel}};
    for (const auto& [part, lane, kind] : dimensions) {
      QCOMPARE(theme.of(part), views::gantt::colour_of(lane, theme));
      QCOMPARE(theme.of(part), views::compare::colour_of(kind, theme));
    }
    for (int i = 0; i < time_part_count; ++i)
      for (int j = i + 1; j < time_part_count; ++j)
        QVERIFY2(distance(theme.of(static_cast<TimePart>(i)), theme.of(static_cast<TimePart>(j)), same) >= 6,
                 qPrintable(QString("%1 and %2").arg(i).arg(j)));
  }

  void kinds_stand_out_from_the_empty_lane_data() { kinds_differ_for_every_eye_data(); }

  void kinds_stand_out_from_the_empty_lane() {
    QFETCH(bool, dark);
    const views::widgets::Theme& theme = dark ? views::widgets::Theme::night() : views::widgets::Theme::light();
    for (int kind = 0; kind < op_kind_count; ++kind)
      for (const Matrix& eye : {same, protanopia, deuteranopia, tritanopia})
        QVERIFY(distance(theme.of(static_cast<OpKind>(kind)), theme.panel, eye) >= 18);
  }

  /// Texts on their grounds, as WCAG 2 asks at level AA: 4.5; what cannot be chosen: 3.
  void texts_have_contrast_data() { kinds_differ_for_every_eye_data(); }

  void texts_have_contrast() {
    QFETCH(bool, dark);
    const views::widgets::Theme& theme = dark ? views::widgets::Theme::night() : views::widgets::Theme::light();
    const std::pair<const char*, QColor> grounds[] = {{"window", theme.window},
                                                      {"panel", theme.panel},
                                                      {"raised", theme.raised},
                                                      {"card", theme.card},
                                                      {"selection", theme.accent_soft}};
    const std::pair<const char*, QColor> texts[] = {{"text", theme.text},     {"muted", theme.muted},
                                                    {"accent", theme.accent}, {"good", theme.good},
                                                    {"bad", theme.bad},       {"warning", theme.warning}};
    const auto readable = [](const char* text, const QColor& ink, const char* on, const QColor& ground, double least) {
      const double found = views::widgets::contrast(ink, ground);
      QVERIFY2(found >= least, qPrintable(QString("%1 on %2: %3").arg(text, on).arg(found)));
    };
    for (const auto& [on, ground] : grounds) {
      for (const auto& [text, ink] : texts) readable(text, ink, on, ground, 4.5);
    }
    readable("impossible", theme.impossible, "panel", theme.panel, 3);
    readable("good", theme.good, "good, soft", theme.good_soft, 4.5);
    readable("bad", theme.bad, "bad, soft", theme.bad_soft, 4.5);
    readable("warning", theme.warning, "warning, soft", theme.warning_soft, 4.5);
    readable("text", theme.text, "warning, soft", theme.warning_soft, 4.5);
    readable("on button", theme.on(theme.button), "button", theme.button, 4.5);
    readable("on accent", theme.on(theme.accent), "accent", theme.accent, 4.5);
    for (int kind = 0; kind < op_kind_count; ++kind) {
      const QColor box = theme.of(static_cast<OpKind>(kind));
      readable("on box", theme.on(box), "kind", box, 4.5);
      const study::reports::ColorRole& ink = study::reports::ink_on(static_cast<OpKind>(kind));
      const std::string_view value = dark ? ink.dark : ink.light;
      readable("on box of a report", QColor(QLatin1String(value.data(), int(value.size()))), "kind", box, 4.5);
    }
    for (int item = 0; item < memory_item_count; ++item) {
      const QColor box = theme.of(static_cast<MemoryItem>(item));
      readable("on item", theme.on(box), "item", box, 4.5);
    }
    for (std::size_t i = 0; i < theme.group.size(); ++i) {
      readable("text", theme.text, "group", theme.group_fill[i], 4.5);
      readable("on edge", theme.on(theme.group[i]), "group's edge", theme.group[i], 4.5);
    }
  }

  /// A colour has one meaning: no kind, item or state shares it.
  void colours_have_one_meaning_data() { kinds_differ_for_every_eye_data(); }

  void colours_have_one_meaning() {
    QFETCH(bool, dark);
    const views::widgets::Theme& theme = dark ? views::widgets::Theme::night() : views::widgets::Theme::light();
    std::vector<std::pair<QString, QColor>> all{
        {"accent", theme.accent}, {"good", theme.good}, {"bad", theme.bad}, {"warning", theme.warning}};
    for (int kind = 0; kind < op_kind_count; ++kind)
      if (static_cast<OpKind>(kind) != OpKind::receive)  // with send: a transfer
        all.emplace_back(views::widgets::kind_text(static_cast<OpKind>(kind)), theme.of(static_cast<OpKind>(kind)));
    for (int item = 0; item < memory_item_count; ++item)
      all.emplace_back(views::widgets::item_text(static_cast<MemoryItem>(item)),
                       theme.of(static_cast<MemoryItem>(item)));
    for (const QColor& group : theme.group) all.emplace_back("group", group);
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = i + 1; j < all.size(); ++j)
        QVERIFY2(all[i].second != all[j].second, qPrintable(all[i].first + " and " + all[j].first));
  }

  /// Gains and losses in a difference lane are blue and orange, never red and green.
  void gained_and_lost_differ_for_every_eye_data() { kinds_differ_for_every_eye_data(); }

  void gained_and_lost_differ_for_every_eye() {
    QFETCH(bool, dark);
    const views::widgets::Theme& theme = dark ? views::widgets::Theme::night() : views::widgets::Theme::light();
    for (const Matrix& eye : {same, protanopia, deuteranopia, tritanopia})
      QVERIFY(distance(theme.of(OpKind::forward), theme.of(OpKind::backward), eye) >= 40);
  }
};

PIPEDECK_TEST(TestColours)

}  // namespace pipedeck::tst_colours

#include "tst_colours.moc"
