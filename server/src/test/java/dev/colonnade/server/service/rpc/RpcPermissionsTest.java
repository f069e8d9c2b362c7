package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.colonnade.server.service.accounts.Permission;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Each method of the contract has a row that says what it needs. */
final class RpcPermissionsTest {

  @Test
  void everyMethodOfTheContractHasARow() {
    Set<String> missing = new TreeSet<>(ContractReasons.all().keySet());
    assertTrue(missing.size() > 40, "the .proto files are found");
    missing.removeAll(RpcPermissions.methods());
    assertEquals(
        Set.of(), missing, "a method without a row is refused to all: add one to RpcPermissions");
  }

  @Test
  void everyRowIsOfAMethodThatIsServed() {
    Set<String> gone =
        RpcPermissions.methods().stream()
            .filter(method -> method.startsWith("colonnade."))
            .collect(Collectors.toCollection(TreeSet::new));
    gone.removeAll(ContractReasons.all().keySet());
    assertEquals(Set.of(), gone);
  }

  /** Whoever changes this list opens a method to strangers. */
  @Test
  void onlyLoginAndHealthAreOpen() {
    Set<String> open =
        RpcPermissions.methods().stream()
            .filter(method -> RpcPermissions.of(method) != null && isOpen(method))
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(
        Set.of(
            "colonnade.admin.v1.AccountService/Login",
            "grpc.health.v1.Health/Check",
            "grpc.health.v1.Health/Watch"),
        open);
  }

  private static boolean isOpen(String method) {
    RpcPermissions.Rule rule = RpcPermissions.of(method);
    return rule != null && rule.open();
  }

  /** gRPC's own service passes requests of the newer version to its older method, too. */
  @Test
  void reflectionNeedsNothingOfWhatIsAsked() {
    for (String version : Set.of("v1", "v1alpha")) {
      RpcPermissions.Rule rule =
          RpcPermissions.of(
              "grpc.reflection." + version + ".ServerReflection/ServerReflectionInfo");
      assertNotNull(rule, version);
      rule.demands()
          .accept(
              io.grpc.reflection.v1.ServerReflectionRequest.getDefaultInstance(), demandsNothing());
    }
  }

  private static RpcPermissions.Demands demandsNothing() {
    return new RpcPermissions.Demands() {
      @Override
      public void needs(Permission permission, String keyspace, String family) {
        fail(permission + " is needed");
      }

      @Override
      public void sees(String keyspace) {
        fail("a keyspace is named: " + keyspace);
      }

      @Override
      public void about(String subject) {
        fail("a subject is named: " + subject);
      }
    };
  }

  /** Names are compared as they are: another spelling of a method has no row. */
  @Test
  void anotherSpellingHasNoRow() {
    for (String spelling :
        Set.of(
            "colonnade.v1.ColumnStoreService/get",
            "colonnade.v1.ColumnStoreService/Get/",
            "/colonnade.v1.ColumnStoreService/Get",
            "colonnade.v1.columnstoreservice/Get")) {
      assertNull(RpcPermissions.of(spelling), spelling);
      assertFalse(isOpen(spelling));
    }
  }
}
