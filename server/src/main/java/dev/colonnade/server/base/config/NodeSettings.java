package dev.colonnade.server.base.config;

/** All settings of a node. {@link #DEFAULT} is a complete node on loopback. */
public record NodeSettings(
    ClusterSettings cluster,
    AddressSettings addresses,
    DirectorySettings directories,
    CommitLogOptions commitLog,
    StorageSettings storage,
    RequestSettings requests,
    ConnectionSettings connections,
    RingChangeSettings ringChanges,
    DiskFailurePolicy diskFailures,
    HealthSettings health) {

  /** One node, reachable from its own machine only, with everything below {@code ./data}. */
  public static final NodeSettings DEFAULT =
      new NodeSettings(
          ClusterSettings.DEFAULT,
          AddressSettings.DEFAULT,
          DirectorySettings.DEFAULT,
          CommitLogOptions.DEFAULT,
          StorageSettings.DEFAULT,
          RequestSettings.DEFAULT,
          ConnectionSettings.DEFAULT,
          RingChangeSettings.DEFAULT,
          DiskFailurePolicy.DEFAULT,
          HealthSettings.DEFAULT);

  /** Returns these settings with other cluster settings. */
  public NodeSettings withCluster(ClusterSettings settings) {
    return new NodeSettings(
        settings,
        addresses,
        directories,
        commitLog,
        storage,
        requests,
        connections,
        ringChanges,
        diskFailures,
        health);
  }

  /** Returns these settings with other addresses. */
  public NodeSettings withAddresses(AddressSettings settings) {
    return new NodeSettings(
        cluster,
        settings,
        directories,
        commitLog,
        storage,
        requests,
        connections,
        ringChanges,
        diskFailures,
        health);
  }

  /** Returns these settings with other directories. */
  public NodeSettings withDirectories(DirectorySettings settings) {
    return new NodeSettings(
        cluster,
        addresses,
        settings,
        commitLog,
        storage,
        requests,
        connections,
        ringChanges,
        diskFailures,
        health);
  }

  /** Returns these settings with other commit log settings. */
  public NodeSettings withCommitLog(CommitLogOptions settings) {
    return new NodeSettings(
        cluster,
        addresses,
        directories,
        settings,
        storage,
        requests,
        connections,
        ringChanges,
        diskFailures,
        health);
  }

  /** Returns these settings with other storage settings. */
  public NodeSettings withStorage(StorageSettings settings) {
    return new NodeSettings(
        cluster,
        addresses,
        directories,
        commitLog,
        settings,
        requests,
        connections,
        ringChanges,
        diskFailures,
        health);
  }

  /** Returns these settings with other request settings. */
  public NodeSettings withRequests(RequestSettings settings) {
    return new NodeSettings(
        cluster,
        addresses,
        directories,
        commitLog,
        storage,
        settings,
        connections,
        ringChanges,
        diskFailures,
        health);
  }

  /** Returns these settings with other bounds of connections. */
  public NodeSettings withConnections(ConnectionSettings settings) {
    return new NodeSettings(
        cluster,
        addresses,
        directories,
        commitLog,
        storage,
        requests,
        settings,
        ringChanges,
        diskFailures,
        health);
  }

  /** Returns these settings with another pace of ring changes. */
  public NodeSettings withRingChanges(RingChangeSettings settings) {
    return new NodeSettings(
        cluster,
        addresses,
        directories,
        commitLog,
        storage,
        requests,
        connections,
        settings,
        diskFailures,
        health);
  }

  /** Returns these settings with another disk failure policy. */
  public NodeSettings withDiskFailures(DiskFailurePolicy policy) {
    return new NodeSettings(
        cluster,
        addresses,
        directories,
        commitLog,
        storage,
        requests,
        connections,
        ringChanges,
        policy,
        health);
  }

  /** Returns these settings with other health settings. */
  public NodeSettings withHealth(HealthSettings settings) {
    return new NodeSettings(
        cluster,
        addresses,
        directories,
        commitLog,
        storage,
        requests,
        connections,
        ringChanges,
        diskFailures,
        settings);
  }
}
