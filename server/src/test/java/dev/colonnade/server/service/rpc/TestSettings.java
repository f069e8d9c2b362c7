package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.StartSettings;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.service.admin.LiveSettings;
import dev.colonnade.server.sim.SimFileSystem;

/** The settings of a node in a test. */
final class TestSettings {

  private TestSettings() {}

  /** Defaults, on a disk of their own. */
  static LiveSettings over(Scheduler scheduler) {
    return new LiveSettings(StartSettings.of(NodeSettings.DEFAULT), new SimFileSystem(), scheduler);
  }
}
