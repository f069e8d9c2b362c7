package dev.colonnade.cli.demo.search;

/**
 * A mail in an inbox.
 *
 * @param id when it arrived, in microseconds since 1970; no two mails of one inbox have the same
 */
public record Mail(long id, String text) {}
