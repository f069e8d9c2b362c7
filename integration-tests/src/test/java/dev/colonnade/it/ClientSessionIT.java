package dev.colonnade.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.InvalidRequestException;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.SessionProbe;
import dev.colonnade.client.Slice;
import dev.colonnade.client.UnavailableException;
import dev.colonnade.server.base.config.AddressSettings;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import dev.colonnade.server.node.NodeStartException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The client library on a session with a node, beside unary calls to it. */
@Timeout(120)
final class ClientSessionIT {

  private static final int THREADS = 16;
  private static final int CALLS = 50;
  private static final int LONG_ROW = 3_000;

  private final NodeOptions options;
  private Node node;
  private final Colonnade session;
  private final Colonnade unary;

  ClientSessionIT(@TempDir Path folder) throws NodeStartException {
    options = NodeOptions.defaults().withDataDirectory(folder).withFreePorts();
    node = Node.start(options);
    String target = node.clientAddress() + ":" + node.clientPort();
    session = Colonnade.connect(target);
    unary = Colonnade.connect(target, ClientOptions.defaults().withSessions(false));
  }

  @BeforeEach
  void define() {
    unary
        .schema()
        .create(
            KeyspaceDefinition.named("Blog")
                .with(ColumnFamilyDefinition.standard("Users", Comparators.UTF8)));
    SessionProbe.awaitSession(session);
  }

  @AfterEach
  void stop() {
    session.close();
    unary.close();
    node.close();
  }

  @Test
  void callsOfManyThreadsDoWhatUnaryCallsDo() throws InterruptedException {
    Queue<String> wrong = new ConcurrentLinkedQueue<>();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      String key = "user" + t;
      Thread thread = new Thread(() -> use(key, wrong));
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(List.of(), List.copyOf(wrong));
    assertTrue(SessionProbe.hasSession(session), "the session was lost");
    assertFalse(SessionProbe.hasSession(unary), "there is a session in spite of the option");
    for (int t = 0; t < THREADS; t++) {
      assertEquals(CALLS - 1, users(unary).count("user" + t, Slice.all()));
    }
  }

  private void use(String key, Queue<String> wrong) {
    ColumnFamily<String, String, String> users = users(session);
    try {
      for (int i = 0; i < CALLS; i++) {
        users.insert(key, "name" + i, key + "-" + i);
        CompletableFuture<Optional<String>> read = users.async().get(key, "name" + i);
        long count = users.count(key, Slice.all());
        if (count != i + 1) {
          wrong.add(key + " has " + count + " columns after " + (i + 1));
        }
        if (!read.join().equals(Optional.of(key + "-" + i))) {
          wrong.add(key + " has another value at " + i + ": " + read.join());
        }
      }
      users.remove(key, "name0");
    } catch (RuntimeException e) {
      wrong.add(key + " failed: " + e);
    }
  }

  @Test
  void aLongRowIsReadToItsEnd() {
    List<Column<String, String>> columns = new ArrayList<>();
    for (int i = 0; i < LONG_ROW; i++) {
      columns.add(Column.of(String.format("name%05d", i), "v".repeat(100)));
    }
    users(session).insertAll("long", columns);
    List<Column<String, String>> read = users(session).slice("long", Slice.all());
    assertEquals(users(unary).slice("long", Slice.all()), read);
    assertEquals(LONG_ROW, read.size());
    assertEquals(2_000, users(session).slice("long", Slice.last(2_000)).size());
  }

  @Test
  void errorsAreThoseOfUnaryCalls() {
    failsAlike(users -> users.insert("", "name", "value"));
    failsAlike(users -> users.count("key", Slice.named(List.of(""))));
    ColonnadeException missing =
        assertThrows(
            ColonnadeException.class,
            () ->
                session
                    .keyspace("None")
                    .columnFamily("None", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8)
                    .get("key", "name"));
    assertEquals("KEYSPACE_NOT_FOUND", missing.reason());
    assertTrue(SessionProbe.hasSession(session), "an error ended the session");
  }

  private void failsAlike(Consumer<ColumnFamily<String, String, String>> call) {
    InvalidRequestException expected =
        assertThrows(InvalidRequestException.class, () -> call.accept(users(unary)));
    InvalidRequestException thrown =
        assertThrows(InvalidRequestException.class, () -> call.accept(users(session)));
    assertEquals(expected.reason(), thrown.reason());
    assertEquals(expected.getMessage(), thrown.getMessage());
    assertEquals(expected.applied(), thrown.applied());
    assertEquals(expected.metadata().keySet(), thrown.metadata().keySet());
    assertEquals(expected.fieldViolations(), thrown.fieldViolations());
  }

  @Test
  void aNodeThatStopsAndStartsIsUsedAgain() throws NodeStartException {
    users(session).insertAll("bob", Map.of("city", "Oslo"));
    int port = node.clientPort();
    node.close();
    assertThrows(UnavailableException.class, () -> users(session).get("bob", "city"));
    assertFalse(SessionProbe.hasSession(session), "a session with a node that has stopped");
    node = Node.start(options.with(AddressSettings.CLIENT_PORT, port));
    Optional<String> city = Optional.empty();
    while (city.isEmpty()) {
      city = afterRestart();
    }
    assertEquals(Optional.of("Oslo"), city);
    SessionProbe.awaitSession(session);
    assertEquals(Optional.of("Oslo"), users(session).get("bob", "city"));
  }

  /** The transport tries to connect again after a while only. */
  private Optional<String> afterRestart() {
    try {
      return users(session).get("bob", "city");
    } catch (UnavailableException e) {
      Thread.onSpinWait();
      return Optional.empty();
    }
  }

  private static ColumnFamily<String, String, String> users(Colonnade client) {
    return client
        .keyspace("Blog")
        .columnFamily("Users", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
  }
}
