"""Client for Colonnade, a wide-column store with the data model of the first Cassandra.

    >>> from colonnade import Colonnade
    >>> with Colonnade("127.0.0.1:9160") as store:
    ...     users = store.family("Example", "UserProfile")
    ...     users.insert("jsmith", {"city": "Tulsa", "age": "42"})
    ...     users.get("jsmith").text()
"""

from colonnade.batch import Batch, Outcome
from colonnade.client import Colonnade, Family
from colonnade.columns import Column, Cursor, Page, Row, Slice, SuperColumn
from colonnade.data import BytesDict, encode, pack_long, text, unpack_double, unpack_long
from colonnade.errors import ColonnadeError, NotFoundError
from colonnade.family import ColumnFamily

__all__ = [
    "Batch", "BytesDict", "Colonnade", "ColonnadeError", "Column", "ColumnFamily", "Cursor", "Family", "NotFoundError",
    "Outcome", "Page", "Row", "Slice", "SuperColumn", "encode", "pack_long", "text", "unpack_double", "unpack_long",
]
