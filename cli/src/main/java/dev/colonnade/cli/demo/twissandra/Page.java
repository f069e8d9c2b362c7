package dev.colonnade.cli.demo.twissandra;

import java.util.List;
import java.util.OptionalLong;

/**
 * Some tweets of a line, the newest first.
 *
 * @param next what the next page starts with; empty if this is the last one
 */
public record Page(List<Tweet> tweets, OptionalLong next) {

  /** Keeps a copy of the list. */
  public Page {
    tweets = List.copyOf(tweets);
  }
}
