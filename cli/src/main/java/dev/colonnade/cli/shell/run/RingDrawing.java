package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.output.Listing;
import dev.colonnade.cli.shell.output.Listing.Column;
import dev.colonnade.client.RingNode;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The ring as the old nodetool drew it: a line for each token in their order, and above them the
 * last one again, so that each range reads from the token above to the token of the line.
 */
final class RingDrawing {

  private static final String UNKNOWN = "?";

  /** Its tokens are numbers from 0 to 2^127; those of others have no measure. */
  private static final String HASHING = "RandomPartitioner";

  private static final double HASH_TOKENS = 0x1.0p127;

  /** Of a token that is cut. */
  private static final int TOKEN_WIDTH = 8;

  private static final int HASH_DIGITS = 4;

  private record Place(RingNode node, String token) {}

  private final List<RingNode> nodes;
  private final Map<String, String> progress;
  private final boolean hashing;
  private final boolean whole;
  private final List<Place> places = new ArrayList<>();

  /**
   * A ring to be drawn.
   *
   * @param progress what nodes report of the changes that they make, by their ids
   * @param whole whether tokens are shown from end to end; otherwise so that a line fits a terminal
   */
  RingDrawing(
      String partitioner, List<RingNode> nodes, Map<String, String> progress, boolean whole) {
    this.nodes = nodes;
    this.whole = whole;
    this.progress = progress;
    this.hashing = partitioner.equals(HASHING);
    for (RingNode node : nodes) {
      node.tokens().forEach(token -> places.add(new Place(node, token)));
    }
    places.sort(
        hashing
            ? Comparator.comparing((Place place) -> new BigInteger(place.token()))
            : Comparator.comparing(Place::token));
  }

  Listing listing() {
    List<List<String>> lines = new ArrayList<>();
    if (!places.isEmpty()) {
      List<String> above = new ArrayList<>(Collections.nCopies(progress.isEmpty() ? 9 : 10, ""));
      above.set(7, token(places.size() - 1));
      lines.add(above);
    }
    for (int i = 0; i < places.size(); i++) {
      lines.add(line(i));
    }
    return new Listing(
        "node",
        "nodes",
        columns(),
        lines,
        nodes.stream().map(this::item).toList(),
        "There are no nodes on the ring.");
  }

  /** The last column appears only while nodes join, leave or move. */
  private List<Column> columns() {
    List<Column> columns =
        new ArrayList<>(
            List.of(
                Column.words("Address"),
                Column.words("DC"),
                Column.words("Rack"),
                Column.states("Status"),
                Column.words("State"),
                Column.numbers("Load"),
                Column.numbers("Owns"),
                Column.numbers("Token"),
                Column.words("Ring")));
    if (!progress.isEmpty()) {
      columns.add(Column.words("Progress"));
    }
    return columns;
  }

  private List<String> line(int at) {
    List<String> line = new ArrayList<>(figures(at));
    if (!progress.isEmpty()) {
      line.add(progress.getOrDefault(places.get(at).node().endpoint().nodeId(), ""));
    }
    return line;
  }

  private List<String> figures(int at) {
    RingNode node = places.get(at).node();
    return List.of(
        node.endpoint().address() + ":" + node.endpoint().clientPort(),
        node.endpoint().datacenter(),
        node.endpoint().rack(),
        status(node.liveness()),
        capital(node.state().name()),
        node.schemaVersion().isEmpty() && node.loadBytes() == 0
            ? UNKNOWN
            : Sizes.bytes(node.loadBytes()),
        owns(at),
        token(at),
        curve(at));
  }

  /** Numbers in their first digits and their magnitude, and text up to an ellipsis. */
  private String token(int at) {
    String token = places.get(at).token();
    if (whole || token.length() <= TOKEN_WIDTH) {
      return token;
    }
    return hashing
        ? token.charAt(0) + "." + token.substring(1, HASH_DIGITS) + "e" + (token.length() - 1)
        : token.substring(0, token.offsetByCodePoints(0, TOKEN_WIDTH - 2)) + "…";
  }

  private String curve(int at) {
    if (places.size() == 1) {
      return "|<->|";
    } else if (at == 0) {
      return "|<--|";
    } else if (at == places.size() - 1) {
      return "|-->|";
    }
    return at % 2 == 1 ? "v   ^" : "|   |";
  }

  /** What the node owns by this token. */
  private String owns(int at) {
    RingNode node = places.get(at).node();
    if (node.state() == RingNode.State.JOINING) {
      return "";
    }
    if (node.tokens().size() == 1) {
      return node.owns() == 0 ? UNKNOWN : Sizes.percent(node.owns());
    }
    return hashing ? Sizes.percent(width(at)) : UNKNOWN;
  }

  private double width(int at) {
    int before = at;
    do {
      before = before == 0 ? places.size() - 1 : before - 1;
    } while (before != at && places.get(before).node().state() == RingNode.State.JOINING);
    double width =
        new BigInteger(places.get(at).token())
                .subtract(new BigInteger(places.get(before).token()))
                .doubleValue()
            / HASH_TOKENS;
    return width > 0 ? width : width + 1;
  }

  static String status(RingNode.Liveness liveness) {
    return switch (liveness) {
      case UP -> "Up";
      case SUSPECT -> "Late";
      case DOWN -> "Down";
      case UNKNOWN -> UNKNOWN;
    };
  }

  private static String capital(String word) {
    return word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT);
  }

  private Map<String, Object> item(RingNode node) {
    Map<String, Object> item = new LinkedHashMap<>();
    item.put("id", node.endpoint().nodeId());
    item.put("address", node.endpoint().address());
    item.put("client_port", node.endpoint().clientPort());
    item.put("peer_port", node.endpoint().peerPort());
    item.put("datacenter", node.endpoint().datacenter());
    item.put("rack", node.endpoint().rack());
    item.put("tokens", node.tokens());
    item.put("state", node.state().name());
    item.put("liveness", node.liveness().name());
    item.put("phi", node.phi());
    item.put("load_bytes", node.loadBytes());
    item.put("owns", node.owns());
    item.put("hints_pending", node.hintsPending());
    item.put("schema_version", node.schemaVersion());
    String told = progress.get(node.endpoint().nodeId());
    if (told != null) {
      item.put("progress", told);
    }
    return item;
  }
}
