/**
 * Messages between nodes. {@link dev.colonnade.server.net.Transport} is the seam: gRPC streams in
 * production, a simulated network in tests. Above it {@link dev.colonnade.server.net.Messenger}
 * matches answers to requests, keeps deadlines, passes cancellation on, and hands what arrives to
 * the handler of its {@link dev.colonnade.server.net.Verb}.
 *
 * <p>What a message's body says is known to the package that sends and handles it, and to nobody
 * here. No wire library may enter.
 */
@NullMarked
package dev.colonnade.server.net;

import org.jspecify.annotations.NullMarked;
