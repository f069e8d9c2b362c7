package dev.colonnade.it.conformance;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a request: a value, or an error of a class that the original had.
 *
 * @param value of maps, lists, texts and longs; null for an answer without content
 * @param errorClass null when the request succeeded
 * @param detail for readers, never compared
 */
record Outcome(@Nullable Object value, @Nullable String errorClass, String detail) {

  private static final String INVALID_REQUEST = "InvalidRequestException";

  static Outcome ok(@Nullable Object value) {
    return new Outcome(value, null, "");
  }

  static Outcome error(String errorClass) {
    return new Outcome(null, errorClass, "");
  }

  /** Reads {@code {"ok": …}} or {@code {"err": …}}. */
  static Outcome recorded(JsonObject res) {
    if (res.has("err")) {
      return error(res.get("err").getAsString());
    }
    return ok(plain(res.get("ok")));
  }

  /** The class that stands for what the node answered; unknown to the original when it is wrong. */
  static Outcome of(StatusRuntimeException e) {
    Status status = e.getStatus();
    String reason = reasonOf(e);
    String detail = status + (reason == null ? " without ErrorInfo" : " (" + reason + ")");
    if (reason == null) {
      return new Outcome(null, "an error without ErrorInfo", detail);
    }
    String errorClass =
        switch (status.getCode()) {
          case INVALID_ARGUMENT, FAILED_PRECONDITION, ALREADY_EXISTS -> INVALID_REQUEST;
          case NOT_FOUND -> notFoundClass(reason);
          case UNAVAILABLE -> "UnavailableException";
          case DEADLINE_EXCEEDED -> "TimedOutException";
          default -> status.getCode().name();
        };
    return new Outcome(null, errorClass, detail);
  }

  boolean failed() {
    return errorClass != null;
  }

  /** Whether this answer is the wanted one, by the rules of {@code conformance/README.md}. */
  boolean matches(Outcome wanted, boolean compareTtl) {
    if (failed() || wanted.failed()) {
      return Objects.equals(errorClass, wanted.errorClass);
    }
    return compareTtl
        ? Objects.equals(value, wanted.value)
        : Objects.equals(withoutTtl(value), withoutTtl(wanted.value));
  }

  /** Whether another release's recorded answer accepts this one. */
  boolean matchesAlternative(Outcome alternative, boolean compareTtl) {
    boolean brokeInside =
        "INTERNAL".equals(alternative.errorClass)
            || "TimedOutException".equals(alternative.errorClass);
    return brokeInside ? failed() : matches(alternative, compareTtl);
  }

  @Override
  public String toString() {
    return failed() ? errorClass + " " + detail : String.valueOf(value);
  }

  private static String notFoundClass(String reason) {
    return switch (reason) {
      case "COLUMN_NOT_FOUND" -> "NotFoundException";
      case "KEYSPACE_NOT_FOUND", "COLUMN_FAMILY_NOT_FOUND" -> INVALID_REQUEST;
      default -> "NOT_FOUND for the reason " + reason;
    };
  }

  private static @Nullable String reasonOf(StatusRuntimeException e) {
    com.google.rpc.Status status = StatusProto.fromThrowable(e);
    if (status == null) {
      return null;
    }
    for (Any any : status.getDetailsList()) {
      if (any.is(ErrorInfo.class)) {
        try {
          ErrorInfo info = any.unpack(ErrorInfo.class);
          return info.getDomain().equals("colonnade") ? info.getReason() : null;
        } catch (InvalidProtocolBufferException malformed) {
          throw new IllegalStateException("an ErrorInfo that cannot be read", malformed);
        }
      }
    }
    return null;
  }

  private static @Nullable Object plain(JsonElement json) {
    if (json.isJsonNull()) {
      return null;
    }
    if (json instanceof JsonPrimitive primitive) {
      return primitive.isNumber() ? (Object) primitive.getAsLong() : primitive.getAsString();
    }
    if (json instanceof JsonArray array) {
      List<@Nullable Object> list = new ArrayList<>();
      array.forEach(element -> list.add(plain(element)));
      return list;
    }
    Map<String, @Nullable Object> map = new TreeMap<>();
    json.getAsJsonObject().asMap().forEach((name, member) -> map.put(name, plain(member)));
    return map;
  }

  private static @Nullable Object withoutTtl(@Nullable Object value) {
    if (value instanceof List<?> list) {
      return list.stream().map(Outcome::withoutTtl).toList();
    }
    if (value instanceof Map<?, ?> map) {
      Map<String, @Nullable Object> copy = new TreeMap<>();
      map.forEach(
          (name, member) -> {
            if (!name.equals("ttl")) {
              copy.put(String.valueOf(name), withoutTtl(member));
            }
          });
      return copy;
    }
    return value;
  }
}
