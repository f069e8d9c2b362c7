package dev.colonnade.cli.shell.output;

/**
 * A statement that failed.
 *
 * @param where in front of the message for people, such as {@code schema.txt:3}; empty if the
 *     statement was typed
 * @param message one line: what happened, and what to do
 * @param reason for programs, such as {@code COLUMN_FAMILY_NOT_FOUND}
 */
public record Problem(String where, String message, String reason, int status) {}
