"""Walks through Twissandra in headless Chromium, at a desk and on a phone, and takes a picture of each page.

The pictures go to the folder COLONNADE_SCREENSHOTS.
"""

import logging
import os
import shutil
import threading
import unittest
import uuid
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait
from werkzeug.serving import make_server

from colonnade import Colonnade

from twissandra import schema
from twissandra.accounts import Accounts
from twissandra.lines import Lines
from twissandra.pages import create_app

NODES = os.environ["COLONNADE_NODES"].split(",")
SCREENSHOTS = Path(os.environ.get("COLONNADE_SCREENSHOTS", "screenshots"))
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
DESK, PHONE = (1000, 900), (390, 844)
PASSWORD = "correct horse battery"


def make_browser():
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for option in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options, webdriver.ChromeService(DRIVER))


@unittest.skipUnless(CHROMIUM and DRIVER, "there is no chromium with its chromedriver")
class BrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        cls.store = Colonnade(*NODES, read_level="QUORUM", write_level="QUORUM")
        cls.addClassCleanup(cls.store.close)
        keyspace = "Twissandra" + uuid.uuid4().hex[:8]
        schema.create(cls.store, keyspace, replication_factor=3)
        cls.addClassCleanup(cls.store.drop_keyspace, keyspace)
        cls.accounts = Accounts(cls.store, keyspace)
        cls.lines = Lines(cls.store, keyspace, cls.accounts)
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        server = make_server("127.0.0.1", 0, create_app(cls.store, keyspace, "of the test"), threaded=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.addClassCleanup(server.shutdown)
        cls.site = f"http://127.0.0.1:{server.port}"
        cls.browser = make_browser()
        cls.addClassCleanup(cls.browser.quit)

    def tearDown(self):
        # A refused style, a missing file, an error of a script.
        problems = [entry["message"] for entry in self.browser.get_log("browser")]
        self.assertEqual([], [each for each in problems if "the server responded with a status of 4" not in each])

    def go(self, path):
        self.browser.get(self.site + path)

    def find(self, css):
        return self.browser.find_element(By.CSS_SELECTOR, css)

    def texts(self, css):
        return [each.text for each in self.browser.find_elements(By.CSS_SELECTOR, css)]

    def press(self, text):
        """Presses the button, or follows the link, with this text, and waits for the next page."""
        page = self.find("html")
        for place in ("main", "header"):
            xpath = f"//{place}//*[self::a or self::button][normalize-space()='{text}']"
            found = self.browser.find_elements(By.XPATH, xpath)
            if found:
                break
        found[0].click()
        WebDriverWait(self.browser, 20).until(lambda _: self.is_gone(page))

    def is_gone(self, page):
        return page != self.find("html") and self.browser.execute_script("return document.readyState") == "complete"

    def fill(self, **fields):
        for name, value in fields.items():
            field = self.find(f"main [name={name}]:not([type=hidden])")
            field.clear()
            field.send_keys(value)

    def sign_up(self, username):
        self.go("/signup")
        self.fill(username=username, password=PASSWORD, repeated=PASSWORD)
        self.press("Sign up")

    def tweet(self, body):
        self.go("/")
        self.fill(body=body)
        self.press("Tweet")

    def size(self, width, height, phone=False):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 2 if phone else 1, "mobile": phone})

    def picture(self, name):
        """Takes pictures of this page, and checks that it can be read on a phone without moving it sideways."""
        self.size(*DESK)
        self.browser.save_screenshot(str(SCREENSHOTS / f"{name}.png"))
        self.size(*PHONE, phone=True)
        self.browser.save_screenshot(str(SCREENSHOTS / f"{name}-phone.png"))
        wide = self.browser.execute_script("""
            return [...document.querySelectorAll('html, header *, main *')]
              .filter(each => each.getBoundingClientRect().right > innerWidth).map(each => each.outerHTML);""")
        self.assertEqual([], wide, f"{name} is wider than a phone")
        small = self.browser.execute_script("""
            const small = [];
            for (const each of document.querySelectorAll('main *, header *')) {
              const own = [...each.childNodes].some(node => node.nodeType === 3 && node.data.trim());
              if (own && parseFloat(getComputedStyle(each).fontSize) < 14) small.push(each.outerHTML);
            }
            return small;""")
        self.assertEqual([], small, f"{name} has letters too small for a phone")
        self.size(*DESK)

    def test_a_day_on_twissandra(self):
        # Wrong, then right.
        self.go("/signup")
        self.picture("sign-up")
        self.fill(username="jericevans", password=PASSWORD, repeated=PASSWORD + "x")
        self.press("Sign up")
        self.assertEqual(["The two passwords differ."], self.texts(".problem"))
        self.picture("sign-up-refused")
        self.sign_up("jericevans")
        self.assertIn("@jericevans", self.find("header").text)
        self.picture("home-empty")
        self.tweet("@ericflo thanks for Twissandra, it helps!")
        self.tweet("Column families are tables that you sort before you ask. <b>Really</b>: the order is part of the design.")
        self.press("Log out")
        self.picture("public")

        # Another user follows, and sees what was written before.
        self.sign_up("ericflo")
        self.go("/public")
        self.press("jericevans")
        self.press("Follow")
        self.picture("userline")
        self.go("/")
        self.assertEqual(2, len(self.texts(".tweet")))
        self.assertIn("<b>Really</b>: the order", self.texts(".tweet .body")[0])
        self.press("@ericflo")
        self.assertIn("ericflo has written nothing yet.", self.find("main").text)
        self.tweet("Writing for each reader makes reading cheap. 値🎸 https://example.org/" + "long" * 15)

        # Both lines in pages.
        ericflo = self.accounts.named("ericflo")
        for number in range(22):
            self.lines.tweet(ericflo, f"Tweet {number} of a long day")
        self.go("/")
        self.picture("home")
        first = self.texts(".tweet .body")
        self.assertEqual("Tweet 21 of a long day", first[0])
        self.press("Older tweets")
        self.picture("home-older")
        second = self.texts(".tweet .body")
        self.assertEqual(25, len(first) + len(second))
        self.assertEqual("@ericflo thanks for Twissandra, it helps!", second[-1])
        self.press("Newest tweets")
        self.assertEqual(first, self.texts(".tweet .body"))
        self.go("/~ericflo")
        self.press("Older tweets")
        self.assertEqual(3, len(self.texts(".tweet .body")))

        # Retweets.
        self.go("/~jericevans")
        self.press("Retweet")
        self.assertEqual(["1 retweet"], self.texts(".acts span"))
        self.picture("userline-retweeted")
        self.go("/~ericflo")
        self.assertEqual(["Retweeted by @ericflo"], self.texts(".by"))
        self.press("Undo retweet")
        self.assertEqual([], self.texts(".by"))

        # Lists.
        self.go("/~ericflo/lists")
        self.fill(name="Databases")
        self.press("Create")
        self.fill(username="@jericevans")
        self.press("Add")
        self.fill(username="ericflo")
        self.press("Add")
        self.picture("list")
        self.assertEqual(20, len(self.texts(".tweet")))
        self.go("/~ericflo/lists")
        self.picture("lists")
        self.go("/~jericevans/followers")
        self.assertEqual(["ericflo"], self.texts(".person span:last-child"))
        self.picture("followers")

        # Out, and in again.
        self.go("/~jericevans")
        self.press("Unfollow")
        self.go("/")
        self.assertNotIn("jericevans", " ".join(self.texts(".tweet .head")))
        self.press("Log out")
        self.go("/login")
        self.fill(username="ericflo", password="not the password")
        self.press("Log in")
        self.assertEqual(["The username or the password is wrong."], self.texts(".problem"))
        self.picture("log-in-refused")
        self.fill(username="EricFlo", password=PASSWORD)
        self.press("Log in")
        self.assertIn("@ericflo", self.find("header").text)
        self.go("/~nobody")
        self.picture("not-found")
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        self.go("/")
        self.picture("home-dark")


if __name__ == "__main__":
    unittest.main()
