package dev.colonnade.server.service.consistency;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Why a valid request failed. The set of kinds is closed: services map each to a status. */
public abstract sealed class CoordinationException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private CoordinationException(String message) {
    super(message);
  }

  private CoordinationException(String message, Throwable cause) {
    super(message, cause);
  }

  /** Too few replicas are up; decided before anything was sent, so nothing was applied. */
  public static final class NotEnoughReplicas extends CoordinationException {
    private static final long serialVersionUID = 1L;
    private final Consistency consistency;
    private final int required;
    private final int alive;

    /** For a level that wants {@code required} replicas of which {@code alive} are up. */
    public NotEnoughReplicas(Consistency consistency, int required, int alive) {
      super(
          "consistency level "
              + consistency
              + " needs "
              + required
              + " live replicas and "
              + alive
              + " are alive; nothing was applied");
      this.consistency = consistency;
      this.required = required;
      this.alive = alive;
    }

    public Consistency consistency() {
      return consistency;
    }

    public int required() {
      return required;
    }

    public int alive() {
      return alive;
    }
  }

  /**
   * The replicas did not answer in time. A write may or may not have been applied, now or later.
   */
  public static final class ReplicaTimeout extends CoordinationException {
    private static final long serialVersionUID = 1L;
    private final Consistency consistency;
    private final int required;
    private final int received;

    /** For a level that wants {@code required} answers of which {@code received} came. */
    public ReplicaTimeout(Consistency consistency, int required, int received) {
      this(consistency, required, received, List.of());
    }

    /**
     * The same, with what is known of the replicas that did not answer. Thrown before the deadline
     * if the level cannot be met any more.
     */
    public ReplicaTimeout(
        Consistency consistency, int required, int received, List<String> failures) {
      super(
          "consistency level "
              + consistency
              + " needs "
              + required
              + " answers and got "
              + received
              + (failures.isEmpty()
                  ? " before the deadline"
                  : "; of the others: " + String.join("; ", failures)));
      this.consistency = consistency;
      this.required = required;
      this.received = received;
    }

    public Consistency consistency() {
      return consistency;
    }

    public int required() {
      return required;
    }

    public int received() {
      return received;
    }
  }

  /**
   * A schema change was made on this node, but other nodes that are considered up have not
   * confirmed it. They will fetch it; until then they answer by their own schema.
   */
  public static final class SchemaDisagreement extends CoordinationException {
    private static final long serialVersionUID = 1L;
    private final transient SortedMap<String, List<String>> versions;

    /**
     * Names the nodes and their schema versions.
     *
     * @param version of this node, with the change
     * @param missing nodes that have not confirmed it
     * @param versions the known versions, each with its nodes
     */
    public SchemaDisagreement(
        String version, List<String> missing, SortedMap<String, List<String>> versions) {
      super(
          "the change was made and is schema version "
              + version
              + " here; these nodes have not confirmed it yet: "
              + String.join(", ", missing)
              + ". They will fetch it once they can be reached");
      this.versions = Collections.unmodifiableSortedMap(new TreeMap<>(versions));
    }

    /** The nodes by the last version known of each. */
    public SortedMap<String, List<String>> versions() {
      return versions;
    }
  }

  /** A limit was reached; nothing was applied, and the call can be repeated later. */
  public static final class Overloaded extends CoordinationException {
    private static final long serialVersionUID = 1L;
    private final String limit;

    /** Names the stage or limit that is full. */
    public Overloaded(String limit) {
      super(limit + " is full; nothing was applied, try again in a moment");
      this.limit = limit;
    }

    public String limit() {
      return limit;
    }
  }

  /**
   * A disk is too full; nothing was applied. Writes are accepted again once there is enough room.
   */
  public static final class DiskFull extends CoordinationException {
    private static final long serialVersionUID = 1L;

    /** Says which disk and what to do. */
    public DiskFull(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * Some rows of a batch were refused and nothing of them was applied; other rows were applied, or
   * may have been.
   */
  public static final class PartlyApplied extends CoordinationException {
    private static final long serialVersionUID = 1L;
    private final CoordinationException refusal;

    /** Says how many rows were refused, and why the first of them was. */
    public PartlyApplied(int rows, int refused, CoordinationException refusal) {
      super(
          refused
              + " of "
              + rows
              + " rows were refused, and the others were applied, as far as is known; the first"
              + " refusal: "
              + refusal.getMessage(),
          refusal);
      this.refusal = refusal;
    }

    /** Why the first refused row was refused. */
    public CoordinationException refusal() {
      return refusal;
    }
  }

  /** One row's changes exceed what the commit log takes at once; nothing was applied. */
  public static final class TooLarge extends CoordinationException {
    private static final long serialVersionUID = 1L;

    /** Says how large and what the limit is. */
    public TooLarge(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * The node does not serve this request now: it is starting or stopping, or stopped accepting
   * writes after a failed sync.
   */
  public static final class NodeNotReady extends CoordinationException {
    private static final long serialVersionUID = 1L;

    /** Says why and what to do. */
    public NodeNotReady(String message) {
      super(message);
    }
  }

  /** The disk failed during a read, or during a write whose result is unknown. */
  public static final class StorageFailed extends CoordinationException {
    private static final long serialVersionUID = 1L;

    /** Says which part failed. */
    public StorageFailed(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** A file is damaged, and no intact replica has the data. */
  public static final class Corrupt extends CoordinationException {
    private static final long serialVersionUID = 1L;
    private final String file;
    private final long offset;

    /** Names the file and where in it. */
    public Corrupt(String file, long offset, Throwable cause) {
      this(file, offset, "the data file " + file + " is damaged at offset " + offset, cause);
    }

    /** Names the file and the position, with a message of its own. */
    public Corrupt(String file, long offset, String message, Throwable cause) {
      super(message, cause);
      this.file = file;
      this.offset = offset;
    }

    public String file() {
      return file;
    }

    public long offset() {
      return offset;
    }
  }
}
