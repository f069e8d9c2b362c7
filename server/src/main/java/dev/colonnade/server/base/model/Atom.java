package dev.colonnade.server.base.model;

/** An element of a row's sequence: a cell, or the place where a range deletion begins or ends. */
public sealed interface Atom extends Position permits Cell, RangeTombstoneMarker {}
