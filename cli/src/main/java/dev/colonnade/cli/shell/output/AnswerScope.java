package dev.colonnade.cli.shell.output;

import java.util.Optional;

/**
 * Where an answer comes from.
 *
 * @param superColumn of columns within one super column
 */
public record AnswerScope(String keyspace, String family, Optional<String> superColumn) {}
