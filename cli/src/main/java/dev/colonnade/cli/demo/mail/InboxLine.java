package dev.colonnade.cli.demo.mail;

/**
 * A thread as the inbox shows it.
 *
 * @param thread its id
 * @param newest its newest message
 */
public record InboxLine(String thread, String subject, Message newest) {}
