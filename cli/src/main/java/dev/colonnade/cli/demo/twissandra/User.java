package dev.colonnade.cli.demo.twissandra;

/**
 * A user who has signed up.
 *
 * @param id a UUID as text, which never changes
 * @param username what people type
 */
public record User(String id, String username) {}
