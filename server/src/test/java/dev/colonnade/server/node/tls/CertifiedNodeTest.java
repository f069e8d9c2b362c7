package dev.colonnade.server.node.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class CertifiedNodeTest {

  private static final String ID = "00112233445566778899aabbccddeeff";

  @Test
  void everyNameOfAClusterIsReadAsItWasWritten() {
    for (String cluster :
        List.of("Test Cluster", "a", "1.2.3.4", "a/b", "%41", "日本", "x_y-z.", "\n", "[::1]", "ü")) {
      if (cluster.isBlank()) {
        continue;
      }
      CertifiedNode node = new CertifiedNode(cluster, ID);
      assertEquals(Optional.of(node), CertifiedNode.parse(node.uri()), node.uri());
    }
    assertEquals("colonnade://Test%20Cluster/" + ID, new CertifiedNode("Test Cluster", ID).uri());
  }

  @Test
  void otherNamesAreOfNoNode() {
    for (String uri :
        List.of(
            "",
            "colonnade://c",
            "colonnade://c/",
            "colonnade:///" + ID,
            "colonnade://%20/" + ID,
            "colonnade://c/" + ID + "0",
            "colonnade://c/" + ID.substring(1),
            "colonnade://c/" + ID.toUpperCase(java.util.Locale.ROOT),
            "colonnade://c/d/" + ID,
            "colonnade://c%2/" + ID,
            "colonnade://c/" + ID + "\n",
            "spiffe://c/" + ID,
            "COLONNADE://c/" + ID)) {
      assertEquals(Optional.empty(), CertifiedNode.parse(uri), uri);
    }
    assertThrows(IllegalArgumentException.class, () -> new CertifiedNode("c", "x"));
    assertThrows(IllegalArgumentException.class, () -> new CertifiedNode(" ", ID));
  }
}
