package dev.colonnade.server.cluster.ring;

import dev.colonnade.server.base.env.PlugInException;
import dev.colonnade.server.base.env.PlugIns;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The built-in partitioners, and the loading of user-defined ones. */
public final class Partitioners {

  /** The default: even load for all kinds of keys. */
  public static final Partitioner RANDOM = new RandomPartitioner();

  /** Keys as strings, in the order of UTF-16 code units. */
  public static final Partitioner ORDER_PRESERVING = new OrderPreservingPartitioner();

  /** Keys as strings, in the order of an English dictionary. */
  public static final Partitioner COLLATING_ORDER_PRESERVING =
      new CollatingOrderPreservingPartitioner();

  /** Keys as bytes. */
  public static final Partitioner BYTE_ORDERED = new ByteOrderedPartitioner();

  private static final String OLD_PACKAGE = "org.apache.cassandra.dht.";
  private static final String SUFFIX = "Partitioner";
  private static final Map<String, Partitioner> BY_NAME = byName();

  private Partitioners() {}

  /**
   * Returns the built-in partitioner of that name: {@code RandomPartitioner}, {@code Random}, or
   * {@code org.apache.cassandra.dht.RandomPartitioner}. Case matters.
   */
  public static Optional<Partitioner> builtIn(String name) {
    String shortName = name.startsWith(OLD_PACKAGE) ? name.substring(OLD_PACKAGE.length()) : name;
    return Optional.ofNullable(BY_NAME.get(shortName));
  }

  /**
   * Returns the built-in partitioner of that name, or the user's class of that name if it has a
   * dot.
   *
   * @throws PlugInException if there is none; the message lists the available ones
   */
  public static Partitioner resolve(String name, PlugIns plugIns) throws PlugInException {
    Optional<Partitioner> builtIn = builtIn(name);
    if (builtIn.isPresent()) {
      return builtIn.get();
    }
    if (name.indexOf('.') < 0 || name.startsWith(OLD_PACKAGE)) {
      throw new PlugInException(
          "unknown partitioner "
              + TokenText.quote(name)
              + "; the built-in ones are "
              + String.join(", ", all().stream().map(Partitioner::name).toList())
              + ", and a class of yours is named with its package");
    }
    Partitioner loaded = plugIns.load(name, Partitioner.class);
    if (!loaded.name().equals(name)) {
      throw new PlugInException(
          "the partitioner "
              + name
              + " calls itself "
              + TokenText.quote(loaded.name())
              + "; its name() must return its class name, because that is how it is found again");
    }
    return loaded;
  }

  /** The built-in partitioners, in the order in which documentation lists them. */
  public static List<Partitioner> all() {
    return List.of(RANDOM, ORDER_PRESERVING, COLLATING_ORDER_PRESERVING, BYTE_ORDERED);
  }

  private static Map<String, Partitioner> byName() {
    Map<String, Partitioner> partitioners = new HashMap<>();
    for (Partitioner partitioner : all()) {
      String name = partitioner.name();
      partitioners.put(name, partitioner);
      partitioners.put(name.substring(0, name.length() - SUFFIX.length()), partitioner);
    }
    return Map.copyOf(partitioners);
  }
}
