package dev.colonnade.cli.demo.search;

/**
 * A mail in somebody's inbox.
 *
 * @param id when it arrived, in microseconds since 1970; no two mails of one inbox have the same
 */
public record Mail(long id, String text) {}
