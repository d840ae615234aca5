// SPDX-License-Identifier: Apache-2.0
#include "tests/app/cli/cli_process.hpp"

#include <signal.h>

#include <QDir>
#include <QFile>
#include <QProcess>

namespace pipedeck::test {

Answer run_cli(const QStringList& arguments, const QString& folder, const QStringList& environment) {
  return run_program(QStringLiteral(PIPEDECK_CLI), arguments, folder, environment);
}

Answer run_program(const QString& program, const QStringList& arguments, const QString& folder,
                   const QStringList& environment) {
  QProcess process;
  process.setWorkingDirectory(folder);
  QStringList variables = QProcess::systemEnvironment();
  variables.removeIf([](const QString& variable) { return variable.startsWith("PIPEDECK_THREADS="); });
  process.setEnvironment(variables + environment);
  process.start(program, arguments);
  process.closeWriteChannel();
  Answer answer;
  const bool ended = process.waitForFinished(120000);
  answer.out = process.readAllStandardOutput();
  answer.err = process.readAllStandardError();
  if (ended && process.exitStatus() == QProcess::NormalExit) answer.status = process.exitCode();
  return answer;
}

bool send_signal(const QProcess& process, int number) {
  return process.processId() > 0 && ::kill(static_cast<pid_t>(process.processId()), number) == 0;
}

SmallProblem::SmallProblem() {
  write("p.json", small_profile());
  write("c.json", small_cluster());
  write("plan.json", small_plan());
}

void SmallProblem::write(const QString& name, const QByteArray& content) const {
  QFile file(path(name));
  if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
    qFatal("can't write %s", qPrintable(name));
}

QByteArray SmallProblem::read(const QString& name) const {
  QFile file(path(name));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QStringList SmallProblem::files() const { return QDir(folder()).entryList(QDir::Files | QDir::Hidden, QDir::Name); }

QStringList inputs() { return {"--profile", "p.json", "--cluster", "c.json"}; }

QByteArray small_profile() {
  QByteArray layers;
  for (int i = 0; i < 6; ++i)
    layers += QByteArray(i ? "," : "") + R"({"name": "l)" + QByteArray::number(i) +
              R"(", "kind": "linear", "forward_ms": )" + QByteArray::number(4 + i) + R"(, "backward_ms": )" +
              QByteArray::number(9 + i) +
              R"(, "output_bytes": 1000000, "saved_bytes": 50000000, "parameter_bytes": 40000000})";
  return R"({"format": "pipedeck.profile", "version": 1, "name": "six", "source": "made up", "device": "X",)"
         R"( "micro_batch": 1, "layers": [)" +
         layers + "]}";
}

QByteArray small_cluster() {
  return R"({"format": "pipedeck.cluster", "version": 1, "name": "two by two",
    "device_types": [{"name": "X", "memory_bytes": 16000000000, "relative_speed": 1.0}],
    "nodes": [{"name": "n0", "devices": [{"type": "X", "count": 2}], "link": {"gb_per_s": 10, "latency_us": 5}},
              {"name": "n1", "devices": [{"type": "X", "count": 2}], "link": {"gb_per_s": 10, "latency_us": 5}}],
    "switches": [],
    "links": [{"from": "n0", "to": "n1", "gb_per_s": 1.25, "latency_us": 20}]})";
}

QByteArray small_plan() {
  return R"({"format": "pipedeck.plan", "version": 1, "name": "by hand", "planner": "hand",
    "profile": "six", "cluster": "two by two", "global_batch": 8, "micro_batch": 2, "micro_batches": 4,
    "schedule": "1f1b", "warmup": "A", "optimizer": "adam", "precision": "fp32", "zero": 0, "order": null,
    "stages": [{"layers": [0, 3], "devices": [0, 1], "tensor_parallel": 1},
               {"layers": [3, 6], "devices": [2, 3], "tensor_parallel": 1}]})";
}

}  // namespace pipedeck::test
