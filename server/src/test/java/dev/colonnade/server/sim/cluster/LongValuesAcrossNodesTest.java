package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.config.RequestSettings;
import dev.colonnade.server.history.Version;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Values of the greatest length that a node can be told to take, on nodes that were told nothing:
 * the bound is for clients, and replicas take what a coordinator accepted.
 */
final class LongValuesAcrossNodesTest extends MembershipScenario {

  private static final int ROWS_HERE = 4;

  private static final CoreRegisters AT_ONE =
      new CoreRegisters("K", "F", Consistency.ONE, Duration.ofSeconds(10));

  /** A segment of the log and a memtable have less room than one value. */
  LongValuesAcrossNodesTest() {
    super(
        EngineSettingsBuilder.forHeap(64 << 20)
            .withSync(true, Duration.ofSeconds(1))
            .withLog(new CommitLogSettings(1 << 20, 64 << 20, 64 << 20))
            .withMemtableBytesMax(8 << 20)
            .build());
  }

  private static String longest(char filling) {
    return String.valueOf(filling).repeat(15 << 20);
  }

  @Test
  void theyAreReplicatedHintedReplayedAndStreamed() throws Exception {
    assertTrue(15 << 20 > RequestSettings.MAX_VALUE_BYTES.defaultValue());
    begin(3);
    Machine<CoreNode> first = world.machines().get(0);
    Machine<CoreNode> third = world.machines().get(2);
    write(first, atAll, 'a');
    require('a');

    boolean misses = false;
    for (int row = 0; row < ROWS_HERE; row++) {
      misses |= owns(third, row);
    }
    assertTrue(misses, "a node that is down misses something");
    third.kill();
    world.advance(Duration.ofMinutes(1));
    write(first, AT_ONE, 'b');
    third.start();
    awaitRing(3);
    assertTrue(
        world.runUntil(() -> node(0).core().clusterOperations().hints().isEmpty(), LIMIT),
        "hints arrive");
    require('b');

    Machine<CoreNode> fourth = add();
    awaitRing(4);
    boolean receives = false;
    for (int row = 0; row < ROWS_HERE; row++) {
      receives |= owns(fourth, row);
    }
    assertTrue(receives, "the new node owns a row");
    require('b');
  }

  private void write(Machine<CoreNode> at, CoreRegisters registers, char filling) {
    String value = longest(filling);
    for (int i = 0; i < ROWS_HERE; i++) {
      int row = i;
      await(at, node -> registers.write(node, key(row), version(value)));
    }
  }

  private void require(char filling) {
    String value = longest(filling);
    for (int i = 0; i < ROWS_HERE; i++) {
      int row = i;
      Optional<Version> read = await(world.machines().get(0), node -> atAll.read(node, key(row)));
      assertTrue(read.map(Version::value).equals(Optional.of(value)), key(row));
    }
  }
}
