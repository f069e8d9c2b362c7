package dev.colonnade.client;

/** How many entries a row has in a slice. */
public record KeyCount<K>(K key, long count) {}
