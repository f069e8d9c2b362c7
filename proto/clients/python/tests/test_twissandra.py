"""Tests the pages of Twissandra without a browser; test_twissandra_browser.py does it with one."""

import concurrent.futures
import os
import re
import socket
import subprocess
import sys
import threading
import time
import unittest
import urllib.error
import urllib.request
import uuid

from colonnade import Colonnade, text

from twissandra import schema
from twissandra.accounts import Accounts, NameTaken
from twissandra.lines import PAGE
from twissandra.pages import create_app

NODES = os.environ["COLONNADE_NODES"].split(",")
PASSWORD = "correct horse battery"


class Visitor:
    """A browser without a window: it keeps cookies, and sends forms with the token of the last page."""

    def __init__(self, app):
        self.http, self.token = app.test_client(), ""

    def get(self, path):
        return self._page(self.http.get(path))

    def post(self, path, **form):
        return self._page(self.http.post(path, data={"csrf": self.token, **form}))

    def _page(self, answer):
        found = re.search(r'name="csrf" value="([^"]+)"', answer.text)
        self.token = found[1] if found else self.token
        return answer

    def sign_up(self, username, password=PASSWORD):
        self.get("/signup")
        answer = self.post("/signup", username=username, password=password, repeated=password)
        self.get("/")
        return answer

    def bodies(self, path):
        """The texts of the tweets on a page, and the path of the next one."""
        page = self.get(path).text
        older = re.search(r'class="older button" href="([^"]+)"', page)
        return re.findall(r'<p class="body">(.*?)</p>', page), older and older[1]


class TwissandraTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.store = Colonnade(*NODES, read_level="QUORUM", write_level="QUORUM")
        cls.keyspace = "Twissandra" + uuid.uuid4().hex[:8]
        # Only a part of the families is there, as if another program had made them.
        cls.store.create_keyspace(cls.keyspace, *schema.FAMILIES[:7], replication_factor=3)
        schema.create(cls.store, cls.keyspace, replication_factor=3)
        cls.app = create_app(cls.store, cls.keyspace, "of the test")

    @classmethod
    def tearDownClass(cls):
        cls.store.drop_keyspace(cls.keyspace)
        cls.store.close()

    def visitor(self, username):
        visitor = Visitor(self.app)
        self.assertEqual(302, visitor.sign_up(username).status_code)
        return visitor

    def test_passwords_are_salted_and_hashed(self):
        self.visitor("salt1"), self.visitor("salt2")
        accounts = Accounts(self.store, self.keyspace)
        users = self.store.family(self.keyspace, "User")
        stored = [text(users.get(accounts.named(name).id)["password"]) for name in ("salt1", "salt2")]
        self.assertNotEqual(stored[0], stored[1])
        for each in stored:
            self.assertTrue(each.startswith("scrypt:"), each)
            self.assertNotIn(PASSWORD, each)
        self.assertIsNone(accounts.log_in("salt1", PASSWORD + " "))
        self.assertIsNone(accounts.log_in("salt3", PASSWORD))
        self.assertEqual("salt1", accounts.log_in("salt1", PASSWORD).username)

    def test_forms_without_the_token_of_their_session_change_nothing(self):
        ann, other = self.visitor("csrf1"), self.visitor("csrf2")
        for token in ("", "x", "é", other.token):
            answer = ann.http.post("/tweet", data={"csrf": token, "body": "forged"})
            self.assertEqual(400, answer.status_code)
        self.assertEqual(([], None), ann.bodies("/~csrf1"))

    def test_what_users_write_is_text_on_every_page(self):
        ann = self.visitor("escape")
        ann.post("/tweet", body='<script>alert(1)</script> & "b" \' @escape a@b.org <script>')
        ann.post("/lists", name="<b>bold</b>")
        for path in ("/", "/public", "/~escape", "/~escape/lists"):
            page = ann.get(path).text
            self.assertNotIn("<script>", page, path)
            self.assertNotIn("<b>bold", page, path)
        body = ann.bodies("/~escape")[0][0]
        self.assertIn("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &#34;b&#34; &#39; ", body)
        self.assertIn('<a href="/~escape">@escape</a> a@b.org &lt;script&gt;', body)
        self.assertIn("default-src 'none'", ann.get("/").headers["Content-Security-Policy"])

    def test_the_cookie_is_kept_from_scripts_and_other_sites(self):
        answer = Visitor(self.app).get("/login")
        cookie = answer.headers["Set-Cookie"]
        self.assertIn("HttpOnly", cookie)
        self.assertIn("SameSite=Lax", cookie)

    def test_forms_lead_back_to_pages_of_this_site_only(self):
        ann = self.visitor("redirect")
        for place in ("//evil.example", "/\\evil.example", "https://evil.example", "/\t/evil.example", "evil"):
            self.assertEqual("/", ann.post("/tweet", body="x", back=place).headers["Location"], place)
        self.assertEqual("/public?start=5", ann.post("/tweet", body="x", back="/public?start=5").headers["Location"])

    def test_no_name_belongs_to_two(self):
        accounts = Accounts(self.store, self.keyspace)
        for number in range(4):
            barrier = threading.Barrier(4)

            def attempt(_):
                barrier.wait()
                try:
                    return accounts.sign_up(f"race{number}", PASSWORD)
                except NameTaken:
                    return None

            with concurrent.futures.ThreadPoolExecutor(4) as threads:
                made = [user for user in threads.map(attempt, range(4)) if user]
            self.assertLessEqual(len(made), 1)
            # Where all withdrew, the name is free again.
            user = made[0] if made else accounts.sign_up(f"race{number}", PASSWORD)
            self.assertEqual(user, accounts.named(f"race{number}"))
            self.assertEqual(409, Visitor(self.app).sign_up(f"race{number}").status_code)

    def test_pages_of_a_line_neither_lose_nor_repeat_while_it_grows(self):
        ann = self.visitor("pages")
        for number in range(2 * PAGE + 3):
            ann.post("/tweet", body=f"number {number}")
        expected = [f"number {number}" for number in reversed(range(2 * PAGE + 3))]
        for path in ("/", "/~pages"):
            shown, next_page = ann.bodies(path)
            ann.post("/tweet", body=f"later than {path}")
            while next_page:
                more, next_page = ann.bodies(next_page)
                shown += more
            self.assertEqual(expected, shown[-len(expected):], path)
        self.assertEqual(404, ann.get("/?start=x").status_code)
        self.assertEqual(404, ann.get("/?start=" + str(2**63)).status_code)

    def test_following_fills_the_timeline_and_unfollowing_clears_it(self):
        ann, bob, cid = self.visitor("ann1"), self.visitor("bob1"), self.visitor("cid1")
        bob.post("/tweet", body="before")
        cid.post("/tweet", body="of another")
        ann.post("/~bob1/follow"), ann.post("/~cid1/follow")
        bob.post("/tweet", body="after")
        self.assertEqual(["after", "of another", "before"], ann.bodies("/")[0])
        self.assertIn("bob1", ann.get("/~ann1/following").text)
        self.assertIn("ann1", ann.get("/~bob1/followers").text)
        ann.post("/~bob1/unfollow")
        bob.post("/tweet", body="unread")
        self.assertEqual(["of another"], ann.bodies("/")[0])
        self.assertNotIn("ann1</span>", ann.get("/~bob1/followers").text)
        ann.post("/~bob1/follow")
        self.assertEqual(["unread", "after", "of another", "before"], ann.bodies("/")[0])

    def test_a_retweet_reaches_followers_once_and_can_be_undone(self):
        ann, bob, cid = self.visitor("ann2"), self.visitor("bob2"), self.visitor("cid2")
        ann.post("/~bob2/follow")
        cid.post("/tweet", body="worth repeating")
        tweet = re.search(r'href="/tweet/([0-9a-f-]+)"', cid.get("/~cid2").text)[1]
        bob.post(f"/tweet/{tweet}/retweet"), bob.post(f"/tweet/{tweet}/retweet")
        self.assertEqual(["worth repeating"], ann.bodies("/")[0])
        page = ann.get("/").text
        self.assertIn('Retweeted by <a href="/~bob2">', page)
        self.assertIn("1 retweet<", page)
        # A retweet of what came as a retweet is of the original.
        ann.post(f"/tweet/{tweet}/retweet")
        self.assertIn("2 retweets<", ann.get(f"/tweet/{tweet}").text)
        bob.post(f"/tweet/{tweet}/undo"), bob.post(f"/tweet/{tweet}/undo"), ann.post(f"/tweet/{tweet}/undo")
        self.assertEqual([], ann.bodies("/")[0])
        self.assertEqual([], bob.bodies("/~bob2")[0])
        self.assertEqual(["worth repeating"], cid.bodies("/~cid2")[0])

    def test_a_list_has_a_line_of_its_members(self):
        ann, bob, cid = self.visitor("ann3"), self.visitor("bob3"), self.visitor("cid3")
        bob.post("/tweet", body="before")
        path = ann.post("/lists", name="Friends of mine").headers["Location"]
        list_id = path.rsplit("/", 1)[1]
        ann.post(f"/lists/{list_id}/add", username="@BOB3"), ann.post(f"/lists/{list_id}/add", username="cid3")
        self.assertIn("There is no user dan3", ann.get(ann.post(f"/lists/{list_id}/add", username="dan3").location).text)
        bob.post("/tweet", body="after")
        cid.post("/tweet", body="of cid")
        self.assertEqual(["of cid", "after", "before"], bob.bodies(path)[0])
        self.assertEqual([], ann.bodies("/")[0])
        # Only the owner changes it.
        self.assertEqual(404, bob.post(f"/lists/{list_id}/remove", username="cid3").status_code)
        self.assertEqual(404, bob.post(f"/lists/{list_id}/delete").status_code)
        ann.post(f"/lists/{list_id}/remove", username="bob3")
        bob.post("/tweet", body="no more")
        self.assertEqual(["of cid"], ann.bodies(path)[0])
        ann.post(f"/lists/{list_id}/delete")
        self.assertEqual(404, ann.get(path).status_code)
        self.assertIn("no lists yet", ann.get("/~ann3/lists").text)

    def test_wrong_input_is_told_and_changes_nothing(self):
        ann = self.visitor("wrong")
        for body in ("", "   ", "x" * 141):
            self.assertIn("has 1 to 140 characters", ann.get(ann.post("/tweet", body=body).location).text)
        self.assertEqual([], ann.bodies("/~wrong")[0])
        self.assertEqual(413, ann.post("/tweet", body="x" * 20_000).status_code)
        for name, password in (("Ä", PASSWORD), ("", PASSWORD), ("x" * 16, PASSWORD), ("short", "1234567")):
            self.assertEqual(400, Visitor(self.app).sign_up(name, password).status_code)
        self.assertEqual(404, ann.get("/~noone").status_code)
        ann.post("/logout")
        ann.get("/login")
        self.assertEqual("/login", ann.post("/tweet", body="x").location)
        self.assertEqual(403, ann.post("/login", username="wrong", password="not the password").status_code)

    def test_users_and_tweets_of_the_other_programs_are_shown(self):
        tweet_id = str(uuid.uuid4())
        # As the programs for the command line write them: without a password, and with whole numbers for times.
        with self.store.batch(self.keyspace) as batch:
            batch.insert("User", "cli-id", {"id": "cli-id", "username": "cli"})
            batch.insert("Username", "cli", {"id": "cli-id"})
            columns = {"id": tweet_id, "user_id": "cli-id", "body": "hello", "_ts": 5, "line": 5120}
            batch.insert("Tweet", tweet_id, columns)
            batch.insert("Userline", "cli-id", {5120: tweet_id})
            batch.insert("Followers", "cli-id", {"other-id": 5})
        ann = self.visitor("shown")
        self.assertEqual((["hello"], None), ann.bodies("/~cli"))
        ann.post("/~cli/follow")
        self.assertEqual((["hello"], None), ann.bodies("/"))
        self.assertEqual(200, ann.get(f"/tweet/{tweet_id}").status_code)
        self.assertEqual(409, Visitor(self.app).sign_up("cli").status_code)
        self.assertIsNone(Accounts(self.store, self.keyspace).log_in("cli", PASSWORD))

    def test_a_store_that_does_not_answer_is_told(self):
        with Colonnade("127.0.0.1:1", attempts=1, timeout=1) as nowhere:
            app = create_app(nowhere, self.keyspace, "of the test")
            with self.assertLogs(app.logger, "ERROR"):
                answer = app.test_client().get("/public")
        self.assertEqual(503, answer.status_code)
        self.assertIn("The store does not answer", answer.text)

    def test_the_command_of_the_readme_serves_the_pages(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [sys.executable, "-m", "twissandra", NODES[0], "--keyspace", self.keyspace, "--port", str(port)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            try:
                self.assertIn("Public line", self.fetch(f"http://127.0.0.1:{port}/", process))
            finally:
                process.terminate()

    def fetch(self, address, process):
        end = time.monotonic() + 30
        while True:
            try:
                with urllib.request.urlopen(address) as answer:
                    return answer.read().decode()
            except urllib.error.URLError as error:
                if process.poll() is not None or time.monotonic() > end:
                    raise AssertionError(f"no answer: {error}")
                time.sleep(0.1)


if __name__ == "__main__":
    unittest.main()
