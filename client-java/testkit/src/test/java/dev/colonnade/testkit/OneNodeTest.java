package dev.colonnade.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.Serializers;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** A test as users write it: with a node for the class, and a schema for each test. */
@ColonnadeTest(partitioner = "OrderPreservingPartitioner", dropKeyspacesAfterEach = true)
final class OneNodeTest {

  private final TestNodes nodes;

  OneNodeTest(TestNodes nodes) {
    this.nodes = nodes;
  }

  @BeforeEach
  void define(Colonnade client) {
    client
        .schema()
        .create(
            KeyspaceDefinition.named("Blog")
                .with(ColumnFamilyDefinition.standard("Users", Comparators.UTF8)));
  }

  private static ColumnFamily<String, String, String> users(Colonnade client) {
    return client
        .keyspace("Blog")
        .columnFamily("Users", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
  }

  /** The second time there is nothing of the first: the keyspace was dropped between them. */
  @RepeatedTest(2)
  void eachTestBeginsWithNothing(Colonnade client) {
    assertEquals(Optional.empty(), users(client).get("ann", "city"));
    users(client).insert("ann", "city", "Oslo");
    assertEquals(Optional.of("Oslo"), users(client).get("ann", "city"));
  }

  @Test
  void theNodeIsAsTheAnnotationSays(Colonnade client) {
    assertEquals("OrderPreservingPartitioner", client.cluster().describe().partitioner());
    assertEquals(1, nodes.size());
    assertSame(nodes.client(), client);
  }

  @Test
  void aNodeKeepsItsDataAndItsAddressWhenItIsStartedAgain(Colonnade client) {
    List<String> before = nodes.contactPoints();
    users(client).insert("bob", "city", "Rome");
    nodes.stop(0);
    nodes.stop(0);
    nodes.restart(0);
    assertEquals(before, nodes.contactPoints());
    assertEquals(Optional.of("Rome"), users(client).get("bob", "city"));
  }

  @Nested
  final class Within {
    @Test
    void aNestedClassHasTheNodesOfTheOneAroundIt(TestNodes others) {
      assertSame(nodes, others);
    }
  }
}
