package dev.colonnade.server.cluster.gossip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.TlsSettings;
import dev.colonnade.server.node.authority.CertificateDirectory;
import dev.colonnade.server.node.tls.CertificateFileException;
import dev.colonnade.server.node.tls.CertifiedNode;
import dev.colonnade.server.node.tls.NodeTls;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that gossip over a simulated network, and sign with real certificates. */
final class CertifiedGossipTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);

  @TempDir private Path folder;

  private final GossipWorld world = new GossipWorld(20261127);

  private GossipTrust trust(GossipNode node, CertificateDirectory authority, Path home) {
    try {
      String name = "n" + node.number;
      CertifiedNode unused =
          authority.createNode(
              name, List.of("127.0.0.1"), Optional.of(node.id), Duration.ofDays(365));
      NodeSettings settings =
          NodeSettings.DEFAULT.with(TlsSettings.DIRECTORY, home.resolve(name).toString());
      return new GossipTrust(NodeTls.of(settings, world.clock).signatures(), true);
    } catch (IOException | CertificateDirectory.RefusedException | CertificateFileException e) {
      throw new AssertionError(e);
    }
  }

  private CertificateDirectory authority(Path home) throws Exception {
    CertificateDirectory made =
        new CertificateDirectory(home, Instant.ofEpochSecond(world.clock.wallSeconds()));
    made.createAuthorities("sim", Duration.ofDays(1_000));
    return made;
  }

  @Test
  void nodesOfOneAuthorityKnowEachOtherAndNoOthers() throws Exception {
    Path ours = folder.resolve("ours");
    Path theirs = folder.resolve("theirs");
    CertificateDirectory authority = authority(ours);
    CertificateDirectory another = authority(theirs);
    world.trusting(node -> trust(node, authority, ours)).with(3);
    world.until(world::allKnowAll, MINUTE);
    world.advance(MINUTE);
    for (GossipNode node : world.nodes) {
      assertEquals(0, node.gossiper.unbelievedNews());
    }
    world.trusting(node -> trust(node, another, theirs)).with(1);
    world.advance(MINUTE);
    GossipNode stranger = world.nodes.get(3);
    assertEquals(0, world.holdingUp(stranger));
    assertFalse(world.nodes.get(0).gossiper.members().byId(stranger.id).isPresent());
    assertTrue(world.nodes.get(0).gossiper.unbelievedNews() > 0);
  }
}
