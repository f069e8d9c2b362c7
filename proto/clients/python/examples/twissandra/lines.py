"""Tweets, and the lines in which they are read."""

import random
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone

from colonnade import Colonnade, Slice, text, unpack_long

from twissandra.accounts import Accounts, User
from twissandra.changes import Changes

PAGE = 20
BODY = 140
PUBLIC = "!PUBLIC!"
#: The public line is one row for everybody. What is older leaves it by itself, so that it does not grow for ever.
PUBLIC_SECONDS = 7 * 86_400
#: How many tweets a new follower, or a list with a new member, gets of the time before.
BACKFILL = 50


def line_name(micros: int) -> int:
    """The name of a tweet in lines: its time, so that a line is in the order of time. Behind the microseconds
    come ten bits by chance, as two tweets of one microsecond would otherwise be one column."""
    return micros * 1024 + random.randrange(1024)


@dataclass(frozen=True)
class Tweet:
    id: str
    author: User
    body: str
    micros: int
    #: Who passed it on, if this is a retweet; all else is of the original then.
    retweeter: User | None = None
    retweets: int = 0
    #: Whether the reader retweeted it.
    mine: bool = False

    @property
    def time(self) -> datetime:
        return datetime.fromtimestamp(self.micros / 1e6, timezone.utc)


@dataclass(frozen=True)
class Page:
    """A part of a line, the newest first; ``next`` is where the next one starts, or None at the end."""

    tweets: list[Tweet]
    next: int | None


class Lines:
    def __init__(self, client: Colonnade, keyspace: str, accounts: Accounts):
        self._client, self._keyspace, self._accounts = client, keyspace, accounts
        self._tweets = client.family(keyspace, "Tweet")
        self._userlines = client.family(keyspace, "Userline")
        self._retweets = client.family(keyspace, "Retweets")
        self._followers = client.family(keyspace, "Followers")
        self._listings = client.family(keyspace, "Listings")

    # Writing

    def tweet(self, author: User, body: str) -> str:
        """Writes a tweet into every line in which it will be read. Returns its id."""
        with Changes(self._client, self._keyspace) as changes:
            return self._send(changes, author, {"body": body}, public=True)

    def retweet(self, user: User, tweet: Tweet) -> None:
        """Passes a tweet on to the user's followers; once, however often it is asked for."""
        if self._retweet_of(user, tweet) is None:
            with Changes(self._client, self._keyspace) as changes:
                retweet_id = self._send(changes, user, {"retweet_of": tweet.id}, public=False)
                changes.insert("Retweets", tweet.id, {user.id: retweet_id})

    def undo_retweet(self, user: User, tweet: Tweet) -> None:
        """Takes a retweet out of all lines."""
        retweet_id = self._retweet_of(user, tweet)
        if retweet_id is not None:
            columns = self._tweets.get(retweet_id, ["line"])
            with Changes(self._client, self._keyspace) as changes:
                changes.remove("Retweets", tweet.id, user.id)
                changes.remove("Tweet", retweet_id)
                for family, key in self._readers(user) if columns else ():
                    changes.remove(family, key, columns["line"])

    def _send(self, changes: Changes, author: User, content: dict, public: bool) -> str:
        tweet_id, line = str(uuid.uuid4()), line_name(changes.timestamp)
        columns = {"id": tweet_id, "user_id": author.id, "_ts": changes.timestamp, "line": line}
        changes.insert("Tweet", tweet_id, columns | content)
        if public:
            changes.insert("Userline", PUBLIC, {line: tweet_id}, ttl=PUBLIC_SECONDS)
        for family, key in self._readers(author):
            changes.insert(family, key, {line: tweet_id})
        return tweet_id

    def _readers(self, author: User) -> Iterator[tuple[str, str]]:
        """The lines with the tweets of a user."""
        yield "Userline", author.id
        yield "Timeline", author.id
        for column in self._followers.stream(author.id):
            yield "Timeline", text(column.name)
        for column in self._listings.stream(author.id):
            yield "Listline", text(column.name)

    def _retweet_of(self, user: User, tweet: Tweet) -> str | None:
        found = self._retweets.get(tweet.id, [user.id])
        return text(found[user.id]) if found else None

    def fill(self, changes: Changes, author: User, family: str, key: str) -> None:
        """Copies the latest tweets of a user into another line."""
        for column in self._userlines.slice(author.id, Slice(reversed=True, count=BACKFILL)):
            changes.insert(family, key, {column.name: column.value})

    def clear(self, changes: Changes, author: User, family: str, key: str) -> None:
        """Takes the tweets of a user out of another line. One that is being sent at this moment may stay."""
        for column in self._userlines.stream(author.id):
            changes.remove(family, key, column.name)

    # Reading

    def page(self, family: str, key: str, start: int | None, reader: User | None) -> Page:
        """A page of a line, from ``start`` on to older ones. New tweets do not move the pages that follow."""
        first = b"" if start is None else start
        # One more than a page has: there the next one starts.
        wanted = Slice(start=first, reversed=True, count=PAGE + 1)
        found = self._client.family(self._keyspace, family).slice(key, wanted)
        more = unpack_long(found[PAGE].name) if len(found) > PAGE else None
        return Page(self.tweets([text(column.value) for column in found[:PAGE]], reader), more)

    def one(self, tweet_id: str, reader: User | None) -> Tweet | None:
        """A tweet by its id; None if there is none. A retweet is none by itself."""
        found = self.tweets([tweet_id], reader)
        return found[0] if found and found[0].id == tweet_id else None

    def tweets(self, tweet_ids: list[str], reader: User | None) -> list[Tweet]:
        """Tweets in the order of their ids, without those that do not exist any more. However many there are, it is
        the same few calls: there are no joins, and none are needed."""
        rows = self._rows(tweet_ids)
        originals = self._rows([text(row["retweet_of"]) for row in rows.values() if "retweet_of" in row])
        rows_of_all = originals | {key: row for key, row in rows.items() if "body" in row}
        users = self._accounts.by_ids(text(row["user_id"]) for row in [*rows.values(), *originals.values()])
        counts, mine = self._counts(rows_of_all, reader)
        result = []
        for tweet_id in tweet_ids:
            row = rows.get(tweet_id, {})
            original_id = text(row["retweet_of"]) if "retweet_of" in row else tweet_id
            original = rows_of_all.get(original_id)
            if original is None or text(original["user_id"]) not in users:
                continue
            result.append(Tweet(
                id=original_id,
                author=users[text(original["user_id"])],
                body=text(original["body"]),
                micros=unpack_long(original["_ts"]),
                retweeter=users.get(text(row["user_id"])) if original_id != tweet_id else None,
                retweets=counts.get(original_id, 0),
                mine=original_id in mine,
            ))
        return result

    def _rows(self, tweet_ids) -> dict:
        ids = sorted(set(tweet_ids))
        return {text(key): row for key, row in self._tweets.multiget(ids).items()} if ids else {}

    def _counts(self, tweet_ids, reader: User | None) -> tuple[dict[str, int], set[str]]:
        ids = sorted(tweet_ids)
        if not ids:
            return {}, set()
        counts = {text(key): count for key, count in self._retweets.multiget_count(ids).items()}
        mine = self._retweets.multiget(ids, [reader.id]) if reader else {}
        return counts, {text(key) for key in mine}
