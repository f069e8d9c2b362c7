package dev.colonnade.it.scenario;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.MutateOutcome;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.RowMutation;
import dev.colonnade.v1.SessionAnswer;
import dev.colonnade.v1.SessionCall;
import dev.colonnade.v1.SessionRequest;
import dev.colonnade.v1.SessionResponse;
import dev.colonnade.v1.StreamMutateRequest;
import dev.colonnade.v1.StreamMutateResponse;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** The calls on which both sides send as they like. */
final class ScenarioStreams {

  private static final long LIMIT_SECONDS = 60;
  private static final int COLUMNS_A_BATCH = 100;

  private final ScenarioNodes nodes;

  ScenarioStreams(ScenarioNodes nodes) {
    this.nodes = nodes;
  }

  JsonObject play(Step step) {
    Channel channel = nodes.of(step).get(0).channel();
    return switch (step.text("op")) {
      case "mutate_stream" -> outcomes(channel, batches(step));
      case "fill" -> outcomes(channel, fill(step));
      case "sequences" -> sequences(channel, step);
      case "empty_session_call" -> emptySessionCall(channel);
      default -> services(channel);
    };
  }

  private static List<BatchMutateRequest> batches(Step step) {
    List<BatchMutateRequest> batches = new ArrayList<>();
    step.list("batches")
        .forEach(
            rows -> {
              BatchMutateRequest.Builder batch = batch(step);
              rows.getAsJsonArray()
                  .forEach(row -> batch.addRows(ScenarioData.row(new Step(row.getAsJsonObject()))));
              batches.add(batch.build());
            });
    return batches;
  }

  private static List<BatchMutateRequest> fill(Step step) {
    List<BatchMutateRequest> batches = new ArrayList<>();
    int columns = (int) step.number("columns", 0);
    for (int first = 0; first < columns; first += COLUMNS_A_BATCH) {
      RowMutation.Builder row =
          RowMutation.newBuilder().setColumnFamily(step.text("family")).setKey(step.bytes("key"));
      for (int i = first; i < first + COLUMNS_A_BATCH; i++) {
        JsonObject put = step.json().deepCopy();
        put.addProperty("column", String.format(Locale.ROOT, "%05d", i));
        put.addProperty("timestamp", "1");
        row.addMutations(
            Mutation.newBuilder().setColumnOrSuperColumn(ScenarioData.written(new Step(put))));
      }
      batches.add(batch(step).addRows(row).build());
    }
    return batches;
  }

  private static BatchMutateRequest.Builder batch(Step step) {
    return BatchMutateRequest.newBuilder()
        .setKeyspace(step.keyspace())
        .setOptions(ScenarioCalls.writes(step));
  }

  private static JsonObject outcomes(Channel channel, List<BatchMutateRequest> batches) {
    List<StreamMutateRequest> requests = new ArrayList<>();
    batches.forEach(batch -> requests.add(numbered(requests.size() + 1L, batch)));
    JsonObject applied = new JsonObject();
    JsonObject shown = ScenarioCalls.object("applied", applied);
    List<StreamMutateResponse> answers =
        exchange(ColumnStoreServiceGrpc.newStub(channel)::streamMutate, requests);
    for (StreamMutateResponse answer : answers) {
      for (MutateOutcome outcome : answer.getOutcomesList()) {
        String name =
            outcome.getApplied().name().substring("APPLIED_".length()).toLowerCase(Locale.ROOT);
        int before = applied.has(name) ? applied.get(name).getAsInt() : 0;
        applied.addProperty(name, before + 1);
        JsonObject one = ScenarioCalls.object("applied", new JsonPrimitive(name));
        one.addProperty("reason", outcome.getReason());
        shown.add(Long.toString(outcome.getSequence()), one);
      }
    }
    return ScenarioCalls.object("outcomes", shown);
  }

  private static JsonObject sequences(Channel channel, Step step) {
    List<StreamMutateRequest> requests = new ArrayList<>();
    for (long i = 0; i <= step.number("count", 0); i++) {
      requests.add(
          numbered(
              1 + i * step.number("step", 0),
              BatchMutateRequest.newBuilder().setKeyspace(step.keyspace()).build()));
    }
    exchange(ColumnStoreServiceGrpc.newStub(channel)::streamMutate, requests);
    return new JsonObject();
  }

  private static StreamMutateRequest numbered(long sequence, BatchMutateRequest batch) {
    return StreamMutateRequest.newBuilder().setSequence(sequence).setBatch(batch).build();
  }

  private static JsonObject emptySessionCall(Channel channel) {
    SessionRequest request =
        SessionRequest.newBuilder().addCalls(SessionCall.newBuilder().setId(1)).build();
    List<SessionResponse> answers =
        exchange(ColumnStoreServiceGrpc.newStub(channel)::session, List.of(request));
    for (SessionResponse answer : answers) {
      for (SessionAnswer each : answer.getAnswersList()) {
        try {
          throw StatusProto.toStatusRuntimeException(
              com.google.rpc.Status.parseFrom(each.getError()));
        } catch (InvalidProtocolBufferException e) {
          throw new IllegalStateException("the error of a call cannot be decoded", e);
        }
      }
    }
    return new JsonObject();
  }

  private static JsonObject services(Channel channel) {
    ServerReflectionRequest request =
        ServerReflectionRequest.newBuilder().setListServices("").build();
    JsonObject services = new JsonObject();
    List<ServerReflectionResponse> answers =
        exchange(ServerReflectionGrpc.newStub(channel)::serverReflectionInfo, List.of(request));
    for (ServerReflectionResponse answer : answers) {
      answer
          .getListServicesResponse()
          .getServiceList()
          .forEach(service -> services.addProperty(service.getName(), true));
    }
    return ScenarioCalls.object("services", services);
  }

  /** Sends all requests, and returns all answers. */
  private static <Q, R> List<R> exchange(
      Function<StreamObserver<R>, StreamObserver<Q>> method, List<Q> requests) {
    List<R> answers = new ArrayList<>();
    CompletableFuture<List<R>> done = new CompletableFuture<>();
    StreamObserver<Q> out =
        method.apply(
            new StreamObserver<>() {
              @Override
              public void onNext(R answer) {
                answers.add(answer);
              }

              @Override
              public void onError(Throwable error) {
                done.completeExceptionally(error);
              }

              @Override
              public void onCompleted() {
                done.complete(answers);
              }
            });
    requests.forEach(out::onNext);
    out.onCompleted();
    try {
      return done.orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof StatusRuntimeException status
          ? status
          : Status.fromThrowable(e).asRuntimeException();
    }
  }
}
