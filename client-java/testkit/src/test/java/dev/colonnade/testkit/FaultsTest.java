package dev.colonnade.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.colonnade.client.Applied;
import dev.colonnade.client.Batch;
import dev.colonnade.client.CallOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Consistency;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.Serializers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a test can do to its nodes, and that programs notice. */
@ColonnadeTest(nodes = 3)
final class FaultsTest {

  private static final long SEED = 20_100_401L;
  private static final int STEPS = Integer.getInteger("colonnade.testkit.faults", 2);

  private ColumnFamily<String, String, String> users;

  @BeforeEach
  void define(Colonnade client) {
    if (client.schema().keyspaces().stream().noneMatch(each -> each.name().equals("Faults"))) {
      client
          .schema()
          .create(
              KeyspaceDefinition.named("Faults")
                  .withReplicationFactor(3)
                  .with(ColumnFamilyDefinition.standard("Users", Comparators.UTF8)));
    }
    users =
        client
            .keyspace("Faults")
            .with(
                CallOptions.defaults()
                    .withReadConsistency(Consistency.QUORUM)
                    .withWriteConsistency(Consistency.QUORUM))
            .columnFamily("Users", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
  }

  /** What a test that failed left broken does not fail the next one. */
  @AfterEach
  void heal(TestNodes nodes) {
    nodes.heal();
  }

  private ColumnFamily<String, String, String> all() {
    return users.with(
        CallOptions.defaults()
            .withWriteConsistency(Consistency.ALL)
            .withReadConsistency(Consistency.ALL)
            .withDeadline(Duration.ofSeconds(2)));
  }

  /** At QUORUM, so that a node that is cut off costs a call no more than this. */
  private ColumnFamily<String, String, String> quickly() {
    return users.with(
        CallOptions.defaults()
            .withWriteConsistency(Consistency.QUORUM)
            .withReadConsistency(Consistency.QUORUM)
            .withDeadline(Duration.ofSeconds(2)));
  }

  @Test
  void aFullDiskTakesNoWriteAndAnswersReads(TestNodes nodes) {
    retried(() -> all().insert("ann", "city", "Oslo"));
    nodes.disk(1).fill();
    assertThrows(ColonnadeException.class, () -> all().insert("ann", "city", "Bonn"));
    assertEquals(Optional.empty(), all().get("ann", "street"));
    users.insert("ann", "city", "Rome");
    nodes.heal();
    retried(() -> all().insert("bob", "city", "Kiev"));
    assertEquals(Optional.of("Rome"), users.get("ann", "city"));
  }

  @Test
  void aPartitionEndsCallsThatNeedBothSides(TestNodes nodes) {
    nodes.network().partition(2);
    assertThrows(ColonnadeException.class, () -> all().insert("cem", "city", "Bonn"));
    // The node that is alone cannot write it, and is one of those that the client knows.
    retried(() -> quickly().insert("cem", "city", "Rome"));
    nodes.heal();
    retried(() -> all().insert("cem", "city", "Kiev"));
    assertEquals(Optional.of("Kiev"), all().get("cem", "city"));
  }

  /** A batch has its timestamps, so the second time changes nothing that the first one did. */
  @Test
  void aBatchWhoseAnswerWasLostIsAppliedAgain(Colonnade client, TestNodes nodes) {
    retried(() -> all().insert("gil", "city", "Oslo"));
    Batch batch =
        client
            .keyspace("Faults")
            .with(
                CallOptions.defaults()
                    .withWriteConsistency(Consistency.ALL)
                    .withDeadline(Duration.ofSeconds(2)))
            .batch()
            .insert(users, "gil", "city", "Bonn")
            .insert(users, "gil", "street", "Adenauerallee");
    nodes.network().partition(2);
    ColonnadeException lost = assertThrows(ColonnadeException.class, batch::apply);
    assertEquals(Applied.UNKNOWN, lost.applied(), lost::toString);
    retried(() -> quickly().insert("gil", "city", "Rome"));
    nodes.heal();
    retried(batch::apply);
    assertEquals(Optional.of("Rome"), all().get("gil", "city"));
    assertEquals(Optional.of("Adenauerallee"), all().get("gil", "street"));
  }

  @Test
  void aKilledNodeHasWhatItHadWritten(TestNodes nodes) {
    retried(() -> all().insert("dan", "city", "Oslo"));
    nodes.kill(0);
    users.insert("dan", "city", "Rome");
    nodes.restart(0);
    retried(() -> all().insert("dan", "street", "Via Appia"));
    assertEquals(Optional.of("Rome"), all().get("dan", "city"));
  }

  /** What fails while the node closes its files keeps neither its ports nor its lock. */
  @Test
  void aNodeThatStopsOnABrokenDiskStartsAgain(TestNodes nodes) {
    retried(() -> all().insert("fay", "city", "Oslo"));
    nodes.disk(1).fail();
    nodes.stop(1);
    nodes.restart(1);
    retried(() -> all().insert("fay", "street", "Karl Johan"));
    assertEquals(Optional.of("Oslo"), all().get("fay", "city"));
  }

  @Test
  void quorumGoesOnThroughAllFaultsOfASeed(TestNodes nodes) {
    FaultSchedule faults = nodes.schedule(SEED);
    for (int step = 1; step <= STEPS; step++) {
      FaultSchedule.Fault fault = faults.next();
      System.out.println(fault);
      String value = "step " + step;
      retried(() -> quickly().insert("eve", "step", value));
      retried(
          () -> assertEquals(Optional.of(value), quickly().get("eve", "step"), fault::toString));
    }
    faults.end();
    retried(() -> assertEquals(Optional.of("step " + STEPS), all().get("eve", "step")));
  }

  @Test
  void aSeedGivesTheSameFaultsEachTime() {
    assertEquals(first(SEED), first(SEED));
    assertNotEquals(first(SEED), first(SEED + 1));
    assertEquals(
        FaultSchedule.Kind.values().length,
        first(SEED).stream().map(FaultSchedule.Fault::kind).distinct().count());
  }

  private static List<FaultSchedule.Fault> first(long seed) {
    Iterator<FaultSchedule.Fault> drawn = FaultSchedule.drawn(seed, 3);
    List<FaultSchedule.Fault> faults = new ArrayList<>();
    while (faults.size() < 40) {
      faults.add(drawn.next());
    }
    return faults;
  }

  @Test
  void whatMakesNoSenseIsRefused(TestNodes nodes) {
    assertThrows(IllegalArgumentException.class, () -> nodes.network().partition(3));
    assertThrows(IllegalArgumentException.class, () -> nodes.network().lose(1.5, SEED));
    assertThrows(IllegalArgumentException.class, () -> nodes.disk(0).slow(Duration.ZERO));
    Duration minute = Duration.ofMinutes(1);
    assertThrows(
        IllegalArgumentException.class,
        () -> nodes.network().delay(minute.plusMillis(1), minute.plusMillis(1), SEED));
    nodes.network().delay(Duration.ZERO, minute, SEED);
    nodes.heal();
    assertEquals("NONE", nodes.disk(0).toString());
  }

  /** Nodes notice after a moment that a fault is over. */
  private static void retried(Runnable call) {
    long untilNanos = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (true) {
      try {
        call.run();
        return;
      } catch (ColonnadeException e) {
        if (System.nanoTime() - untilNanos > 0) {
          throw e;
        }
        Thread.onSpinWait();
      }
    }
  }
}
