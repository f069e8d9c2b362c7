package dev.colonnade.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.ColumnFamilyStatistics;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.Serializers;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node with a schema that fits no message is administered like any other. */
final class LargeAnswersIT {

  private static final int KEYSPACES = 6;
  private static final int FAMILIES = 100;

  @Test
  void theClientReadsASchemaThatFitsNoMessage(@TempDir Path folder) throws Exception {
    String comment = "名".repeat(10_000);
    try (Node node = Node.start(NodeOptions.defaults().withDataDirectory(folder).withFreePorts());
        Colonnade client = Colonnade.connect(node.clientAddress() + ":" + node.clientPort())) {
      client
          .schema()
          .create(
              KeyspaceDefinition.named("Small")
                  .with(ColumnFamilyDefinition.standard("T", Comparators.UTF8)));
      for (int i = 0; i < KEYSPACES; i++) {
        KeyspaceDefinition big = KeyspaceDefinition.named("Big" + i);
        for (int j = 0; j < FAMILIES; j++) {
          big =
              big.with(
                  ColumnFamilyDefinition.standard("f" + j, Comparators.UTF8).withComment(comment));
        }
        client.schema().create(big);
      }
      List<KeyspaceDefinition> all = client.schema().keyspaces();
      assertEquals(KEYSPACES + 2, all.size());
      for (KeyspaceDefinition each : all) {
        if (each.name().startsWith("Big")) {
          assertEquals(FAMILIES, each.columnFamilies().size(), each.name());
        }
      }
      assertEquals(all.get(0), client.schema().keyspace(all.get(0).name()));
      var family =
          client
              .keyspace("Small")
              .columnFamily("T", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
      family.insert("a", "b", "c");
      assertEquals("c", family.get("a", "b").orElseThrow());
      List<ColumnFamilyStatistics> statistics = client.node().statistics().columnFamilies();
      assertTrue(statistics.size() > KEYSPACES * FAMILIES, statistics.size() + " families");
    }
  }
}
