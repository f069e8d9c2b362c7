package dev.colonnade.cli.demo.mail;

import java.util.List;

/**
 * A message to be sent.
 *
 * @param from the sender's user id
 * @param to user ids of the recipients, each once
 */
public record Letter(String from, List<String> to, String subject, String body) {

  /** Keeps a copy of the list. */
  public Letter {
    to = List.copyOf(to);
  }
}
