package dev.colonnade.cli.demo.blog;

import java.time.Instant;

/**
 * A reader's comment on a post. Readers do not sign up; each comment says who wrote it.
 *
 * @param written in whole seconds
 */
public record Comment(String commenter, String email, String text, Instant written) {}
