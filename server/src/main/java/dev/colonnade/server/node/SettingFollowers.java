package dev.colonnade.server.node;

import dev.colonnade.server.base.config.BulkLoadSettings;
import dev.colonnade.server.base.config.ReplicationSettings;
import dev.colonnade.server.base.config.RequestSettings;
import dev.colonnade.server.base.config.Setting;
import dev.colonnade.server.base.config.StorageSettings;
import dev.colonnade.server.service.admin.LiveSettings;
import dev.colonnade.server.storage.engine.StoreLimits;
import java.util.List;

/** Which parts of a node obey which settings while it runs, but for those of its ports. */
final class SettingFollowers {

  private SettingFollowers() {}

  static void follow(NodeRuntime core) {
    LiveSettings live = core.liveSettings();
    StoreLimits store = core.engine().limits();
    List.of(
            StorageSettings.MEMTABLE_TOTAL_BYTES,
            StorageSettings.BLOCK_CACHE_BYTES,
            StorageSettings.KEY_CACHE_BYTES,
            StorageSettings.ROW_CACHE_BYTES)
        .forEach(setting -> live.bound(setting, bytes -> requireRoom(setting, bytes)));
    live.follow(StorageSettings.COMPACTION_BYTES_PER_SECOND, store::compactionBytesPerSecond);
    live.follow(StorageSettings.SCRUB_BYTES_PER_SECOND, store::scrubBytesPerSecond);
    live.follow(StorageSettings.SNAPSHOT_BYTES_PER_SECOND, store::snapshotBytesPerSecond);
    live.follow(StorageSettings.BLOCK_CACHE_BYTES, store::blockCacheBytes);
    live.follow(StorageSettings.ROW_CACHE_BYTES, store::rowCacheBytes);
    live.follow(StorageSettings.MEMTABLE_TOTAL_BYTES, store::memtableBytes);
    live.follow(
        StorageSettings.KEY_CACHE_BYTES,
        bytes -> store.keyCacheEntries(LocalStore.keyCacheEntries(bytes)));
    live.follow(ReplicationSettings.STREAM_BYTES_PER_SECOND, core.streams()::bytesPerSecond);
    live.follow(ReplicationSettings.HINT_INTERVAL, core.hints()::redeliveryInterval);
    live.follow(ReplicationSettings.HINT_BYTES_PER_SECOND, core.hints()::bytesPerSecond);
    live.follow(ReplicationSettings.READ_REPAIR, core.coordinator()::readRepair);
    live.follow(RequestSettings.RPC_TIMEOUT, core.coordinator()::timeout);
    live.follow(BulkLoadSettings.BYTES_PER_SECOND, core.bulkLoads()::bytesPerSecond);
  }

  /** A node that runs out of heap ends; one of them alone must not bring that about. */
  private static void requireRoom(Setting<Long> setting, long bytes) {
    long most = Runtime.getRuntime().maxMemory() / 2;
    if (bytes > most) {
      throw new IllegalArgumentException(
          setting.name()
              + " is at most half of the heap while the node runs, "
              + most
              + " bytes, not "
              + bytes);
    }
  }
}
