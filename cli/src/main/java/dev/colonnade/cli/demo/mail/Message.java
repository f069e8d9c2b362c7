package dev.colonnade.cli.demo.mail;

import java.time.Instant;

/**
 * A message of a thread.
 *
 * @param sender the sender's name, not the id
 */
public record Message(String sender, String body, Instant sent) {}
