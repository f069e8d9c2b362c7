package dev.colonnade.server.node;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.config.AddressSettings;
import dev.colonnade.server.base.config.ClusterSettings;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is stored with the data at the first start holds for all later ones. */
final class StoredIdentityTest {

  @TempDir Path data;

  @Test
  void anotherClusterNameIsRefusedAndNoneIsTheStoredOne() throws Exception {
    NodeOptions options =
        NodeOptions.defaults()
            .withDataDirectory(data)
            .with(AddressSettings.CLIENT_PORT, 0)
            .with(AddressSettings.PEER_PORT, 0)
            .with(AddressSettings.HTTP_PORT, 0);
    Node.start(options.with(ClusterSettings.NAME, "First")).close();

    NodeStartException refused =
        assertThrows(
            NodeStartException.class,
            () -> Node.start(options.with(ClusterSettings.NAME, "Second")).close());
    assertTrue(
        String.valueOf(refused.getMessage()).contains("'First'")
            && String.valueOf(refused.getMessage()).contains("'Second'"),
        refused.getMessage());
    try (Node node = Node.start(options)) {
      assertTrue(node.describe().contains("cluster 'First'"), node.describe());
    }
  }
}
