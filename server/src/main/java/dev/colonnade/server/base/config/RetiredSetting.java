package dev.colonnade.server.base.config;

import java.util.List;
import java.util.Locale;

/**
 * A setting of an earlier release that is gone. A node that is still given it starts, so that an
 * upgrade needs no other configuration file, and reports that it has no effect.
 *
 * @param name as it was in the earlier release
 * @param element of the configuration file
 * @param option of the command line
 * @param reason why it is gone, for people
 */
public record RetiredSetting(String name, String element, String option, String reason) {

  /** All of them. */
  public static final List<RetiredSetting> ALL =
      List.of(
          new RetiredSetting(
              "peer_state_signatures",
              "PeerStateSignatures",
              "--peer-state-signatures",
              "it is gone since 0.3.0, because nodes trust every valid certificate of their"
                  + " cluster; revoke one that was stolen (colonnade certs revoke)"));

  /** The variable of the environment that set it. */
  public String variable() {
    return Setting.VARIABLE_PREFIX + name.toUpperCase(Locale.ROOT);
  }
}
