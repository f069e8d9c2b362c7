package dev.colonnade.server.node;

import dev.colonnade.server.health.Condition;
import dev.colonnade.server.health.Health;
import dev.colonnade.server.health.Impact;
import dev.colonnade.server.membership.Membership;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * What of this node outlasts its changes of place.
 *
 * @param localState what it knows of itself
 * @param hints what it keeps for others
 * @param health hears when it has left
 */
record Belongings(LocalState localState, NodeHints hints, Health health)
    implements Membership.Memory {

  @Override
  public CompletableFuture<Void> keepTokens(List<byte[]> tokens) {
    return localState.keepTokens(tokens);
  }

  @Override
  public CompletableFuture<Void> keepTokensOf(String replacedId, List<byte[]> tokens) {
    return localState.keepTokensOf(replacedId, tokens);
  }

  @Override
  public long tokensSince() {
    return localState.tokensSince();
  }

  @Override
  public CompletableFuture<Void> keepDeparture() {
    return localState.keepDeparture();
  }

  @Override
  public void departed() {
    health.raise(
        Condition.LEFT,
        Impact.NOT_SERVING,
        "the node has left the ring for good; stop it, and use another one");
  }

  @Override
  public CompletableFuture<Void> giveBack(Consumer<String> told) {
    return hints.deliverAll(told);
  }
}
