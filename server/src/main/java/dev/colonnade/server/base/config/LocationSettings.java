package dev.colonnade.server.base.config;

import java.util.Optional;

/** Which data centre and rack nodes are in. */
public final class LocationSettings {

  static final SettingGroup GROUP = new SettingGroup("Racks and data centres");

  /** The source of a node's rack and data centre. */
  public enum Snitch {
    /** All nodes in one rack of one data centre. */
    SIMPLE("SimpleSnitch"),
    /** The second number of the IPv4 address is the data centre, the third the rack. */
    RACK_INFERRING("RackInferringSnitch"),
    /** A file names those of every node. */
    PROPERTY_FILE("PropertyFileSnitch"),
    /** Each node has its own in its settings, and announces them by gossip. */
    GOSSIPING("GossipingPropertyFileSnitch");

    private static final String OLD_PACKAGE = "org.apache.cassandra.locator.";
    private static final String OLD_NAME = "EndPointSnitch";

    private final String shortName;

    Snitch(String shortName) {
      this.shortName = shortName;
    }

    /** The name that answers show. */
    public String shortName() {
      return shortName;
    }

    /**
     * Returns the snitch of that name, with or without Cassandra's package; {@code EndPointSnitch}
     * is what 0.6 called {@link #RACK_INFERRING}.
     */
    public static Optional<Snitch> of(String name) {
      String plain = name.startsWith(OLD_PACKAGE) ? name.substring(OLD_PACKAGE.length()) : name;
      if (plain.equals(OLD_NAME)) {
        return Optional.of(RACK_INFERRING);
      }
      for (Snitch snitch : values()) {
        if (snitch.shortName.equals(plain)) {
          return Optional.of(snitch);
        }
      }
      return Optional.empty();
    }

    /** What to write instead of the one snitch of 0.6 that has no successor by its name. */
    private static String advice(String name) {
      return name.endsWith("PropertyFileEndPointSnitch")
          ? ": write PropertyFileSnitch, and copy what rack.properties says to"
              + " cassandra-topology.properties beside this file, in lines address=datacenter:rack"
          : "";
    }
  }

  private static final ValueForm<String> PLACE = ValueForm.name(200);

  /** Decides which rack and data centre a node is in. */
  public static final Setting<Snitch> SNITCH =
      GROUP
          .setting(
              "snitch",
              ValueForm.choice(
                      "one of SimpleSnitch (all in one rack), EndPointSnitch or RackInferringSnitch"
                          + " (2nd and 3rd number of the address), PropertyFileSnitch (a file),"
                          + " GossipingPropertyFileSnitch (each node announces its own)",
                      Snitch::of,
                      Snitch::shortName)
                  .withAdvice(Snitch::advice),
              Snitch.SIMPLE)
          .element("EndPointSnitch")
          .option("--snitch", "NAME")
          .help("How the node learns the rack and data centre of nodes.");

  /** Of this node, for {@link Snitch#GOSSIPING}. */
  public static final Setting<String> DATACENTER =
      GROUP
          .setting("datacenter", PLACE, "datacenter1")
          .option("--datacenter", "NAME")
          .help(
              "The data centre of this node, which GossipingPropertyFileSnitch announces to the"
                  + " others.");

  /** Of this node within its data centre. */
  public static final Setting<String> RACK =
      GROUP
          .setting("rack", PLACE, "rack1")
          .option("--rack", "NAME")
          .help("The rack of this node, announced in the same way.");

  /** Names those of all nodes, for {@link Snitch#PROPERTY_FILE}; empty if none was given. */
  public static final Setting<String> TOPOLOGY_FILE =
      GROUP
          .setting("topology_file", ValueForm.text("a path", text -> true), "")
          .option("--topology-file", "FILE")
          .defaultText("cassandra-topology.properties beside the configuration file")
          .help(
              "For PropertyFileSnitch: lines address=datacenter:rack and default=datacenter:rack.");

  private LocationSettings() {}
}
