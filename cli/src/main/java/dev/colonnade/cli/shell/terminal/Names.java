package dev.colonnade.cli.shell.terminal;

import java.util.List;
import java.util.Optional;

/** What is known of the schema right now. No method may wait for a node. */
interface Names {

  /** The keyspace in use. */
  Optional<String> keyspace();

  /** All keyspaces; empty if they are not known. */
  List<String> keyspaces();

  /** The families of a keyspace; empty if they are not known. */
  List<String> families(String keyspace);
}
