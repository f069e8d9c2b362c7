package dev.colonnade.server.service.rpc;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.colonnade.admin.v1.BulkLoadServiceGrpc;
import dev.colonnade.admin.v1.ClusterServiceGrpc;
import dev.colonnade.admin.v1.NodeServiceGrpc;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.SessionAnswer;
import dev.colonnade.v1.SessionResponse;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whatever a client sends to any method, the call ends, with an answer or with a status that is not
 * a fault of the server.
 */
public final class RequestFuzzer {

  /** The store and the schema must not grow for ever. */
  private static final int CALLS_PER_SERVICE = 5_000;

  private static final int MESSAGES_MAX = 1_000;
  private static final List<MethodDescriptor<?, ?>> METHODS = methods();

  private static @Nullable Service service;
  private static int calls;

  private RequestFuzzer() {}

  private static List<MethodDescriptor<?, ?>> methods() {
    List<MethodDescriptor<?, ?>> methods = new ArrayList<>();
    methods.addAll(ColumnStoreServiceGrpc.getServiceDescriptor().getMethods());
    methods.addAll(SchemaServiceGrpc.getServiceDescriptor().getMethods());
    methods.addAll(ClusterServiceGrpc.getServiceDescriptor().getMethods());
    methods.addAll(NodeServiceGrpc.getServiceDescriptor().getMethods());
    methods.addAll(BulkLoadServiceGrpc.getServiceDescriptor().getMethods());
    return methods;
  }

  /** Which number a method has in the first byte of an input. */
  static int number(MethodDescriptor<?, ?> method) {
    return METHODS.indexOf(method);
  }

  /** One input: the method's number, then its request. */
  public static void fuzzerTestOneInput(byte[] data) {
    if (data.length == 0) {
      return;
    }
    call(METHODS.get((data[0] & 0xff) % METHODS.size()), data);
  }

  private static <Q, A> void call(MethodDescriptor<Q, A> method, byte[] data) {
    Q request;
    try {
      request = method.parseRequest(new ByteArrayInputStream(data, 1, data.length - 1));
    } catch (StatusRuntimeException notProtobuf) {
      return;
    }
    // No deadline: a call that hangs is found by the fuzzer's own clock.
    ClientCall<Q, A> call = service().channel.newCall(method, CallOptions.DEFAULT);
    Ending<A> ending = new Ending<>(call);
    call.start(ending, new Metadata());
    call.request(MESSAGES_MAX);
    call.sendMessage(request);
    call.halfClose();
    Status status = ending.status;
    if (status == null) {
      call.cancel("too long an answer", null);
      // A watching call continues until its client leaves.
      boolean watches = String.valueOf(method.getBareMethodName()).startsWith("Watch");
      if (ending.messages < MESSAGES_MAX && !watches) {
        throw new AssertionError(method.getFullMethodName() + " has not ended");
      }
      return;
    }
    if (status.getCode() == Status.Code.UNIMPLEMENTED || isFault(status)) {
      throw new AssertionError(method.getFullMethodName() + ": " + status + "\n" + request);
    }
  }

  private static boolean isFault(Status status) {
    return switch (status.getCode()) {
      case INTERNAL, UNKNOWN, DEADLINE_EXCEEDED, CANCELLED, DATA_LOSS -> true;
      default -> false;
    };
  }

  /** The answers of a session's calls are checked like calls of their own. */
  private static void check(SessionAnswer answer) {
    if (answer.getOutcomeCase() != SessionAnswer.OutcomeCase.ERROR) {
      return;
    }
    try {
      com.google.rpc.Status error = com.google.rpc.Status.parseFrom(answer.getError());
      if (isFault(Status.fromCodeValue(error.getCode()))) {
        throw new AssertionError("a call of a session: " + error);
      }
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("an error that is no google.rpc.Status", e);
    }
  }

  private static Service service() {
    Service current = service;
    if (current == null || ++calls % CALLS_PER_SERVICE == 0) {
      if (current != null) {
        current.close();
      }
      current = Service.start();
      current.insert("row", "Standard1", "name", "value", 1);
      current.insertSuper("row", "Super2", "top", Service.bytes("sub"), "value");
      service = current;
    }
    return current;
  }

  private static final class Ending<A> extends ClientCall.Listener<A> {
    private final ClientCall<?, A> call;
    @Nullable Status status;
    int messages;

    Ending(ClientCall<?, A> call) {
      this.call = call;
    }

    @Override
    public void onMessage(A message) {
      messages++;
      if (message instanceof SessionResponse session) {
        session.getAnswersList().forEach(RequestFuzzer::check);
      }
    }

    @Override
    public void onClose(Status end, Metadata trailers) {
      status = end;
    }

    @Override
    public String toString() {
      return call + " " + status;
    }
  }
}
