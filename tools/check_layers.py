#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on a forbidden include, a forbidden link between folders, a cycle of folders, a folder with too many files,
a file outside its folder's namespace, a second constant or type of a name in a folder, and a file without its licence
line.

The table below is the one of docs/architecture.md, "Who may include whom". usage: tools/check_layers.py [ROOT]
"""
import glob
import os
import re
import subprocess
import sys

BASE = ["core/base", "core/model", "core/plan"]
CORE = [*BASE, "core/io", "core/analytic", "core/cost", "core/mesh", "core/schedule", "core/sim", "core/planner", "core/presets",
        "core/study", "core/reproduce", "core/runtime", "core/store"]

CUDA = ["cuda", "cublas", "cudnn", "nccl"]

# folder: (other folders of the project, third-party headers by their beginning, Qt modules)
LAYERS = {
    "core/base": ([], ["tl/", "fmt/"], []),
    "core/model": (["core/base"], ["tl/", "fmt/"], []),
    "core/plan": (BASE, ["tl/", "fmt/"], []),
    "core/io": (BASE, ["tl/", "fmt/", "google/protobuf/", "nlohmann/", "onnx/", "pugixml.hpp", "rapidjson/", "yaml-cpp/", "zlib.h"], []),
    "core/analytic": (BASE, ["tl/", "fmt/"], []),
    "core/cost": (BASE, ["tl/", "fmt/"], []),
    "core/mesh": ([*BASE, "core/io", "core/analytic", "core/cost"], ["tl/", "fmt/"], []),
    "core/schedule": (BASE, ["tl/", "fmt/"], []),
    "core/sim": ([*BASE, "core/analytic", "core/cost", "core/mesh", "core/presets", "core/schedule"], ["tl/", "fmt/"], []),
    "core/planner": ([*BASE, "core/io", "core/analytic", "core/cost", "core/mesh", "core/presets"], ["tl/", "fmt/"], []),
    "core/presets": ([*BASE, "core/io", "core/analytic", "core/cost"], ["tl/", "fmt/"], []),
    "core/study": ([*BASE, "core/io", "core/analytic", "core/cost", "core/mesh", "core/schedule", "core/sim", "core/planner"],
                   ["tl/", "fmt/", "nlohmann/"], []),
    "core/reproduce": ([*BASE, "core/io", "core/analytic", "core/cost", "core/sim", "core/planner", "core/presets", "core/study"],
                       ["tl/", "fmt/"], []),
    "core/runtime": (BASE,
                     ["tl/", "fmt/", "dnnl", "oneapi/", "omp.h", "hwloc.h", "zlib.h", "png.h", "jpeglib.h", "mpi.h", *CUDA], []),
    "core/store": (BASE, ["tl/", "fmt/", "sqlite3.h"], []),
    "app/cli": (CORE, ["tl/", "fmt/", "nlohmann/", "CLI/"], []),
    "app/text": (["core/base"], [], ["QtCore"]),
    "app/models": ([*BASE, "app/text"], ["fmt/"], ["QtCore", "QtGui"]),
    "app/views": ([*BASE, "app/models", "app/text"], ["fmt/"],
                  ["QtCore", "QtGui", "QtWidgets", "QtCharts", "QtSvg"]),
    "app/session": (CORE + ["app/text"], ["tl/", "fmt/", "nlohmann/"], ["QtCore", "QtConcurrent"]),
    "app/ui": ([*BASE, "app/text", "app/models", "app/views", "app/session"], ["fmt/"],
               ["QtCore", "QtGui", "QtWidgets", "QtCharts", "QtSvg"]),
    "tests/support": (BASE, ["tl/", "fmt/", "sanitizer/", *CUDA], ["QtCore", "QtGui", "QtWidgets", "QtTest"]),
    "tests/core": (CORE + ["tests/support", "tests/core"], ["tl/", "fmt/", "nlohmann/", "onnx/", "sqlite3.h", "zlib.h", "png.h", "jpeglib.h", *CUDA], ["QtCore", "QtTest"]),
}
MOST_FILES = {"core/model": 55, "core/runtime/cuda": 65}
GPL_FOLDERS = tuple(f"{top}{part}/" for top in ("app/", "tests/app/") for part in ("text", "session", "models", "views", "ui"))
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
LICENSED = (".cpp", ".hpp", ".h", ".cu", ".cuh", ".py", ".sh", ".cmake", "CMakeLists.txt")


def tracked_files(root):
    """Tracked files and new ones that are not ignored; every file where there is no git."""
    try:
        listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"], check=True,
                                capture_output=True, text=True).stdout.split("\n")
    except (OSError, subprocess.CalledProcessError):
        listed = [os.path.relpath(os.path.join(folder, name), root)
                  for folder, _, names in os.walk(root) for name in names if f"{os.sep}build" not in folder]
    return sorted(path for path in listed if path and os.path.isfile(os.path.join(root, path)))


def layer_of(path):
    for folder in LAYERS:
        if path.startswith(folder + "/"):
            return folder
    return None


def qt_modules_of(header):
    """The modules that have this header; the name itself where it is written <QtGui/QColor>."""
    if "/" in header:
        return {header.split("/")[0]}
    found = glob.glob(f"/usr/include/*/qt6/Qt*/{header}") + glob.glob(f"/usr/include/qt6/Qt*/{header}")
    return {os.path.basename(os.path.dirname(path)) for path in found}


def is_qt(header):
    return re.match(r"Q[A-Zt]|q[a-z]+\.h$", header) is not None


def is_standard(header):
    """The C++ library has no dot and no slash; the C library and the system's headers end in .h."""
    return re.fullmatch(r"[a-z_0-9]+", header) is not None or \
        re.fullmatch(r"(signal|spawn|stddef|unistd|pthread|sched|fcntl|poll|stdio|stdlib|string|errno|"
                     r"immintrin|dirent|dlfcn|elf|link|ucontext|execinfo|malloc|cxxabi|sys/[a-z]+)\.h", header) is not None


def why_forbidden(folder, quote, header):
    """The reason against an include, or None."""
    others, third_party, qt = LAYERS[folder]
    if quote == '"':
        if header.endswith(".moc"):
            return None
        target = next((f for f in [folder, *others] if header.startswith(f + "/")), None)
        return None if target else f"may include {', '.join([folder, *others])}"
    if is_standard(header) or any(header.startswith(prefix) for prefix in third_party):
        return None
    if is_qt(header):
        modules = qt_modules_of(header)
        if not qt:
            return "no Qt here"
        return None if not modules or modules & set(qt) else f"{'/'.join(sorted(modules))} is not of {', '.join(qt)}"
    return "this library is not for this folder"


def check_includes(root, path):
    folder = layer_of(path)
    if folder is None or not path.endswith((".cpp", ".hpp", ".h", ".cu", ".cuh")):
        return
    with open(os.path.join(root, path), encoding="utf-8") as text:
        for number, line in enumerate(text, 1):
            match = INCLUDE.match(line)
            reason = match and why_forbidden(folder, match[1], match[2])
            if reason:
                yield f"{path}:{number}: {match[1]}{match[2]}{'>' if match[1] == '<' else match[1]}: {reason}"


def check_links(root, path):
    """A folder's CMake target links what its files may include, and nothing else of the project."""
    folder = os.path.dirname(path)
    if os.path.basename(path) != "CMakeLists.txt" or folder not in LAYERS or not folder.startswith(("core/", "app/")):
        return
    allowed = {"pipedeck_" + other.split("/")[1] for other in [folder, *LAYERS[folder][0]]}
    allowed |= {"pipedeck_library", "pipedeck_embed_presets", "pipedeck_commit"}
    with open(os.path.join(root, path), encoding="utf-8") as text:
        for number, line in enumerate(text, 1):
            for name in re.findall(r"\bpipedeck_\w+", line.split("#")[0]):
                if name not in allowed:
                    yield f"{path}:{number}: links {name}: {folder} may link {', '.join(sorted(allowed))}"


def is_of_the_window(path, lines):
    """Under the GPL: the window itself, its tests, and a benchmark that includes it."""
    return path.startswith(GPL_FOLDERS) or path.startswith("tests/bench/") and \
        any((match := INCLUDE.match(line)) and match[2].startswith(GPL_FOLDERS) for line in lines)


def namespace_of(folder):
    """The namespace of a folder's code: its path. The vocabulary of core/base and core/model is the project's."""
    if folder in ("core/base", "core/model"):
        return "pipedeck"
    return "::".join(["pipedeck", *folder.removesuffix("/kernels").split("/")[1:]])


def check_namespace(root, path):
    """A file opens its folder's namespace, or one below it. Other namespaces contain declarations of types alone."""
    if not path.startswith(("core/", "app/")) or not path.endswith((".cpp", ".hpp", ".cu", ".cuh")):
        return
    with open(os.path.join(root, path), encoding="utf-8") as text:
        opened = re.findall(r"^namespace (pipedeck[\w:]*) \{", text.read(), re.MULTILINE)
    own = namespace_of(os.path.dirname(path))
    if opened and not any(name == own or name.startswith(own + "::") for name in opened):
        yield f"{path}: found namespace {', '.join(opened)}, expected {own}"


def check_folders(root, files):
    """No folder of code includes one that includes it, and none has more than 45 files."""
    code = [path for path in files if path.startswith(("core/", "app/")) and path.endswith((".cpp", ".hpp", ".cu", ".cuh", ".h"))]
    includes, counts = {}, {}
    for path in code:
        folder = os.path.dirname(path)
        counts[folder] = counts.get(folder, 0) + 1
        with open(os.path.join(root, path), encoding="utf-8") as text:
            for line in text:
                match = INCLUDE.match(line)
                if match and match[1] == '"' and os.path.dirname(match[2]) not in ("", folder):
                    includes.setdefault(folder, {}).setdefault(os.path.dirname(match[2]), f"{path} includes {match[2]}")
    for folder, count in sorted(counts.items()):
        if count > MOST_FILES.get(folder, 45):
            yield f"{folder}: {count} files, at most {MOST_FILES.get(folder, 45)} expected"
    yield from cycles(includes)


def check_names(root, files):
    """Units are compiled several at once, in groups that depend on CMake: a folder has a constant or type once."""
    found = {}
    for path in files:
        if not path.startswith(("core/", "app/")) or not path.endswith(".cpp"):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as text:
            for own in re.findall(r"^namespace \{\n(.*?)^\}  // namespace$", text.read(), re.MULTILINE | re.DOTALL):
                for names in re.findall(r"^constexpr [\w:<>, *]+? (\w+)(?:\[\])? ?[={(]|^(?:struct|class|enum class) (\w+)",
                                        own, re.MULTILINE):
                    found.setdefault((os.path.dirname(path), "".join(names)), {})[path] = None
    for (_, name), paths in sorted(found.items()):
        if len(paths) > 1:
            first, second = list(paths)[:2]
            yield f"{second}: a second {name}, the first is in {first}: one name each, they may meet in one unit"


def cycles(includes):
    """One line per arrow back to a folder on the way to it."""
    done, way = set(), []

    def visit(folder):
        way.append(folder)
        for other, why in sorted(includes.get(folder, {}).items()):
            if other in way:
                yield f"{' -> '.join([*way[way.index(other):], other])}: a cycle of folders: {why}"
            elif other not in done:
                yield from visit(other)
        done.add(way.pop())

    for folder in sorted(includes):
        if folder not in done:
            yield from visit(folder)


def check_licence(root, path):
    if not path.endswith(LICENSED) and path not in ("run.sh", "test.sh", ".ci/run"):
        return
    with open(os.path.join(root, path), encoding="utf-8") as text:
        lines = text.read().split("\n")
    line = next((one for one in lines[:2] if "SPDX-License-Identifier:" in one), None)
    if line is None:
        yield f"{path}:1: no SPDX-License-Identifier line"
    elif path.endswith((".cpp", ".hpp", ".h", ".cu", ".cuh")):
        expected = "GPL-3.0-or-later" if is_of_the_window(path, lines) else "Apache-2.0"
        if line.split(":", 1)[1].strip() != expected:
            yield f"{path}:1: found{line.split(':', 1)[1].rstrip()}, expected {expected}"


def main():
    root = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), ".."))
    files = tracked_files(root)
    problems = [problem for path in files for check in (check_includes, check_links, check_licence, check_namespace)
                for problem in check(root, path)] + [*check_folders(root, files), *check_names(root, files)]
    print("\n".join(problems) if problems else f"layers and licence lines of {len(files)} files are right")
    sys.exit(1 if problems else 0)


main()
