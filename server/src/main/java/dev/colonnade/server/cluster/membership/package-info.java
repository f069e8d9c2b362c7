/**
 * How nodes join and leave while the cluster serves. A change has two steps that others must hear
 * of: first that a node is about to own ranges, from which moment it gets every write for them;
 * then, when it has their data, that it owns them. In between {@link
 * dev.colonnade.server.cluster.membership.Transfers} moves the data.
 *
 * <p>One change at a time in a cluster: a node that sees another one under way refuses to begin.
 * Everything here runs on the control stage; nothing waits.
 */
@NullMarked
package dev.colonnade.server.cluster.membership;

import org.jspecify.annotations.NullMarked;
