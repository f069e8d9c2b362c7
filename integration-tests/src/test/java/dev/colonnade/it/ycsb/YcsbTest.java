package dev.colonnade.it.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.SessionProbe;
import io.grpc.Server;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The workloads, their measuring and the store that does nothing, in one process. */
final class YcsbTest {

  private static final Duration WINDOW = Duration.ofMillis(50);

  private Server server;

  @BeforeEach
  void start() throws Exception {
    server = NoopStore.start();
  }

  @AfterEach
  void stop() {
    server.shutdownNow();
  }

  @Test
  void aMixOfCallsOnASessionIsMeasuredByKind() throws Exception {
    JsonObject figures = window(YcsbWorkload.A, true, YcsbCommand.Family.STANDARD);
    assertEquals(Set.of("READ", "UPDATE"), figures.getAsJsonObject("operations").keySet());
  }

  @Test
  void scansOfASuperFamilyAreMeasuredAsUnaryCalls() throws Exception {
    JsonObject figures = window(YcsbWorkload.SCAN, false, YcsbCommand.Family.SUPER);
    assertEquals(Set.of("SCAN"), figures.getAsJsonObject("operations").keySet());
  }

  @Test
  void aLoadInsertsEachRowOnce() throws Exception {
    try (Colonnade client = connect(true)) {
      YcsbSubject subject =
          new YcsbSubject(
              YcsbWorkload.LOAD, way(client, true, YcsbCommand.Family.STANDARD), 103, 4, 0);
      subject.load(false);
      assertEquals(103, of(subject).get("calls").getAsLong());
    }
  }

  @Test
  void noMoreCallsAreMadeThanTheRateAllows() throws Exception {
    try (Colonnade client = connect(true)) {
      YcsbSubject subject =
          new YcsbSubject(
              YcsbWorkload.UPDATE, way(client, true, YcsbCommand.Family.STANDARD), 10, 2, 20);
      subject.window(WINDOW);
      long calls = of(subject).get("calls").getAsLong();
      // One is due; on a slow machine those of the ramp may come late. Without a rate it is
      // hundreds.
      assertTrue(calls <= 10, calls + " calls in " + WINDOW);
    }
  }

  @Test
  void callsThatFailAreCountedAndTheFirstIsNamed() throws Exception {
    try (Colonnade client = connect(false)) {
      YcsbSubject subject =
          new YcsbSubject(
              YcsbWorkload.UPDATE, way(client, false, YcsbCommand.Family.STANDARD), 10, 2, 0);
      server.shutdownNow().awaitTermination();
      subject.window(WINDOW);
      assertTrue(subject.failures() > 0);
      assertTrue(subject.row().contains("UPDATE of user"), subject.row());
    }
  }

  @Test
  void anUnknownWorkloadIsRefusedWithTheKnownOnes() {
    String refusal =
        String.valueOf(
            assertThrows(IllegalArgumentException.class, () -> YcsbWorkload.parse("a,x"))
                .getMessage());
    assertTrue(refusal.contains("no workload x; there are load, a, b, c"), refusal);
  }

  private JsonObject window(YcsbWorkload workload, boolean session, YcsbCommand.Family family)
      throws InterruptedException {
    try (Colonnade client = connect(session)) {
      YcsbSubject subject = new YcsbSubject(workload, way(client, session, family), 100, 4, 0);
      subject.window(WINDOW);
      JsonObject figures = of(subject);
      assertEquals(0, subject.failures(), subject.row());
      assertTrue(figures.get("calls").getAsLong() > 0, figures.toString());
      assertTrue(figures.get("clientCpuMicrosPerCall").getAsDouble() > 0, figures.toString());
      return figures;
    }
  }

  private static JsonObject of(YcsbSubject subject) {
    return subject.json().getAsJsonObject("ycsb_workload");
  }

  private static YcsbSubject.Way way(Colonnade client, boolean session, YcsbCommand.Family family) {
    return new YcsbSubject.Way(
        "no-op",
        session ? "session" : "unary",
        "standard",
        YcsbCommand.records(client, "usertable", family),
        List.of(ProcessHandle.current().pid()));
  }

  private Colonnade connect(boolean session) {
    Colonnade client =
        Colonnade.connect(
            "127.0.0.1:" + server.getPort(), ClientOptions.defaults().withSessions(session));
    if (session) {
      SessionProbe.awaitSession(client);
    }
    return client;
  }
}
