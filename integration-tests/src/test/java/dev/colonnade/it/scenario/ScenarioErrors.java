package dev.colonnade.it.scenario;

import com.google.gson.JsonObject;
import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.List;
import java.util.Map;

/** What errors say, as the scenario compares it. */
final class ScenarioErrors {

  private ScenarioErrors() {}

  static JsonObject described(StatusRuntimeException error, boolean write) {
    Map<String, String> metadata = info(error).getMetadataMap();
    JsonObject shown = new JsonObject();
    shown.addProperty("code", error.getStatus().getCode().name());
    shown.addProperty("reason", info(error).getReason());
    shown.addProperty("message", error.getStatus().getDescription());
    String applied = metadata.getOrDefault("applied", write ? "unknown" : "");
    shown.addProperty("applied", applied);
    for (String name : List.of("required", "received", "alive")) {
      if (metadata.containsKey(name)) {
        shown.addProperty(name, Integer.valueOf(metadata.get(name)));
      }
    }
    for (Any detail : details(error)) {
      if (detail.is(BadRequest.class)) {
        BadRequest bad = unpack(detail, BadRequest.class);
        shown.addProperty("field", bad.getFieldViolations(0).getField());
      }
    }
    JsonObject answer = new JsonObject();
    answer.add("error", shown);
    return answer;
  }

  /** Whether another node may be asked: a write only if it was certainly not applied. */
  static boolean mayGoOn(StatusRuntimeException error, boolean write) {
    ErrorInfo info = info(error);
    if (write && !info.getMetadataMap().getOrDefault("applied", "unknown").equals("no")) {
      return false;
    }
    return info.getReason().isEmpty()
        ? error.getStatus().getCode() == Status.Code.UNAVAILABLE
        : info.getReason().equals("NODE_NOT_READY");
  }

  private static ErrorInfo info(StatusRuntimeException error) {
    for (Any detail : details(error)) {
      if (detail.is(ErrorInfo.class)) {
        return unpack(detail, ErrorInfo.class);
      }
    }
    return ErrorInfo.getDefaultInstance();
  }

  private static List<Any> details(StatusRuntimeException error) {
    com.google.rpc.Status status = StatusProto.fromThrowable(error);
    return status == null ? List.of() : status.getDetailsList();
  }

  private static <T extends com.google.protobuf.Message> T unpack(Any detail, Class<T> type) {
    try {
      return detail.unpack(type);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a detail of an error cannot be decoded", e);
    }
  }
}
