package dev.colonnade.server.node;

import dev.colonnade.server.base.config.AddressSettings;
import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.config.CommitLogOptions;
import dev.colonnade.server.base.config.DirectorySettings;
import dev.colonnade.server.base.config.DiskFailurePolicy;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.RingChangeSettings;
import dev.colonnade.server.base.config.StorageConf;
import dev.colonnade.server.base.config.StorageConfException;
import dev.colonnade.server.base.memory.MemoryPlan;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.node.platform.PlugInJars;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The effective settings of a node: defaults, overridden by the configuration file, overridden by
 * the command line.
 *
 * @param types finds comparators, including the user's
 * @param keyspaces that the file defines
 */
record EffectiveSettings(
    NodeSettings settings,
    PlugInJars plugIns,
    ComparatorResolver types,
    List<KeyspaceDefinition> keyspaces) {

  private static final Logger LOG = LoggerFactory.getLogger(EffectiveSettings.class);

  /** A configuration file is read whole; a larger file is something else. */
  private static final long CONF_BYTES_MAX = 16L << 20;

  /** Combines the settings; everything that a node keeps on its heap is sized by {@code plan}. */
  static EffectiveSettings of(NodeOptions options, MemoryPlan plan) throws NodeStartException {
    NodeSettings base =
        NodeSettings.DEFAULT
            .withDirectories(DirectorySettings.below(options.dataDirectory().toString()))
            .withStorage(
                NodeSettings.DEFAULT
                    .storage()
                    .withMemtableTotalBytes(plan.memtableBytes())
                    .withCacheBytes(
                        plan.blockCacheBytes(), plan.keyCacheBytes(), plan.rowCacheBytes()));
    PlugInJars plugIns = openPlugIns(base.directories().plugIns());
    ComparatorResolver types = ComparatorResolver.with(plugIns);
    StorageConf conf =
        options.storageConf().isPresent()
            ? read(options.storageConf().get(), base, types)
            : new StorageConf(base, List.of(), List.of());
    for (StorageConf.IgnoredElement ignored : conf.ignored()) {
      LOG.info(
          "{} line {}: {} has no effect: {}",
          options.storageConf().get(),
          ignored.line(),
          ignored.name(),
          ignored.reason());
    }
    return new EffectiveSettings(
        override(conf.settings(), options), plugIns, types, conf.keyspaces());
  }

  private static PlugInJars openPlugIns(String folder) throws NodeStartException {
    try {
      return PlugInJars.open(Path.of(folder));
    } catch (IOException e) {
      throw new NodeStartException(
          "cannot read the plug-in folder " + folder + ": " + e.getMessage(), e);
    }
  }

  private static StorageConf read(Path file, NodeSettings base, ComparatorResolver types)
      throws NodeStartException {
    try {
      long size = Files.size(file);
      if (size > CONF_BYTES_MAX) {
        throw new NodeStartException(
            file + " has " + size + " bytes, too many for a configuration file");
      }
      return StorageConf.parse(file.toString(), Files.readAllBytes(file), base, types);
    } catch (StorageConfException e) {
      throw new NodeStartException(String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      throw new NodeStartException(
          "cannot read the configuration file " + file + ": " + reason(e), e);
    }
  }

  private static String reason(IOException e) {
    return e instanceof java.nio.file.NoSuchFileException
        ? "there is no such file"
        : String.valueOf(e.getMessage());
  }

  private static NodeSettings override(NodeSettings settings, NodeOptions options)
      throws NodeStartException {
    try {
      AddressSettings addresses = settings.addresses();
      if (options.listenAddress().isPresent()) {
        addresses = addresses.withAddress(options.listenAddress().get());
      }
      addresses =
          addresses
              .withClientPort(options.clientPort().orElse(addresses.clientPort()))
              .withPeerPort(options.peerPort().orElse(addresses.peerPort()))
              .withHttpPort(options.httpPort().orElse(addresses.httpPort()));
      NodeSettings result = settings.withAddresses(addresses);
      if (options.partitioner().isPresent()) {
        result = result.withCluster(result.cluster().withPartitioner(options.partitioner().get()));
      }
      if (options.commitLogSync().isPresent()) {
        result =
            result.withCommitLog(result.commitLog().withSync(sync(options.commitLogSync().get())));
      }
      if (options.diskFailures().isPresent()) {
        result = result.withDiskFailures(DiskFailurePolicy.parse(options.diskFailures().get()));
      }
      if (options.membership().ringDelay().isPresent()) {
        result =
            result.withRingChanges(new RingChangeSettings(options.membership().ringDelay().get()));
      }
      ClusterSettings cluster = override(result.cluster(), options.membership());
      return result.withCluster(
          Snitches.settled(cluster, options.membership().standing(), options.storageConf()));
    } catch (IllegalArgumentException e) {
      throw new NodeStartException(String.valueOf(e.getMessage()), e);
    }
  }

  private static ClusterSettings override(
      ClusterSettings cluster, NodeOptions.MembershipOptions membership) {
    ClusterSettings result = cluster;
    if (membership.clusterName().isPresent()) {
      result = result.withName(membership.clusterName().get());
    }
    if (!membership.seeds().isEmpty()) {
      result = result.withSeeds(membership.seeds());
    }
    if (membership.initialToken().isPresent()) {
      result = result.withInitialToken(membership.initialToken().get());
    }
    if (membership.tokens().isPresent()) {
      result = result.withTokens(membership.tokens().getAsInt());
    }
    if (membership.streamMegabytesPerSecond().isPresent()) {
      result =
          result.withStreamBytesPerSecond(
              membership.streamMegabytesPerSecond().getAsInt() * 1_000_000L);
    }
    if (membership.hintInterval().isPresent()) {
      result = result.withHintInterval(membership.hintInterval().get());
    }
    if (membership.autoBootstrap().isPresent()) {
      result = result.withAutoBootstrap(membership.autoBootstrap().get());
    }
    return result;
  }

  private static CommitLogOptions.Sync sync(String mode) {
    return switch (mode) {
      case "periodic" -> CommitLogOptions.Sync.PERIODIC;
      case "batch" -> CommitLogOptions.Sync.BATCH;
      default ->
          throw new IllegalArgumentException(
              "the commit log's sync mode is 'periodic' or 'batch', not '" + mode + "'");
    };
  }
}
