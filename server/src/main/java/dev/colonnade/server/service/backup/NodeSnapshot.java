package dev.colonnade.server.service.backup;

/**
 * One snapshot on one node.
 *
 * @param name of it
 * @param createdMicros when it was asked for, in microseconds since 1970
 * @param families how many column families it has
 * @param files how many data files it has
 * @param bytes of its files
 * @param newBytes of its files that no older snapshot of the node has
 * @param freedBytes that deleting it would free
 * @param missingFiles damaged files that were set aside when it was taken
 * @param directory on the node
 */
public record NodeSnapshot(
    String name,
    long createdMicros,
    long families,
    long files,
    long bytes,
    long newBytes,
    long freedBytes,
    long missingFiles,
    String directory) {}
