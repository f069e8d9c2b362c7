/**
 * The gRPC services: they check a client's request, translate it to the types of {@code model},
 * call the {@code coordinator}, and translate the answer or the error back.
 *
 * <p>Each kind of call has a small class of its own. Shared parts: {@link
 * dev.colonnade.server.service.rpc.RequestRules} holds all rules for requests, {@link
 * dev.colonnade.server.service.rpc.Predicates} and {@link
 * dev.colonnade.server.service.rpc.Mutations} translate, {@link
 * dev.colonnade.server.service.rpc.PageTokens} encodes the positions that clients send back, and
 * {@link dev.colonnade.server.service.rpc.StatusErrors} alone turns exceptions into a status.
 *
 * <p>Threads: everything runs on the event loop that brought the request, or on the thread that
 * completed the store's future. Nothing here blocks, and nothing is kept between calls: a page
 * token or a resume token holds all that the next call needs, so any node can serve it.
 *
 * <p>Memory: a unary answer is cut at a number of encoded bytes, and a stream reads its next chunk
 * only when the transport is ready for it.
 *
 * <p>This package must not contain merging, storage, replica choice, or the data directory.
 */
@NullMarked
package dev.colonnade.server.service.rpc;

import org.jspecify.annotations.NullMarked;
