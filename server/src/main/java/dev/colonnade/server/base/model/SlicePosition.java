package dev.colonnade.server.base.model;

/**
 * The position from which the reading of a slice continues.
 *
 * @param at the place behind, in reading order, everything that was read. Reading super columns
 *     backwards it lies inside (or at the end of) a super column, whose rest comes first, ascending
 * @param topCounted whether the super column that {@code at} lies in was delivered in part and
 *     counted
 * @param counted live columns or super columns delivered so far
 */
public record SlicePosition(Bound at, boolean topCounted, long counted) {}
