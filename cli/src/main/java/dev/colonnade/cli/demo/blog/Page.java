package dev.colonnade.cli.demo.blog;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Some posts of a list, the newest first, each with its author.
 *
 * @param older where the next page begins; empty if this is the last one
 */
public record Page(List<Entry> entries, Optional<UUID> older) {

  /** A post as it is shown in a list. */
  public record Entry(Post post, Author author) {}

  /** Keeps a copy of the list. */
  public Page {
    entries = List.copyOf(entries);
  }
}
