package dev.colonnade.client;

import java.util.List;

/**
 * A part of the ring and who holds it.
 *
 * @param startToken where the range begins; the token itself is outside
 * @param endToken where it ends; the token itself is inside
 * @param endpoints the replicas, the one that owns the range first
 */
public record RingRange(String startToken, String endToken, List<Endpoint> endpoints) {

  /** Keeps a copy of the list. */
  public RingRange {
    endpoints = List.copyOf(endpoints);
  }

  static RingRange of(dev.colonnade.admin.v1.TokenRange message) {
    return new RingRange(
        message.getStartToken(),
        message.getEndToken(),
        message.getEndpointsList().stream().map(Endpoint::of).toList());
  }
}
