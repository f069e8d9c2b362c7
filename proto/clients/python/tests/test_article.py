"""Runs the listing of "Cassandra by example" (Eric Evans, 2010), in its own words."""

import html
import os
import struct
import time
import unittest
import uuid
from pathlib import Path

from colonnade import Colonnade, Family, pack_long, text

LISTING = (Path(__file__).parent / "cassandra_by_example.txt").read_text(encoding="utf-8")

#: What the printed text got wrong on its way, and what its author meant.
MISPRINTS = {
    # The parenthesis closed too early; the sentence below the listing says that the time is packed.
    "{struct.pack('>d'), timestamp: tweetuuid}": "{struct.pack('>d', timestamp): tweetuuid}",
}


class Request:
    """What a web page of 2010 would have been asked for."""

    GET: dict = {}


class ArticleTest(unittest.TestCase):
    def setUp(self):
        self.store = Colonnade(*os.environ["COLONNADE_NODES"].split(",")[:2])
        self.addCleanup(self.store.close)
        self.keyspace = "Article" + uuid.uuid4().hex[:8]
        # The families of the article's storage-conf.xml.
        families = {"User": "UTF8Type", "Username": "BytesType", "Friends": "BytesType", "Followers": "BytesType",
                    "Tweet": "UTF8Type", "Userline": "LongType", "Timeline": "LongType"}
        self.store.create_keyspace(self.keyspace, *(Family(*each) for each in families.items()))
        self.addCleanup(self.store.drop_keyspace, self.keyspace)
        self.names = {name.upper(): self.store.family(self.keyspace, name) for name in families}
        # Python 2's long, and what the article takes as given.
        self.names.update(uuid=uuid.uuid4, long=int, struct=struct, time=time, request=Request, NUM_PER_PAGE=2)

    def run_listing(self):
        source = html.unescape(html.unescape(LISTING))
        for printed, meant in MISPRINTS.items():
            self.assertEqual(1, source.count(printed), printed)
            source = source.replace(printed, meant)
        exec(compile(source, "cassandra_by_example.txt", "exec"), self.names)
        return self.names

    def test_a_user_a_follower_and_a_tweet(self):
        names = self.run_listing()
        user_id, tweet_id, friend_id = names["useruuid"], names["tweetuuid"], names["frienduuid"]
        self.assertEqual("jericevans", names["USER"].get(user_id).text()["username"])
        self.assertEqual(user_id, text(names["USERNAME"].get("jericevans")["id"]))
        self.assertEqual([friend_id], list(map(text, names["FRIENDS"].get(user_id))))
        self.assertEqual([user_id], list(map(text, names["FOLLOWERS"].get(friend_id))))
        # The last part of the listing reads the user's own line, which has the one tweet.
        self.assertEqual([tweet_id], list(map(text, names["timeline"].values())))
        tweet = names["tweets"][tweet_id]
        self.assertEqual(b"@ericflo thanks for Twissandra, it helps!", tweet["body"])
        self.assertEqual(pack_long(names["timestamp"]), tweet["_ts"])

    def test_followers_receive_tweets_newest_first_page_by_page(self):
        names = self.run_listing()
        author = names["useruuid"]
        reader = "a4a70900-24e1-11df-8924-001ff3591711"
        names["FOLLOWERS"].insert(author, {reader: time.time()})
        for number in range(3):
            # The same lines, as a program would have them with a true 64-bit number for a name.
            columns = {10_000_000_000_000_000 + number: f"tweet-{number}"}
            names["USERLINE"].insert(author, columns)
            for other in names["FOLLOWERS"].get(author, 5000):
                names["TIMELINE"].insert(other, columns)
        page = names["TIMELINE"].get(reader, column_count=2, column_reversed=True)
        self.assertEqual([b"tweet-2", b"tweet-1"], list(page.values()))
        page = names["TIMELINE"].get(reader, column_start=list(page)[-1], column_count=2, column_reversed=True)
        self.assertEqual([b"tweet-1", b"tweet-0"], list(page.values()))

    def test_get_range_and_remove(self):
        names = self.run_listing()
        names["USERNAME"].insert("ericflo", {"id": "a4a70900-24e1-11df-8924-001ff3591711"})
        found = {text(key): columns for key, columns in names["USERNAME"].get_range()}
        self.assertEqual({"ericflo", "jericevans"}, set(found))
        names["USERNAME"].remove("ericflo")
        self.assertEqual({}, names["USERNAME"].get("ericflo"))
        self.assertEqual(1, len(list(names["USERNAME"].get_range())))

    def test_a_misspelt_option_is_refused(self):
        usernames = self.names["USERNAME"]
        for read in (usernames.get, usernames.multiget, lambda keys, **options: list(usernames.get_range(**options))):
            with self.assertRaisesRegex(TypeError, "column_counts"):
                read(["jericevans"], column_counts=1)


if __name__ == "__main__":
    unittest.main()
