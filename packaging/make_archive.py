#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the self-contained archive of an installed tree: programs, the libraries that they need, Qt's plug-ins,
licences and a bill of materials. Equal inputs give equal bytes; SOURCE_DATE_EPOCH dates the files.

usage: packaging/make_archive.py TREE VERSION OUT.tar.xz

packaging/licences.csv has the licence of each library. TREE is what `cmake --install` wrote. Needs patchelf, strip, dpkg and Qt's plug-ins of the build's system.
"""
import csv
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

# Of every system with glibc 2.36 or later, the driver, and Open MPI, which the module for it is loaded with.
OF_THE_SYSTEM = re.compile(
    r"^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|stdc\+\+|gcc_s|cuda|cudart|cublas|cublasLt|cudnn|nccl|nvidia-.*|"
    r"mpi|mpi_cxx|open-rte|open-pal)\.so.*)$")
PLUGINS = {"platforms": ["libqxcb.so", "libqoffscreen.so", "libqwayland-generic.so"],
           "imageformats": ["libqsvg.so", "libqjpeg.so"], "iconengines": ["libqsvgicon.so"],
           "platforminputcontexts": ["libcomposeplatforminputcontextplugin.so",
                                     "libibusplatforminputcontextplugin.so"],
           "wayland-shell-integration": ["libxdg-shell.so"], "wayland-decoration-client": ["libbradient.so"]}
# Headers that are compiled into the programs, by Debian's package.
HEADERS = ["libcli11-dev", "libexpected-dev", "libonnx-dev", "nlohmann-json3-dev", "rapidjson-dev"]
CUDA_TERMS = "https://docs.nvidia.com/cuda/eula/"
FONTS = "/usr/share/fonts/truetype/dejavu"
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def libraries_of(file):
    """Returns the libraries that a program loads, by name, without the system's."""
    found = {}
    for name, path in re.findall(r"^\t(\S+) => (\S+) \(", run("ldd", file), re.MULTILINE):
        if not OF_THE_SYSTEM.match(name):
            found[name] = path
    missing = re.findall(r"^\t(\S+) => not found", run("ldd", file), re.MULTILINE)
    if [name for name in missing if not OF_THE_SYSTEM.match(name)]:
        sys.exit(f"{file}: found no {', '.join(missing)}, expected all libraries to be installed")
    return found


def package_of(path):
    """Returns Debian's package of a file, which may be under /lib of a merged /usr."""
    real = os.path.realpath(path)
    for name in (real, real.removeprefix("/usr"), path):
        done = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout.split(": ")[0].split(",")[0].split(":")[0]
    sys.exit(f"{path}: found no package that it is of, expected one of Debian's")


def licences():
    """Returns the licence of each of Debian's source packages that packaging/licences.csv has."""
    lines = [line for line in (pathlib.Path(__file__).parent / "licences.csv").open() if not line.startswith("#")]
    return {row["source"]: row["licence"] for row in csv.DictReader(lines)}


def cuda_version():
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    found = re.search(r"\bV([0-9.]+)", run(nvcc, "--version"))
    return found[1] if found else "unknown"


class Archive:
    def __init__(self, tree, version, folder):
        self.tree, self.version, self.folder = pathlib.Path(tree), version, folder
        self.packages = set(HEADERS)
        self.licences = licences()

    def copy(self, source, target, mode=0o644):
        target = self.folder / target
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(os.path.realpath(source), target)
        target.chmod(mode)
        return target

    def copy_program(self, source, target, run_path):
        file = self.copy(source, target, 0o755)
        run("strip", "--strip-unneeded", file)
        run("patchelf", "--set-rpath", run_path, file)
        return file

    def copy_of_debian(self, source, target, run_path=None):
        self.packages.add(package_of(source))
        if run_path:
            self.copy_program(source, target, run_path)
        else:
            self.copy(source, target)

    def add_programs(self):
        programs = [self.tree / "bin/pipedeck", self.tree / "bin/pipedeck-cli"]
        modules = sorted(self.tree.glob("lib/**/pipedeck-*.so"))
        libraries = {}
        for file in programs + modules:
            libraries |= libraries_of(file)
            self.copy_program(file, file.name, "$ORIGIN/lib")
        plugins = pathlib.Path(run("qtpaths6", "--query", "QT_INSTALL_PLUGINS").strip())
        for kind, names in PLUGINS.items():
            for name in names:
                libraries |= libraries_of(plugins / kind / name)
                self.copy_of_debian(plugins / kind / name, f"plugins/{kind}/{name}", "$ORIGIN/../../lib")
        for name, path in sorted(libraries.items()):
            self.copy_of_debian(path, f"lib/{name}", "$ORIGIN")
        (self.folder / "qt.conf").write_text("[Paths]\nPrefix = .\nPlugins = plugins\n")

    def add_rest(self):
        for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSansMono.ttf"):
            self.copy_of_debian(f"{FONTS}/{name}", f"fonts/{name}")
        for part in ("applications", "icons", "metainfo", "mime", "thumbnailers", "man", "bash-completion", "fish", "zsh"):
            for file in sorted((self.tree / "share" / part).rglob("*")):
                if file.is_file():
                    self.copy(file, pathlib.Path("share") / part / file.relative_to(self.tree / "share" / part))
        for source in ("presets", "docs/examples"):
            for file in sorted(pathlib.Path(source).rglob("*")):
                if file.is_file():
                    mode = 0o755 if os.access(file, os.X_OK) else 0o644
                    self.copy(file, pathlib.Path(source).name + "/" + str(file.relative_to(source)), mode)
        for file in ("LICENSE", "LICENSES/Apache-2.0.txt", "LICENSES/GPL-3.0-or-later.txt", "CHANGELOG.md"):
            self.copy(file, file)
        self.copy("packaging/archive-readme.txt", "README.txt")

    def add_licences(self):
        for package in sorted(self.packages):
            self.copy(f"/usr/share/doc/{package}/copyright", f"LICENSES/debian/{package}")
        if self.has_cuda():  # its runtime is linked statically
            (self.folder / "LICENSES/nvidia-cuda-runtime").write_text(
                f"pipedeck-cuda.so contains NVIDIA's CUDA runtime (cudart), under the terms at {CUDA_TERMS}\n")

    def has_cuda(self):
        return (self.folder / "pipedeck-cuda.so").exists()

    def licence_of(self, source):
        found = self.licences.get(source) or self.licences.get(re.sub(r"-[0-9]+$", "", source))
        return found or sys.exit(f"packaging/licences.csv: found no licence of {source}, expected one of each library")

    def bill_of_materials(self):
        """Returns the archive's contents as an SPDX 2.3 document."""
        fields = "${Package}\t${Version}\t${source:Package}\t${source:Version}"
        known = [line.split("\t") for line in run("dpkg-query", "-W", "-f", fields + "\n", *sorted(self.packages))
                 .splitlines()]
        files = [{"SPDXID": f"SPDXRef-File-{number}", "fileName": "./" + str(file.relative_to(self.folder)),
                  "checksums": [{"algorithm": "SHA256", "checksumValue": sha256(file)},
                                {"algorithm": "SHA1", "checksumValue": digest(file, "sha1")}],
                  "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION"}
                 for number, file in enumerate(self.files())]
        packages = [{"SPDXID": "SPDXRef-Pipedeck", "name": "pipedeck", "versionInfo": self.version,
                     "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
                     "licenseConcluded": "Apache-2.0 AND GPL-3.0-or-later",
                     "licenseDeclared": "Apache-2.0 AND GPL-3.0-or-later", "copyrightText": "The Pipedeck authors"}]
        for name, version, source, source_version in known:
            licence = self.licence_of(source)
            packages.append({"SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "name": name,
                             "versionInfo": version, "supplier": "Organization: Debian",
                             "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
                             "sourceInfo": f"Debian's source package {source} {source_version}",
                             "licenseConcluded": "NOASSERTION", "licenseDeclared": licence,
                             "licenseComments": f"LICENSES/debian/{name}", "copyrightText": "NOASSERTION"})
        terms = [{"licenseId": "LicenseRef-public-domain", "extractedText": "In the public domain"}]
        if self.has_cuda():
            packages.append({"SPDXID": "SPDXRef-nvidia-cuda-runtime", "name": "nvidia-cuda-runtime",
                             "versionInfo": cuda_version(), "supplier": "Organization: NVIDIA",
                             "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
                             "licenseConcluded": "NOASSERTION", "licenseDeclared": "LicenseRef-CUDA",
                             "licenseComments": "LICENSES/nvidia-cuda-runtime", "copyrightText": "NOASSERTION"})
            terms.append({"licenseId": "LicenseRef-CUDA", "extractedText": f"The terms at {CUDA_TERMS}"})
        content = hashlib.sha256("".join(file["checksums"][0]["checksumValue"] for file in files).encode()).hexdigest()
        name = f"pipedeck-{self.version}"
        return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
                "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{content}",
                "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH)),
                                 "creators": ["Tool: packaging/make_archive.py"]},
                "documentDescribes": ["SPDXRef-Pipedeck"], "hasExtractedLicensingInfos": terms, "packages": packages, "files": files,
                "relationships": [{"spdxElementId": "SPDXRef-Pipedeck", "relationshipType": "CONTAINS",
                                   "relatedSpdxElement": other["SPDXID"]} for other in packages[1:] + files]}

    def files(self):
        return sorted(file for file in self.folder.rglob("*") if file.is_file())


def digest(file, kind):
    return hashlib.new(kind, pathlib.Path(file).read_bytes()).hexdigest()


def sha256(file):
    return digest(file, "sha256")


def pack(folder, out):
    """Packs a folder in the order of names, as root's, with one date."""
    def plain(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = EPOCH
        return entry

    tar = out.with_suffix("")
    with tarfile.open(tar, "w", format=tarfile.GNU_FORMAT) as archive:
        for path in [folder] + sorted(folder.rglob("*")):
            archive.add(path, str(path.relative_to(folder.parent)), recursive=False, filter=plain)
    run("xz", "--force", "-6", "--threads=1", tar)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    tree, version, out = sys.argv[1:]
    os.umask(0o022)
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work) / f"pipedeck-{version}-linux-x86_64"
        folder.mkdir()
        archive = Archive(tree, version, folder)
        archive.add_programs()
        archive.add_rest()
        archive.add_licences()
        bill = json.dumps(archive.bill_of_materials(), indent=1) + "\n"
        (folder / "pipedeck.spdx.json").write_text(bill)
        pathlib.Path(str(out).removesuffix(".tar.xz") + ".spdx.json").write_text(bill)
        pack(folder, pathlib.Path(out))


main()
