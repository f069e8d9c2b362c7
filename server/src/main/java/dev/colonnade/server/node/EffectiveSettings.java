package dev.colonnade.server.node;

import dev.colonnade.server.base.config.DirectorySettings;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.SettingValues;
import dev.colonnade.server.base.config.StartSettings;
import dev.colonnade.server.base.config.StorageConf;
import dev.colonnade.server.base.config.StorageConfException;
import dev.colonnade.server.base.config.StorageSettings;
import dev.colonnade.server.base.memory.MemoryPlan;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.node.platform.OsFileSystem;
import dev.colonnade.server.node.platform.PlugInJars;
import dev.colonnade.server.service.admin.KeptSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The effective settings of a node: defaults, overridden by the configuration file, overridden by
 * the environment, overridden by the command line, overridden by what was changed while it ran, to
 * be kept.
 *
 * @param settings with which the node starts
 * @param start the same, with where they come from
 * @param types finds comparators, including the user's
 * @param keyspaces that the file defines
 */
record EffectiveSettings(
    NodeSettings settings,
    StartSettings start,
    PlugInJars plugIns,
    ComparatorResolver types,
    List<KeyspaceDefinition> keyspaces) {

  private static final Logger LOG = LoggerFactory.getLogger(EffectiveSettings.class);

  /** A configuration file is read whole; a larger file is something else. */
  private static final long CONF_BYTES_MAX = 16L << 20;

  /** Combines the settings; everything that a node keeps on its heap is sized by {@code plan}. */
  static EffectiveSettings of(NodeOptions options, MemoryPlan plan) throws NodeStartException {
    NodeSettings base = base(options, plan);
    PlugInJars plugIns = openPlugIns(base.get(DirectorySettings.PLUG_INS));
    ComparatorResolver types = ComparatorResolver.with(plugIns);
    StorageConf conf =
        options.storageConf().isPresent()
            ? read(options.storageConf().get(), base, types)
            : new StorageConf(base, List.of(), List.of(), Set.of());
    for (StorageConf.IgnoredElement ignored : conf.ignored()) {
      LOG.info(
          "{} line {}: {} has no effect: {}",
          options.storageConf().get(),
          ignored.line(),
          ignored.name(),
          ignored.reason());
    }
    StartSettings start = SettingOrigins.start(options, base, conf);
    NodeSettings settings = start.effective();
    LOG.info("settings other than the defaults: {}", settings);
    if (!start.kept().settings().isEmpty()) {
      LOG.info("of them were changed while the node ran, and kept: {}", start.kept());
    }
    return new EffectiveSettings(settings, start, plugIns, types, conf.keyspaces());
  }

  /** The defaults on a machine of this memory, with the directories below that of the data. */
  static NodeSettings base(NodeOptions options, MemoryPlan plan) {
    return DirectorySettings.below(options.dataDirectory().toString(), NodeSettings.DEFAULT)
        .with(StorageSettings.MEMTABLE_TOTAL_BYTES, plan.memtableBytes())
        .with(StorageSettings.BLOCK_CACHE_BYTES, plan.blockCacheBytes())
        .with(StorageSettings.OFF_HEAP_BLOCK_CACHE_BYTES, plan.offHeapBlockCacheBytes())
        .with(StorageSettings.KEY_CACHE_BYTES, plan.keyCacheBytes())
        .with(StorageSettings.ROW_CACHE_BYTES, plan.rowCacheBytes());
  }

  private static PlugInJars openPlugIns(String folder) throws NodeStartException {
    try {
      return PlugInJars.open(Path.of(folder));
    } catch (IOException e) {
      throw new NodeStartException(
          "cannot read the plug-in folder " + folder + ": " + e.getMessage(), e);
    }
  }

  static StorageConf read(Path file, NodeSettings base, ComparatorResolver types)
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

  /** What was changed while an earlier run of the node was running, to be kept. */
  static SettingValues kept(NodeSettings configured) throws NodeStartException {
    Path directory = Path.of(configured.get(DirectorySettings.DATA));
    if (!Files.isDirectory(directory)) {
      return SettingValues.NONE;
    }
    try {
      return KeptSettings.read(OsFileSystem.open(directory));
    } catch (IOException | IllegalArgumentException e) {
      throw new NodeStartException(
          "the settings that were changed while the node ran cannot be used: "
              + e.getMessage()
              + "; without "
              + directory.resolve(KeptSettings.NAME)
              + " the node starts as it is configured",
          e);
    }
  }

  static NodeSettings override(NodeSettings settings, NodeOptions options)
      throws NodeStartException {
    try {
      return Snitches.settled(settings, options).overriddenBy(options.overriding());
    } catch (IllegalArgumentException e) {
      throw new NodeStartException(String.valueOf(e.getMessage()), e);
    }
  }
}
