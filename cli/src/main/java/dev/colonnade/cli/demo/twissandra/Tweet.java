package dev.colonnade.cli.demo.twissandra;

/**
 * A short message.
 *
 * @param id a UUID as text
 * @param userId the {@link User#id} of its author
 * @param sentMicros when it was sent, in microseconds since 1970; also its name in lines
 */
public record Tweet(String id, String userId, String body, long sentMicros) {}
