package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.rpc.ErrorInfo;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.v1.ColumnStoreServiceGrpc.ColumnStoreServiceBlockingStub;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Every rule that a data request must keep: the status, the reason, and the path of the field at
 * fault.
 */
final class RefusalsTest {

  record Case(
      String name, String reason, String field, Consumer<ColumnStoreServiceBlockingStub> call) {}

  @TestFactory
  Stream<DynamicTest> refusesWithReasonAndField() {
    return Stream.of(
            ReadRefusals.slices(),
            ReadRefusals.ranges(),
            WriteRefusals.calls(),
            WriteRefusals.batches())
        .flatMap(cases -> cases)
        .flatMap(
            one ->
                Stream.of(Service.Way.values())
                    .map(
                        way ->
                            DynamicTest.dynamicTest(one.name + ", " + way, () -> check(one, way))));
  }

  private static void check(Case one, Service.Way way) {
    try (Service service = Service.start(Partitioners.ORDER_PRESERVING).over(way)) {
      StatusRuntimeException error =
          assertThrows(StatusRuntimeException.class, () -> one.call.accept(service.stub()));
      assertEquals(one.reason, Service.reason(error), error.getMessage());
      assertEquals(one.field, Service.field(error), error.getMessage());
      Status.Code code =
          one.reason.endsWith("NOT_FOUND") ? Status.Code.NOT_FOUND : Status.Code.INVALID_ARGUMENT;
      assertEquals(code, error.getStatus().getCode());
      ErrorInfo info = Objects.requireNonNull(Service.detail(error, ErrorInfo.class));
      assertEquals("colonnade", info.getDomain());
    }
  }

  static Case invalid(String name, String field, Consumer<ColumnStoreServiceBlockingStub> call) {
    return new Case(name, "INVALID_REQUEST", field, call);
  }
}
