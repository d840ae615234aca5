// SPDX-License-Identifier: Apache-2.0
// Shell scripts, read without a shell: bash itself prints the words that a command gets.
#include <QProcess>
#include <QTest>

#include <string>
#include <vector>

#include "core/io/jobs/shell_script.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_shell_script {

using io::jobs::read_shell_script;

/// Returns the words that bash gives to the commands `job`, one a line; words have no line ends.
std::vector<std::string> by_bash(const std::string& script) {
  QProcess bash;
  bash.start("/bin/bash", {"-c", QString::fromStdString("job() { printf '%s\\n' \"$@\" @end; }\n" + script)});
  if (!bash.waitForFinished()) return {"no bash"};
  std::vector<std::string> words;
  QList<QByteArray> lines = bash.readAllStandardOutput().split('\n');
  lines.removeLast();
  for (const QByteArray& line : lines) words.push_back(line.toStdString());
  return words;
}

std::vector<std::string> by_reader(const std::string& script) {
  const auto read = read_shell_script(script);
  if (!read) return {read.error().text()};
  std::vector<std::string> words;
  for (const auto& command : read->commands) {
    if (command.words.front() != "job") continue;
    words.insert(words.end(), command.words.begin() + 1, command.words.end());
    words.emplace_back("@end");
  }
  return words;
}

class TestShellScript : public QObject {
  Q_OBJECT
 private slots:
  void words_are_those_of_bash_data() {
    QTest::addColumn<QString>("script");
    const std::vector<const char*> scripts{
        "job --a 1 --b=2 'x y' \"p q\" a\\ b c\"d\"'e'",
        "job --a 1 \\\n  --b 2 # a remark\njob next",
        "TP=8; PP=4\njob --tp $TP --pp ${PP}x --both \"$TP $PP\" '$TP'",
        "A=(--x 1 \"two words\" # remark\n  --y\n)\njob \"${A[@]}\" z ${A[@]} ${A[0]}",
        "E=(); job x \"${E[@]}\" \"$E\" y",
        "A=(a); A+=(b \"c d\"); B=x; B+=y; job \"${A[@]}\" $B",
        "OPTS=\"\n  --a 1 \\\n  --b 2\n\"\njob $OPTS",
        "A=\"--x 1\"; B=\"$A --y ${NONE:-3} ${A:+yes} ${NONE-d}\"; job $B",
        "N=4; G=8; W=$(($N*$G)); job $W $((W / 2 + (N-1) % 3)) $(( ${N} * 2 ))",
        "TP=2\nif [ $TP -gt 1 ]; then S=\"--sp\"; else S=\"\"; fi\njob $S end",
        "M=7B\nif [ $M = 1B ]; then L=1\nelif [[ $M == 7B ]]; then L=32\nelse L=80\nfi\njob $L",
        "if [ 1 -eq 2 ]; then\n if [ 1 -eq 1 ]; then A=1; fi\nelse\n A=2; fi\njob $A",
        "[ -z \"$UNSET_ONE\" ] && X=empty || X=full\njob $X",
        "[ 1 -eq 2 ] && job no || job yes; true && job both; false || job either",
        "if [ 1 -eq 1 ] && [ 2 -eq 3 ]; then A=1; else A=2; fi; job $A",
        "if [ ! -z \"$UNSET_ONE\" ]; then job a; fi; if ! [ 3 -lt 2 ]; then job b; fi",
        "job a 2> /dev/null\njob b 2>&1 | cat\njob c < /dev/null",
        "cat > /dev/null <<EOF\njob inside\nEOF\njob outside",
        "cat <<-'END' > /dev/null\n\tjob inside\n\tEND\njob outside",
        "export A=1 B=2\njob $A $B; readonly C=3; job $C",
        "A=1\nA=2 # last\njob \"$A\"\"$A\" ''",
        "job \"a\\\"b\" \"c\\\\d\" \"e\\$f\" 'g\\h' \"i\\j\"",
        "X=\"a  b\"; Y=$X; job $Y \"$Y\" \"${Y}\"",
        "{ job grouped; }; (job sub)",
    };
    for (const char* script : scripts) QTest::newRow(script) << script;
  }
  void words_are_those_of_bash() {
    QFETCH(QString, script);
    QCOMPARE(by_reader(script.toStdString()), by_bash(script.toStdString()));
  }

  void nothing_is_run() {
    const auto read = read_shell_script("job $(touch /tmp/pipedeck-never) `echo x` $1 $NODE_RANK \"$@\" a");
    QVERIFY(read);
    QCOMPARE(read->commands.front().words, (std::vector<std::string>{"job", "a"}));
    QCOMPARE(read->unknown, (std::vector<std::string>{"$(...)", "`...`", "$1", "$NODE_RANK", "$@"}));
  }

  void given_variables_are_those_of_the_caller() {
    const std::vector<io::jobs::Variable> given{{"TP", "8"}};
    const auto read = read_shell_script("job --tp ${TP:-1}", given);
    QVERIFY(read);
    QCOMPARE(read->commands.front().words.back(), std::string("8"));
  }

  void branches_that_cannot_be_followed_are_told() {
    const auto read = read_shell_script("case $X in\n a) A=1;;\n *) A=2;;\nesac\nfor i in 1 2; do job $i; done");
    QVERIFY(read && read->skipped);
  }

  void broken_scripts_have_their_line_data() {
    QTest::addColumn<QString>("script");
    QTest::addColumn<QString>("place");
    QTest::newRow("quotes") << "a\njob \"x"
                            << "line 2";
    QTest::newRow("single quotes") << "job 'x"
                                   << "line 1";
    QTest::newRow("array") << "a\nb\nA=(x"
                           << "line 3";
    QTest::newRow("bracket in an array") << "A=(x <(y))"
                                         << "line 1";
    QTest::newRow("value") << "job ${A"
                           << "line 1";
    QTest::newRow("command") << "job $(a"
                             << "line 1";
    QTest::newRow("old command") << "job `a"
                                 << "line 1";
  }
  void broken_scripts_have_their_line() {
    QFETCH(QString, script);
    QFETCH(QString, place);
    const auto read = read_shell_script(script.toStdString());
    QVERIFY(!read);
    QCOMPARE(read.error().code, ErrorCode::bad_input);
    QCOMPARE(read.error().place, place.toStdString());
  }

  /// Values that double from line to line end as an error, nested ones too.
  void growth_is_bounded() {
    std::string doubled = "A=xxxxxxxx\n", nested = "job ";
    for (int i = 0; i < 60; ++i) doubled += "A=\"$A$A\"\n";
    QVERIFY(!read_shell_script(doubled));
    for (int i = 0; i < 100; ++i) nested += "${N:-";
    nested += std::string(100, '}');
    QVERIFY(!read_shell_script(nested));
    const auto sums = read_shell_script("job $((" + std::string(100000, '(') + "1))");
    QVERIFY(!sums || sums->unknown.size() == 1);
  }
};

PIPEDECK_TEST(TestShellScript)

}  // namespace pipedeck::tst_shell_script

#include "tst_shell_script.moc"
