/**
 * Failure detection: how long after its last heartbeat a node is considered down, judged by how
 * regular its heartbeats were. Pure: the time is an argument, nothing is scheduled, and nodes are
 * identified by the caller's keys. The reaction to a verdict is not decided here.
 *
 * <p>After Hayashibara, Défago, Yared and Katayama, "The φ Accrual Failure Detector" (2004),
 * section 4, with one deliberate difference: intervals are assumed to be exponentially distributed
 * instead of normally. A normal distribution of very regular heartbeats makes a delay of a few
 * milliseconds look impossible; an exponential one requires silence in proportion to the mean
 * interval. With heartbeats once a second and a threshold of 5, that is a silence of about 11.5 s.
 *
 * <p>Not thread-safe: everything belongs to the serial queue that gossip runs on.
 */
@NullMarked
package dev.colonnade.server.cluster.failure;

import org.jspecify.annotations.NullMarked;
