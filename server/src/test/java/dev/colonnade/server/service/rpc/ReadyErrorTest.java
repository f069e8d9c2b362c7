package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.colonnade.server.service.consistency.CoordinationException;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import org.junit.jupiter.api.Test;

/** A refusal that is made once says the same as one that is made for its call. */
final class ReadyErrorTest {

  private final StatusErrors errors = new StatusErrors("node7");

  @Test
  void hasTheDetailsOfAnyOtherRefusal() {
    StatusRuntimeException usual =
        errors.ofWrite(new CoordinationException.Overloaded("large requests"));
    ReadyError ready = errors.overloaded("large requests");
    assertEquals(usual.getStatus().getCode(), ready.status().getCode());
    assertEquals(usual.getStatus().getDescription(), ready.status().getDescription());
    assertEquals(
        StatusProto.fromThrowable(usual),
        StatusProto.fromStatusAndTrailers(ready.status(), ready.trailers()));
    assertEquals(
        "OVERLOADED", Service.reason(new StatusRuntimeException(ready.status(), ready.trailers())));
  }

  @Test
  void isMadeOnceAndItsTrailersForEachCall() {
    ReadyError first = errors.overloaded("large requests");
    ReadyError second = errors.overloaded("large requests");
    assertSame(first, second);
    Metadata trailers = first.trailers();
    trailers.put(Metadata.Key.of("grpc-status", Metadata.ASCII_STRING_MARSHALLER), "8");
    assertNotSame(trailers, second.trailers());
    assertEquals(1, second.trailers().keys().size());
    assertEquals(Status.Code.RESOURCE_EXHAUSTED, second.status().getCode());
  }
}
