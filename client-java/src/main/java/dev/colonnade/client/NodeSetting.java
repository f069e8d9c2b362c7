package dev.colonnade.client;

import dev.colonnade.admin.v1.Setting;

/**
 * A setting of a node, as it is now.
 *
 * @param name such as {@code compaction_bytes_per_second}
 * @param value as it is written in a file or as an option
 * @param description the value with its unit, for people
 * @param isLive whether it can be changed while the node runs
 * @param isKept whether a value of it that was changed while the node ran is kept over restarts
 */
public record NodeSetting(
    String name, String value, String description, Origin origin, boolean isLive, boolean isKept) {

  /** Where a value comes from; later ones override those before. */
  public enum Origin {
    /** Not known: a newer node says it. */
    UNKNOWN,
    /** It is the default, on this machine and for this data directory. */
    DEFAULT,
    /** It follows from another setting, or from a file that another setting names. */
    DERIVED,
    /** The configuration file. */
    FILE,
    /** A variable of the environment. */
    ENVIRONMENT,
    /** The command line. */
    OPTION,
    /** It was changed while the node ran. */
    RUNTIME
  }

  static NodeSetting of(Setting message) {
    return new NodeSetting(
        message.getName(),
        message.getValue(),
        message.getDescription(),
        switch (message.getOrigin()) {
          case SETTING_ORIGIN_DEFAULT -> Origin.DEFAULT;
          case SETTING_ORIGIN_DERIVED -> Origin.DERIVED;
          case SETTING_ORIGIN_FILE -> Origin.FILE;
          case SETTING_ORIGIN_ENVIRONMENT -> Origin.ENVIRONMENT;
          case SETTING_ORIGIN_OPTION -> Origin.OPTION;
          case SETTING_ORIGIN_RUNTIME -> Origin.RUNTIME;
          case SETTING_ORIGIN_UNSPECIFIED, UNRECOGNIZED -> Origin.UNKNOWN;
        },
        message.getLive(),
        message.getKept());
  }
}
