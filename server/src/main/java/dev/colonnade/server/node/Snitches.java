package dev.colonnade.server.node;

import dev.colonnade.server.config.ClusterSettings.Snitch;
import dev.colonnade.server.gossip.Locations;

/** What the settings call a snitch, as gossip knows it. */
final class Snitches {

  private Snitches() {}

  static Locations locations(Snitch snitch) {
    return switch (snitch) {
      case SIMPLE -> Locations.single();
      case RACK_INFERRING -> Locations.octets();
    };
  }
}
