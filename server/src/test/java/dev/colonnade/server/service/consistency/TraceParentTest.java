package dev.colonnade.server.service.consistency;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceParentTest {

  private static final String ID = "0af7651916cd43dd8448eb211c80319c";
  private static final String SPAN = "b7ad6b7169203331";

  @Test
  void aHeaderNamesTraceSpanAndWhetherTheyAreSampled() {
    assertEquals(
        new TraceParent(ID, SPAN, true), TraceParent.parse("00-" + ID + "-" + SPAN + "-01"));
    assertEquals(
        new TraceParent(ID, SPAN, false), TraceParent.parse("00-" + ID + "-" + SPAN + "-00"));
    assertEquals(
        new TraceParent(ID, SPAN, false),
        TraceParent.parse("00-" + ID + "-" + SPAN + "-fe"),
        "only the lowest flag says so");
    assertEquals(
        new TraceParent(ID, SPAN, true), TraceParent.parse("00-" + ID + "-" + SPAN + "-ff"));
  }

  @Test
  void aLaterVersionMayGoOnAfterTheFlags() {
    TraceParent expected = new TraceParent(ID, SPAN, true);
    assertEquals(expected, TraceParent.parse("01-" + ID + "-" + SPAN + "-01"));
    assertEquals(expected, TraceParent.parse("cc-" + ID + "-" + SPAN + "-01-what-comes"));
    assertNull(TraceParent.parse("cc-" + ID + "-" + SPAN + "-01.what-comes"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0x",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-011",
        " 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-B7AD6B7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331_01",
        "00-0af7651916cd43dd8448eb211c80319cb7ad6b7169203331--01",
        "0-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-001",
        "0g-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "FF-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c8031\u06609-b7ad6b7169203331-01",
      })
  void aMalformedHeaderIsAsNone(String header) {
    assertNull(TraceParent.parse(header));
  }

  @Test
  void theIdsGoToOtherNodesAsBytes() {
    TraceParent parent = new TraceParent(ID, SPAN, true);
    assertArrayEquals(HexFormat.of().parseHex(ID + SPAN), parent.toBytes());
    assertEquals(parent, TraceParent.ofBytes(parent.toBytes()));
    assertNull(TraceParent.ofBytes(new byte[0]));
    assertNull(TraceParent.ofBytes(new byte[25]));
  }
}
