/**
 * Clients of a real cluster that breaks in many ways, which record what they asked for and were
 * answered; checkers that look at all of it as one history. {@code integration-tests/history} runs
 * it.
 */
@NullMarked
package dev.colonnade.it.history;

import org.jspecify.annotations.NullMarked;
