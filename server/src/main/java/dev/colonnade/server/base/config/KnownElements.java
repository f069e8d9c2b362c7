package dev.colonnade.server.base.config;

import java.util.Set;

/** The elements of {@code <Storage>} that have an effect here. An empty one means its default. */
final class KnownElements {

  static final Set<String> NAMES =
      Set.of(
          "ClusterName",
          "Partitioner",
          "InitialToken",
          "Seeds",
          "PhiConvictThreshold",
          "AutoBootstrap",
          "HintedHandoffEnabled",
          "HintedHandoffIntervalInSeconds",
          "DoConsistencyChecksBoolean",
          "ListenAddress",
          "ThriftAddress",
          "ThriftPort",
          "StoragePort",
          "CommitLogDirectory",
          "DataFileDirectories",
          "RpcTimeoutInMillis",
          "MaxClientConnections",
          "ReaderTimeoutInSeconds",
          "StallLimitInSeconds",
          "ConcurrentReads",
          "CommitLogRotationThresholdInMB",
          "MemtableThroughputInMB",
          "MemtableSizeInMB",
          "MemtableOperationsInMillions",
          "MemtableObjectCountInMillions",
          "MemtableFlushAfterMinutes",
          "GCGraceSeconds",
          "KeysCachedFraction",
          "EndPointSnitch",
          "Authenticator",
          "SnapshotBeforeCompaction",
          "Keyspaces",
          "ReplicaPlacementStrategy",
          "ReplicationFactor",
          "CommitLogSync",
          "CommitLogSyncPeriodInMS",
          "CommitLogSyncBatchWindowInMS");

  private KnownElements() {}
}
