package dev.colonnade.server.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.config.LocationSettings;
import dev.colonnade.server.base.config.LocationSettings.Snitch;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.cluster.gossip.DcRack;
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

  private static NodeOptions given(String snitch, String datacenter, String rack, String file) {
    NodeOptions options = NodeOptions.defaults();
    options = snitch.isEmpty() ? options : options.withText(LocationSettings.SNITCH, snitch);
    options =
        datacenter.isEmpty() ? options : options.with(LocationSettings.DATACENTER, datacenter);
    options = rack.isEmpty() ? options : options.with(LocationSettings.RACK, rack);
    return file.isEmpty() ? options : options.with(LocationSettings.TOPOLOGY_FILE, file);
  }

  private NodeSettings settled(NodeSettings settings, NodeOptions options) {
    NodeOptions beside = options.withStorageConf(directory.resolve("storage-conf.xml"));
    return Snitches.settled(settings, beside).overriddenBy(options.overriding());
  }

  private static DcRack of(NodeSettings settings) throws NodeStartException {
    return Snitches.locations(settings).of("10.1.2.3", SAID);
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
    assertEquals(
        snitch,
        settled(NodeSettings.DEFAULT, given(name, "", "", "")).get(LocationSettings.SNITCH));
  }

  @Test
  void otherNamesAreRefusedWithTheOnesThereAre() {
    assertEquals(Optional.empty(), Snitch.of("com.example.SimpleSnitch"));
    IllegalArgumentException refusal =
        assertThrows(
            IllegalArgumentException.class,
            () -> settled(NodeSettings.DEFAULT, given("Snatch", "", "", "")));
    assertTrue(String.valueOf(refusal.getMessage()).contains("PropertyFileSnitch"));
  }

  @Test
  void withoutAWordAllStandInOnePlace() throws NodeStartException {
    NodeSettings settled = settled(NodeSettings.DEFAULT, NodeOptions.defaults());
    assertEquals(NodeSettings.DEFAULT, settled);
    assertEquals(DcRack.DEFAULT, of(settled));
  }

  @Test
  void aRackThatIsSaidIsToldToOthers() throws NodeStartException {
    NodeSettings settled = settled(NodeSettings.DEFAULT, given("", "east", "r2", ""));
    assertEquals(Snitch.GOSSIPING, settled.get(LocationSettings.SNITCH));
    assertEquals(new DcRack("east", "r2"), Snitches.own(settled));
    assertEquals(SAID.get(), of(settled));
    NodeSettings octets = NodeSettings.DEFAULT.with(LocationSettings.SNITCH, Snitch.RACK_INFERRING);
    assertEquals(new DcRack("1", "2"), of(settled(octets, given("", "east", "", ""))));
  }

  @Test
  void theGossipingSnitchReadsItsFileBesideTheConfiguration() throws IOException {
    Files.writeString(
        directory.resolve("cassandra-rackdc.properties"), "# here\ndc = west\nrack=r3\n");
    NodeSettings base = NodeSettings.DEFAULT.with(LocationSettings.SNITCH, Snitch.GOSSIPING);
    assertEquals(new DcRack("west", "r3"), Snitches.own(settled(base, NodeOptions.defaults())));
    assertEquals(new DcRack("west", "r4"), Snitches.own(settled(base, given("", "", "r4", ""))));
  }

  @Test
  void theFileOfAllNodesStandsBesideTheConfigurationOrWhereItIsSaid()
      throws IOException, NodeStartException {
    NodeSettings base = NodeSettings.DEFAULT.with(LocationSettings.SNITCH, Snitch.PROPERTY_FILE);
    NodeSettings settled = settled(base, NodeOptions.defaults());
    NodeStartException missing =
        assertThrows(NodeStartException.class, () -> Snitches.locations(settled));
    assertTrue(String.valueOf(missing.getMessage()).contains("cassandra-topology.properties"));
    Files.writeString(directory.resolve("cassandra-topology.properties"), "10.1.2.3=a:b\n");
    assertEquals(new DcRack("a", "b"), of(settled));
    Path other = Files.writeString(directory.resolve("other"), "default=c:d\n");
    assertEquals(
        new DcRack("c", "d"),
        of(settled(NodeSettings.DEFAULT, given("", "", "", other.toString()))));
    Files.writeString(other, "nonsense\n");
    NodeSettings damaged = settled(NodeSettings.DEFAULT, given("", "", "", other + ""));
    assertThrows(NodeStartException.class, () -> Snitches.locations(damaged));
  }
}
