package dev.colonnade.client;

import java.util.List;

/**
 * Who holds a row.
 *
 * @param token of the row's key, written as {@link KeyRange#tokens} takes it
 * @param endpoints the replicas, the one that owns the token first
 */
public record KeyEndpoints(String token, List<Endpoint> endpoints) {

  /** Keeps a copy of the list. */
  public KeyEndpoints {
    endpoints = List.copyOf(endpoints);
  }
}
