package dev.colonnade.server.service.rpc;

import com.google.protobuf.MessageLite;
import io.grpc.Attributes;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.SecurityLevel;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * A call as seen by its service. Memory for answers is reserved before they are encoded. The memory
 * account can end the call from the event loop while another thread answers it; what the service
 * sends after that is dropped.
 *
 * @param <Q> the request
 * @param <R> the answer
 */
final class IntakeCall<Q, R> extends ServerCall<Q, R> {

  private final ServerCall<InputStream, R> call;
  private final MethodDescriptor<Q, R> method;
  private final CallMemory memory;
  private final RequestIntake.Tools tools;

  // Guarded by this. The transport requires calls one after the other, and none after the end.
  private boolean sending;
  private boolean ended;
  private @Nullable Ending ending;

  /** How a call ends that is ended here. */
  private record Ending(Status status, Metadata trailers) {}

  IntakeCall(
      ServerCall<InputStream, R> call,
      MethodDescriptor<Q, R> method,
      CallMemory memory,
      RequestIntake.Tools tools) {
    this.call = call;
    this.method = method;
    this.memory = memory;
    this.tools = tools;
  }

  /** Ends the call for lack of memory. Any thread; does nothing if it has ended. */
  void refuse() {
    overloaded("the memory for requests and answers");
  }

  /** Ends the call because a limit was reached. Any thread; does nothing if it has ended. */
  void overloaded(String limit) {
    ReadyError error = tools.errors().overloaded(limit);
    end(new Ending(error.status(), error.trailers()));
  }

  /** Ends the call with an error. Any thread; does nothing if it has ended. */
  void end(StatusRuntimeException error) {
    Metadata trailers = error.getTrailers();
    end(new Ending(error.getStatus(), trailers == null ? new Metadata() : trailers));
  }

  private void end(Ending error) {
    synchronized (this) {
      if (ended || ending != null) {
        return;
      }
      ending = error;
      if (sending) {
        // The thread that is sending ends it.
        return;
      }
      ended = true;
    }
    closeWith(error);
  }

  private void closeWith(Ending error) {
    call.close(error.status(), error.trailers());
  }

  /** Whether the call was ended here rather than by its service. */
  synchronized boolean isRefused() {
    return ending != null;
  }

  private synchronized boolean startSending() {
    if (ended || ending != null) {
      return false;
    }
    sending = true;
    return true;
  }

  private void stopSending() {
    Ending error;
    synchronized (this) {
      sending = false;
      error = ended ? null : ending;
      ended |= error != null;
    }
    if (error != null) {
      closeWith(error);
    }
  }

  @Override
  public void sendMessage(R message) {
    if (!startSending()) {
      return;
    }
    try {
      if (!memory.holdMessage(sizeOf(message))) {
        refuse();
        return;
      }
      call.sendMessage(message);
      memory.handedOver();
      noticeReader();
    } finally {
      stopSending();
    }
  }

  private static int sizeOf(Object message) {
    if (message instanceof EncodedMessage encoded) {
      return encoded.isHeld() ? 0 : encoded.size();
    }
    return message instanceof MessageLite sized ? sized.getSerializedSize() : 0;
  }

  /** Called when the transport may have become ready. */
  void onReady() {
    synchronized (this) {
      if (sending) {
        // The message being sent may not be with the transport yet, and must not count as read.
        return;
      }
    }
    noticeReader();
  }

  /**
   * Releases memory when the reader has caught up; a single answer counts until its stream is
   * closed, one of many until it is taken.
   */
  private void noticeReader() {
    if (!method.getType().serverSendsOneMessage() && call.isReady()) {
      memory.readerCaughtUp();
    }
  }

  @Override
  public void sendHeaders(Metadata headers) {
    if (startSending()) {
      try {
        call.sendHeaders(headers);
      } finally {
        stopSending();
      }
    }
  }

  @Override
  public void close(Status status, Metadata trailers) {
    synchronized (this) {
      if (ended || ending != null) {
        return;
      }
      ended = true;
    }
    call.close(status, trailers);
  }

  @Override
  public void request(int messages) {
    call.request(messages);
  }

  @Override
  public boolean isReady() {
    return call.isReady();
  }

  @Override
  public boolean isCancelled() {
    return call.isCancelled();
  }

  @Override
  public void setMessageCompression(boolean enabled) {
    call.setMessageCompression(enabled);
  }

  @Override
  public void setCompression(String compressor) {
    call.setCompression(compressor);
  }

  @Override
  public void setOnReadyThreshold(int bytes) {
    call.setOnReadyThreshold(bytes);
  }

  @Override
  public SecurityLevel getSecurityLevel() {
    return call.getSecurityLevel();
  }

  @Override
  public Attributes getAttributes() {
    return call.getAttributes();
  }

  @Override
  public String getAuthority() {
    return call.getAuthority();
  }

  @Override
  public MethodDescriptor<Q, R> getMethodDescriptor() {
    return method;
  }
}
