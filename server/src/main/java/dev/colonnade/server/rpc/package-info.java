/**
 * The gRPC services: they check what a client sent, translate it to the vocabulary of {@code
 * model}, hand it to the {@code coordinator}, and translate the answer, or the error, back.
 *
 * <p>One small class handles one kind of call. What they share: {@link
 * dev.colonnade.server.rpc.RequestRules} holds every rule a request must keep, {@link
 * dev.colonnade.server.rpc.Predicates} and {@link dev.colonnade.server.rpc.Mutations} translate,
 * {@link dev.colonnade.server.rpc.PageTokens} reads and writes the positions that clients hand
 * back, and {@link dev.colonnade.server.rpc.StatusErrors} is the one place where an exception
 * becomes a status.
 *
 * <p>Threads: everything runs on the event loop that brought the request, or on whichever thread
 * completed the store's future. Nothing here blocks, and nothing is kept between calls: a page
 * token or a resume token holds all that the next call needs, so any node can serve it.
 *
 * <p>Memory: a unary answer is cut at a number of encoded bytes, a stream reads its next chunk only
 * when the transport is ready for it.
 *
 * <p>What may not enter: merging, storage, replica choice, the data directory.
 */
@NullMarked
package dev.colonnade.server.rpc;

import org.jspecify.annotations.NullMarked;
