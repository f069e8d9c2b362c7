"""Who follows whom, and lists of users."""

import time
import uuid
from dataclasses import dataclass

from colonnade import Colonnade, NotFoundError, Slice, text

from twissandra.accounts import Accounts, User
from twissandra.changes import Changes
from twissandra.lines import Lines

PAGE = 50
#: The name of a list has at most so many characters, and a user at most so many lists: they are read at once.
LIST_NAME = 25
MOST_LISTS = 100


@dataclass(frozen=True)
class UserList:
    id: str
    name: str


class TooManyLists(Exception):
    """A user has as many lists as one may have."""


class People:
    """Every relation is written down twice, once from either side, because there is no index to ask instead."""

    def __init__(self, client: Colonnade, keyspace: str, accounts: Accounts, lines: Lines):
        self._client, self._keyspace, self._accounts, self._lines = client, keyspace, accounts, lines
        self._lists = client.family(keyspace, "Lists")

    # Following

    def follow(self, user: User, other: User) -> None:
        with Changes(self._client, self._keyspace) as changes:
            changes.insert("Friends", user.id, {other.id: time.time()})
            changes.insert("Followers", other.id, {user.id: time.time()})
            self._lines.fill(changes, other, "Timeline", user.id)

    def unfollow(self, user: User, other: User) -> None:
        with Changes(self._client, self._keyspace) as changes:
            changes.remove("Friends", user.id, other.id)
            changes.remove("Followers", other.id, user.id)
            self._lines.clear(changes, other, "Timeline", user.id)

    def follows(self, user: User, other: User) -> bool:
        return bool(self._family("Friends").get(user.id, [other.id]))

    def counts(self, user: User) -> dict[str, int]:
        """How many a user follows, and how many follow the user."""
        return {
            "following": self._family("Friends").get_count(user.id),
            "followers": self._family("Followers").get_count(user.id),
        }

    def page(self, family: str, key: str, start: str) -> tuple[list[User], str | None]:
        """Users of Friends, Followers or Members in the order of their ids, and where the next page starts."""
        ids = [text(column.name) for column in self._family(family).slice(key, Slice(start=start, count=PAGE + 1))]
        users = self._accounts.by_ids(ids[:PAGE])
        return [users[each] for each in ids[:PAGE] if each in users], ids[PAGE] if len(ids) > PAGE else None

    # Lists

    def create_list(self, owner: User, name: str) -> UserList:
        if self._family("Lists").get_count(owner.id) >= MOST_LISTS:
            raise TooManyLists()
        made = UserList(str(uuid.uuid4()), name)
        with Changes(self._client, self._keyspace) as changes:
            changes.insert("Lists", owner.id, {made.id: {"name": name}})
        return made

    def delete_list(self, owner: User, which: UserList) -> None:
        with Changes(self._client, self._keyspace) as changes:
            changes.remove("Lists", owner.id, super_column=which.id)
            for column in self._family("Members").stream(which.id):
                changes.remove("Listings", column.name, which.id)
            changes.remove("Members", which.id)
            changes.remove("Listline", which.id)

    def lists(self, owner: User) -> list[UserList]:
        found = self._lists.get(owner.id, column_count=MOST_LISTS)
        lists = [UserList(text(key), text(columns["name"])) for key, columns in found.items()]
        return sorted(lists, key=lambda each: each.name.casefold())

    def find_list(self, owner: User, list_id: str) -> UserList | None:
        try:
            found = self._lists.inside(list_id).get_column(owner.id, "name")
        except NotFoundError:
            return None
        return UserList(list_id, text(found.value))

    def add_member(self, which: UserList, user: User) -> None:
        with Changes(self._client, self._keyspace) as changes:
            changes.insert("Members", which.id, {user.id: time.time()})
            changes.insert("Listings", user.id, {which.id: time.time()})
            self._lines.fill(changes, user, "Listline", which.id)

    def remove_member(self, which: UserList, user: User) -> None:
        with Changes(self._client, self._keyspace) as changes:
            changes.remove("Members", which.id, user.id)
            changes.remove("Listings", user.id, which.id)
            self._lines.clear(changes, user, "Listline", which.id)

    def _family(self, name: str):
        return self._client.family(self._keyspace, name)
