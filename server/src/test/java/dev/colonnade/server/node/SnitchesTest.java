package dev.colonnade.server.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.config.ClusterSettings.Snitch;
import dev.colonnade.server.cluster.gossip.DcRack;
import dev.colonnade.server.node.NodeOptions.StartRole;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SnitchesTest {

  private static final Optional<DcRack> SAID = Optional.of(new DcRack("said", "r9"));

  @TempDir Path directory;

  private static StartRole standing(String snitch, String datacenter, String rack, String file) {
    return new StartRole(said(snitch), said(datacenter), said(rack), said(file).map(Path::of));
  }

  private static Optional<String> said(String text) {
    return text.isEmpty() ? Optional.empty() : Optional.of(text);
  }

  private ClusterSettings settled(ClusterSettings cluster, StartRole standing) {
    return Snitches.settled(cluster, standing, Optional.of(directory.resolve("storage-conf.xml")));
  }

  private static DcRack of(ClusterSettings cluster) throws NodeStartException {
    return Snitches.locations(cluster).of("10.1.2.3", SAID);
  }

  @ParameterizedTest
  @CsvSource({
    "SimpleSnitch, SIMPLE",
    "EndPointSnitch, RACK_INFERRING",
    "org.apache.cassandra.locator.EndPointSnitch, RACK_INFERRING",
    "org.apache.cassandra.locator.RackInferringSnitch, RACK_INFERRING",
    "PropertyFileSnitch, PROPERTY_FILE",
    "org.apache.cassandra.locator.GossipingPropertyFileSnitch, GOSSIPING",
  })
  void oldNamesMeanWhatTheyMeant(String name, Snitch snitch) {
    assertEquals(Optional.of(snitch), Snitch.of(name));
    assertEquals(snitch, settled(ClusterSettings.DEFAULT, standing(name, "", "", "")).snitch());
  }

  @Test
  void otherNamesAreRefusedWithTheOnesThereAre() {
    assertEquals(Optional.empty(), Snitch.of("com.example.SimpleSnitch"));
    IllegalArgumentException refusal =
        assertThrows(
            IllegalArgumentException.class,
            () -> settled(ClusterSettings.DEFAULT, standing("Snatch", "", "", "")));
    assertTrue(String.valueOf(refusal.getMessage()).contains("PropertyFileSnitch"));
  }

  @Test
  void withoutAWordAllStandInOnePlace() throws NodeStartException {
    ClusterSettings settled = settled(ClusterSettings.DEFAULT, StartRole.UNSAID);
    assertEquals(ClusterSettings.DEFAULT, settled);
    assertEquals(DcRack.DEFAULT, of(settled));
  }

  @Test
  void aRackThatIsSaidIsToldToOthers() throws NodeStartException {
    ClusterSettings settled = settled(ClusterSettings.DEFAULT, standing("", "east", "r2", ""));
    assertEquals(Snitch.GOSSIPING, settled.snitch());
    assertEquals(new DcRack("east", "r2"), Snitches.own(settled));
    assertEquals(SAID.get(), of(settled));
    ClusterSettings octets = ClusterSettings.DEFAULT.withSnitch(Snitch.RACK_INFERRING);
    assertEquals(new DcRack("1", "2"), of(settled(octets, standing("", "east", "", ""))));
  }

  @Test
  void theGossipingSnitchReadsItsFileBesideTheConfiguration() throws IOException {
    Files.writeString(
        directory.resolve("cassandra-rackdc.properties"), "# here\ndc = west\nrack=r3\n");
    ClusterSettings base = ClusterSettings.DEFAULT.withSnitch(Snitch.GOSSIPING);
    assertEquals(new DcRack("west", "r3"), Snitches.own(settled(base, StartRole.UNSAID)));
    assertEquals(new DcRack("west", "r4"), Snitches.own(settled(base, standing("", "", "r4", ""))));
  }

  @Test
  void theFileOfAllNodesStandsBesideTheConfigurationOrWhereItIsSaid()
      throws IOException, NodeStartException {
    ClusterSettings base = ClusterSettings.DEFAULT.withSnitch(Snitch.PROPERTY_FILE);
    ClusterSettings settled = settled(base, StartRole.UNSAID);
    NodeStartException missing =
        assertThrows(NodeStartException.class, () -> Snitches.locations(settled));
    assertTrue(String.valueOf(missing.getMessage()).contains("cassandra-topology.properties"));
    Files.writeString(directory.resolve("cassandra-topology.properties"), "10.1.2.3=a:b\n");
    assertEquals(new DcRack("a", "b"), of(settled));
    Path other = Files.writeString(directory.resolve("other"), "default=c:d\n");
    assertEquals(
        new DcRack("c", "d"),
        of(settled(ClusterSettings.DEFAULT, standing("", "", "", other.toString()))));
    Files.writeString(other, "nonsense\n");
    ClusterSettings damaged = settled(ClusterSettings.DEFAULT, standing("", "", "", other + ""));
    assertThrows(NodeStartException.class, () -> Snitches.locations(damaged));
  }
}
