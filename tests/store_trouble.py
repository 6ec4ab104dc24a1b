"""A file system without room, and a process that is not root's: for tests of what goes wrong with files."""

import os
import shutil
import subprocess

import pytest


def mounted(folder):
    """A file system of half a megabyte, or a skip."""
    folder.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root can mount a small file system")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", folder], capture_output=True).returncode:
        pytest.skip("this machine does not let us mount a small file system")


def without_privileges(function):
    """Run a function in a child of this process that may not do what root may; gives what it prints."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setresgid(65534, 65534, 65534)
                os.setresuid(65534, 65534, 65534)
            os.write(write, str(function()).encode())
        except BaseException as error:
            os.write(write, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        told = file.read()
    os.waitpid(child, 0)
    return told
