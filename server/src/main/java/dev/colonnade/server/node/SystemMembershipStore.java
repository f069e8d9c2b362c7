package dev.colonnade.server.node;

import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.health.Impact;
import dev.colonnade.server.cluster.membership.Membership;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Saves the state of this node that ring changes need.
 *
 * @param systemLocal its own saved state
 * @param hints its hints for other nodes
 * @param environment times the delivery
 * @param health is told when it has left
 */
record SystemMembershipStore(
    SystemLocal systemLocal, HintedHandoff hints, Environment environment, Health health)
    implements Membership.MembershipStore {

  @Override
  public CompletableFuture<Void> keepTokens(List<byte[]> tokens) {
    return systemLocal.saveTokens(tokens);
  }

  @Override
  public CompletableFuture<Void> keepTokensOf(String replacedId, List<byte[]> tokens) {
    return systemLocal.saveTokensOf(replacedId, tokens);
  }

  @Override
  public long tokensSince() {
    return systemLocal.tokensSince();
  }

  @Override
  public CompletableFuture<Void> keepDeparture() {
    return systemLocal.saveDeparture();
  }

  @Override
  public void departed() {
    health.raise(
        Condition.LEFT,
        Impact.NOT_SERVING,
        "the node has left the ring; stop it, and use another one");
  }

  @Override
  public CompletableFuture<Void> giveBack(Consumer<String> told) {
    return hints.deliverAll(environment, told);
  }
}
