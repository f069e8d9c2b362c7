"""The web pages. They are whole without scripts; forms change things, links do not."""

import hmac
import re
import secrets
import zlib
from datetime import datetime, timezone

from flask import Flask, abort, flash, g, redirect, render_template, request, session, url_for
from markupsafe import Markup, escape

from colonnade import Colonnade, ColonnadeError

from twissandra.accounts import PASSWORD_LENGTHS, USERNAME, Accounts, NameTaken, User
from twissandra.lines import BODY, PUBLIC, Lines, Tweet
from twissandra.people import LIST_NAME, People, TooManyLists, UserList

#: An @ and a username, unless it is within a word, as in an e-mail address.
MENTION = re.compile(r"(?<![\w@])@([A-Za-z0-9_]{1,15})\b")


def create_app(client: Colonnade, keyspace: str, secret: str, https: bool = False) -> Flask:
    """The application, for any WSGI server.

    :param client: reads and writes at QUORUM
    :param secret: signs the cookie with a visitor's session; the same in all processes of the application
    :param https: whether the cookie is kept from connections that are not encrypted
    """
    app = Flask(__name__)
    app.config.update(
        SECRET_KEY=secret,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=https,
        MAX_CONTENT_LENGTH=16 << 10,
    )
    accounts = Accounts(client, keyspace)
    lines = Lines(client, keyspace, accounts)
    people = People(client, keyspace, accounts, lines)
    _every_request(app, accounts)
    _account_pages(app, accounts)
    _line_pages(app, accounts, lines, people)
    _following_pages(app, accounts, people)
    _list_pages(app, accounts, lines, people)
    return app


def _every_request(app: Flask, accounts: Accounts) -> None:
    @app.before_request
    def know_the_visitor():
        g.me = None
        if request.endpoint == "static":
            return
        if "csrf" not in session:
            session["csrf"] = secrets.token_urlsafe(32)
        if request.method == "POST":
            given = request.form.get("csrf", "")
            if not hmac.compare_digest(given.encode(), session["csrf"].encode()):
                abort(400, "This form is too old, or comes from another site. Go back, load the page again and retry.")
        if "user" in session:
            g.me = accounts.by_id(session["user"])

    @app.after_request
    def forbid_what_is_not_needed(response):
        response.headers["Content-Security-Policy"] = (
            "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
            "frame-ancestors 'none'"
        )
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "same-origin"
        if request.endpoint != "static":
            response.headers["Cache-Control"] = "private, no-store"
        return response

    @app.errorhandler(ColonnadeError)
    def store_failed(error):
        app.logger.error("%s", error)
        maybe = error.applied == "unknown"
        return render_template("error.html", code=503, store=True, maybe=maybe), 503

    for code in (400, 404, 413):
        app.register_error_handler(
            code, lambda error: (render_template("error.html", code=error.code, text=error.description), error.code)
        )

    @app.context_processor
    def what_templates_need():
        return {"me": g.get("me"), "csrf": session.get("csrf", ""), "body_length": BODY}

    app.add_template_filter(with_mentions)
    app.add_template_filter(ago)
    app.add_template_filter(lambda user: zlib.crc32(user.id.encode()) % 8, "colour")


def with_mentions(body: str) -> Markup:
    """The text of a tweet as HTML: escaped, and each @name a link."""
    result, end = Markup(), 0
    for found in MENTION.finditer(body):
        link = url_for("userline", username=found[1].lower())
        result += escape(body[end:found.start()]) + Markup('<a href="{}">{}</a>').format(link, found[0])
        end = found.end()
    return result + escape(body[end:])


def ago(moment: datetime) -> str:
    seconds = (datetime.now(timezone.utc) - moment).total_seconds()
    if seconds < 60:
        return "now"
    if seconds < 3600:
        return f"{seconds // 60:.0f} min"
    if seconds < 86_400:
        return f"{seconds // 3600:.0f} h"
    return f"{moment:%b} {moment.day}, {moment.year}"


def logged_in() -> User:
    """The visitor, who is sent to the log-in page if nobody is logged in."""
    if g.me is None:
        abort(redirect(url_for("log_in_page")))
    return g.me


def back():
    """To the page that the form was on, which is one of ours."""
    place = request.form.get("back", "")
    return redirect(place if re.fullmatch(r"/(?![/\\])[^\s\\]*", place) else url_for("timeline"))


def start_of_page() -> int | None:
    start = request.args.get("start")
    if start is None:
        return None
    if not re.fullmatch(r"\d{1,19}", start, re.ASCII) or int(start) >= 2**63:
        abort(404)
    return int(start)


def _account_pages(app: Flask, accounts: Accounts) -> None:
    def enter(user: User):
        # Nothing of the session before is kept, the token of its forms neither.
        session.clear()
        session["user"], session["csrf"] = user.id, secrets.token_urlsafe(32)
        return redirect(url_for("timeline"))

    def form(page: str, problem: str | None = None, status: int = 200):
        return render_template(page, problem=problem, username=request.form.get("username", "")), status

    @app.get("/signup")
    def sign_up_page():
        return form("signup.html")

    @app.post("/signup")
    def sign_up():
        username, password = request.form.get("username", "").strip().lower(), request.form.get("password", "")
        if not USERNAME.fullmatch(username):
            return form("signup.html", "A username has 1 to 15 letters of a to z, digits and underscores.", 400)
        if len(password) not in PASSWORD_LENGTHS:
            return form("signup.html", "A password has 8 to 200 characters.", 400)
        if password != request.form.get("repeated"):
            return form("signup.html", "The two passwords differ.", 400)
        try:
            return enter(accounts.sign_up(username, password))
        except NameTaken:
            return form("signup.html", f"The name {username} is taken.", 409)

    @app.get("/login")
    def log_in_page():
        return form("login.html")

    @app.post("/login")
    def log_in():
        username, password = request.form.get("username", "").strip().lower(), request.form.get("password", "")
        if USERNAME.fullmatch(username) and len(password) in PASSWORD_LENGTHS:
            user = accounts.log_in(username, password)
            if user:
                return enter(user)
        return form("login.html", "The username or the password is wrong.", 403)

    @app.post("/logout")
    def log_out():
        session.clear()
        return redirect(url_for("public"))


def find_user(accounts: Accounts, username: str) -> User | None:
    name = username.strip().lower().removeprefix("@")
    return accounts.named(name) if USERNAME.fullmatch(name) else None


def user_or_404(accounts: Accounts, username: str) -> User:
    return find_user(accounts, username) or abort(404, f"There is no user {username}.")


def _line_pages(app: Flask, accounts: Accounts, lines: Lines, people: People) -> None:
    @app.get("/")
    def timeline():
        if g.me is None:
            return public()
        page = lines.page("Timeline", g.me.id, start_of_page(), g.me)
        return render_template("timeline.html", page=page)

    @app.get("/public")
    def public():
        return render_template("public.html", page=lines.page("Userline", PUBLIC, start_of_page(), g.me))

    @app.get("/~<username>")
    def userline(username):
        user = user_or_404(accounts, username)
        return render_template(
            "userline.html",
            user=user,
            counts=people.counts(user),
            follows=g.me is not None and people.follows(g.me, user),
            my_lists=people.lists(g.me) if g.me else [],
            page=lines.page("Userline", user.id, start_of_page(), g.me),
        )

    def tweet_or_404(tweet_id) -> Tweet:
        return lines.one(str(tweet_id), g.me) or abort(404, "There is no such tweet.")

    @app.get("/tweet/<uuid:tweet_id>")
    def one_tweet(tweet_id):
        return render_template("tweet.html", tweet=tweet_or_404(tweet_id))

    @app.post("/tweet")
    def tweet():
        # A line break counts as a space.
        body = " ".join(request.form.get("body", "").split())
        if 1 <= len(body) <= BODY:
            lines.tweet(logged_in(), body)
        else:
            flash(f"A tweet has 1 to {BODY} characters, and this one has {len(body)}.")
        return back()

    @app.post("/tweet/<uuid:tweet_id>/retweet")
    def retweet(tweet_id):
        lines.retweet(logged_in(), tweet_or_404(tweet_id))
        return back()

    @app.post("/tweet/<uuid:tweet_id>/undo")
    def undo_retweet(tweet_id):
        lines.undo_retweet(logged_in(), tweet_or_404(tweet_id))
        return back()


def _following_pages(app: Flask, accounts: Accounts, people: People) -> None:
    def users(family: str, username: str):
        user = user_or_404(accounts, username)
        found, more = people.page(family, user.id, request.args.get("start", ""))
        return render_template("people.html", user=user, users=found, next=more, title=family)

    @app.get("/~<username>/following")
    def following(username):
        return users("Friends", username)

    @app.get("/~<username>/followers")
    def followers(username):
        return users("Followers", username)

    @app.post("/~<username>/follow")
    def follow(username):
        other = user_or_404(accounts, username)
        if other != logged_in():
            people.follow(g.me, other)
        return back()

    @app.post("/~<username>/unfollow")
    def unfollow(username):
        other = user_or_404(accounts, username)
        if other != logged_in():
            people.unfollow(g.me, other)
        return back()


def _list_pages(app: Flask, accounts: Accounts, lines: Lines, people: People) -> None:
    def found(username: str, list_id) -> tuple[User, UserList]:
        owner = user_or_404(accounts, username)
        return owner, people.find_list(owner, str(list_id)) or abort(404, "There is no such list.")

    def own(list_id) -> UserList:
        return people.find_list(logged_in(), str(list_id)) or abort(404, "There is no such list.")

    @app.get("/~<username>/lists")
    def lists(username):
        owner = user_or_404(accounts, username)
        return render_template("lists.html", user=owner, lists=people.lists(owner), name_length=LIST_NAME)

    @app.get("/~<username>/lists/<uuid:list_id>")
    def listline(username, list_id):
        owner, which = found(username, list_id)
        members, more = people.page("Members", which.id, request.args.get("members", ""))
        page = lines.page("Listline", which.id, start_of_page(), g.me)
        return render_template("list.html", user=owner, list=which, members=members, more_members=more, page=page)

    @app.post("/lists")
    def create_list():
        name = " ".join(request.form.get("name", "").split())
        try:
            if 1 <= len(name) <= LIST_NAME:
                made = people.create_list(logged_in(), name)
                return redirect(url_for("listline", username=g.me.username, list_id=made.id))
            flash(f"The name of a list has 1 to {LIST_NAME} characters.")
        except TooManyLists:
            flash("You have as many lists as one may have.")
        return back()

    @app.post("/lists/<uuid:list_id>/delete")
    def delete_list(list_id):
        people.delete_list(logged_in(), own(list_id))
        return redirect(url_for("lists", username=g.me.username))

    @app.post("/lists/<uuid:list_id>/add")
    def add_member(list_id):
        which, username = own(list_id), request.form.get("username", "")
        user = find_user(accounts, username)
        if user:
            people.add_member(which, user)
        else:
            flash(f"There is no user {username}.")
        return redirect(url_for("listline", username=g.me.username, list_id=which.id))

    @app.post("/lists/<uuid:list_id>/remove")
    def remove_member(list_id):
        which = own(list_id)
        people.remove_member(which, user_or_404(accounts, request.form.get("username", "")))
        return redirect(url_for("listline", username=g.me.username, list_id=which.id))
