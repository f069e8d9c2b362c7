/**
 * Files of framed records that are only ever appended to: the segments of the commit log, those of
 * hints, and records that were set aside.
 *
 * <p>A frame carries a checksum over its content and its place, so that what an interrupted write
 * left behind is told from what was written, and damage to what was durable is told from both. This
 * package knows frames, and not what the records mean, how files are named, or when one is full:
 * that is the business of the packages above it.
 */
@NullMarked
package dev.colonnade.server.storage.record;

import org.jspecify.annotations.NullMarked;
