package dev.colonnade.server.service.search;

/**
 * Where a page of hits ended.
 *
 * @param id of the last document that was looked at, or given in the order of scores
 * @param score of that document; 0 in the order of ids
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record SearchPosition(byte[] id, float score) {}
