/**
 * Twissandra of "Cassandra by example": short messages, and lines of messages that are written for
 * each reader when they are sent. {@link dev.colonnade.cli.demo.twissandra.Twissandra} is the
 * application, with its records and its clock; the rest is the walkthrough.
 */
@NullMarked
package dev.colonnade.cli.demo.twissandra;

import org.jspecify.annotations.NullMarked;
