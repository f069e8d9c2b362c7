"""The families, and how their rows look."""

from colonnade import Colonnade, ColonnadeError, Family

#: The article's seven families, and those of its two exercises. Ids are UUIDs as text; a time is that of the
#: application, and the name in a line is explained at :func:`twissandra.lines.line_name`.
FAMILIES = [
    # user id: id, username, password (salted and hashed)
    Family("User", "UTF8Type"),
    # username: id; and during a sign-up a claim, whose name is the new user's id
    Family("Username", "BytesType"),
    # user id: the ids of those whom this user follows, each with the time
    Family("Friends", "BytesType"),
    # user id: the ids of this user's followers, each with the time
    Family("Followers", "BytesType"),
    # tweet id: id, user_id, _ts, line, and body; or retweet_of, the id of another tweet, in its place
    Family("Tweet", "UTF8Type"),
    # user id: name in the line -> tweet id. The row !PUBLIC! has everybody's tweets.
    Family("Userline", "LongType"),
    # user id: the same, of this user and of those whom this user follows
    Family("Timeline", "LongType"),
    # tweet id: the ids of the users who retweeted it, each with the id of the retweet
    Family("Retweets", "BytesType"),
    # user id: list id -> name
    Family("Lists", "UTF8Type", "UTF8Type"),
    # list id: the ids of its members, each with the time
    Family("Members", "BytesType"),
    # user id: the ids of the lists that this user is in, each with the time
    Family("Listings", "BytesType"),
    # list id: name in the line -> tweet id, of all members
    Family("Listline", "LongType"),
]


def create(client: Colonnade, keyspace: str, replication_factor: int) -> None:
    """Makes what is missing, so that it may run at every start."""
    try:
        client.create_keyspace(keyspace, *FAMILIES, replication_factor=replication_factor)
        return
    except ColonnadeError as error:
        if error.reason != "KEYSPACE_EXISTS":
            raise
    # Another program may have made it, with the families of the article alone.
    for family in FAMILIES:
        try:
            client.create_family(keyspace, family)
        except ColonnadeError as error:
            if error.reason != "COLUMN_FAMILY_EXISTS":
                raise
