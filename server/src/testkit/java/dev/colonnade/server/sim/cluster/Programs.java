package dev.colonnade.server.sim.cluster;

import dev.colonnade.admin.v1.AccountServiceGrpc;
import dev.colonnade.admin.v1.CreateUserRequest;
import dev.colonnade.admin.v1.Grant;
import dev.colonnade.admin.v1.GrantRequest;
import dev.colonnade.admin.v1.Permission;
import dev.colonnade.server.service.accounts.FirstAdministrator;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.World;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** The programs that call the nodes of a run, which all have the manners of its seed. */
final class Programs {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final World<CoreNode> world;
  private final Manners manners;
  private final Map<String, Long> seen = new TreeMap<>();

  Programs(World<CoreNode> world, Manners manners) {
    this.world = world;
    this.manners = manners;
    seen.putAll(manners.seen());
  }

  Manners manners() {
    return manners;
  }

  /** What they met so far, and how often. */
  Map<String, Long> seen() {
    return seen;
  }

  /** Makes their accounts, if nodes ask for them. */
  void sayWhoTheyAre(Fleet fleet) {
    if (!manners.authenticated()) {
      return;
    }
    Machine<CoreNode> first = fleet.members().get(0);
    await(
        first.ask(
            node ->
                new FirstAdministrator(
                        node.clientAccess().accounts(), node.clientAccess().authenticator())
                    .create(NodeClient.PASSWORD)));
    NodeClient operator = patientOperator("administrator");
    await(
        operator.call(
            first,
            AccountServiceGrpc::newFutureStub,
            accounts ->
                accounts.createUser(
                    CreateUserRequest.newBuilder()
                        .setName(NodeClient.USER)
                        .setPassword(NodeClient.PASSWORD)
                        .build())));
    for (Permission permission : List.of(Permission.PERMISSION_READ, Permission.PERMISSION_WRITE)) {
      await(
          operator.call(
              first,
              AccountServiceGrpc::newFutureStub,
              accounts ->
                  accounts.grant(
                      GrantRequest.newBuilder()
                          .setAccount(NodeClient.USER)
                          .setGrant(Grant.newBuilder().setPermission(permission))
                          .build())));
    }
  }

  private void await(CompletableFuture<?> call) {
    Fleet.require(world.runUntil(call::isDone, PATIENCE.multipliedBy(2)), "an account hangs");
    call.join();
  }

  /** One that keeps something at a place. */
  StoreClient named(String name, StoreClient.Place place) {
    return new StoreClient(world, name, place, manners, seen);
  }

  /** One that is patient, and gets an answer if there is one. */
  StoreClient patient(String name, StoreClient.Place place) {
    return new StoreClient(world, name, place, manners.plainly(PATIENCE), seen);
  }

  /** One that calls what it likes. */
  NodeClient caller(String name) {
    return new NodeClient(world, name, NodeClient.USER, manners, seen);
  }

  /** An operator's, in the same manners. */
  NodeClient operator(String name) {
    return new NodeClient(world, name, FirstAdministrator.NAME, manners, seen);
  }

  /** A patient operator's. */
  NodeClient patientOperator(String name) {
    return new NodeClient(world, name, FirstAdministrator.NAME, manners.plainly(PATIENCE), seen);
  }
}
