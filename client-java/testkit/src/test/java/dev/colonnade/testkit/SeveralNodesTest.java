package dev.colonnade.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.colonnade.client.CallOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Consistency;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.UnavailableException;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A cluster in the process of the test. */
@ColonnadeTest(nodes = 3)
final class SeveralNodesTest {

  @BeforeAll
  static void define(Colonnade client) {
    client
        .schema()
        .create(
            KeyspaceDefinition.named("Blog")
                .withReplicationFactor(3)
                .with(ColumnFamilyDefinition.standard("Users", Comparators.UTF8)));
  }

  @Test
  void oneOfThreeNodesMayBeDown(Colonnade client, TestNodes nodes) {
    ColumnFamily<String, String, String> users =
        client
            .keyspace("Blog")
            .with(
                CallOptions.defaults()
                    .withReadConsistency(Consistency.QUORUM)
                    .withWriteConsistency(Consistency.QUORUM))
            .columnFamily("Users", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
    awaitSchema(client);
    users.insert("ann", "city", "Oslo");
    nodes.stop(1);
    nodes.awaitUp(2);
    assertEquals(Optional.of("Oslo"), users.get("ann", "city"));
    users.insert("ann", "city", "Rome");
    assertThrows(
        UnavailableException.class,
        () ->
            users
                .with(CallOptions.defaults().withWriteConsistency(Consistency.ALL))
                .insert("ann", "city", "Bonn"));
    nodes.restart(1);
    nodes.awaitUp(3);
    assertEquals(
        Optional.of("Rome"),
        users.with(CallOptions.defaults().withReadConsistency(Consistency.ALL)).get("ann", "city"));
  }

  private static void awaitSchema(Colonnade client) {
    while (!client.cluster().schemaVersions().agreed()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void whatCannotBeStartedIsRefused() {
    assertThrows(
        IllegalArgumentException.class, () -> TestNodes.start(0, "RandomPartitioner").close());
    assertThrows(
        IllegalArgumentException.class, () -> TestNodes.start(2, "ByteOrderedPartitioner").close());
  }
}
