package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.CoordinationException;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Code, contract and page name the same reasons, with the same codes. That no method answers what
 * it does not list is checked by {@link ContractGuard} in every test that goes through services.
 */
final class ErrorReasonsTest {

  /** The errors that any call can return. */
  private static final Set<String> OF_ALL =
      Set.of(
          ErrorReasons.INVALID_REQUEST,
          ErrorReasons.REQUEST_TOO_LARGE,
          ErrorReasons.NODE_NOT_READY,
          ErrorReasons.OVERLOADED,
          ErrorReasons.STORAGE_FAILED,
          ErrorReasons.INTERNAL_ERROR,
          ErrorReasons.CANCELLED);

  private static Set<String> constants() throws IllegalAccessException {
    Set<String> constants = new TreeSet<>();
    for (Field field : ErrorReasons.class.getDeclaredFields()) {
      if (Modifier.isStatic(field.getModifiers()) && !field.getName().equals("DOMAIN")) {
        constants.add(String.valueOf(field.get(null)));
      }
    }
    assertTrue(constants.size() > 10);
    return constants;
  }

  private static Map<String, Status.Code> documented() throws IOException {
    Map<String, Status.Code> documented = new TreeMap<>();
    String page = Files.readString(Path.of("..", "docs", "errors.md"));
    Matcher row = Pattern.compile("(?m)^\\| `([A-Z_]+)` \\| ([A-Z_]+) \\|").matcher(page);
    while (row.find()) {
      documented.put(row.group(1), Status.Code.valueOf(row.group(2)));
    }
    return documented;
  }

  @Test
  void theReferenceListsEveryReasonAndNoOther() throws Exception {
    assertEquals(constants(), documented().keySet());
  }

  @Test
  void theContractListsEveryReasonAndNoOtherWithTheCodesOfTheReference() throws Exception {
    Map<String, Status.Code> listed = new TreeMap<>();
    ContractReasons.all().values().forEach(listed::putAll);
    assertEquals(documented(), listed);
    Map<String, Status.Code> documented = documented();
    ContractReasons.all()
        .forEach(
            (method, reasons) ->
                reasons.forEach(
                    (reason, code) ->
                        assertEquals(documented.get(reason), code, method + " " + reason)));
  }

  @Test
  void everyMethodListsWhatAnyCallCanBeAnswered() {
    try (Service service = Service.start()) {
      List<String> methods =
          service.services.own().stream()
              .map(BindableService::bindService)
              .map(ServerServiceDefinition::getServiceDescriptor)
              .flatMap(each -> each.getMethods().stream())
              .map(MethodDescriptor::getFullMethodName)
              .toList();
      assertEquals(new TreeSet<>(methods), new TreeSet<>(ContractReasons.all().keySet()));
      for (String method : methods) {
        Set<String> missing = new TreeSet<>(OF_ALL);
        missing.removeAll(ContractReasons.of(method).keySet());
        assertEquals(Set.of(), missing, method);
      }
    }
  }

  /** Every refusal of the coordinator has one of the reasons, and reads and writes list it. */
  @Test
  void whatCoordinationRefusesIsListed() {
    StatusErrors errors = new StatusErrors("n1");
    Stream.of(
            new CoordinationException.NotEnoughReplicas(Consistency.QUORUM, 2, 1),
            new CoordinationException.ReplicaTimeout(Consistency.QUORUM, 2, 1),
            new CoordinationException.Overloaded("the queue"),
            new CoordinationException.NodeNotReady("it starts"),
            new CoordinationException.StorageFailed("the disk", new IOException("rot")),
            new CancellationException(),
            new IllegalStateException("our fault"))
        .forEach(
            failure -> {
              for (String method : List.of("Get", "StreamRangeSlices", "BatchMutate")) {
                var error = errors.ofWrite(failure);
                assertNull(
                    ContractGuard.fault(
                        "colonnade.v1.ColumnStoreService/" + method,
                        Service.reason(error),
                        error.getStatus().getCode()));
              }
            });
  }

  @Test
  void anAnswerThatIsNotListedIsNoticed() {
    String get = "colonnade.v1.ColumnStoreService/Get";
    assertNull(ContractGuard.fault(get, ErrorReasons.COLUMN_NOT_FOUND, Status.Code.NOT_FOUND));
    assertNotNull(ContractGuard.fault(get, ErrorReasons.COLUMN_NOT_FOUND, Status.Code.UNKNOWN));
    assertNotNull(
        ContractGuard.fault(get, ErrorReasons.SEQUENCE_GAPS, Status.Code.RESOURCE_EXHAUSTED));
  }
}
