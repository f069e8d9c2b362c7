"""Writes of the application: many small ones, in batches that are safe to repeat."""

import time

from colonnade import Batch, Colonnade, ColonnadeError

#: Changes in one batch. A tweet of somebody with a hundred thousand followers becomes two hundred of them.
BATCH = 500
ATTEMPTS = 3


class Changes:
    """Collects changes and applies them, the last ones at the end of a ``with`` block::

        with Changes(client, "Twissandra") as changes:
            changes.insert("Friends", user.id, {other.id: time.time()})

    All have one timestamp of this program's clock. So a batch of which nobody knows whether it was applied
    is simply applied again. Batches are applied in the order in which they were collected; if one fails, those
    before it stay.
    """

    def __init__(self, client: Colonnade, keyspace: str):
        self._client, self._keyspace = client, keyspace
        self.timestamp = time.time_ns() // 1000
        self._batch = Batch(client, keyspace)

    def __enter__(self):
        return self

    def __exit__(self, failed, *_):
        if failed is None:
            self._apply()

    def insert(self, family, key, columns, ttl=None):
        self._batch.insert(family, key, columns, timestamp=self.timestamp, ttl=ttl)
        self._apply_if_large()

    def remove(self, family, key, name=None, super_column=None):
        self._batch.remove(family, key, name, super_column=super_column, timestamp=self.timestamp)
        self._apply_if_large()

    def _apply_if_large(self):
        if len(self._batch) >= BATCH:
            self._apply()

    def _apply(self):
        batch, self._batch = self._batch, Batch(self._client, self._keyspace)
        for attempt in range(ATTEMPTS if len(batch) else 0):
            try:
                batch.apply()
                return
            except ColonnadeError as error:
                if error.applied != "unknown" or attempt == ATTEMPTS - 1:
                    raise
