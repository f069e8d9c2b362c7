/**
 * Messages between nodes. {@link dev.colonnade.server.cluster.net.Transport} is the interface to
 * the network: gRPC streams in production, a simulated network in tests. Above it {@link
 * dev.colonnade.server.cluster.net.Messenger} matches answers to requests, keeps deadlines, passes
 * cancellation on, and hands what arrives to the handler of its {@link
 * dev.colonnade.server.cluster.net.Verb}.
 *
 * <p>Only the package that sends and handles a message knows the format of its body. No wire
 * library may enter.
 */
@NullMarked
package dev.colonnade.server.cluster.net;

import org.jspecify.annotations.NullMarked;
