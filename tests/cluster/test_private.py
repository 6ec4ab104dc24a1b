"""A local cluster is private to its run: no module comes from the folder of the data, and no one else can connect."""

import importlib.metadata
import json
import os
import socket
import ssl
import subprocess
import sys

import psutil
import pytest
from clusters_here import QUIET, Cluster, children_of
from distributed import Client
from distributed.security import Security

import tarocco
from tarocco import datasets
from tarocco.core.errors import BadParameter, ClusterError

DEMO = datasets.DATA / "demo"
SCORE = ["score", "ref1.txt", "ref2.txt", "-i", "careful.txt", "brief.txt", "-m", "BLEU-4", "TER", "-f", "json", "-q"]
TRAP = "open('executed', 'a').write(__name__ + '\\n')\n"

# Like the program that pip makes: Python adds the folder of the script to the import path, not the working directory.
PROGRAM = """
import json, sys
from tarocco.cli import main
codes = [main(command) for command in json.loads(sys.argv[1])]
sys.exit(max(codes))
"""
PLAIN = """
score careful.txt -i same.txt -m BLEU-4 METEOR-wnsyn TER DP-Or-* --parses careful=p.conllu same=p.conllu -q
score ref1.txt ref2.txt -i careful.txt brief.txt -m BLEU-4 TER -j 2 --store s.db --figure f.json
compare ref1.txt -i careful.txt brief.txt -m chrF -j 2 --n-resamples 50
correlate ref1.txt -i careful.txt brief.txt mirror.txt literal.txt --human grades.tsv:adequacy -m chrF WER -j 2
explain ref1.txt -i careful.txt -m GTM-1 --segments 2
audit ref1.txt ref2.txt -i careful.txt brief.txt -m chrF -j 2
check ref1.txt ref2.txt -i careful.txt brief.txt
orange nbest.txt -r ref1.txt ref2.txt -m BLEUS-4 -j 2
queen ref1.txt ref2.txt ref3.txt -i careful.txt brief.txt -m ROUGE-L PER -j 2
mbr nbest.txt -m chrF -j 2
oracle nbest.txt -r ref1.txt -m chrF -j 2
metrics
store ls s.db
"""


@pytest.fixture
def trapped(tmp_path):
    """A folder with the demo and a module of every name that anything could import; each says when it is executed."""
    folder = tmp_path / "data"
    folder.mkdir()
    for path in DEMO.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    text = (DEMO / "careful.txt").read_text("utf-8")
    (folder / "same.txt").write_text(text, "utf-8")
    words = (
        "".join(f"{i}\t{word}\t{word}\tX\tX\t_\t{i - 1}\tdep\t_\t_\n" for i, word in enumerate(line.split(), 1))
        for line in text.splitlines()
    )
    (folder / "p.conllu").write_text("".join(f"# segment = {i}\n{rows}\n" for i, rows in enumerate(words, 1)), "utf-8")
    names = {*sys.stdlib_module_names, *importlib.metadata.packages_distributions(), "sitecustomize", "usercustomize"}
    for name in names:
        if name.isidentifier():
            (folder / f"{name}.py").write_text(TRAP)
    return folder


def run_like_a_program(trapped, *commands):
    program = trapped.parent / "tarocco-program"
    program.write_text(PROGRAM)
    return subprocess.run(
        [sys.executable, str(program), json.dumps(commands)], cwd=trapped, capture_output=True, text=True, env=safe()
    )


def safe():
    """The environment, with the import path as absolute names."""
    path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return {**os.environ, **QUIET, "PYTHONPATH": os.pathsep.join(os.path.abspath(each) for each in path if each)}


def test_commands_import_nothing_from_the_working_directory(trapped):
    done = run_like_a_program(trapped, *(line.split() for line in PLAIN.strip().splitlines()))
    assert done.returncode == 0, done.stderr
    assert not (trapped / "executed").exists(), (trapped / "executed").read_text()


def test_local_processes_import_nothing_from_the_working_directory(trapped):
    """ClusterExecutor alone starts processes (`tests/hostile/test_no_code.py`)."""
    done = run_like_a_program(trapped, SCORE, [*SCORE, "--cluster", "local:1"])
    assert done.returncode == 0, done.stderr
    one, other = done.stdout.split('{"tarocco"')[1:]
    assert one == other
    assert not (trapped / "executed").exists(), (trapped / "executed").read_text()


def test_as_a_module(trapped):
    """`python -m` adds the working directory, so Python itself may import from there; tarocco does not."""
    for name in (*sys.stdlib_module_names, "tarocco"):
        (trapped / f"{name}.py").unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, "-m", "tarocco", *SCORE], cwd=trapped, capture_output=True, text=True, env=safe()
    )
    assert done.returncode == 0, done.stderr
    assert not (trapped / "executed").exists(), (trapped / "executed").read_text()


def test_nobody_else_can_connect():
    """No process of the cluster answers without the key of the run, and none has a port for anything else."""
    with tarocco.cluster("local:1") as workers:
        assert workers.submit(len, "four").result() == 4
        address = workers.client.scheduler_info()["address"]
        assert address.startswith("tls://127.0.0.1:")
        for security in (Security(), Security.temporary()):
            for form in ("tcp", "tls"):
                with pytest.raises((OSError, TypeError, RuntimeError)):
                    Client(address.replace("tls", form), security=security, timeout=2, set_as_default=False)
        ports = {
            connection.laddr
            for process in children_of(os.getpid())
            for connection in psutil.Process(process.pid).net_connections("inet")
            if connection.status == psutil.CONN_LISTEN
        }
        assert len(ports) == 3  # scheduler, nanny, worker
        assert {place.ip for place in ports} == {"127.0.0.1"}
        for place in ports:
            assert not answers(place)
        arguments = [" ".join(process.cmdline()) for process in children_of(os.getpid())]
        assert arguments
        assert "PRIVATE" not in "".join(arguments)


def answers(place):
    """Whether someone without a certificate gets any byte of an answer."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with socket.create_connection(tuple(place), timeout=5) as plain:
            plain.sendall(b"GET / HTTP/1.0\r\n\r\n")
            if plain.recv(100)[:4] == b"HTTP":
                return True
    except ConnectionResetError:
        pass
    try:
        with socket.create_connection(tuple(place), timeout=5) as plain, context.wrap_socket(plain) as secret:
            return bool(secret.recv(100))
    except OSError:  # also ssl.SSLError
        return False


# --- TLS of others -------------------------------------------------------------------------------------------------


@pytest.fixture
def with_tls(tmp_path):
    """A scheduler and a worker that accept only those who have a certificate."""
    security = Security.temporary()
    files = [str(tmp_path / name) for name in ("ca.pem", "cert.pem", "key.pem")]
    texts = (security.tls_ca_file, security.tls_client_cert, security.tls_client_key)
    for file, text in zip(files, texts, strict=True):
        with open(file, "w") as opened:
            opened.write(text)
    cluster = Cluster(tmp_path, workers=1, tls=files)
    yield cluster, files
    cluster.stop()


def test_certificates(with_tls):
    """The same bytes with TLS; without the certificates, or with those of others, there is one sentence."""
    cluster, files = with_tls
    assert cluster.address.startswith("tls://")
    command = [sys.executable, "-m", "tarocco", *SCORE]
    plain, secret = (
        subprocess.run([*command, *more], cwd=DEMO, capture_output=True, text=True, check=True).stdout
        for more in ((), ("--cluster", cluster.address, "--cluster-tls", *files))
    )
    assert plain == secret
    with (
        pytest.raises(ClusterError, match=r"there is no scheduler, or it does not answer"),
        short_patience(),
        tarocco.cluster(cluster.address) as workers,
    ):
        workers.submit(len, "four")
    with (
        pytest.raises(ClusterError, match=r"TLS cannot use .*\("),
        tarocco.cluster(cluster.address, tls=[files[0], files[2], files[1]]) as workers,
    ):
        workers.submit(len, "four")


def short_patience():
    import dask

    return dask.config.set({"distributed.comm.timeouts.connect": "1s"})


@pytest.mark.parametrize(
    ("where", "files", "message"),
    [
        ("tcp://h:1", ["a", "b", "c"], "certificates are for a scheduler with TLS, such as tls://host:8786"),
        ("local:2", ["a", "b", "c"], "certificates are for a scheduler with TLS"),
        ("tls://h:1", ["a", "b"], r"expected three files \(authority, certificate, key\), found 2"),
        ("tls://h:1", ["/none/a", "b", "c"], "/none/a: there is no such file, or it cannot be read"),
    ],
)
def test_files_of_certificates(where, files, message):
    with pytest.raises(BadParameter, match=message), tarocco.cluster(where, tls=files):
        pass
