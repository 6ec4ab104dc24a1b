"""Files of a trial, what one thread makes of them, and a cluster that several tests use."""

import subprocess
import sys

import pytest
from clusters_here import Cluster
from conftest import ROOT

METRICS = ["BLEUS-4", "NIST-5", "WER", "ROUGE-L", "chrF"]


@pytest.fixture(scope="session")
def trial(tmp_path_factory):
    """The arguments of a trial, and the table that one thread prints."""
    with pytest.MonkeyPatch.context() as patch:  # not for longer: tests have folders with names of its files
        patch.syspath_prepend(str(ROOT / "bench"))
        from nbest_data import write

    folder = tmp_path_factory.mktemp("trial")
    write(folder, 40, 100, 3)
    files = [str(folder / f"ref{r}.txt") for r in (1, 2, 3)]
    command = ["orange", str(folder / "nbest.txt"), "-r", *files, "-m", *METRICS, "-f", "tsv"]
    done = subprocess.run(
        [sys.executable, "-m", "tarocco", *command, "-j", "1"], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return command, done.stdout


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """A scheduler and two workers."""
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.stop()
