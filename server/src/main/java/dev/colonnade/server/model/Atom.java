package dev.colonnade.server.model;

/**
 * What a row's sequence is made of: cells, and the places where a range deletion begins or ends.
 */
public sealed interface Atom extends Position permits Cell, RangeTombstoneMarker {}
