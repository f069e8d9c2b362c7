"""Users: signing up, logging in, and being found by id or by name."""

import re
import uuid
from dataclasses import dataclass

from werkzeug.security import check_password_hash, generate_password_hash

from colonnade import Colonnade, Slice, text

from twissandra.changes import Changes

USERNAME = re.compile(r"[a-z0-9_]{1,15}")
#: A longer password is refused: hashing costs time in proportion.
PASSWORD_LENGTHS = range(8, 201)

#: Checked when there is no such user, so that the time of an answer does not tell names from passwords.
_NO_PASSWORD = generate_password_hash(str(uuid.uuid4()))


@dataclass(frozen=True)
class User:
    id: str
    username: str


class NameTaken(Exception):
    """Another user has this name, or is signing up with it now."""


class Accounts:
    def __init__(self, client: Colonnade, keyspace: str):
        self._client, self._keyspace = client, keyspace
        self._users = client.family(keyspace, "User")
        self._names = client.family(keyspace, "Username")

    def sign_up(self, username: str, password: str) -> User:
        """Makes an account.

        There is no compare-and-set, so that two people could both see that a name is free. Each therefore puts a
        claim under the name before looking again. Reads and writes at QUORUM see each other: of two claims at
        least one sees the other, and withdraws. A program that dies in between leaves the name taken.

        :raises NameTaken: also if somebody else claims the name at this moment
        """
        user = User(str(uuid.uuid4()), username)
        if self._names.slice(username, Slice(count=1)):
            raise NameTaken(username)
        self._change(lambda changes: changes.insert("Username", username, {user.id: "claimed"}))
        claims = [text(column.name) for column in self._names.slice(username)]
        if claims != [user.id]:
            self._change(lambda changes: changes.remove("Username", username, user.id))
            raise NameTaken(username)

        def settle(changes):
            columns = {"id": user.id, "username": username, "password": generate_password_hash(password)}
            changes.insert("User", user.id, columns)
            changes.insert("Username", username, {"id": user.id})
            changes.remove("Username", username, user.id)

        self._change(settle)
        return user

    def log_in(self, username: str, password: str) -> User | None:
        """The user, or None if the name or the password is wrong."""
        user = self.named(username)
        columns = self._users.get(user.id, ["password"]) if user else {}
        stored = text(columns["password"]) if "password" in columns else _NO_PASSWORD
        return user if check_password_hash(stored, password) else None

    def named(self, username: str) -> User | None:
        """The user of a name. The row of the name is an index that the application keeps by itself."""
        found = self._names.get(username, ["id"])
        return User(text(found["id"]), username) if found else None

    def by_id(self, user_id: str) -> User | None:
        return self.by_ids([user_id]).get(user_id)

    def by_ids(self, user_ids) -> dict[str, User]:
        """Users by their ids, without those who do not exist."""
        ids = sorted(set(user_ids))
        rows = self._users.multiget(ids, ["username"]) if ids else {}
        return {text(key): User(text(key), text(columns["username"])) for key, columns in rows.items()}

    def _change(self, what):
        with Changes(self._client, self._keyspace) as changes:
            what(changes)
