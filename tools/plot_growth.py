#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what bench_growth measured: plot_growth.py GROWTH.csv GROWTH.svg

Two charts side by side, time over layers and time over devices, both axes logarithmic, a line a planner. Written by
hand so that nothing has to be installed.
"""
import csv
import math
import sys

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3fbf", "#8c564b", "#2ca02c",
           "#444444", "#b8860b", "#ff5c8a", "#17becf"]
WIDTH, HEIGHT, LEFT, TOP, BOTTOM, GAP, LEGEND = 400, 340, 70, 40, 50, 70, 150
LEAST, MOST = 1e-4, 1e2  # seconds
PLANNED, INFEASIBLE = 0, 1
CHARTS = {"layers": ("layers, 16 devices", [12, 24, 48, 96, 192, 384, 1000]),
          "devices": ("devices, 96 layers", [4, 16, 64, 256, 1024, 4096, 16384])}


def read(path):
    """chart -> planner -> [(size, seconds)], and the planners in their order."""
    lines, planners = {chart: {} for chart in CHARTS}, []
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["planner"] not in planners:
                planners.append(row["planner"])
            if int(row["outcome"]) in (PLANNED, INFEASIBLE):
                point = int(row[row["grows"]]), float(row["seconds"])
                lines[row["grows"]].setdefault(row["planner"], []).append(point)
    return lines, planners


def label(seconds):
    return f"{seconds:g} s" if seconds >= 1 else f"{seconds * 1e3:g} ms"


def dashes(planners, planner):
    """The second half of the planners is dashed: colours alone are too many."""
    return ' stroke-dasharray="6 3"' if planners.index(planner) > 5 else ""


def chart(left, title, sizes, lines, colour, dash):
    first, last = math.log(sizes[0]), math.log(sizes[-1])

    def x(size):
        return left + (math.log(size) - first) / (last - first) * WIDTH

    def y(seconds):
        place = (math.log(min(MOST, max(LEAST, seconds))) - math.log(LEAST)) / (math.log(MOST) - math.log(LEAST))
        return TOP + HEIGHT - place * HEIGHT

    out = [f'<rect x="{left}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" class="frame"/>',
           f'<text x="{left + WIDTH / 2}" y="{TOP + HEIGHT + 40}" text-anchor="middle">{title}</text>']
    for size in sizes:
        out.append(f'<line x1="{x(size):.1f}" y1="{TOP}" x2="{x(size):.1f}" y2="{TOP + HEIGHT}" class="grid"/>')
        out.append(f'<text x="{x(size):.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{size:,}</text>')
    for power in range(round(math.log10(LEAST)), round(math.log10(MOST)) + 1):
        at = y(10.0 ** power)
        out.append(f'<line x1="{left}" y1="{at:.1f}" x2="{left + WIDTH}" y2="{at:.1f}" class="grid"/>')
        out.append(f'<text x="{left - 8}" y="{at + 4:.1f}" text-anchor="end">{label(10.0 ** power)}</text>')
    for planner, points in lines.items():
        path = " ".join(f"{x(size):.1f},{y(seconds):.1f}" for size, seconds in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour[planner]}" stroke-width="1.8"'
                   f"{dash[planner]}/>")
        for size, seconds in points:
            out.append(f'<circle cx="{x(size):.1f}" cy="{y(seconds):.1f}" r="2.6" fill="{colour[planner]}"/>')
    return out


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    lines, planners = read(sys.argv[1])
    colour = {planner: COLOURS[i % len(COLOURS)] for i, planner in enumerate(planners)}
    dash = {planner: dashes(planners, planner) for planner in planners}
    total = 2 * LEFT + 2 * WIDTH + GAP + LEGEND
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{TOP + HEIGHT + BOTTOM + 10}" '
           f'font-family="sans-serif" font-size="12">',
           "<style>.frame{fill:none;stroke:#666} .grid{stroke:#ddd} text{fill:#222}</style>",
           '<rect width="100%" height="100%" fill="#fff"/>',
           f'<text x="{LEFT}" y="22" font-size="14">Processor time of a planner\'s whole answer</text>']
    for i, (name, (title, sizes)) in enumerate(CHARTS.items()):
        out += chart(LEFT + i * (WIDTH + GAP), title, sizes, lines[name], colour, dash)
    for i, planner in enumerate(planners):
        left, top = LEFT + 2 * WIDTH + GAP + 20, TOP + 14 + 20 * i
        out.append(f'<line x1="{left}" y1="{top}" x2="{left + 22}" y2="{top}" stroke="{colour[planner]}" '
                   f'stroke-width="3"{dash[planner]}/>')
        out.append(f'<text x="{left + 30}" y="{top + 4}">{planner}</text>')
    out.append("</svg>")
    with open(sys.argv[2], "w") as file:
        file.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
