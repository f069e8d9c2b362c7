"""Long reads: pages and streams that continue after a failure."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

import grpc

from colonnade.client import Colonnade, Node, backoff

T = TypeVar("T")

#: Yields parts: what they hold, and where the next one begins (empty at the end of pages).
Open = Callable[[Node, str], Iterator[tuple[list, str]]]


class Page(list, Generic[T]):
    """A part of the answer, in a list. ``token`` is where the next part begins."""

    def __init__(self, items: list[T], token: str):
        super().__init__(items)
        self.token = token


class Cursor(Generic[T]):
    """Entries of a row, or rows of a scan, in constant memory however many there are.

    Iterate over it for single items, or over :meth:`pages` for the lists in which they come. If a
    node fails, it continues on another one without a gap and without repeating anything. A read
    can also be continued later, elsewhere, by the ``token`` of the last page that was used.
    """

    def __init__(self, client: Colonnade, open_at: Open, token: str):
        self._client, self._open = client, open_at
        #: Where a later read continues: after the last page that was taken whole.
        self.token = token
        #: The address of the node that answered last.
        self.node = ""

    def __iter__(self) -> Iterator[T]:
        for page in self._pages():
            yield from page
            self.token = page.token

    def pages(self) -> Iterator[Page[T]]:
        """The items in the lists in which they came. Closing this iterator ends the call."""
        for page in self._pages():
            self.token = page.token
            yield page

    def _pages(self) -> Iterator[Page[T]]:
        token, failures = self.token, 0
        while True:
            node = self._client.pick()
            self.node = node.address
            try:
                for items, after in self._open(node, token):
                    failures, token = 0, after
                    yield Page(items, after)
                return
            except grpc.RpcError as error:
                failures += 1
                failure = self._client.failed(node, error, write=False)
                if failures >= self._client.attempts or not failure.may_retry(write=False):
                    raise failure from error
                time.sleep(backoff(failures, failure))
