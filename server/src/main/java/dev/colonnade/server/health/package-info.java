/**
 * Whether this node serves, and what keeps it from serving: the one place that every part reports
 * its troubles to, and that probes, clients and peers are answered from.
 *
 * <p>A part that finds something wrong raises a condition with its {@link
 * dev.colonnade.server.health.Impact}, and clears it once it is over. {@code /readyz}, {@code
 * /healthz}, the gRPC health service, the coordinator and gossip follow by themselves, so a part
 * that reports needs to know none of them.
 *
 * <p>{@link dev.colonnade.server.health.Watchdog} finds what stands still, in every part alike;
 * what else can be wrong is found by the part that it happens to.
 *
 * <p>What may not enter: what is done about a trouble (the disk-failure policy of the node, the
 * retries of the part that has it).
 */
@NullMarked
package dev.colonnade.server.health;

import org.jspecify.annotations.NullMarked;
