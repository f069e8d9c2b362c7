package dev.colonnade.server.service.coordinator;

/** A count and what it cost. */
public record CountAnswer(long count, CallCost cost) {}
