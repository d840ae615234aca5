// SPDX-License-Identifier: GPL-3.0-or-later
// Screens of all pages by the program itself: light and dark, at one and at two pixels a point.
// They lie in the build folder's pictures/screens for people to look at; here it is checked that each is drawn, in its
// size.
#include <QImage>
#include <QProcess>
#include <QTest>

#include "app/ui/window/command_line.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_screens {

using namespace pipedeck::test;

class TestScreens : public QObject {
  Q_OBJECT

 private:
  /// Every view that the program offers to draw: named in its own message.
  static QStringList views() {
    const QString message = ui::window::parse_command_line({"--screenshot", "none of them", "x.png"}).error;
    return message.section(QStringLiteral("expected one of "), 1).split(QStringLiteral(", "), Qt::SkipEmptyParts);
  }
  static int colours(const QImage& image) {
    QSet<QRgb> seen;
    for (int y = 0; y < image.height(); y += 7)
      for (int x = 0; x < image.width(); x += 7) seen << image.pixel(x, y);
    return static_cast<int>(seen.size());
  }

 private slots:
  void every_view_data() {
    QTest::addColumn<QString>("appearance");
    QTest::addColumn<int>("scale");
    for (const char* appearance : {"light", "dark"})
      for (const int scale : {1, 2})
        QTest::addRow("%s, %d x", appearance, scale) << QString::fromLatin1(appearance) << scale;
  }

  void every_view() {
    QFETCH(QString, appearance);
    QFETCH(int, scale);
    const QString folder = pictures_folder() + "screens/";
    QDir().mkpath(folder);
    QTemporaryDir home;
    QStringList arguments{"--compare", "--appearance", appearance};
    QStringList files;
    QVERIFY(views().size() >= 8);
    for (const QString& view : views()) {
      files << folder + QString("%1-%2-%3x.png").arg(view, appearance).arg(scale);
      QFile::remove(files.back());
      arguments << "--screenshot" << view << files.back();
    }
    QProcess program;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("QT_QPA_PLATFORM", "offscreen");
    environment.insert("QT_SCALE_FACTOR", QString::number(scale));
    environment.insert("XDG_CONFIG_HOME", home.path());
    environment.insert("XDG_STATE_HOME", home.path());
    program.setProcessEnvironment(environment);
    program.start(QStringLiteral(PIPEDECK_BUILD_DIR "/pipedeck"), arguments);
    QVERIFY(program.waitForFinished(120000));
    QVERIFY2(program.exitCode() == 0, program.readAllStandardError().constData());
    for (const QString& file : files) {
      const QImage image(file);
      QVERIFY2(!image.isNull() && image.width() >= 600 * scale, qPrintable(file));
      QVERIFY2(colours(image) >= 8, qPrintable(file));
    }
    const QImage window(folder + QString("window-%1-%2x.png").arg(appearance).arg(scale));
    QCOMPARE(window.size(), QSize(1680, 1050) * scale);
  }
};

PIPEDECK_WINDOW_TEST(TestScreens)

}  // namespace pipedeck::tst_screens

#include "tst_screens.moc"
