// SPDX-License-Identifier: Apache-2.0
// The growth of the planners' times with layers and with devices: a transformer of N layers on G devices, nodes of
// eight under one switch, four samples per device. Every point is its own process, so that a slow point can be ended
// and has its own memory. Times are processor times of one thread, nearly independent of other load. A planner's row
// ends at the first point past the limit, or that the planner reports as too large.
//
//   bench_growth [--limit SECONDS] [--csv FILE] [PLANNER...]
//
// Prints Markdown tables; the CSV is what tools/plot_growth.py draws.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "core/planner/planner.hpp"
#include "core/sim/simulate.hpp"
#include "tests/support/large_problem.hpp"

using namespace pipedeck;

namespace {

struct Settings {
  int limit = 20;  // seconds
  std::string csv;
  std::vector<std::string> planners;
};

enum class Outcome { planned, infeasible, too_large, failed, too_long };

/// A child's report to its parent.
struct Report {
  Outcome outcome = Outcome::failed;
  double seconds = 0;
  char text[160] = {};
};

struct Point {
  int layers = 0, devices = 0;
  Report report;
  double mebibytes = 0;
};

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Result<planner::Ranking> plan_once(const planner::PlannerInfo& planner, const Problem& problem) {
  const sim::Simulator simulator = *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  planner::PlannerContext context;
  context.score = sim::score_of(simulator);
  context.fits = sim::fits_of(simulator);
  return planner::run_planner(planner, problem, {}, context);
}

/// Quick work is repeated, as the clock of processor time may be coarse.
Report report_of(const planner::PlannerInfo& planner, int layers, int devices) {
  const Problem problem = test::large_problem(layers, devices);
  const double begin = processor_seconds();
  const auto ranking = plan_once(planner, problem);
  Report report;
  report.seconds = processor_seconds() - begin;
  if (report.seconds < 0.1) {
    int times = 1;
    for (; processor_seconds() - begin < 0.2; ++times) plan_once(planner, problem);
    report.seconds = (processor_seconds() - begin) / times;
  }
  std::string text;
  if (!ranking) {
    text = ranking.error().text();
  } else if (ranking->infeasible) {
    text = ranking->infeasible->reason;
    report.outcome = text.starts_with("too large") ? Outcome::too_large : Outcome::infeasible;
  } else {
    text = stage_shape_text(ranking->plans.front());
    report.outcome = Outcome::planned;
  }
  std::strncpy(report.text, text.c_str(), sizeof report.text - 1);
  return report;
}

Point measure(const planner::PlannerInfo& planner, int layers, int devices, const Settings& settings) {
  Point point{layers, devices, {}, 0};
  int ends[2];
  if (pipe(ends) != 0) return point;
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const auto seconds = static_cast<rlim_t>(settings.limit);
    const rlimit most{seconds, seconds};  // a signal ends the process there
    setrlimit(RLIMIT_CPU, &most);
    const Report report = report_of(planner, layers, devices);
    _exit(write(ends[1], &report, sizeof report) == sizeof report ? 0 : 1);
  }
  close(ends[1]);
  if (read(ends[0], &point.report, sizeof point.report) != sizeof point.report) point.report = {};
  close(ends[0]);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)) {
    point.report.outcome = Outcome::too_long;
    point.report.seconds = settings.limit;
  }
  point.mebibytes = static_cast<double>(usage.ru_maxrss) / 1024;
  return point;
}

/// The slope of log time over log size, by least squares, over the points above a millisecond; nothing below three.
std::optional<double> exponent(const std::vector<Point>& points, int Point::*size) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const Point& point : points) {
    if (point.report.outcome > Outcome::infeasible || point.report.seconds < 1e-3) continue;
    const double a = std::log(point.*size), b = std::log(point.report.seconds);
    n += 1, x += a, y += b, xx += a * a, xy += a * b;
  }
  if (n < 3) return {};
  return (n * xy - x * y) / (n * xx - x * x);
}

std::string time_text(double seconds) {
  char text[32];
  if (seconds < 1)
    std::snprintf(text, sizeof text, seconds < 0.01 ? "%.1f ms" : "%.0f ms", seconds * 1e3);
  else
    std::snprintf(text, sizeof text, "%.1f s", seconds);
  return text;
}

std::string cell(const Point& point, double limit) {
  switch (point.report.outcome) {
    case Outcome::planned:
      return time_text(point.report.seconds);
    case Outcome::infeasible:
      return time_text(point.report.seconds) + " (none fits)";
    case Outcome::too_large:
      return "too large";
    case Outcome::too_long:
      return "> " + time_text(limit);
    case Outcome::failed:
      return "failed";
  }
  return "";
}

class Table {
 public:
  Table(const char* what, std::vector<int> sizes, int Point::*size) : sizes_(std::move(sizes)), size_(size) {
    std::printf("\n| %s |", what);
    for (const int one : sizes_) std::printf(" %d |", one);
    std::printf(" exponent | most memory |\n|---|");
    for (std::size_t i = 0; i < sizes_.size() + 2; ++i) std::printf("---|");
    std::printf("\n");
  }

  /// `at`: N and G of a size.
  template <class At>
  void row(const planner::PlannerInfo& planner, const Settings& settings, std::FILE* csv, const At& at) {
    std::vector<Point> points;
    std::printf("| %s |", planner.name.c_str());
    bool ended = false;
    double most = 0;
    for (const int one : sizes_) {
      if (ended) {
        std::printf(" |");
        continue;
      }
      const auto [layers, devices] = at(one);
      points.push_back(measure(planner, layers, devices, settings));
      const Point& point = points.back();
      std::printf(" %s |", cell(point, settings.limit).c_str());
      std::fflush(stdout);
      ended = point.report.outcome >= Outcome::too_large;
      most = std::max(most, point.mebibytes);
      if (point.report.outcome >= Outcome::too_large)
        std::fprintf(stderr, "%s, N %d, G %d: %s\n", planner.name.c_str(), layers, devices, point.report.text);
      if (csv != nullptr)
        std::fprintf(csv, "%s,%s,%d,%d,%.6f,%.1f,%d,\"%s\"\n", planner.name.c_str(),
                     size_ == &Point::layers ? "layers" : "devices", layers, devices, point.report.seconds,
                     point.mebibytes, static_cast<int>(point.report.outcome), point.report.text);
    }
    const auto slope = exponent(points, size_);
    slope ? std::printf(" %.1f |", *slope) : std::printf(" |");
    std::printf(" %.0f MiB |\n", most);
  }

 private:
  std::vector<int> sizes_;
  int Point::*size_;
};

Settings settings_of(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool more = i + 1 < argc;
    if (word == "--limit" && more)
      settings.limit = std::stoi(argv[++i]);
    else if (word == "--csv" && more)
      settings.csv = argv[++i];
    else
      settings.planners.push_back(word);
  }
  return settings;
}

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = settings_of(argc, argv);
  std::FILE* csv = settings.csv.empty() ? nullptr : std::fopen(settings.csv.c_str(), "w");
  if (csv != nullptr) std::fprintf(csv, "planner,grows,layers,devices,seconds,mebibytes,outcome,text\n");
  const auto each = [&](const auto& row) {
    for (const planner::PlannerInfo& planner : planner::planners())
      if (settings.planners.empty() || std::count(settings.planners.begin(), settings.planners.end(), planner.name))
        row(planner);
  };
  {
    Table table("layers, 16 devices", {12, 24, 48, 96, 192, 384, 1000}, &Point::layers);
    each([&](const planner::PlannerInfo& planner) {
      table.row(planner, settings, csv, [](int layers) { return std::pair(layers, 16); });
    });
  }
  Table table("devices, 96 layers", {4, 16, 64, 256, 1024, 4096, 16384}, &Point::devices);
  each([&](const planner::PlannerInfo& planner) {
    table.row(planner, settings, csv, [](int devices) { return std::pair(96, devices); });
  });
  if (csv != nullptr) std::fclose(csv);
}
