/**
 * Clients that treat a node badly, and what well-behaved clients notice of it. {@code
 * integration-tests/abuse} runs all of it; {@link dev.colonnade.it.abuse.AbuseIT} the worst for a
 * few seconds each.
 */
@NullMarked
package dev.colonnade.it.abuse;

import org.jspecify.annotations.NullMarked;
