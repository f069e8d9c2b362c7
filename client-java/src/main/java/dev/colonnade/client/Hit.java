package dev.colonnade.client;

import dev.colonnade.client.SearchQuery.Order;
import java.nio.charset.StandardCharsets;

/**
 * A document that was found. Immutable.
 *
 * @param <I> what ids are
 */
public final class Hit<I> {

  private final I id;
  private final byte[] payload;
  private final long timestampMicros;
  private final float score;

  Hit(I id, byte[] payload, long timestampMicros, float score) {
    this.id = id;
    this.payload = payload;
    this.timestampMicros = timestampMicros;
    this.score = score;
  }

  /** The document's id. */
  public I id() {
    return id;
  }

  /** What {@link Document#withPayload(byte[])} gave; empty if it gave nothing. */
  public byte[] payload() {
    return payload.clone();
  }

  /** What {@link Document#withPayload(String)} gave. */
  public String payloadText() {
    return new String(payload, StandardCharsets.UTF_8);
  }

  /** The timestamp of the version that was found. */
  public long timestampMicros() {
    return timestampMicros;
  }

  /** How well it matches, for {@link Order#BEST_FIRST}; 0 for a query without terms. */
  public float score() {
    return score;
  }

  @Override
  public String toString() {
    return "hit " + id + " of score " + score;
  }
}
