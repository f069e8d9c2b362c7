package dev.colonnade.cli.demo.blog;

import java.time.Instant;

/**
 * What a reader left under a post. Readers do not sign up: they say each time who they are.
 *
 * @param written in whole seconds
 */
public record Comment(String commenter, String email, String text, Instant written) {}
