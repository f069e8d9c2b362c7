package dev.colonnade.server.cluster.net;

/** Why another node did not answer a request. */
public final class PeerFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The kinds. Numbers are on the wire. */
  public enum Code {
    /** No answer in time; the request may still be carried out. */
    TIMED_OUT(1),
    /** Not sent: the queue to the peer is full, or the connection is known to be down. */
    NOT_SENT(2),
    /** The peer is overloaded; nothing was done. */
    OVERLOADED(3),
    /**
     * The peer does not serve this request now: starting, stopping, or another node at that
     * address.
     */
    NOT_READY(4),
    /** The peer does not know the family that was named. */
    UNKNOWN_FAMILY(5),
    /** The peer's data for the request is damaged. */
    CORRUPT(6),
    /** The peer's disk failed or is full. */
    STORAGE(7),
    /** The peer refuses; the message says why. */
    REFUSED(8),
    /** The peer could not read the request, or this node the answer. */
    PROTOCOL(9),
    /** A bug on the peer, described in its log. */
    INTERNAL(10),
    /** The connection broke before an answer came; the request may have been carried out. */
    LOST(11);

    private final int number;

    Code(int number) {
      this.number = number;
    }

    /** The number on the wire. */
    public int number() {
      return number;
    }

    /** The code with that number; INTERNAL for one of a newer version. */
    public static Code of(int number) {
      for (Code code : values()) {
        if (code.number == number) {
          return code;
        }
      }
      return INTERNAL;
    }
  }

  private final Code code;

  /** Creates a failure; {@code message} names the peer and the reason. */
  public PeerFailure(Code code, String message) {
    super(message);
    this.code = code;
  }

  /** Creates a failure with a cause, which is not sent. */
  public PeerFailure(Code code, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  public Code code() {
    return code;
  }
}
