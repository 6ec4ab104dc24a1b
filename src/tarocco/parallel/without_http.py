"""Dask's scheduler and worker without their HTTP servers, which would listen on a port without authentication."""

from __future__ import annotations

import distributed


class Scheduler(distributed.Scheduler):  # type: ignore[misc]
    def start_http_server(self, *_arguments: object, **_named: object) -> None:
        """Start nothing: there is no dashboard."""


class Worker(distributed.Worker):  # type: ignore[misc]
    def start_http_server(self, *_arguments: object, **_named: object) -> None:
        """Start nothing: there is no dashboard."""
