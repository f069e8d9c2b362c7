/**
 * Suspicion of nodes that fall silent: how long after its last heartbeat a node is held to be down,
 * judged by how regular its heartbeats were. Pure: the time is an argument, nothing is scheduled,
 * and nodes are whatever the caller takes as keys. Who acts on a verdict is not decided here.
 *
 * <p>After Hayashibara, Défago, Yared and Katayama, "The φ Accrual Failure Detector" (2004),
 * section 4, with one deliberate difference: intervals are held to be exponentially distributed
 * instead of normally. A normal distribution of very regular heartbeats makes a delay of a few
 * milliseconds look impossible; an exponential one asks for silence in proportion to the mean
 * interval. With heartbeats once a second and a threshold of 5, that is a silence of about 11.5 s.
 *
 * <p>Not thread-safe: everything belongs to the serial queue that gossip runs on.
 */
@NullMarked
package dev.colonnade.server.failure;

import org.jspecify.annotations.NullMarked;
