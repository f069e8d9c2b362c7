package dev.colonnade.server.node;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.config.HealthSettings;
import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.storage.engine.StorageOpening;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens a node: its disks are watched from the first file on, its store is opened, and the node is
 * built on that.
 */
public final class NodeOpening {

  private static final Logger LOG = LoggerFactory.getLogger(NodeOpening.class);

  private NodeOpening() {}

  /**
   * Opens the store and builds the node on it. Blocks for as long as that takes.
   *
   * @throws IOException as {@link StorageOpening#open}, or if stored hints cannot be opened
   * @throws SchemaException as {@link StorageOpening#open}
   */
  public static NodeRuntime open(NodeParts unwatched) throws IOException, SchemaException {
    Environment seams = unwatched.machine().environment();
    DiskWatch disks =
        new DiskWatch(
            unwatched.settings().node().get(HealthSettings.DISK_FAILURES),
            unwatched.health(),
            seams.scheduler(),
            seams.clock());
    NodeParts parts = unwatched.with(disks.watched(seams));
    StorageOpening.Opened opened =
        StorageOpening.open(
            parts.machine().environment(),
            parts.settings().engine(),
            parts.identity(),
            parts.types(),
            parts.health());
    LOG.info("store open: {}", opened.engine().recoveryReport());
    NodeRuntime node;
    try {
      node = new NodeRuntime(parts, new NodeStorage(parts, opened));
    } catch (IOException | RuntimeException | Error e) {
      try {
        opened.engine().release();
      } catch (IOException | RuntimeException notReleased) {
        e.addSuppressed(notReleased);
      }
      throw e;
    }
    Then.whenDone(disks.end(), (why, none) -> node.mustStop(String.valueOf(why)));
    return node;
  }
}
