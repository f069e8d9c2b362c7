package dev.colonnade.cli.demo.mail;

import java.util.List;

/**
 * What somebody sends.
 *
 * @param from the sender's user id
 * @param to user ids of those who get it, each once
 */
public record Letter(String from, List<String> to, String subject, String body) {

  /** Keeps a copy of the list. */
  public Letter {
    to = List.copyOf(to);
  }
}
