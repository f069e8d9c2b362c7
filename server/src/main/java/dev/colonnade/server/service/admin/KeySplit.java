package dev.colonnade.server.service.admin;

import dev.colonnade.server.cluster.ring.TokenRange;

/**
 * A part of the ring and an estimate of a family's data in it, judged by this node's data.
 *
 * @param keys rows; a row in several files counts several times
 * @param bytes of these rows in data files
 */
public record KeySplit(TokenRange range, long keys, long bytes) {}
