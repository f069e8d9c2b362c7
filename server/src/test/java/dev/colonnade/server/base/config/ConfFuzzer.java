package dev.colonnade.server.base.config;

import dev.colonnade.server.base.schema.ComparatorResolver;

/** Any storage-conf.xml is a configuration or is refused with a place. */
public final class ConfFuzzer {

  private ConfFuzzer() {}

  /** One input: the file. */
  public static void fuzzerTestOneInput(byte[] data) {
    try {
      StorageConf.parse(
          "storage-conf.xml", data, NodeSettings.DEFAULT, ComparatorResolver.builtIns());
    } catch (StorageConfException refused) {
      if (refused.getMessage() == null || refused.getMessage().isEmpty()) {
        throw new AssertionError("refused without a word", refused);
      }
    }
  }
}
