"""python -m twissandra: makes the keyspace where there is none, and serves the pages."""

import argparse
import os
import secrets

from colonnade import Colonnade

from twissandra import schema
from twissandra.pages import create_app


def main():
    parser = argparse.ArgumentParser(prog="python -m twissandra", description=__doc__.split(": ", 1)[1])
    parser.add_argument("nodes", nargs="*", default=["127.0.0.1:9160"], help="nodes of Colonnade (127.0.0.1:9160)")
    parser.add_argument("--keyspace", default="Twissandra")
    parser.add_argument("--replication-factor", type=int, default=1, help="of a keyspace that is made (1)")
    parser.add_argument("--host", default="127.0.0.1", help="the address of the pages (127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, help="the port of the pages (8000)")
    arguments = parser.parse_args()
    client = Colonnade(*arguments.nodes, read_level="QUORUM", write_level="QUORUM")
    schema.create(client, arguments.keyspace, arguments.replication_factor)
    secret = os.environ.get("TWISSANDRA_SECRET")
    if not secret:
        secret = secrets.token_urlsafe(32)
        print("TWISSANDRA_SECRET is not set: after a restart everybody logs in again")
    app = create_app(client, arguments.keyspace, secret)
    app.run(arguments.host, arguments.port, threaded=True)


if __name__ == "__main__":
    main()
