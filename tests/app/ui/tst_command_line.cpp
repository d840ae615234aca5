// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "app/ui/command_line.hpp"

using namespace pipedeck::app;

class TestCommandLine : public QObject {
  Q_OBJECT

 private slots:
  void files_and_options() {
    const WindowCommand command =
        parse_command_line({"--compare", "a.json", "--screenshot", "run", "x.png", "--screenshot", "window", "y.svg",
                            "--reset-layout", "--", "--b"});
    QVERIFY(command.error.isEmpty());
    QVERIFY(command.compare && command.reset_layout && !command.help);
    QCOMPARE(command.files, (QStringList{"a.json", "--b"}));
    QCOMPARE(command.screenshots.size(), std::size_t{2});
    QVERIFY(command.screenshots[1] == (Screenshot{"window", "y.svg"}));
  }
  void mistakes_name_what_was_found() {
    QVERIFY(parse_command_line({"--screenshot", "run"}).error.contains("--screenshot"));
    QVERIFY(parse_command_line({"--screenshot", "sky", "x.png"}).error.contains("'sky'"));
    QVERIFY(parse_command_line({"--frobnicate"}).error.contains("--frobnicate"));
  }
};

QTEST_APPLESS_MAIN(TestCommandLine)
#include "tst_command_line.moc"
