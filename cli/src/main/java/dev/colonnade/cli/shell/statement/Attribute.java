package dev.colonnade.cli.shell.statement;

/**
 * {@code name = value} after {@code with} or {@code and}.
 *
 * @param name in lower case
 * @param value as written, without quotes; of a map or a list of maps, its text
 */
public record Attribute(Position position, String name, String value) {}
