package dev.colonnade.cli.shell.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.cli.shell.output.Listing;
import dev.colonnade.cli.shell.output.OutputForm;
import dev.colonnade.cli.shell.output.Printer;
import dev.colonnade.client.Endpoint;
import dev.colonnade.client.RingNode;
import dev.colonnade.client.RingNode.Liveness;
import dev.colonnade.client.RingNode.State;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class RingDrawingTest {

  private static final String RANDOM = "RandomPartitioner";
  private static final BigInteger TOKENS = BigInteger.TWO.pow(127);

  private static RingNode node(
      int number, State state, Liveness liveness, long load, double owns, String... tokens) {
    return new RingNode(
        new Endpoint("id" + number, "10.0.0." + number, 9160, 7000, "dc1", "r" + number % 2),
        List.of(tokens),
        state,
        liveness,
        number == 1 ? 0 : Double.POSITIVE_INFINITY,
        load,
        owns,
        0,
        load == 0 ? "" : "v");
  }

  private static String draw(OutputForm form, String partitioner, List<RingNode> nodes) {
    StringWriter out = new StringWriter();
    PrintWriter writer = new PrintWriter(out);
    form.to(Printer.plain(writer, writer))
        .listing(new RingDrawing(partitioner, nodes, Map.of(), false).listing());
    return out.toString();
  }

  private static String share(int part, int of) {
    return TOKENS.multiply(BigInteger.valueOf(part)).divide(BigInteger.valueOf(of)).toString();
  }

  @Test
  void aNodeAloneIsAWholeRing() {
    assertEquals(
        """
        Address        DC   Rack  Status  State       Load     Owns  Token  Ring
                                                                         7
        10.0.0.1:9160  dc1  r1    Up      Normal  1.50 KiB  100.00%      7  |<->|
        """,
        draw(
            OutputForm.CLASSIC, RANDOM, List.of(node(1, State.NORMAL, Liveness.UP, 1536, 1, "7"))));
  }

  @Test
  void threeNodesStandInTheOrderOfTheirTokensUnderTheLastOne() {
    List<RingNode> nodes =
        List.of(
            node(3, State.NORMAL, Liveness.UP, 3 << 20, 0.25, "900"),
            node(1, State.NORMAL, Liveness.SUSPECT, 12, 0.5, "50"),
            node(2, State.LEAVING, Liveness.DOWN, 5000, 0.25, "100"));
    assertEquals(
        """
        Address        DC   Rack  Status  State        Load    Owns  Token  Ring
                                                                       900
        10.0.0.1:9160  dc1  r1    Late    Normal       12 B  50.00%     50  |<--|
        10.0.0.2:9160  dc1  r0    Down    Leaving  4.88 KiB  25.00%    100  v   ^
        10.0.0.3:9160  dc1  r1    Up      Normal   3.00 MiB  25.00%    900  |-->|
        """,
        draw(OutputForm.CLASSIC, RANDOM, nodes));
    assertEquals(
        """
        Address       | DC  | Rack | Status | State   | Load     | Owns   | Token | Ring
        --------------+-----+------+--------+---------+----------+--------+-------+------
                      |     |      |        |         |          |        | 900   |
        10.0.0.1:9160 | dc1 | r1   | Late   | Normal  | 12 B     | 50.00% | 50    | |<--|
        10.0.0.2:9160 | dc1 | r0   | Down   | Leaving | 4.88 KiB | 25.00% | 100   | v   ^
        10.0.0.3:9160 | dc1 | r1   | Up     | Normal  | 3.00 MiB | 25.00% | 900   | |-->|
        """,
        draw(OutputForm.TABLE, RANDOM, nodes));
    String json = draw(OutputForm.JSON, RANDOM, nodes);
    assertEquals(4, json.lines().count());
    assertTrue(
        json.startsWith(
            "{\"node\":{\"id\":\"id3\",\"address\":\"10.0.0.3\",\"client_port\":9160,"
                + "\"peer_port\":7000,\"datacenter\":\"dc1\",\"rack\":\"r1\",\"tokens\":[\"900\"],"
                + "\"state\":\"NORMAL\",\"liveness\":\"UP\",\"phi\":null,"
                + "\"load_bytes\":\"3145728\",\"owns\":0.25,\"hints_pending\":\"0\","
                + "\"schema_version\":\"v\"}}"),
        json);
    assertTrue(json.endsWith("{\"returned\":{\"nodes\":\"3\"}}\n"), json);
  }

  @Test
  void ofSeveralTokensEachOwnsItsPartAndThoseOfJoiningNodesNone() {
    List<RingNode> nodes =
        List.of(
            node(1, State.NORMAL, Liveness.UP, 1, 0.75, share(1, 8), share(4, 8)),
            node(2, State.NORMAL, Liveness.UP, 1, 0.25, share(6, 8)),
            node(3, State.JOINING, Liveness.UP, 0, 0, share(2, 8)));
    List<String> shares =
        new RingDrawing(RANDOM, nodes, Map.of(), false)
            .listing().lines().stream().skip(1).map(line -> line.get(6)).toList();
    assertEquals(List.of("37.50%", "", "37.50%", "25.00%"), shares);
  }

  @Test
  void howFarNodesThatComeAreStandsInAColumnOfItsOwn() {
    List<RingNode> nodes =
        List.of(
            node(1, State.NORMAL, Liveness.UP, 1 << 20, 1, "7"),
            node(2, State.JOINING, Liveness.UP, 0, 0, "9"));
    Listing drawn =
        new RingDrawing(RANDOM, nodes, Map.of("id2", "moving rows, 3 of 10"), false).listing();
    assertEquals("Progress", drawn.columns().get(9).label());
    assertEquals(
        List.of("", "", "moving rows, 3 of 10"),
        drawn.lines().stream().map(line -> line.get(9)).toList());
    assertEquals(null, drawn.items().get(0).get("progress"));
    assertEquals("moving rows, 3 of 10", drawn.items().get(1).get("progress"));
  }

  @Test
  void whereTokensHaveNoMeasureSharesAreNotKnown() {
    String drawn =
        draw(
            OutputForm.CLASSIC,
            "OrderPreservingPartitioner",
            List.of(
                node(1, State.NORMAL, Liveness.UP, 1, 0, "m"),
                node(2, State.MOVING, Liveness.UNKNOWN, 0, 0, "c")));
    List<String> lines = drawn.lines().toList();
    assertTrue(lines.get(2).contains("?       Moving"), drawn);
    assertTrue(lines.get(2).startsWith("10.0.0.2"), drawn);
    assertTrue(lines.get(2).contains("?     ?"), drawn);
  }

  @Test
  void twentyNodesFitALineEachAndATerminalOf80Columns() {
    List<RingNode> nodes = new ArrayList<>();
    for (int i = 1; i <= 20; i++) {
      nodes.add(node(i, State.NORMAL, Liveness.UP, 1L << (2 * i), 0.05, share(i - 1, 20)));
    }
    Collections.shuffle(nodes, new Random(20));
    List<String> lines = draw(OutputForm.CLASSIC, RANDOM, nodes).lines().toList();
    assertEquals(22, lines.size());
    for (int i = 1; i <= 20; i++) {
      assertTrue(lines.get(i + 1).startsWith("10.0.0." + i + ":"), lines.get(i + 1));
      assertTrue(lines.get(i + 1).length() <= 80, lines.get(i + 1));
    }
    assertTrue(lines.get(2).endsWith("|<--|"));
    assertTrue(lines.get(11).endsWith("v   ^"), lines.get(11));
    assertTrue(lines.get(21).endsWith("|-->|"));
    assertTrue(lines.get(21).contains(" 1.616e38 "), lines.get(21));
  }

  @Test
  void wholeTokensAreShownOnDemandAndTextIsCut() {
    List<RingNode> nodes = List.of(node(1, State.NORMAL, Liveness.UP, 1, 1, share(1, 3)));

    assertEquals(
        share(1, 3),
        new RingDrawing(RANDOM, nodes, Map.of(), true).listing().lines().get(1).get(7));
    assertEquals(
        "5.671e37",
        new RingDrawing(RANDOM, nodes, Map.of(), false).listing().lines().get(1).get(7));
    assertEquals(
        "567137…",
        new RingDrawing("OrderPreservingPartitioner", nodes, Map.of(), false)
            .listing()
            .lines()
            .get(1)
            .get(7));
  }

  @Test
  void statesHaveColoursWhereThereAreAny() {
    StringWriter out = new StringWriter();
    PrintWriter writer = new PrintWriter(out);
    List<RingNode> nodes =
        List.of(
            node(1, State.NORMAL, Liveness.UP, 1, 0.5, "1"),
            node(2, State.NORMAL, Liveness.DOWN, 1, 0.5, "2"),
            node(3, State.NORMAL, Liveness.SUSPECT, 1, 0.5, "3"));
    OutputForm.CLASSIC
        .to(new Printer(writer, writer, true, false))
        .listing(new RingDrawing(RANDOM, nodes, Map.of(), false).listing());

    assertTrue(out.toString().contains("  \u001b[32mUp\u001b[0m      Normal"), out.toString());
    assertTrue(out.toString().contains("  \u001b[31mDown\u001b[0m    Normal"), out.toString());
    assertTrue(out.toString().contains("  \u001b[33mLate\u001b[0m    Normal"), out.toString());
  }
}
