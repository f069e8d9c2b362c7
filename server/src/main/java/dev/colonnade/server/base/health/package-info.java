/**
 * Whether this node serves, and what keeps it from serving: all parts report their problems here,
 * and probes, clients and peers are answered from here.
 *
 * <p>A part that detects a problem raises a condition with its {@link
 * dev.colonnade.server.base.health.Impact}, and clears it once it is over. {@code /readyz}, {@code
 * /healthz}, the gRPC health service, the coordinator and gossip follow by themselves, so a
 * reporting part need not know them.
 *
 * <p>{@link dev.colonnade.server.base.health.Watchdog} finds stalled work, in every part alike;
 * each part detects its other problems itself.
 *
 * <p>Not allowed here: the reaction to a problem (the node's disk failure policy, the retries of
 * the part that has it).
 */
@NullMarked
package dev.colonnade.server.base.health;

import org.jspecify.annotations.NullMarked;
