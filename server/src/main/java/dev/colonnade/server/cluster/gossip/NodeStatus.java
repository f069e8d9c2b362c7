package dev.colonnade.server.cluster.gossip;

import java.util.List;
import java.util.Optional;

/**
 * The status on the ring that a node announces, the value of {@link ApplicationState#STATUS}. As
 * text it is one word, in some cases followed by a colon and a parameter:
 *
 * <pre>
 * normal   normal:ID   joining   leaving   moving:TOKENS   replacing:ID   left:MILLIS   removed:MILLIS
 * </pre>
 *
 * @param kind of status
 * @param newTokens of {@link StatusKind#MOVING}: the tokens that will replace its own
 * @param otherId of {@link StatusKind#REPLACING} the node that it replaces; of {@link
 *     StatusKind#NORMAL} the node that it has replaced, or empty
 * @param expiryMillis of {@link StatusKind#LEFT} and {@link StatusKind#REMOVED}: when it may be
 *     forgotten, by the wall clock
 */
public record NodeStatus(
    StatusKind kind, List<byte[]> newTokens, String otherId, long expiryMillis) {

  /** The kinds of status, with the words that announce them. */
  public enum StatusKind {
    /** Owns its tokens. */
    NORMAL("normal"),
    /** Fetches data for its tokens. */
    JOINING("joining"),
    /** Hands its data over. */
    LEAVING("leaving"),
    /** Fetches data for new tokens. */
    MOVING("moving"),
    /** Fetches the data of a dead node whose tokens it takes. */
    REPLACING("replacing"),
    /** Has handed its data over and is gone for good. */
    LEFT("left"),
    /** Was declared by others to be gone for good. */
    REMOVED("removed");

    private final String word;

    StatusKind(String word) {
      this.word = word;
    }
  }

  /** Copies the list. */
  public NodeStatus {
    newTokens = List.copyOf(newTokens);
  }

  /** Owns its tokens. */
  public static NodeStatus normal() {
    return new NodeStatus(StatusKind.NORMAL, List.of(), "", 0);
  }

  /**
   * Owns its tokens, which were those of a dead node: a receiver drops that node from the ring at
   * the same moment.
   */
  public static NodeStatus normalInsteadOf(String replacedId) {
    return new NodeStatus(StatusKind.NORMAL, List.of(), replacedId, 0);
  }

  /** Fetches data for its tokens. */
  public static NodeStatus joining() {
    return new NodeStatus(StatusKind.JOINING, List.of(), "", 0);
  }

  /** Hands its data over. */
  public static NodeStatus leaving() {
    return new NodeStatus(StatusKind.LEAVING, List.of(), "", 0);
  }

  /** Fetches data for these tokens, and owns its old ones until then. */
  public static NodeStatus moving(List<byte[]> newTokens) {
    return new NodeStatus(StatusKind.MOVING, newTokens, "", 0);
  }

  /** Fetches the data of a dead node, to take over its tokens. */
  public static NodeStatus replacing(String replacedId) {
    return new NodeStatus(StatusKind.REPLACING, List.of(), replacedId, 0);
  }

  /** Is gone for good. */
  public static NodeStatus left(long expiryMillis) {
    return new NodeStatus(StatusKind.LEFT, List.of(), "", expiryMillis);
  }

  /** Was declared to be gone for good. */
  public static NodeStatus removed(long expiryMillis) {
    return new NodeStatus(StatusKind.REMOVED, List.of(), "", expiryMillis);
  }

  /** Whether the node has replaced that one. */
  public boolean replaced(String id) {
    return kind == StatusKind.NORMAL && otherId.equals(id);
  }

  /** Whether the node will never come back under its id. */
  public boolean departed() {
    return kind == StatusKind.LEFT || kind == StatusKind.REMOVED;
  }

  /** Parses the output of {@link #text}; empty for any other text. */
  public static Optional<NodeStatus> parse(String text) {
    int colon = text.indexOf(':');
    String word = colon < 0 ? text : text.substring(0, colon);
    String rest = colon < 0 ? "" : text.substring(colon + 1);
    return switch (word) {
      case "normal" ->
          rest.isEmpty() == (colon < 0)
              ? Optional.of(new NodeStatus(StatusKind.NORMAL, List.of(), rest, 0))
              : Optional.empty();
      case "joining" -> plain(StatusKind.JOINING, colon);
      case "leaving" -> plain(StatusKind.LEAVING, colon);
      case "moving" -> TokenCodec.parse(rest).map(NodeStatus::moving);
      case "replacing" -> rest.isEmpty() ? Optional.empty() : Optional.of(replacing(rest));
      case "left" -> departed(StatusKind.LEFT, rest);
      case "removed" -> departed(StatusKind.REMOVED, rest);
      default -> Optional.empty();
    };
  }

  private static Optional<NodeStatus> plain(StatusKind kind, int colon) {
    return colon < 0 ? Optional.of(new NodeStatus(kind, List.of(), "", 0)) : Optional.empty();
  }

  private static Optional<NodeStatus> departed(StatusKind kind, String rest) {
    try {
      return Optional.of(new NodeStatus(kind, List.of(), "", Long.parseLong(rest)));
    } catch (NumberFormatException notMillis) {
      return Optional.empty();
    }
  }

  /** The value on the wire. */
  public String text() {
    return switch (kind) {
      case NORMAL -> otherId.isEmpty() ? kind.word : kind.word + ":" + otherId;
      case JOINING, LEAVING -> kind.word;
      case MOVING -> kind.word + ":" + TokenCodec.print(newTokens);
      case REPLACING -> kind.word + ":" + otherId;
      case LEFT, REMOVED -> kind.word + ":" + expiryMillis;
    };
  }
}
