package dev.colonnade.client;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * A snapshot of data files on one node.
 *
 * @param name of it
 * @param nodeId of the node that has it
 * @param address of that node for clients
 * @param clientPort of that node
 * @param created when it was asked for; the same on all nodes that took it together
 * @param families how many column families it has
 * @param files how many data files it has
 * @param bytes of its files; those that are live as well, or in another snapshot, are on disk once
 * @param newBytes of its files that no older snapshot of the node has
 * @param freedBytes that deleting it would free
 * @param missingFiles damaged data files that were set aside when it was taken, whose content it
 *     lacks
 * @param directory of it on the node
 */
public record Snapshot(
    String name,
    String nodeId,
    String address,
    int clientPort,
    Instant created,
    int families,
    int files,
    long bytes,
    long newBytes,
    long freedBytes,
    int missingFiles,
    String directory) {

  static Snapshot of(dev.colonnade.admin.v1.Snapshot message) {
    return new Snapshot(
        message.getName(),
        message.getNodeId(),
        message.getAddress(),
        message.getClientPort(),
        Instant.EPOCH.plus(message.getCreatedMicros(), ChronoUnit.MICROS),
        message.getColumnFamilies(),
        message.getFiles(),
        message.getSizeBytes(),
        message.getNewBytes(),
        message.getFreedBytes(),
        message.getMissingFiles(),
        message.getDirectory());
  }
}
