package dev.colonnade.cli.demo.search;

/**
 * A mail that was found.
 *
 * @param rank how often the words that were looked for are in it
 */
public record Hit(Mail mail, int rank) {}
