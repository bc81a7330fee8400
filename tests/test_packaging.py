"""Wheel and sdist: everything is in them; they install without the extras, with and without a compiler."""

import configparser
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import click
import pytest

ROOT = Path(__file__).parent.parent
BUILD = "import sys, setuptools.build_meta as b; print(getattr(b, 'build_' + sys.argv[1])(sys.argv[2]))"


def tracked(*patterns: str) -> set[str]:
    done = subprocess.run(
        ["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("not a checkout")
    return set(done.stdout.split())


def copied(source: Path) -> Path:
    """A copy of the files that a package is made of."""
    for name in sorted(tracked()):
        if not name.startswith(("tests/", "bench/", "docs/")) and (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
    return source


def built(kind: str, folder: Path, **env: str) -> Path:
    """A wheel or sdist of the files in the checkout, made in a copy so that nothing is left here."""
    source = copied(folder / "source")
    out = folder / "out"
    out.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BUILD, kind, str(out)], cwd=source, capture_output=True,
        text=True, check=False, env={**os.environ, **env},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return out / done.stdout.splitlines()[-1]


@pytest.mark.parametrize("compiler", ["cc", "false"])
def test_a_wheel_has_every_file_of_the_package(tmp_path: Path, compiler: str) -> None:
    wheel = built("wheel", tmp_path, CC=compiler)
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = {one for one in tracked("fieldmouse") if not one.endswith((".c", ".md"))}
    wanted |= {f"fieldmouse/{one}" for one in tracked("extension")}
    assert sorted(wanted - names) == []
    compiled = [one for one in names if one.endswith(".so")]
    assert bool(compiled) is (compiler == "cc")


def test_an_sdist_can_be_built_from_again(tmp_path: Path) -> None:
    sdist = built("sdist", tmp_path)
    with tarfile.open(sdist) as tar:
        names = {one.partition("/")[2] for one in tar.getnames()}
    wanted = {one for one in tracked("fieldmouse", "extension") if not one.endswith(".md")} | {
        "pyproject.toml",
        "setup.py",
        "LICENSE",
    }
    assert sorted(wanted - names) == []


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "compiler"), [("wheel", "cc"), ("sdist", "cc"), ("sdist", "false")])
def test_it_installs_in_a_clean_environment(tmp_path: Path, kind: str, compiler: str) -> None:
    """Without the extras: pages are crawled, exported and checked, and `version` says what is missing."""
    package = built(kind, tmp_path, CC=compiler)
    env = {**os.environ, "CC": compiler}
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    bin_ = tmp_path / "venv" / "bin"
    install = [bin_ / "python", "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", package]
    done = subprocess.run(install, capture_output=True, text=True, check=False, env=env)
    if "No matching distribution" in done.stderr or "ConnectionError" in done.stderr:
        pytest.skip("no package index can be reached")
    assert done.returncode == 0, done.stderr
    os.chdir(tmp_path)
    said = subprocess.run(
        [bin_ / "fieldmouse", "version", "--json"], capture_output=True, text=True, check=True
    )
    missing = {one["module"] for one in json.loads(said.stdout)["missing"]}
    assert {"starlette", "pyarrow", "sklearn"} <= missing
    assert ("fieldmouse.page._scan" in missing) is (compiler == "false")
    served = subprocess.run([bin_ / "fieldmouse", "init", "x"], capture_output=True, text=True, check=True)
    served = subprocess.run(
        [bin_ / "fieldmouse", "-C", "x", "serve"], capture_output=True, text=True, check=False
    )
    assert (served.returncode, "fieldmouse[serve]" in served.stderr) == (4, True), served.stderr
    demo = subprocess.run(
        [bin_ / "fieldmouse", "demo", "-q", "d"], capture_output=True, text=True, check=False, timeout=600
    )
    assert demo.returncode == 0, demo.stdout[-500:] + demo.stderr
    checked = subprocess.run(
        [bin_ / "fieldmouse", "-C", "d", "check"], capture_output=True, text=True, check=False
    )
    assert "no problems found" in checked.stdout


@pytest.mark.parametrize("name", ["fieldmouse.service", "fieldmouse-serve.service"])
def test_the_systemd_units_run_commands_that_exist(name: str) -> None:
    from fieldmouse.cli import cli
    from fieldmouse.errors import ArchiveDamaged, ArchiveTooNew, ConfigError
    from fieldmouse.exits import Exit

    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(ROOT / "contrib" / name)
    service = unit["Service"]
    words = service["ExecStart"].split()
    command = cli.get_command(click.Context(cli), words[3])
    assert command is not None
    known = {option for param in command.params for option in param.opts}
    assert set(words[4:]) <= known
    if "SuccessExitStatus" in service:
        assert service["SuccessExitStatus"] == str(int(Exit.STOPPED))
    ends = {str(one.exit_code) for one in (ConfigError, ArchiveDamaged, ArchiveTooNew)}
    assert set(service["RestartPreventExitStatus"].split()) == ends


def test_the_container_file_copies_what_is_there() -> None:
    lines = (ROOT / "contrib" / "Containerfile").read_text("utf-8").splitlines()
    extras = (
        next(one for one in lines if "/source[" in one).partition("/source[")[2].partition("]")[0].split(",")
    )
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert all(f"\n{one} = [" in project for one in extras)
    assert 'ENTRYPOINT ["fieldmouse"]' in lines


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Containerfile", "Containerfile.worker"])
def test_the_steps_of_a_container_file_can_be_run(tmp_path: Path, name: str) -> None:
    """Its installation in folders of the test, and its command with all options; the image is not built."""
    source, target = copied(tmp_path / "source"), tmp_path / "opt"
    steps = (ROOT / "contrib" / name).read_text("utf-8").replace("\\\n", "").splitlines()
    step = next(one for one in steps if one.startswith("RUN python -m venv"))
    step = step.removeprefix("RUN ").replace("python -m venv", f"{sys.executable} -m venv")
    step = step.replace("/opt/fieldmouse", str(target)).replace("/source", str(source))
    done = subprocess.run(["sh", "-c", step], capture_output=True, text=True, check=False)
    if "No matching distribution" in done.stderr or "ConnectionError" in done.stderr:
        pytest.skip("no package index can be reached")
    assert done.returncode == 0, done.stderr
    (program,) = json.loads(next(one for one in steps if one.startswith("ENTRYPOINT")).partition(" ")[2])
    command, *options = json.loads(next(one for one in steps if one.startswith("CMD")).partition(" ")[2])
    shown = subprocess.run(
        [target / "bin" / program, command, "--help"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert [one for one in options if one not in shown.stdout] == []
    said = subprocess.run(
        [target / "bin" / program, "version", "--json"],
        capture_output=True, text=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    missing = {one["module"] for one in json.loads(said.stdout)["missing"]}
    assert "fieldmouse.page._scan" not in missing, "the parts in C are compiled"
    assert ("psycopg" if name.endswith("worker") else "starlette") not in missing
