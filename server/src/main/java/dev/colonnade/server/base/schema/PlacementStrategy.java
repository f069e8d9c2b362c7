package dev.colonnade.server.base.schema;

import java.util.Optional;

/** The rules by which a keyspace's replicas can be placed on the ring. */
public enum PlacementStrategy {
  SIMPLE("SimpleStrategy"),
  OLD_NETWORK_TOPOLOGY("OldNetworkTopologyStrategy"),
  NETWORK_TOPOLOGY("NetworkTopologyStrategy"),
  /** This node only: for the keyspace {@code system}, and no other. */
  LOCAL("LocalStrategy");

  private static final String OLD_PACKAGE = "org.apache.cassandra.locator.";

  private final String shortName;

  PlacementStrategy(String shortName) {
    this.shortName = shortName;
  }

  /** The name that answers show. */
  public String shortName() {
    return shortName;
  }

  /** Returns the strategy of that name: short, old, or either with the old package in front. */
  public static Optional<PlacementStrategy> byName(String name) {
    String plain = name.startsWith(OLD_PACKAGE) ? name.substring(OLD_PACKAGE.length()) : name;
    return Optional.ofNullable(
        switch (plain) {
          case "SimpleStrategy", "RackUnawareStrategy" -> SIMPLE;
          case "OldNetworkTopologyStrategy", "RackAwareStrategy" -> OLD_NETWORK_TOPOLOGY;
          // The last spelling is a typo of the first releases that old files still carry.
          case "NetworkTopologyStrategy", "DatacenterShardStrategy", "DatacenterShardStategy" ->
              NETWORK_TOPOLOGY;
          case "LocalStrategy" -> LOCAL;
          default -> null;
        });
  }
}
