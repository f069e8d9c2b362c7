package dev.colonnade.server.service.rpc;

import com.google.rpc.ErrorInfo;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.MutateOutcome;
import dev.colonnade.v1.StreamMutateResponse;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * Compares each error that a test is answered with the comments of the .proto files. An error that
 * its method does not list is replaced by another one, which no test expects.
 */
final class ContractGuard implements ServerInterceptor {

  private static final String BATCH =
      ColumnStoreServiceGrpc.getBatchMutateMethod().getFullMethodName();

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    String method = call.getMethodDescriptor().getFullMethodName();
    if (!method.startsWith("colonnade.")) {
      return next.startCall(call, headers);
    }
    return next.startCall(
        new SimpleForwardingServerCall<Q, R>(call) {
          @Override
          public void sendMessage(R message) {
            if (message instanceof StreamMutateResponse outcomes) {
              outcomes.getOutcomesList().forEach(ContractGuard::check);
            }
            super.sendMessage(message);
          }

          @Override
          public void close(Status status, Metadata trailers) {
            String fault = status.isOk() ? null : fault(method, status, trailers);
            if (fault == null) {
              super.close(status, trailers);
            } else {
              super.close(Status.UNKNOWN.withDescription(fault), new Metadata());
            }
          }
        },
        headers);
  }

  private static void check(MutateOutcome outcome) {
    if (outcome.getCode() != 0) {
      String fault =
          fault(BATCH, outcome.getReason(), Status.fromCodeValue(outcome.getCode()).getCode());
      if (fault != null) {
        throw new AssertionError(fault);
      }
    }
  }

  private static @Nullable String fault(String method, Status status, Metadata trailers) {
    ErrorInfo info = Service.detail(status.asRuntimeException(trailers), ErrorInfo.class);
    return info == null
        ? method + " answers " + status + " without a reason"
        : fault(method, info.getReason(), status.getCode());
  }

  /** What is wrong with an answer; null if the contract lists it. */
  static @Nullable String fault(String method, String reason, Status.Code code) {
    Status.Code listed = ContractReasons.of(method).get(reason);
    if (listed == null) {
      return "the .proto does not list " + reason + " for " + method;
    }
    return listed == code ? null : method + " answers " + reason + " as " + code;
  }
}
