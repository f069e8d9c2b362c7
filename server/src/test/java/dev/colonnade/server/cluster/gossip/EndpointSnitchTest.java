package dev.colonnade.server.cluster.gossip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EndpointSnitchTest {

  private static final Optional<DcRack> SAID = Optional.of(new DcRack("east", "r7"));

  @Test
  void onlyAnnouncedLocationsAreWhatNodesSay() {
    assertEquals(DcRack.DEFAULT, EndpointSnitch.single().of("10.2.3.4", SAID));
    assertEquals(new DcRack("2", "3"), EndpointSnitch.octets().of("10.2.3.4", SAID));
    assertEquals(SAID.get(), EndpointSnitch.announced().of("10.2.3.4", SAID));
    assertEquals(DcRack.DEFAULT, EndpointSnitch.announced().of("10.2.3.4", Optional.empty()));
  }

  @Test
  void namesHaveNoOctets() {
    assertEquals(DcRack.DEFAULT, EndpointSnitch.octets().of("localhost", SAID));
    assertEquals(DcRack.DEFAULT, EndpointSnitch.octets().of("::1", SAID));
    assertEquals(DcRack.DEFAULT, EndpointSnitch.octets().of("a..b.c", SAID));
  }

  @Test
  void aFileNamesNodesAndADefault() {
    EndpointSnitch file =
        DcRackFile.parse(
            "topology",
            """
            # Cassandra Node IP=Data Center:Rack
            192.168.1.200=DC1:RAC1
            192.168.2.300 = DC2 : RAC2
            10.0.0.9:7000=DC3:RAC3
            fe80\\:0\\:0=DC4:RAC4

            default=DC5:r1
            """);
    assertEquals(new DcRack("DC1", "RAC1"), file.of("192.168.1.200", SAID));
    assertEquals(new DcRack("DC2", "RAC2"), file.of("192.168.2.300", SAID));
    assertEquals(new DcRack("DC3", "RAC3"), file.of("10.0.0.9", SAID));
    assertEquals(new DcRack("DC4", "RAC4"), file.of("fe80:0:0", SAID));
    assertEquals(new DcRack("DC5", "r1"), file.of("10.0.0.1", SAID));
    assertEquals(DcRack.DEFAULT, DcRackFile.parse("none", "").of("10.0.0.1", SAID));
  }

  @Test
  void aLineThatSaysSomethingElseIsRefusedWithItsNumber() {
    for (String line : List.of("10.0.0.1", "10.0.0.1=dc1", "=dc1:r1", "a=:r1", "a=b:")) {
      IllegalArgumentException refusal =
          assertThrows(IllegalArgumentException.class, () -> DcRackFile.parse("f", "\n" + line));
      assertTrue(String.valueOf(refusal.getMessage()).contains("f line 2"), "" + refusal);
    }
    assertThrows(IllegalArgumentException.class, () -> DcRackFile.parse("f", "a=b:c\na=b:d"));
  }
}
