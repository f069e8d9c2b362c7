package dev.colonnade.client;

/** The parts that all calls of one client share. */
record ClientContext(Transport transport, Timestamps timestamps, int resumeAttempts) {}
