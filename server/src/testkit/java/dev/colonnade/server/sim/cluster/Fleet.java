package dev.colonnade.server.sim.cluster;

import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.World;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The machines of a world whose nodes should be one cluster, and whether they are. */
final class Fleet {

  private static final Duration FORMING = Duration.ofMinutes(2);

  /** A node whose operator looks after it is looked at so often. */
  private static final Duration ROUND = Duration.ofSeconds(5);

  private final World<CoreNode> world;
  private final List<Machine<CoreNode>> members = new ArrayList<>();

  Fleet(World<CoreNode> world) {
    this.world = world;
  }

  World<CoreNode> world() {
    return world;
  }

  /** Who belongs to it, the oldest member first. */
  List<Machine<CoreNode>> members() {
    return List.copyOf(members);
  }

  void add(Machine<CoreNode> machine) {
    if (!members.contains(machine)) {
      members.add(machine);
    }
  }

  void drop(Machine<CoreNode> machine) {
    members.remove(machine);
  }

  /** Starts all members, makes a keyspace, and waits until all know of it. */
  void form(String keyspace, int replicas, List<String> families) throws IOException {
    form(keyspace, replicas, families, Map.of());
  }

  /** The same with families that differ in some fields from others. */
  void form(String keyspace, int replicas, List<String> families, Map<FamilyField, String> fields)
      throws IOException {
    for (Machine<CoreNode> machine : members) {
      machine.start();
      world.advance(Duration.ofMillis(100));
    }
    require(world.runUntil(this::isWhole, FORMING), "the cluster does not form");
    make(keyspace, replicas, families, fields);
  }

  /** Makes a keyspace, and waits until all know of it. */
  void make(String keyspace, int replicas, List<String> families, Map<FamilyField, String> fields) {
    KeyspaceDefinition definition = KeyspaceDefinition.of(keyspace).withReplicationFactor(replicas);
    for (String name : families) {
      FamilyDefinition family = FamilyDefinition.of(keyspace, name);
      for (Map.Entry<FamilyField, String> field : fields.entrySet()) {
        family = family.with(field.getKey(), field.getValue());
      }
      definition = definition.withFamily(family);
    }
    KeyspaceDefinition wanted = definition;
    Call<?> made = call(members.get(0), node -> node.core().schema().createKeyspace(wanted));
    require(world.runUntil(made::isOver, FORMING), "a keyspace is never made");
    require(made.failure == null, "a keyspace cannot be made: " + made.failure);
    require(
        world.runUntil(
            () ->
                up().stream()
                    .allMatch(node -> families.stream().allMatch(f -> node.knows(keyspace, f))),
            FORMING),
        "the schema does not spread");
  }

  /** Nodes of members that run, started or not. */
  List<CoreNode> up() {
    List<CoreNode> up = new ArrayList<>();
    for (Machine<CoreNode> machine : members) {
      if (machine.state() == Machine.State.RUNNING) {
        machine.node().ifPresent(up::add);
      }
    }
    return up;
  }

  /** Whether all members run, and hold exactly each other to be on the ring and up. */
  boolean isWhole() {
    List<CoreNode> up = up();
    return members.stream().noneMatch(Machine::isStopping)
        && up.size() == members.size()
        && up.stream().allMatch(this::seesExactlyTheMembers);
  }

  private boolean seesExactlyTheMembers(CoreNode node) {
    return isServing(node) && addresses(node.core().cluster().topology()).equals(addresses());
  }

  /** Whether a node has taken its place. */
  static boolean isServing(CoreNode node) {
    return !node.hasFailed() && node.isStarted();
  }

  private Set<String> addresses() {
    Set<String> addresses = new TreeSet<>();
    members.forEach(machine -> addresses.add(machine.address().host()));
    return addresses;
  }

  private static Set<String> addresses(Topology topology) {
    Set<String> addresses = new TreeSet<>();
    for (Topology.Place place : topology.places()) {
      boolean well = place.alive() && place.state() == Topology.RingState.NORMAL;
      addresses.add(place.node().address() + (well ? "" : " is not well"));
    }
    return addresses;
  }

  /**
   * Waits until it is whole; meanwhile nodes that cannot go on are started again, as operators do.
   */
  boolean becomesWhole(Duration limit) throws IOException {
    long rounds = limit.dividedBy(ROUND);
    for (long round = 0; round < rounds; round++) {
      if (world.runUntil(this::isWhole, ROUND)) {
        return true;
      }
      restartBroken();
    }
    return isWhole();
  }

  /** Starts nodes again that are down, whose start or whose log has failed. */
  void restartBroken() throws IOException {
    for (Machine<CoreNode> machine : members) {
      boolean broken =
          machine.state() == Machine.State.RUNNING
              && machine
                  .node()
                  .map(node -> node.hasFailed() || node.core().engine().failure().isPresent())
                  .orElse(false);
      if (broken) {
        machine.kill();
        machine.start();
      }
    }
  }

  /** What each member holds of the others. */
  String views() {
    StringBuilder views = new StringBuilder();
    for (Machine<CoreNode> machine : members) {
      views.append(machine).append(' ').append(machine.state());
      CoreNode node = machine.node().orElse(null);
      if (node != null && isServing(node)) {
        views.append(" sees");
        for (Topology.Place place : node.core().cluster().topology().places()) {
          views.append(' ').append(place.node().address());
          views.append(place.state() == Topology.RingState.NORMAL ? "" : " " + place.state());
          views.append(place.alive() ? " up" : " down");
        }
      } else if (node != null) {
        views.append(" not started ").append(node.failedBecause());
      }
      views.append("; ");
    }
    return views.toString();
  }

  /** Asks a node; the answer comes while the world runs. */
  <T> Call<T> call(Machine<CoreNode> machine, Function<CoreNode, CompletableFuture<T>> request) {
    Call<T> call = new Call<>(machine, machine.boots());
    machine.<T>call(
        node -> {
          try {
            return request.apply(node);
          } catch (IllegalStateException notYet) {
            return CompletableFuture.failedFuture(notYet);
          }
        },
        (value, failure) -> {
          call.value = value;
          call.failure = failure;
          call.answered = true;
        });
    return call;
  }

  static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }

  /** What a node was asked, and what came of it. */
  static final class Call<T> {
    private final Machine<CoreNode> machine;
    private final int boots;
    private boolean answered;
    private @Nullable T value;
    private @Nullable Throwable failure;

    private Call(Machine<CoreNode> machine, int boots) {
      this.machine = machine;
      this.boots = boots;
    }

    /** There is an answer, or there will be none since the process has ended. */
    boolean isOver() {
      return answered || machine.state() == Machine.State.DOWN || machine.boots() != boots;
    }

    boolean succeeded() {
      return answered && failure == null;
    }

    @Nullable T value() {
      return value;
    }

    /** In words. */
    String failure() {
      if (!answered) {
        return "the node's process has ended";
      }
      StringBuilder words = new StringBuilder();
      for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
        words.append(words.length() == 0 ? "" : ": ").append(cause.getMessage());
      }
      return words.toString();
    }
  }
}
