package dev.colonnade.server.sim.cluster;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.net.Request;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.history.Outcome;
import dev.colonnade.server.history.Version;
import dev.colonnade.server.sim.ConnectionRefusedException;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.SimNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * The least store that keeps registers on all nodes and reads and writes at a majority: what the
 * world, the chaos and the checkers are tried with. Each change is durable before it shows; a read
 * makes sure that a majority has what it answers. It can be made wrong on purpose.
 */
final class ToyStore implements SimNode {

  /** What can be wrong with it. */
  enum Flaw {
    NO_READ_REPAIR,
    ONE_ACKNOWLEDGEMENT,
    ANSWER_BEFORE_SYNC,
    LAST_WRITE_WINS_BY_ARRIVAL,
    DELETION_FORGOTTEN
  }

  private static final String FILE = "registers";
  private static final long PATIENCE_NANOS = 1_000_000_000L;

  private final Seams seams;
  private final List<PeerAddress> all;
  private final Set<Flaw> flaws;
  private final Messenger messenger;
  private final TreeMap<String, Version> held = new TreeMap<>();

  private ToyStore(Seams seams, List<PeerAddress> all, Set<Flaw> flaws) throws IOException {
    this.seams = seams;
    this.all = all;
    this.flaws = flaws;
    this.messenger =
        new Messenger(
            new Peer(seams.name(), seams.address()),
            seams.transport(),
            seams.environment().clock(),
            seams.environment().scheduler());
    load();
    messenger.handle(Verb.MUTATION, request -> answer(request, this::applyEncoded));
    messenger.handle(Verb.READ_ROW, request -> answer(request, this::readEncoded));
    messenger.start();
  }

  /** Makes such nodes. */
  static Factory<ToyStore> factory(List<PeerAddress> all, Flaw... flaws) {
    Set<Flaw> wrong = EnumSet.noneOf(Flaw.class);
    wrong.addAll(List.of(flaws));
    return seams -> new ToyStore(seams, all, wrong);
  }

  @Override
  public CompletableFuture<Void> stop() {
    messenger.stop();
    return CompletableFuture.completedFuture(null);
  }

  CompletableFuture<Void> write(String key, Version version) {
    int needed = flaws.contains(Flaw.ONE_ACKNOWLEDGEMENT) ? 1 : all.size() / 2 + 1;
    return ask(Verb.MUTATION, encode(key, version), needed).thenAccept(answers -> {});
  }

  CompletableFuture<Optional<Version>> read(String key) {
    ByteWriter request = new ByteWriter(32);
    request.writeText(key);
    return ask(Verb.READ_ROW, request.toByteArray(), all.size() / 2 + 1)
        .thenCompose(answers -> settle(key, answers));
  }

  private CompletableFuture<Optional<Version>> settle(String key, List<byte[]> answers) {
    List<Version> seen = new ArrayList<>();
    for (byte[] answer : answers) {
      if (answer.length > 0) {
        seen.add(decodeOwn(answer).getValue());
      }
    }
    Optional<Version> newest = seen.stream().max(Comparator.naturalOrder());
    Optional<Version> live = newest.filter(version -> version.value() != null);
    boolean agree =
        newest.isEmpty()
            || (seen.size() == answers.size() && seen.stream().allMatch(newest.get()::equals));
    if (agree || flaws.contains(Flaw.NO_READ_REPAIR)) {
      return CompletableFuture.completedFuture(live);
    }
    return write(key, newest.get()).thenApply(done -> live);
  }

  /** Asks everybody, this node too; completes with the first answers, as many as are needed. */
  private CompletableFuture<List<byte[]>> ask(Verb verb, byte[] body, int needed) {
    CompletableFuture<List<byte[]>> enough = new CompletableFuture<>();
    List<byte[]> answers = new ArrayList<>();
    int[] failures = {0};
    long deadline = seams.environment().clock().monotonicNanos() + PATIENCE_NANOS;
    for (PeerAddress address : all) {
      CompletableFuture<byte[]> asked =
          address.equals(seams.address())
              ? here(verb, body)
              : messenger.request(Peer.at(address), verb, body, deadline);
      var unused =
          asked.whenComplete(
              (answer, failure) -> {
                if (failure == null) {
                  answers.add(answer);
                } else if (++failures[0] > all.size() - needed) {
                  enough.completeExceptionally(failure);
                }
                if (answers.size() == needed) {
                  enough.complete(List.copyOf(answers));
                }
              });
    }
    return enough;
  }

  private CompletableFuture<byte[]> here(Verb verb, byte[] body) {
    return inOrder(verb == Verb.MUTATION ? this::applyEncoded : this::readEncoded, body);
  }

  private CompletableFuture<byte[]> answer(Request request, Function<byte[], byte[]> handler) {
    return inOrder(handler, request.body());
  }

  private CompletableFuture<byte[]> inOrder(Function<byte[], byte[]> handler, byte[] body) {
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    boolean queued =
        seams
            .environment()
            .scheduler()
            .submit(
                Stage.MANIFEST,
                () -> {
                  try {
                    answer.complete(handler.apply(body));
                  } catch (RuntimeException e) {
                    answer.completeExceptionally(e);
                  }
                });
    if (!queued) {
      answer.completeExceptionally(new PeerFailure(PeerFailure.Code.OVERLOADED, "no room"));
    }
    return answer;
  }

  private byte[] applyEncoded(byte[] body) {
    Map.Entry<String, Version> change = decodeOwn(body);
    Version before = held.get(change.getKey());
    boolean wins =
        before == null
            || flaws.contains(Flaw.LAST_WRITE_WINS_BY_ARRIVAL)
            || change.getValue().compareTo(before) > 0;
    if (wins) {
      TreeMap<String, Version> next = new TreeMap<>(held);
      if (flaws.contains(Flaw.DELETION_FORGOTTEN) && change.getValue().value() == null) {
        next.remove(change.getKey());
      } else {
        next.put(change.getKey(), change.getValue());
      }
      try {
        save(next);
      } catch (IOException e) {
        throw new PeerFailure(PeerFailure.Code.STORAGE, "not written", e);
      }
      held.clear();
      held.putAll(next);
    }
    return new byte[0];
  }

  private byte[] readEncoded(byte[] body) {
    try {
      String key = new ByteReader(body).readText("key", 100);
      Version version = held.get(key);
      return version == null ? new byte[0] : encode(key, version);
    } catch (CorruptDataException e) {
      throw new IllegalStateException(e);
    }
  }

  private void load() throws IOException {
    FileSystem files = seams.environment().files();
    if (!files.exists(FILE)) {
      return;
    }
    try (FileSystem.ReadableFile file = files.open(FILE)) {
      ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
      file.read(0, bytes);
      ByteReader reader = new ByteReader(bytes.array());
      while (reader.hasRemaining()) {
        Map.Entry<String, Version> entry = decode(reader.readBytes("entry", 1 << 10));
        held.put(entry.getKey(), entry.getValue());
      }
    } catch (CorruptDataException e) {
      throw new IOException("what is on the disk makes no sense", e);
    }
  }

  private void save(Map<String, Version> next) throws IOException {
    FileSystem files = seams.environment().files();
    ByteWriter content = new ByteWriter(256);
    next.forEach((key, version) -> content.writeBytes(encode(key, version)));
    if (files.exists("next")) {
      files.delete("next");
    }
    try (FileSystem.WritableFile file = files.create("next")) {
      file.write(content.asByteBuffer());
      if (!flaws.contains(Flaw.ANSWER_BEFORE_SYNC)) {
        file.sync();
      }
    }
    files.rename("next", FILE);
    if (!flaws.contains(Flaw.ANSWER_BEFORE_SYNC)) {
      files.syncDirectory("");
    }
  }

  private static byte[] encode(String key, Version version) {
    ByteWriter writer = new ByteWriter(64);
    writer.writeText(key);
    writer.writeLong(version.timestamp());
    String value = version.value();
    writer.writeByte(value == null ? 0 : 1);
    writer.writeText(value == null ? "" : value);
    return writer.toByteArray();
  }

  private static Map.Entry<String, Version> decodeOwn(byte[] bytes) {
    try {
      return decode(bytes);
    } catch (CorruptDataException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Map.Entry<String, Version> decode(byte[] bytes) throws CorruptDataException {
    ByteReader reader = new ByteReader(bytes);
    String key = reader.readText("key", 100);
    long timestamp = reader.readLong();
    boolean live = reader.readByte() == 1;
    String value = reader.readText("value", 100);
    return Map.entry(key, new Version(timestamp, live ? value : null));
  }

  /** How clients use it. */
  static final class Clients implements Registers<ToyStore> {
    @Override
    public CompletableFuture<Void> write(Machine<ToyStore> machine, String key, Version version) {
      return machine.ask(node -> node.write(key, version));
    }

    @Override
    public CompletableFuture<Optional<Version>> read(Machine<ToyStore> machine, String key) {
      return machine.ask(node -> node.read(key));
    }

    @Override
    public Outcome outcome(Throwable failure) {
      return failure instanceof ConnectionRefusedException ? Outcome.REFUSED : Outcome.UNKNOWN;
    }
  }
}
