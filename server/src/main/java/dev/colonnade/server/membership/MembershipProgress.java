package dev.colonnade.server.membership;

/**
 * How far a change is.
 *
 * @param phase what it does now, in a word
 * @param done of {@code total} transfers, in {@code phase}
 * @param total 0 while it is unknown
 * @param detail for people
 */
public record MembershipProgress(String phase, long done, long total, String detail) {}
