package dev.colonnade.server.cluster.hints;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.ColumnComparators;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.GuardedFileSystem;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.SimScheduler;
import dev.colonnade.server.sim.SortedArrayKeyIndexes;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.mutation.MutationCodec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One node with hints, on a simulated disk and clock, and words as hints. */
final class HintFixture implements HintContext, HintSender {
  static final FamilyId POSTS = new FamilyId(1, 1);
  static final FamilyId TAGS = new FamilyId(2, 2);
  static final String B = "b0b0";
  static final String C = "c0c0";

  /** Segments of 1 KiB, messages of 3 hints, no reserve. */
  static final HintSettings SMALL =
      new HintSettings(
          1 << 10,
          8 << 10,
          12 << 10,
          16 << 10,
          0,
          Duration.ofSeconds(1),
          Duration.ofHours(3),
          1 << 10,
          3,
          1 << 20,
          Duration.ofSeconds(10),
          Duration.ofSeconds(10),
          Duration.ofMinutes(15),
          1);

  final SimClock clock = new SimClock();
  final SimScheduler scheduler = new SimScheduler(clock);
  final SimFileSystem disk;
  final GuardedFileSystem files;
  final HintSettings settings;
  final SortedMap<FamilyId, Long> families = new TreeMap<>();
  final SortedMap<FamilyId, Long> truncations = new TreeMap<>();
  final TreeSet<String> alive = new TreeSet<>();
  final TreeSet<String> gone = new TreeSet<>();
  final TreeSet<String> movedKeys = new TreeSet<>();
  final TreeSet<FamilyId> movedFamilies = new TreeSet<>();

  /** What arrived, as target and word. */
  final List<String> arrived = new ArrayList<>();

  final List<Integer> messageSizes = new ArrayList<>();
  final List<String> handedOver = new ArrayList<>();

  /** The families of what was handed over. */
  final List<FamilyId> handedFamilies = new ArrayList<>();

  /** What handing a word over to its owners ends with; absent: they take it. */
  final Map<String, CompletableFuture<Void>> owners = new HashMap<>();

  /** A failing node's answer; null to accept the message. */
  @Nullable PeerFailure answer;

  /** The nodes that give {@link #answer}: all. */
  Predicate<String> failing = target -> true;

  /** How many messages they accept before. */
  int acceptedFirst;

  /** A word that is refused. */
  String unwanted = "";

  /** For this many requests all nodes have left. */
  int goneForQuestions;

  /** When set, answers wait for {@link #release}. */
  boolean holding;

  final List<Runnable> held = new ArrayList<>();

  final Health health = new Health();
  final Hints hints;

  HintFixture() throws IOException {
    this(new SimFileSystem(), SMALL);
  }

  HintFixture(SimFileSystem disk, HintSettings settings) throws IOException {
    this.disk = disk;
    this.settings = settings;
    families.put(POSTS, 864_000L);
    families.put(TAGS, 864_000L);
    files = new GuardedFileSystem(disk, scheduler);
    hints = Hints.open(environment(), settings, this, this, health);
    files.enforce(true);
    hints.start();
  }

  /** The same node after a restart on that disk; its clock goes on. */
  HintFixture restartOn(SimFileSystem found) throws IOException {
    HintFixture next = new HintFixture(found, settings);
    next.clock.advance(Duration.ofNanos(clock.monotonicNanos()));
    next.families.clear();
    next.families.putAll(families);
    next.truncations.putAll(truncations);
    return next;
  }

  @Override
  public long truncation(FamilyId family) {
    return truncations.getOrDefault(family, 0L);
  }

  private Environment environment() {
    return new Environment(
        clock, scheduler, new SeededRandom(1), files, files, new SortedArrayKeyIndexes(files));
  }

  CompletableFuture<Void> keep(String target, String word) {
    return hints.keep(target, word(word, POSTS), false);
  }

  CompletableFuture<Void> keepSynced(String target, String word) {
    return hints.keep(target, word(word, POSTS), true);
  }

  /** Keeps all, and lets them be written. */
  void keepAll(String target, String... words) {
    for (String word : words) {
      var unused = keep(target, word);
    }
    scheduler.runUntilIdle();
    files.check();
  }

  /** The node returns, and a minute passes. */
  void comesBack(String target) {
    alive.add(target);
    hints.alive(target);
    scheduler.advance(Duration.ofMinutes(1));
    files.check();
  }

  void dies(String target) {
    alive.remove(target);
    hints.dead(target);
    scheduler.runUntilIdle();
  }

  void release() {
    holding = false;
    List<Runnable> answers = List.copyOf(held);
    held.clear();
    answers.forEach(Runnable::run);
    scheduler.runUntilIdle();
  }

  HintFigures figures(String target) {
    return hints.figures().stream()
        .filter(figures -> figures.targetId().equals(target))
        .findFirst()
        .orElse(new HintFigures(target, 0, 0, 0, false, 0, 0, ""));
  }

  /** A write of one row whose key is the word, with an empty cell. */
  Mutation word(String word, FamilyId... its) {
    Mutation plain = word(word, clock.wallSeconds(), its);
    List<Mutation.FamilyMutation> parts = new ArrayList<>();
    for (Mutation.FamilyMutation part : plain.updates()) {
      parts.add(
          new Mutation.FamilyMutation(part.family(), part.update(), truncation(part.family())));
    }
    return new Mutation(plain.key(), parts, plain.nowSeconds());
  }

  static Mutation word(String word, long nowSeconds, FamilyId... its) {
    byte[] key = word.getBytes(StandardCharsets.UTF_8);
    List<Mutation.FamilyMutation> parts = new ArrayList<>();
    for (FamilyId family : its) {
      PathOrder order = new PathOrder(ColumnComparators.BYTES, null);
      Cell cell = Cell.live(new byte[] {1}, null, new byte[0], 7);
      RowUpdate update = RowUpdate.builder(order).add(cell).build();
      parts.add(new Mutation.FamilyMutation(family, update));
    }
    return new Mutation(new RowKey(key, key), parts, nowSeconds);
  }

  static byte[] encoded(Mutation mutation) {
    ByteWriter out = new ByteWriter(64);
    MutationCodec.write(mutation, out);
    return out.toByteArray();
  }

  static String text(Mutation mutation) {
    String word = new String(mutation.key().key(), StandardCharsets.UTF_8);
    return mutation.updates().size() == 2 ? word + "+" : word;
  }

  static String[] words(int count) {
    String[] words = new String[count];
    Arrays.setAll(words, i -> "word" + i);
    return words;
  }

  @Override
  public Optional<Peer> reach(String nodeId) {
    return alive.contains(nodeId)
        ? Optional.of(new Peer(nodeId, new PeerAddress("10.0.0.1", 7000)))
        : Optional.empty();
  }

  @Override
  public boolean isGone(String nodeId) {
    return goneForQuestions-- > 0 || gone.contains(nodeId);
  }

  @Override
  public OptionalLong gcGraceSeconds(FamilyId family) {
    Long seconds = families.get(family);
    return seconds == null ? OptionalLong.empty() : OptionalLong.of(seconds);
  }

  @Override
  public boolean isReplica(String nodeId, FamilyId family, RowKey key) {
    return !movedFamilies.contains(family)
        && !movedKeys.contains(new String(key.key(), StandardCharsets.UTF_8));
  }

  @Override
  public CompletableFuture<Void> handOver(Mutation mutation) {
    String word = text(mutation);
    CompletableFuture<Void> taken =
        owners.getOrDefault(word, CompletableFuture.completedFuture(null));
    Then.whenDone(
        taken,
        (done, failure) -> {
          if (failure == null) {
            handedOver.add(word);
            mutation.updates().forEach(part -> handedFamilies.add(part.family()));
          }
        });
    return taken;
  }

  @Override
  public CompletableFuture<byte[]> send(Peer to, byte[] body, long deadlineNanos) {
    CompletableFuture<byte[]> result = new CompletableFuture<>();
    Runnable taking = () -> take(to, body, result);
    if (holding) {
      held.add(taking);
    } else {
      taking.run();
    }
    return result;
  }

  private void take(Peer to, byte[] body, CompletableFuture<byte[]> result) {
    try {
      List<Mutation> mutations = HintMessage.decode(body);
      if (answer != null && failing.test(to.id()) && acceptedFirst-- <= 0) {
        result.completeExceptionally(answer);
        return;
      }
      if (mutations.stream().anyMatch(mutation -> text(mutation).equals(unwanted))) {
        result.completeExceptionally(new PeerFailure(PeerFailure.Code.REFUSED, "too large"));
        return;
      }
      messageSizes.add(mutations.size());
      mutations.forEach(mutation -> arrived.add(to.id() + " " + text(mutation)));
      result.complete(new byte[0]);
    } catch (CorruptDataException e) {
      throw new AssertionError(e);
    }
  }

  /** As {@link #arrived} has them. */
  static List<String> at(String target, String... words) {
    return Arrays.stream(words).map(word -> target + " " + word).toList();
  }
}
