package dev.colonnade.server.node;

import dev.colonnade.server.base.config.BulkLoadSettings;
import dev.colonnade.server.base.config.ReplicationSettings;
import dev.colonnade.server.base.config.StorageSettings;
import dev.colonnade.server.service.admin.LiveSettings;
import dev.colonnade.server.storage.engine.StoreLimits;

/** Which parts of a node obey which settings while it runs, but for those of its ports. */
final class SettingFollowers {

  private SettingFollowers() {}

  static void follow(NodeRuntime core) {
    LiveSettings live = core.liveSettings();
    StoreLimits store = core.engine().limits();
    live.follow(StorageSettings.COMPACTION_BYTES_PER_SECOND, store::compactionBytesPerSecond);
    live.follow(StorageSettings.SCRUB_BYTES_PER_SECOND, store::scrubBytesPerSecond);
    live.follow(StorageSettings.SNAPSHOT_BYTES_PER_SECOND, store::snapshotBytesPerSecond);
    live.follow(StorageSettings.BLOCK_CACHE_BYTES, store::blockCacheBytes);
    live.follow(
        StorageSettings.KEY_CACHE_BYTES,
        bytes -> store.keyCacheEntries(LocalStore.keyCacheEntries(bytes)));
    live.follow(ReplicationSettings.STREAM_BYTES_PER_SECOND, core.streams()::bytesPerSecond);
    live.follow(ReplicationSettings.HINT_INTERVAL, core.hints()::redeliveryInterval);
    live.follow(ReplicationSettings.READ_REPAIR, core.coordinator()::readRepair);
    live.follow(BulkLoadSettings.BYTES_PER_SECOND, core.bulkLoads()::bytesPerSecond);
  }
}
